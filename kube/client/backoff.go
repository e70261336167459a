package client

import (
	"context"
	"net/http"
	"strconv"
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

// delayed gives a context that learns how long the server asks to wait.
func delayed(ctx context.Context) (context.Context, *time.Duration) {
	delay := new(time.Duration)
	return context.WithValue(ctx, delayKey{}, delay), delay
}
