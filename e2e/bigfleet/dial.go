package bigfleet

import (
	"context"
	"net"
	"time"
)

// dial makes a dialer that is equal to no other, so that its client shares no
// connection.
func dial() func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: 10 * time.Second}
	return d.DialContext
}
