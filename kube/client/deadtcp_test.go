package client

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// hanging is a proxy that can leave its connections open and forward nothing.
type hanging struct {
	net.Listener
	to string

	mu   sync.Mutex
	dead chan struct{} // closed: the connections until now are dead
	all  []net.Conn
}

func newHanging(t *testing.T, to string) *hanging {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &hanging{Listener: listener, to: to, dead: make(chan struct{})}
	t.Cleanup(func() {
		_ = listener.Close()
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, c := range h.all {
			_ = c.Close()
		}
	})
	go h.serve()
	return h
}

func (h *hanging) serve() {
	for {
		client, err := h.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", h.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		h.mu.Lock()
		dead := h.dead
		h.all = append(h.all, client, server)
		h.mu.Unlock()
		go forward(client, server, dead)
		go forward(server, client, dead)
	}
}

// forward copies until the connection is dead, which neither end is told.
func forward(from, to net.Conn, dead chan struct{}) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		select {
		case <-dead:
			_, _ = io.Copy(io.Discard, from)
			return
		default:
		}
		if n > 0 {
			_, _ = to.Write(buffer[:n])
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

// hang makes the connections until now dead.
func (h *hanging) hang() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.dead)
	h.dead = make(chan struct{})
}

// proxied is an API server behind a proxy that can hang.
func proxied(t *testing.T, http2 bool) (server *apiserver, proxy *hanging, url string) {
	server = newAPIServer(t)
	server.streams = true
	server.fill(10)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(server.serve))
	secure.EnableHTTP2 = http2
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that the proxy cuts off
	secure.StartTLS()
	t.Cleanup(func() {
		secure.CloseClientConnections()
		secure.Close()
	})
	proxy = newHanging(t, strings.TrimPrefix(secure.URL, "https://"))
	return server, proxy, "https://" + proxy.Addr().String()
}

func TestAConnectionThatDiedWithoutAWordIsReplaced(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 8 s: dead connections are noticed by their silence")
	}
	for name, http2 := range map[string]bool{"HTTP/2": true, "HTTP/1.1": false} {
		for how, byHand := range map[string]bool{"by itself": false, "by ctrl-r": true} {
			t.Run(name+", "+how, func(t *testing.T) {
				server, proxy, url := proxied(t, http2)
				p := quick
				p.silent, p.limit = 50*time.Millisecond, 500*time.Millisecond
				if byHand {
					p.limit = 5 * time.Minute // not by itself
				}
				client := openAt(t, url, p)
				source := start(t, client)
				until(t, source, "live", live)

				lost := until(t, source, "not live", func(s model.Status) bool {
					if s.Connection.Live {
						proxy.hang() // again: a connection may just be opening, and work
					}
					return !s.Connection.Live
				})
				if lost.Connection.Problem != model.Silent && lost.Connection.Problem != model.Unreachable {
					t.Errorf("the connection is %+v", lost.Connection)
				}
				server.tell("pods", watch.Added, sample.SmallPod("missed-1", ""))
				if byHand {
					client.Retry()
				}
				until(t, source, "live again, with what was missed", func(s model.Status) bool {
					return s.Connection.Live && len(podsIn(t, source)) == 11
				})
			})
		}
	}
}

func TestAComputerThatSleptReplacesEachConnectionOfHTTP1(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 10 s: dead connections are noticed by their silence")
	}
	server, proxy, url := proxied(t, false)
	client := openAt(t, url, quick)
	source := start(t, client)
	until(t, source, "live", live)
	// Probes take a connection that works, and the watches' own ones are dead.
	<-client.health.exchanges.hangUpOn(time.Time{}, func(*exchange) bool { return false })
	proxy.hang()
	server.tell("pods", watch.Added, sample.SmallPod("missed-1", ""))
	until(t, source, "aware of what was missed", func(model.Status) bool {
		client.health.heardAt.Store(time.Now().Add(-8 * time.Hour).UnixNano())
		return len(podsIn(t, source)) == 11
	})
	until(t, source, "live", live)
}
