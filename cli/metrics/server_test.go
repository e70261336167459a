package metrics

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// scrape is what Prometheus gets.
func scrape(t *testing.T, c *current) string {
	t.Helper()
	answer := httptest.NewRecorder()
	handler(c).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func TestProbesAndPaths(t *testing.T) {
	unread, read := &current{now: time.Now}, stateOf(someReading(), model.Status{Connection: live})
	for _, c := range []struct {
		state        *current
		method, path string
		want         int
	}{
		{unread, http.MethodGet, "/healthz", http.StatusOK},
		{unread, http.MethodGet, "/readyz", http.StatusServiceUnavailable},
		{unread, http.MethodGet, "/metrics", http.StatusOK},
		{read, http.MethodGet, "/readyz", http.StatusOK},
		{read, http.MethodGet, "/", http.StatusOK},
		{read, http.MethodGet, "/debug/pprof/", http.StatusNotFound},
		{read, http.MethodPost, "/metrics", http.StatusMethodNotAllowed},
	} {
		answer := httptest.NewRecorder()
		handler(c.state).ServeHTTP(answer, httptest.NewRequest(c.method, c.path, nil))
		if answer.Code != c.want {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, answer.Code, c.want)
		}
	}
}

func TestAnAddressThatCannotBeOpenedIsAWrongCommandLine(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for _, address := range []string{taken.Addr().String(), "127.0.0.1", "127.0.0.1:none", "127.0.0.1:123456", "256.1.1.1:0"} {
		_, err := listen(t.Context(), address, &current{})
		if err == nil || !strings.HasPrefix(err.Error(), "metrics: --listen "+address+": ") || strings.Contains(err.Error(), "\n") ||
			!strings.HasSuffix(err.Error(), "; choose a free address such as 127.0.0.1:9500") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestServingStopsOnceScrapesAreAnswered ends the context while a scrape is being answered.
func TestServingStopsOnceScrapesAreAnswered(t *testing.T) {
	if _, err := listen(t.Context(), "", &current{}); err == nil || !strings.HasPrefix(err.Error(), "metrics: --listen is empty;") {
		t.Errorf("an empty address: %v", err)
	}
	server, err := listen(t.Context(), "127.0.0.1:0", stateOf(someReading(), model.Status{Connection: live}))
	if err != nil {
		t.Fatal(err)
	}
	began, goOn := make(chan struct{}), make(chan struct{})
	inner := server.http.Handler
	server.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(began)
		<-goOn
		inner.ServeHTTP(w, r)
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.serve(ctx) }()
	answered := make(chan error, 1)
	go func() {
		answer, err := http.Get("http://" + server.address() + "/metrics")
		if err == nil {
			var body []byte
			body, err = io.ReadAll(answer.Body)
			err = errors.Join(err, answer.Body.Close())
			if !strings.Contains(string(body), "fathom_pending_pods") {
				err = errors.Join(err, errors.New("no metrics"))
			}
		}
		answered <- err
	}()
	<-began
	cancel()
	close(goOn)
	if err := <-answered; err != nil {
		t.Errorf("the scrape: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server: %v", err)
	}
	if _, err := net.Dial("tcp", server.address()); err == nil {
		t.Error("it still listens")
	}
}
