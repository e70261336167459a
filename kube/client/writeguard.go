package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/kube/act"
)

// roundTripper is a function that carries out one request.
type roundTripper func(*http.Request) (*http.Response, error)

func (rt roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return rt(r) }

// reviews are the posts that change nothing: they ask about the user himself.
var reviews = regexp.MustCompile(`/apis/(authorization|authentication)\.k8s\.io/[^/]+/selfsubject(access|rules)?reviews$`)

var (
	// creations are posts of a pod or of an eviction.
	creations = regexp.MustCompile(`/api/v1/namespaces/[^/]+/pods(/[^/]+/eviction)?$`)
	// onePod is one pod, never a collection of them.
	onePod = regexp.MustCompile(`/api/v1/namespaces/[^/]+/pods/[^/]+$`)
)

// readsOnly rejects every request that could change something, before it is sent,
// whichever client sends it.
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

// dryRunsOnly makes every request a dry run by its query, whichever client sends it. A
// deletion loses its body, because the server would read that instead.
func dryRunsOnly(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if !changes(r) {
			return refuse(r)
		}
		tried := r.Clone(r.Context()) // a RoundTripper leaves the request as it is
		if r.Method == http.MethodDelete {
			withoutBody(tried)
		}
		query := tried.URL.Query()
		query.Set("dryRun", metav1.DryRunAll)
		tried.URL.RawQuery = query.Encode()
		return next.RoundTrip(tried)
	})
}

// withoutBody leaves a request its query only.
func withoutBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close() // a RoundTripper must
	}
	r.Body, r.GetBody, r.ContentLength = http.NoBody, nil, 0
	r.Header.Del("Content-Type")
}

// confirmedOnly lets through what a user confirmed, once, and nothing else.
func confirmedOnly(next http.RoundTripper) http.RoundTripper {
	next = sentOnce(next)
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if !changes(r) || act.Confirmation(r.Context()) == nil {
			return refuse(r)
		}
		return next.RoundTrip(r)
	})
}

// sentOnce keeps client-go from sending again what the server may have done although it
// answered that it has trouble (5xx with Retry-After): the change would conflict with itself.
func sentOnce(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(r)
		if err == nil && response.StatusCode >= http.StatusInternalServerError {
			response.Header.Del("Retry-After")
		}
		return response, err
	})
}

// changes reports whether the request is of a kind that actions send, or the
// creation of a pod that explain -f tries.
func changes(r *http.Request) bool {
	switch r.Method {
	case http.MethodPatch, http.MethodPut:
		return true
	case http.MethodPost:
		return creations.MatchString(r.URL.Path)
	case http.MethodDelete:
		return onePod.MatchString(r.URL.Path)
	}
	return false
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
	cut    func(error) error
	broken func()
	closed func()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && b.heard != nil {
		b.heard()
	}
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	if b.broken != nil {
		b.broken()
	}
	if b.cut != nil {
		err = b.cut(err)
	}
	return n, err
}

func (b *body) Close() error {
	if b.closed != nil {
		b.closed()
	}
	return b.ReadCloser.Close()
}
