package figures

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 12 * time.Second: "12s", time.Minute: "1m", 2*time.Minute + 10*time.Second: "2m10s",
		59*time.Minute + 59600*time.Millisecond: "1h0m", 3*time.Hour + 5*time.Minute: "3h5m",
	} {
		if got := Clock(d); got != want {
			t.Errorf("%s is %s, want %s", d, got, want)
		}
	}
}
