package client

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
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
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

// readinessProbe asks the server whether it can answer requests.
type readinessProbe struct {
	client    kubernetes.Interface                        // reads only, as long as the probe allows
	readSmall atomic.Pointer[func(context.Context) error] // a read from the server's storage; nil: not known which
	mute      atomic.Bool                                 // /readyz was left unanswered while a read was answered
}

// probe asks whether the server is there, ready, and able to read from its
// storage. A user who may not ask /readyz, a server that does not have it, and one
// that leaves it unanswered are told by a small read.
func (p *readinessProbe) probe(ctx context.Context) error {
	ready := make(chan error, 1)
	go func() { ready <- p.readyz(ctx) }()
	select {
	case err := <-ready:
		p.mute.Store(false)
		if decides(err) {
			return err
		}
		return p.judge(ctx, err)
	case <-time.After(p.readyzWait(ctx)): // without etcd its checks take seconds; a proxy may never answer
	}
	read := make(chan error, 1)
	go func() { read <- p.judge(ctx, context.DeadlineExceeded) }()
	select {
	case err := <-ready:
		if decides(err) {
			return err
		}
		return p.judge(ctx, err)
	case err := <-read:
		if !errors.Is(err, context.DeadlineExceeded) {
			p.mute.Store(true)
			return err
		}
		return <-ready // at its limit too
	}
}

// readyzWait is how long only /readyz is asked: not long where it was left unanswered
// the last time, or each probe would pass for a slow network, on which a lost server is
// noticed late.
func (p *readinessProbe) readyzWait(ctx context.Context) time.Duration {
	if p.mute.Load() {
		return halfOf(ctx) / 16
	}
	return halfOf(ctx)
}

// halfOf is half of the time that is left; an hour where there is no limit.
func halfOf(ctx context.Context) time.Duration {
	limit, ok := ctx.Deadline()
	if !ok {
		return time.Hour
	}
	return time.Until(limit) / 2
}

// decides says that an answer to /readyz tells enough: it is ready, it is without
// its storage, or it is not there. A request that was ended on this side tells nothing.
func decides(err error) bool {
	var unready notReady
	switch {
	case err == nil:
		return true
	case errors.Is(err, errHungUp):
		return false
	case errors.As(err, &unready):
		return slices.ContainsFunc(unready.checks, func(check string) bool { return slices.Contains(storageChecks, check) })
	}
	return !isAPIStatus(err)
}

// judge tells by a small read what an answer to /readyz leaves open.
func (p *readinessProbe) judge(ctx context.Context, err error) error {
	var unready notReady
	unwell := errors.As(err, &unready)
	read := p.readSmall.Load()
	switch {
	case read == nil && isStatusBut401(err): // nothing was found out about the user's rights yet
		return nil
	case read == nil:
		return err
	}
	switch failed := (*read)(ctx); {
	case failed != nil && !apierrors.IsForbidden(failed) && !apierrors.IsTooManyRequests(failed):
		if unwell {
			return unready
		}
		return failed
	case unwell:
		unready.serves = true
		return unready
	}
	return nil // it may forbid the question, or not have it: it answers
}

// readyz asks the server whether it is ready.
func (p *readinessProbe) readyz(ctx context.Context) error {
	var code int
	result := p.client.Discovery().RESTClient().Get().AbsPath("/readyz").MaxRetries(0).Do(ctx).StatusCode(&code)
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
func (p *readinessProbe) readBySome(s *scope) {
	for _, k := range watchedResources {
		if s.permissions[k.gvr] == allowed {
			p.readBy(k, s.namespace)
			return
		}
	}
}

// readBy makes the probe read one object of a kind that the user may list. It
// asks for the newest state, which the server cannot answer without its storage.
func (p *readinessProbe) readBy(k watchedResource, namespace string) {
	one := k.open(p.client, namespace)
	read := func(ctx context.Context) error {
		_, err := one.list(ctx, metav1.ListOptions{Limit: 1})
		return err
	}
	p.readSmall.Store(&read)
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
