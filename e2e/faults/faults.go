// Package faults is a proxy before an API server that breaks in the ways in which
// networks, load balancers and API servers do.
package faults

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

// Fault is how the proxy misbehaves. The zero value is none.
type Fault struct {
	Latency   time.Duration // each answer, and each piece of one, comes so much later
	Cut       time.Duration // all connections are closed that often
	Broken    float64       // the share of answers that end early, or are another server's
	Throttled float64       // the share of requests that are answered 429
	After     int           // Retry-After of those, in seconds
	Gone      bool          // watches are answered 410, open ones end with it
	Still     bool          // open watches pass nothing on
	Stalled   bool          // requests get no answer

	// Denied gives whether a request is answered 401. Answered is called when the server
	// has answered, and gives whether the connection breaks instead of passing that on.
	Denied   func(*http.Request) bool
	Answered func(*http.Request) bool
}

// Proxy is a server before another one, with a certificate of its own.
type Proxy struct {
	*httptest.Server
	target   *url.URL
	fault    atomic.Pointer[Fault]
	broken   atomic.Int64
	requests atomic.Int64

	mu      sync.Mutex
	changed chan struct{} // closed when the fault changes
}

// Start starts a proxy before the server at the URL.
func Start(target string) (*Proxy, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("start a proxy: %w", err)
	}
	p := &Proxy{target: to, changed: make(chan struct{})}
	p.fault.Store(&Fault{})
	onward := &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // loopback
		ForceAttemptHTTP2: false, MaxIdleConnsPerHost: -1, DisableCompression: true,
	}
	reverse := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:      onward,
		FlushInterval:  -1,
		ModifyResponse: p.modify,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(reverse, w, r) }))
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.EnableHTTP2 = true
	p.StartTLS()
	return p, nil
}

// Set replaces the fault.
func (p *Proxy) Set(f Fault) {
	p.fault.Store(&f)
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.changed)
	p.changed = make(chan struct{})
	if f.Cut > 0 {
		go p.cut(f.Cut, p.changed)
	}
}

// cut closes all connections now and then, until the fault changes.
func (p *Proxy) cut(every time.Duration, until <-chan struct{}) {
	for {
		select {
		case <-until:
			return
		case <-time.After(every):
			p.CloseClientConnections()
		}
	}
}

// Counts are how many requests came, and how many of them were spoiled.
func (p *Proxy) Counts() (requests, spoiled int) {
	return int(p.requests.Load()), int(p.broken.Load())
}

// Kubeconfig writes a copy of a kubeconfig that goes through the proxy.
func (p *Proxy) Kubeconfig(path, copied string) error {
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return err
	}
	for _, cluster := range config.Clusters {
		cluster.Server, cluster.CertificateAuthority = p.URL, ""
		cluster.CertificateAuthorityData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw})
	}
	err = clientcmd.WriteToFile(*config, copied)
	if err != nil {
		return err
	}
	return os.Chmod(copied, 0o600)
}

// changes gives the present fault, and a channel that is closed when there is another.
func (p *Proxy) changes() (*Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault.Load(), p.changed
}

// isWatch says that the answer has no end.
func isWatch(r *http.Request) bool {
	on, _ := strconv.ParseBool(r.URL.Query().Get("watch"))
	return on
}

// streams says that a watch begins with the whole list.
func streams(r *http.Request) bool { return r.URL.Query().Get("sendInitialEvents") == "true" }

// serve answers a request, or has the server do so.
func (p *Proxy) serve(onward http.Handler, w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	f, changed := p.changes()
	if f.Stalled {
		p.broken.Add(1)
		select {
		case <-changed:
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	}
	switch {
	case f.Denied != nil && f.Denied(r):
		p.answer(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
	case f.Gone && isWatch(r) && !streams(r):
		p.answer(w, http.StatusGone, "Expired", "too old resource version")
	case rand.Float64() < f.Throttled: //nolint:gosec // no secret
		w.Header().Set("Retry-After", strconv.Itoa(f.After))
		p.answer(w, http.StatusTooManyRequests, "TooManyRequests", "the server is overloaded")
	default:
		onward.ServeHTTP(w, r)
	}
}

// answer writes a Status, as the API server does.
func (p *Proxy) answer(w http.ResponseWriter, code int, reason, message string) {
	p.broken.Add(1)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)
}

// modify puts the fault between an answer and who reads it.
func (p *Proxy) modify(response *http.Response) error {
	f := p.fault.Load()
	if f.Answered != nil && f.Answered(response.Request) {
		p.broken.Add(1)
		return errors.New("the connection breaks")
	}
	left := -1
	if rand.Float64() < f.Broken { //nolint:gosec // no secret
		p.broken.Add(1)
		if p.broken.Load()%2 == 0 {
			return p.replace(response)
		}
		left = rand.IntN(4 << 10) //nolint:gosec // no secret
	}
	pieces := make(chan piece, 1024)
	b := &body{source: response.Body, pieces: pieces, end: make(chan struct{})}
	go p.forward(response.Body, pieces, b.end, left, isWatch(response.Request))
	response.Body = b
	return nil
}

// replace makes an answer one of a load balancer that has no server behind it.
func (p *Proxy) replace(response *http.Response) error {
	err := response.Body.Close()
	const page = "<html><body><h1>502 Bad Gateway</h1></body></html>"
	response.StatusCode, response.Status = http.StatusBadGateway, "502 Bad Gateway"
	response.Header = http.Header{"Content-Type": {"text/html"}}
	response.Body, response.ContentLength = io.NopCloser(strings.NewReader(page)), int64(len(page))
	return err
}

// piece is a part of an answer, and when it is passed on.
type piece struct {
	due  time.Time
	data []byte
	err  error
}

// forward reads an answer and passes it on as the fault lets it. left is after how
// many bytes it breaks off; below zero: never.
func (p *Proxy) forward(from io.Reader, to chan<- piece, end <-chan struct{}, left int, watch bool) {
	defer close(to)
	for {
		buffer := make([]byte, 32<<10)
		n, err := from.Read(buffer)
		p.hold(end, watch)
		f := p.fault.Load()
		if left >= 0 && n >= left {
			n, err = left, io.ErrUnexpectedEOF
		} else if left >= 0 {
			left -= n
		}
		if watch && f.Gone {
			err = io.EOF // the next one is answered 410
		}
		select {
		case to <- piece{time.Now().Add(f.Latency), buffer[:n], err}:
		case <-end:
			return
		}
		if err != nil {
			return
		}
	}
}

// hold waits while nothing is passed on.
func (p *Proxy) hold(end <-chan struct{}, watch bool) {
	for {
		f, changed := p.changes()
		if !f.Stalled && (!f.Still || !watch) {
			return
		}
		select {
		case <-changed:
		case <-end:
			return
		}
	}
}

// body is an answer as the fault lets it through.
type body struct {
	source io.Closer
	pieces <-chan piece
	rest   []byte
	err    error
	end    chan struct{}
	once   sync.Once
}

// Read implements io.Reader.
func (b *body) Read(into []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		select {
		case next, ok := <-b.pieces:
			if !ok {
				return 0, io.EOF
			}
			select {
			case <-time.After(time.Until(next.due)):
			case <-b.end:
				return 0, net.ErrClosed
			}
			b.rest, b.err = next.data, next.err
		case <-b.end:
			return 0, net.ErrClosed
		}
	}
	n := copy(into, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.once.Do(func() { close(b.end) })
	return b.source.Close()
}
