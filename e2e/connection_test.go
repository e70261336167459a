package e2e

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// notLive is the header's end while the connection is in trouble.
const notLive = `(no answer for \d+s|\d+s old)(, (retry in \d+s|reconnecting))?$`

// The connection breaks in every way that it can; the screen says so, keeps what
// it knows, and is live again when the cause is gone. How long that took is logged.
func TestTheScreenSaysWhenItIsNotLive(t *testing.T) {
	plane := startPlane(t, controlplane.Options{})
	s := open(t, 80, 24, "--kubeconfig", kubeconfig(t, plane, controlplane.Admin))
	s.shows(live)
	for _, c := range []struct {
		name   string
		breaks func() error
		says   []string
		mends  func() error
	}{
		{
			"etcd hangs", func() error { return plane.FreezeEtcd(true) },
			[]string{notLive, `\d+s old, (retry in \d+s|reconnecting)$`, `not ready: etcd`},
			func() error { return plane.FreezeEtcd(false) },
		},
		{
			"etcd is killed", func() error { plane.StopEtcd(); return nil },
			[]string{notLive, `\d+s old, (retry in \d+s|reconnecting)$`, `not ready: etcd`},
			func() error { return plane.StartEtcd(t.Context()) },
		},
		{
			"the API server hangs", func() error { return plane.FreezeAPIServer(true) },
			[]string{notLive, `no answer for \d+s, (retry in \d+s|reconnecting)$`, `No answer from `},
			func() error { return plane.FreezeAPIServer(false) },
		},
		{
			"the API server is killed", func() error { plane.StopAPIServer(); return nil },
			[]string{notLive, `connection refused`},
			func() error { return plane.StartAPIServer(t.Context()) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			if err := c.breaks(); err != nil {
				t.Fatal(err)
			}
			for _, words := range c.says {
				s.shows(words)
				t.Logf("%s after it broke: %s", time.Since(began).Round(100*time.Millisecond), words)
			}
			if err := c.mends(); err != nil {
				t.Fatal(err)
			}
			began = time.Now()
			s.shows(live)
			t.Logf("live %s after it was mended", time.Since(began).Round(100*time.Millisecond))
		})
	}
	s.press(ctrlC)
	s.ends(0)
}

// slow is a proxy that holds up everything that it forwards.
type slow struct {
	net.Listener
	to    string
	delay time.Duration

	mu  sync.Mutex
	all []net.Conn
}

func newSlow(t *testing.T, to string, delay time.Duration) *slow {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &slow{Listener: listener, to: to, delay: delay}
	go s.serve()
	t.Cleanup(func() {
		_ = listener.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range s.all {
			_ = c.Close()
		}
	})
	return s
}

func (s *slow) serve() {
	for {
		client, err := s.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", s.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		s.mu.Lock()
		s.all = append(s.all, client, server)
		s.mu.Unlock()
		go s.forward(client, server)
		go func() { _, _ = io.Copy(client, server); _ = client.Close() }()
	}
}

// forward passes on what comes, each piece as late as the delay says.
func (s *slow) forward(from, to net.Conn) {
	type piece struct {
		due  time.Time
		data []byte
	}
	pieces := make(chan piece, 1024)
	go func() {
		for p := range pieces {
			time.Sleep(time.Until(p.due))
			_, _ = to.Write(p.data)
		}
		_ = to.Close()
	}()
	defer close(pieces)
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			pieces <- piece{time.Now().Add(s.delay), append([]byte(nil), buffer[:n]...)}
		}
		if errors.Is(err, io.EOF) || err != nil {
			return
		}
	}
}

// At five seconds a round trip the first frame does not wait for any, and says
// what it waits for.
func TestTheFirstFrameComesAtAnyLatency(t *testing.T) {
	plane := startPlane(t, controlplane.Options{})
	server, err := url.Parse(plane.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := newSlow(t, server.Host, 5*time.Second)
	text, err := os.ReadFile(kubeconfig(t, plane, controlplane.Admin))
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "config")
	through := strings.ReplaceAll(string(text), server.Host, proxy.Addr().String())
	if err := os.WriteFile(config, []byte(through), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s := open(t, 80, 24, "--kubeconfig", config)
	for _, words := range []string{
		fmt.Sprintf(`Connecting to https://%s…`, proxy.Addr()), `connecting$`, `Connecting to https://\S+… \d+s`, `Reading `, live,
	} {
		s.shows(words)
		t.Logf("%s after the start: %s", time.Since(began).Round(100*time.Millisecond), words)
	}
	s.press(ctrlC)
	s.ends(0)
}
