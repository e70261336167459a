package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"
)

// roundTripper is a function that carries out one request.
type roundTripper func(*http.Request) (*http.Response, error)

func (rt roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return rt(r) }

// reviews are the posts that change nothing: they ask about the user himself.
var reviews = regexp.MustCompile(`/apis/(authorization|authentication)\.k8s\.io/[^/]+/selfsubject(access|rules)?reviews$`)

// podsOf are the collections of pods, where a dry run creates.
var podsOf = regexp.MustCompile(`/api/v1/namespaces/[^/]+/pods$`)

// readsOnly refuses every request that could change something, before it is
// sent, whatever client asked for it.
func readsOnly(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		switch {
		case r.Method == http.MethodGet, r.Method == http.MethodHead:
		case r.Method == http.MethodPost && reviews.MatchString(r.URL.Path):
		default:
			return refuse(r)
		}
		return next.RoundTrip(r)
	})
}

// dryRunsOnly lets through the creation of a pod that is only tried, and
// nothing else.
func dryRunsOnly(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		tried := r.URL.Query()["dryRun"]
		if r.Method != http.MethodPost || !podsOf.MatchString(r.URL.Path) || len(tried) != 1 || tried[0] != "All" {
			return refuse(r)
		}
		return next.RoundTrip(r)
	})
}

func refuse(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close() // a RoundTripper must, also when it fails
	}
	return nil, fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, ErrReadOnly)
}

// within gives the server that long to answer. What runs before the request
// is sent, as a plugin that asks for a password, takes its own time.
func within(limit time.Duration) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			ctx, cancel := context.WithTimeout(r.Context(), limit)
			response, err := next.RoundTrip(r.WithContext(ctx))
			if err != nil {
				cancel()
				return nil, err
			}
			response.Body = &body{ReadCloser: response.Body, closed: cancel}
			return response, nil
		})
	}
}

// body is a response's body that tells of what comes in, and when it is done.
type body struct {
	io.ReadCloser
	heard  func()
	broken func()
	closed func()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && b.heard != nil {
		b.heard()
	}
	if err != nil && err != io.EOF && b.broken != nil {
		b.broken()
	}
	return n, err
}

func (b *body) Close() error {
	if b.closed != nil {
		b.closed()
	}
	return b.ReadCloser.Close()
}
