package kube

import (
	"context"
	"errors"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// notReady is the answer of a server of which some of its own checks fail.
type notReady struct {
	checks []string // those that fail, as far as it says: "etcd"
	serves bool     // it answers a read from its storage all the same
}

// Error names the checks.
func (n notReady) Error() string {
	if len(n.checks) == 0 {
		return "not ready"
	}
	return "not ready: " + strings.Join(n.checks, ", ")
}

// serves says that a server is not ready and answers reads all the same.
func serves(err error) bool {
	var n notReady
	return errors.As(err, &n) && n.serves
}

// storageChecks are the checks of kube-apiserver without which it can read nothing new
// (k8s.io/apiserver/pkg/server/options, EtcdOptions.addEtcdHealthEndpoint).
var storageChecks = []string{"etcd", "etcd-readiness"}

// failedCheck is a line of what /readyz says of a check that fails
// (k8s.io/apiserver/pkg/server/healthz).
var failedCheck = regexp.MustCompile(`(?m)^\[-\]([\w./-]+) failed`)

// probe asks whether the server is there, ready, and able to read from its
// storage. A user who may not ask /readyz, and a server that does not have it,
// are told by a small read.
func (c *Client) probe(ctx context.Context) error {
	half := ctx
	if limit, ok := ctx.Deadline(); ok { // a server may leave this question alone unanswered
		var cancel context.CancelFunc
		half, cancel = context.WithTimeout(ctx, time.Until(limit)/2)
		defer cancel()
	}
	err := c.readyz(half)
	var unready notReady
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unready):
		if slices.ContainsFunc(unready.checks, func(check string) bool { return slices.Contains(storageChecks, check) }) {
			return unready
		}
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
	case !isAPIStatus(err):
		return err
	}
	read := c.readSmall.Load()
	if read == nil { // nothing was found out about the user's rights yet
		if isStatusBut401(err) {
			return nil
		}
		return err
	}
	switch failed := (*read)(ctx); {
	case failed == nil, apierrors.IsForbidden(failed), apierrors.IsTooManyRequests(failed):
		if unready.serves = true; errors.As(err, new(notReady)) {
			return unready
		}
		return nil // it may forbid the question, or not have it: it answers
	case errors.As(err, new(notReady)):
		return err
	default:
		return failed
	}
}

// readyz asks the server whether it is ready.
func (c *Client) readyz(ctx context.Context) error {
	var code int
	result := c.prober.Discovery().RESTClient().Get().AbsPath("/readyz").MaxRetries(0).Do(ctx).StatusCode(&code)
	said, err := result.Raw()
	if code < http.StatusInternalServerError {
		return err
	}
	var unready notReady
	for _, match := range failedCheck.FindAllStringSubmatch(string(said), -1) {
		unready.checks = append(unready.checks, match[1])
	}
	return unready
}

// readBySome is readBy of the first kind that the user may list.
func (c *Client) readBySome(s *scope) {
	for _, k := range kinds {
		if s.rights[k.gvr] == allowed {
			c.readBy(k, s.namespace)
			return
		}
	}
}

// readBy makes the probe read one object of a kind that the user may list. It
// asks for the newest state, which the server cannot answer without its storage.
func (c *Client) readBy(k kind, namespace string) {
	one := k.open(c.prober, namespace)
	read := func(ctx context.Context) error {
		_, err := one.list(ctx, metav1.ListOptions{Limit: 1})
		return err
	}
	c.readSmall.Store(&read)
}

// How long a connection may be silent before an HTTP/2 ping is sent, and how
// long that may take. client-go's own 30 s and 15 s leave a connection that is
// dead without having been closed in use for 45 s.
const (
	pingAfter = 5 * time.Second
	pingTime  = 10 * time.Second
)

// pingSoon makes client-go's transports ping silent connections. It reads that
// from the environment alone (k8s.io/apimachinery/pkg/util/net); what the user
// set there wins.
var pingSoon = sync.OnceFunc(func() {
	for name, d := range map[string]time.Duration{
		"HTTP2_READ_IDLE_TIMEOUT_SECONDS": pingAfter,
		"HTTP2_PING_TIMEOUT_SECONDS":      pingTime,
	} {
		if _, set := os.LookupEnv(name); !set {
			_ = os.Setenv(name, strconv.Itoa(int(d.Seconds()))) // then client-go's own hold
		}
	}
})
