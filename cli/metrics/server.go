package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

const (
	// mostScrapes is how many scrapes are answered at once; more get 503.
	mostScrapes = 5
	// scrapeTime is how long a scrape may take.
	scrapeTime = 10 * time.Second
	// stopTime is how long scrapes that are being answered have when the program ends.
	stopTime = 5 * time.Second
)

// server serves what is known.
type server struct {
	listener net.Listener
	http     *http.Server
}

// listen opens an address. One that cannot be opened is a wrong command line.
func listen(ctx context.Context, address string, state *current) (*server, error) {
	if address == "" { // net would take any port of all interfaces
		return nil, exit.Usagef("metrics: --listen is empty; choose an address such as %s", defaultListen)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		err = withoutAddress(err) // it is named already
		return nil, exit.Usagef("metrics: --listen %s: %w; choose a free address such as %s", address, err, defaultListen)
	}
	return &server{listener: listener, http: &http.Server{
		Handler:           handler(state),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      scrapeTime + 5*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0),
	}}, nil
}

// withoutAddress is why an address cannot be opened.
func withoutAddress(err error) error {
	if wrong := new(net.AddrError); errors.As(err, &wrong) {
		return errors.New(wrong.Err)
	}
	if failed := new(net.OpError); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// open reports whether other machines can connect.
func (s *server) open() bool {
	tcp, ok := s.listener.Addr().(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback()
}

// address is where it listens.
func (s *server) address() string { return s.listener.Addr().String() }

// serve serves until ctx ends; then scrapes that are being answered have some time.
func (s *server) serve(ctx context.Context) error {
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		stopped <- s.http.Shutdown(limited)
	})
	err := s.http.Serve(s.listener)
	if stop() { // ctx has not ended
		return fmt.Errorf("serve metrics: %w", err)
	}
	if err := <-stopped; err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop serving metrics: %w", err)
	}
	return nil
}

// registry has fathom's metrics, and the usual ones of the process.
func registry(state *current) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(state, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// handler answers scrapes and probes.
func handler(state *current) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry(state), promhttp.HandlerOpts{MaxRequestsInFlight: mostScrapes, Timeout: scrapeTime}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if state.fresh() == nil {
			answer(w, http.StatusServiceUnavailable, "the cluster is not read yet, or the API server does not answer")
			return
		}
		answer(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "fathom: /metrics for Prometheus, /healthz and /readyz for probes")
	})
	return mux
}

// answer writes one line of text.
func answer(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text+"\n") // one that hangs up misses nothing
}
