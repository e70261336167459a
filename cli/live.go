package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// stall is how long a command waits for a list that does not come on.
	stall = 30 * time.Second
	// mostTries is how often a lost server may be tried before a command gives up.
	mostTries = 3
)

// live is a cluster that is open and was read once.
type live struct {
	*cluster.Cluster
	client   *client.Client       // nil where the state is a file's
	reader   kubernetes.Interface // refuses writes
	snapshot *model.Snapshot
	app      *app
	stop     context.CancelFunc
}

// connect opens the connection that the flags choose; context "" leaves the choice.
func (a *app) connect(ctx context.Context, context string) (*client.Client, error) {
	return a.connectTelling(ctx, context, nil)
}

// connectTelling is connect; throttled is called with every answer 429.
func (a *app) connectTelling(ctx context.Context, context string, throttled func()) (*client.Client, error) {
	return client.Connect(ctx, client.Options{
		Throttled: throttled,
		Getter:    a.flags,
		Context:   context,
		UserAgent: "fathom/" + strings.TrimPrefix(build.Version(), "v"),
		ReadOnly:  a.readOnly,
		Whole:     a.whole,
	})
}

// open connects and reads everything, or reads the file that --from names.
func (a *app) open(ctx context.Context) (*live, error) {
	if err := a.checkFrom(); err != nil {
		return nil, err
	}
	if a.from != "" {
		return a.openFile(ctx)
	}
	ctx, told := a.wait(ctx)
	l := &live{app: a}
	if err := told.finish(ctx, l.fill(ctx, told)); err != nil {
		told.end(nil)
		return nil, err
	}
	return l, nil
}

// fill connects and reads everything. After an error nothing is left open.
func (l *live) fill(ctx context.Context, told *waiting) (err error) {
	if l.client, err = l.app.connectTelling(ctx, "", told.throttled); err != nil {
		return err
	}
	saving := newThrift(os.Getenv)
	ctx, l.stop = context.WithCancel(ctx)
	if err := l.start(ctx); err != nil {
		l.stop()
		l.client.Close()
		return err
	}
	if l.snapshot, err = l.app.read(ctx, l.Cluster, saving, told); err != nil {
		l.Close()
	}
	return err
}

// start puts the connection's source to work.
func (l *live) start(ctx context.Context) error {
	open := l.app.sourceOf(l.client)
	source, err := open(ctx)
	if err != nil {
		return err
	}
	l.reader = source.Client
	l.Cluster, err = cluster.New(ctx, source, cluster.Options{Reopen: open})
	return err
}

// Close ends everything that was started.
func (l *live) Close() {
	l.stop()
	l.Cluster.Close()
	if l.client != nil {
		l.client.Close()
	}
}

// now is the time that ages are counted to: that of the state.
func (l *live) now() time.Time { return asOf(l.snapshot.Status) }

func asOf(status model.Status) time.Time {
	if !status.Taken.IsZero() {
		return status.Taken
	}
	return time.Now()
}

// read waits until everything is in, and tells how far it is.
func (a *app) read(ctx context.Context, c *cluster.Cluster, saving *thrift, told *waiting) (*model.Snapshot, error) {
	var last model.Status
	for {
		s, err := nextWithin(ctx, c, stall)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			if stalled(last.Connection) {
				return nil, lost(last)
			}
			continue // slow, but nothing is wrong
		case err != nil:
			return nil, fmt.Errorf("read cluster: %w", err)
		case len(s.Status.Reading) == 0:
			saving.note(s)
			return s, nil
		case givesUp(s.Status.Connection):
			return nil, lost(s.Status)
		}
		saving.note(s)
		last = s.Status
		told.reading(last)
	}
}

// givesUp reports whether a command waits no longer for such a connection.
func givesUp(c model.Connection) bool {
	switch c.Problem {
	case model.NotAnAPI:
		return true
	case model.Throttled:
		return false // --request-timeout says for how long
	case model.Failing:
		return time.Since(c.Heard) > stall
	}
	return c.Tries >= mostTries
}

// stalled reports whether that nothing comes is the connection's fault.
func stalled(c model.Connection) bool { return c.Err != "" && c.Problem != model.Throttled }

// nextWithin is the next snapshot, if it comes in time.
func nextWithin(ctx context.Context, c *cluster.Cluster, limit time.Duration) (*model.Snapshot, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s, err := c.Next(limited)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return s, err
}

// seek waits until it is known which pods could not be created.
func (l *live) seek(ctx context.Context) error {
	for l.snapshot.Status.Seeking {
		s, err := nextWithin(ctx, l.Cluster, stall)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return lost(l.snapshot.Status)
		case err != nil:
			return fmt.Errorf("read cluster: %w", err)
		}
		l.snapshot = s
	}
	return nil
}

// overlooks tells whether controllers whose pods could not be created may have
// been missed.
func (l *live) overlooks() bool {
	return slices.ContainsFunc([]string{"events", "daemonsets", "jobs"}, func(resource string) bool { return l.refused(resource) != nil })
}

// lost says why a command waits no longer for the server.
func lost(status model.Status) error {
	c := status.Connection
	switch c.Problem {
	case model.NotAnAPI:
		return fmt.Errorf("read cluster: %s gave %s: it is no Kubernetes API server, or a proxy answers in its place; check the address, or log in to the proxy",
			status.Server, c.Err)
	case model.Unauthorized:
		return fmt.Errorf("read cluster: %s does not accept the credentials any longer; log in again, or choose another user with --user", status.Server)
	case model.NotReady, model.Failing:
		return fmt.Errorf("read cluster: %s: %s; try again later", status.Server, c.Err)
	}
	return fmt.Errorf("read cluster: no answer from %s: %s; check the network, or choose another context with --context",
		status.Server, c.Err)
}

// refused is why a resource could not be read at all; nil if it could.
func (l *live) refused(resource string) error {
	status := l.snapshot.Status
	if resource == "pods" && status.Namespace != "" {
		return nil // those of one namespace were
	}
	for _, unread := range status.Unread {
		if unread.Resource == resource {
			if l.client == nil {
				return errors.New(unread.Why)
			}
			return errors.New(unread.Why + `; "get access" lists your rights`)
		}
	}
	return nil
}

// sayLimits tells what could not be read.
func (l *live) sayLimits() {
	var limits []string
	for _, unread := range l.snapshot.Status.Unread {
		limits = append(limits, unread.Why)
	}
	if len(limits) > 0 {
		slices.Sort(limits)
		terminal.Say(l.app.stderr, l.app.name, errors.New(strings.Join(slices.Compact(limits), "; ")))
	}
}
