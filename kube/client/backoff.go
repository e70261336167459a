package client

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// firstBackoff is the wait after the second failure in a row; it doubles. The
	// first one costs no wait: a watch from too long ago is begun again at once.
	firstBackoff = 500 * time.Millisecond
	// longestBackoff is the longest one. client-go's reflectors go up to a minute,
	// so failures that may pass are waited for here and never reach them.
	longestBackoff = 5 * time.Second
	// longLived is a watch that counts as good, however it ends.
	longLived = 5 * time.Second
	// reportAfter is how many failures in a row are reported although a list follows.
	reportAfter = 3
)

// backoff paces the tries of one listWatcher, whose lock guards it.
type backoff struct {
	tries int       // that failed, in a row
	next  time.Time // when the next try is due
	asked bool      // the server itself said when

	refused bool // the last one was not begun at all; what is begun after that works
}

// failed counts a failure. delay is what the server asks for; 0: nothing.
func (b *backoff) failed(delay time.Duration) {
	b.tries++
	b.refused = false
	var wait time.Duration
	if b.tries > 1 {
		wait = jittered(min(firstBackoff<<min(b.tries-2, 8), longestBackoff))
	}
	b.asked = delay > wait
	b.next = time.Now().Add(max(wait, delay))
}

func (b *backoff) succeeded() { *b = backoff{} }

// passes says that a failure may pass by itself: the server is overloaded, or
// has trouble of its own.
func passes(err error) bool {
	switch {
	case err == nil, apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge):
		return false // the reflector asks for another one
	case apierrors.IsTooManyRequests(err), apierrors.IsInternalError(err), apierrors.IsServerTimeout(err),
		apierrors.IsTimeout(err), apierrors.IsServiceUnavailable(err), apierrors.IsUnexpectedServerError(err):
		return true
	}
	return isNotAnAPI(err)
}

// delayKey is the context's key of a *time.Duration: how long the server asks to wait.
type delayKey struct{}

// noteDelay keeps how long the server asks to wait where somebody wants to know.
// client-go would wait itself then, up to ten times, and nobody could tell why.
func noteDelay(r *http.Request, response *http.Response) {
	delay, ok := r.Context().Value(delayKey{}).(*time.Duration)
	if !ok || response.Header.Get("Retry-After") == "" ||
		response.StatusCode != http.StatusTooManyRequests && response.StatusCode < http.StatusInternalServerError {
		return
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		*delay = time.Duration(seconds) * time.Second
	}
	response.Header.Del("Retry-After")
}

// retries end what client-go sends again because the server asks to wait (Retry-After), once
// that has taken as long as a user wants to wait.
type retries struct {
	limit time.Duration // 0: as often as client-go does

	mu    sync.Mutex
	since map[string]refusal // by method and URL
}

// refusal is a request that is sent again.
type refusal struct {
	first time.Time // when it was refused first
	due   time.Time // when it is sent again
}

// over is a RoundTripper that has client-go wait no longer than the limit.
func (r *retries) over(next http.RoundTripper) http.RoundTripper {
	if r.limit <= 0 {
		return next
	}
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		seconds, noNumber := strconv.Atoi(response.Header.Get("Retry-After"))
		if noNumber != nil { // client-go sends nothing again
			seconds = 0
		}
		switch wait := r.wait(request.Method+" "+request.URL.String(), seconds, time.Now()); {
		case wait > 0:
			response.Header.Set("Retry-After", strconv.Itoa(wait))
		case seconds > 0:
			response.Header.Del("Retry-After")
		}
		return response, nil
	})
}

// wait is after how many seconds a request is sent again, where the server asks for so many; 0
// is never.
func (r *retries) wait(request string, seconds int, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	refused, known := r.since[request]
	if !known || now.Sub(refused.due) > r.limit { // that one was given up
		refused.first = now
	}
	left := r.limit - now.Sub(refused.first)
	if seconds <= 0 || left <= 0 {
		delete(r.since, request)
		return 0
	}
	seconds = min(seconds, int(math.Ceil(left.Seconds())))
	refused.due = now.Add(time.Duration(seconds) * time.Second)
	r.since[request] = refused
	return seconds
}

// delayed gives a context that learns how long the server asks to wait.
func delayed(ctx context.Context) (context.Context, *time.Duration) {
	delay := new(time.Duration)
	return context.WithValue(ctx, delayKey{}, delay), delay
}
