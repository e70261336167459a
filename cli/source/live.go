package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/warnings"
)

const (
	// stall is how long a command waits for a list that makes no progress.
	stall = 30 * time.Second
	// mostTries is how often a lost server may be tried before a command gives up.
	mostTries = 3
)

// Live is a cluster that is open and was read once.
type Live struct {
	*cluster.Cluster
	Client   *client.Client // nil where the state is a file's
	Snapshot *model.Snapshot
	Options  *Options
	stop     context.CancelFunc
}

// Connect opens the connection that the flags choose; context "" leaves the choice.
// throttled, if it is not nil, is called with every answer 429.
func (o *Options) Connect(ctx context.Context, context string, throttled func()) (*client.Client, error) {
	return o.connect(ctx, context, throttled, false)
}

// connect is Connect. unseen says that nothing is shown before all is in.
func (o *Options) connect(ctx context.Context, context string, throttled func(), unseen bool) (*client.Client, error) {
	if timeout := ptr.Deref(o.Flags.Timeout, ""); timeout != "" {
		if _, err := clientcmd.ParseTimeout(timeout); err != nil {
			return nil, exit.Usagef("--request-timeout %s: use a duration such as 30s, or 0 for none", timeout)
		}
	}
	return client.Connect(ctx, client.Options{
		Throttled: throttled,
		Getter:    o.Flags,
		Context:   context,
		Namespace: o.about,
		UserAgent: "fathom/" + strings.TrimPrefix(build.Version(), "v"),
		ReadOnly:  o.ReadOnly,
		Whole:     o.Whole,
		Unseen:    unseen,
	})
}

// Open connects, or reads the file that --from names, and reads everything.
func (o *Options) Open(ctx context.Context) (*Live, error) {
	if err := o.CheckFrom(); err != nil {
		return nil, err
	}
	l := &Live{Options: o}
	join := l.connect
	if o.From != "" {
		file, err := o.ReadFrom(ctx)
		if err != nil {
			return nil, err
		}
		join = func(ctx context.Context, _ *Waiting) (err error) {
			l.Cluster, err = o.JoinFile(ctx, file)
			return err
		}
	}
	ctx, told := o.Wait(ctx)
	if err := told.Finish(ctx, l.fill(ctx, told, join)); err != nil {
		told.end(nil)
		return nil, err
	}
	return l, nil
}

// connect joins the cluster of the connection that the flags choose.
func (l *Live) connect(ctx context.Context, told *Waiting) (err error) {
	if l.Client, err = l.Options.connect(ctx, "", told.Throttled, true); err != nil {
		return err
	}
	l.Cluster, err = l.Options.Join(ctx, l.Client)
	return err
}

// fill joins the cluster and reads everything. After an error nothing is left open.
func (l *Live) fill(ctx context.Context, told *Waiting, join func(context.Context, *Waiting) error) (err error) {
	ctx, l.stop = context.WithCancel(ctx)
	if err = join(ctx, told); err == nil {
		l.Snapshot, err = read(ctx, l.Cluster, told)
	}
	if err != nil {
		l.Close()
	}
	return err
}

// Reader reads single objects; it refuses writes.
func (l *Live) Reader() kubernetes.Interface { return l.Source().Client }

// Close ends everything that was started.
func (l *Live) Close() {
	l.stop()
	if l.Cluster != nil {
		l.Cluster.Close()
	}
	if l.Client != nil {
		l.Client.Close()
	}
}

// Now is the time that ages are counted to: that of the state.
func (l *Live) Now() time.Time { return asOf(l.Snapshot.Status) }

func asOf(status model.Status) time.Time {
	if !status.Taken.IsZero() {
		return status.Taken
	}
	return time.Now()
}

// read waits until everything is in, and reports how far it is.
func read(ctx context.Context, c *cluster.Cluster, told *Waiting) (*model.Snapshot, error) {
	var last model.Status
	for {
		s, err := NextWithin(ctx, c, stall)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			if stalled(last.Connection) {
				return nil, lost(last)
			}
			continue // slow, but nothing is wrong
		case err != nil:
			return nil, fmt.Errorf("read cluster: %w", err)
		case len(s.Status.Reading) == 0:
			return s, nil
		case givesUp(s.Status.Connection):
			return nil, lost(s.Status)
		}
		last = s.Status
		told.reading(last)
	}
}

// givesUp reports whether a command stops waiting for such a connection.
func givesUp(c model.Connection) bool {
	switch c.Problem {
	case model.NotAnAPI, model.Rejected:
		return true
	case model.Throttled:
		return false // --request-timeout says for how long
	case model.Failing:
		return time.Since(c.Heard) > stall
	}
	return c.Tries >= mostTries
}

// stalled reports whether the connection is why there is no progress.
func stalled(c model.Connection) bool { return c.Err != "" && c.Problem != model.Throttled }

// NextWithin is the next snapshot, if it comes in time.
func NextWithin(ctx context.Context, c *cluster.Cluster, limit time.Duration) (*model.Snapshot, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s, err := c.Next(limited)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return s, err
}

// Seek waits until it is known which pods could not be created.
func (l *Live) Seek(ctx context.Context) error {
	for l.Snapshot.Status.Seeking {
		s, err := NextWithin(ctx, l.Cluster, stall)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return lost(l.Snapshot.Status)
		case err != nil:
			return fmt.Errorf("read cluster: %w", err)
		}
		l.Snapshot = s
	}
	return nil
}

// measuring is how long a command waits for metrics, which it can do without.
const measuring = 5 * time.Second

// Measure waits for usage, or until it is known that there is none.
func (l *Live) Measure(ctx context.Context) error {
	l.ShowUsage(true)
	defer l.ShowUsage(false)
	limited, cancel := context.WithTimeout(ctx, measuring)
	defer cancel()
	for l.Snapshot.Usage == nil && l.Snapshot.Status.MetricsNote == "" {
		s, err := l.Next(limited)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case limited.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("read cluster: %w", err)
		}
		l.Snapshot = s
	}
	return nil
}

// Overlooks reports whether pods that could not be created may have been missed.
func (l *Live) Overlooks() bool {
	return slices.ContainsFunc([]string{"events", "daemonsets", "jobs"}, func(resource string) bool { return l.Unread(resource) != nil })
}

// lost is why a command stops waiting for the server.
func lost(status model.Status) error {
	c := status.Connection
	switch c.Problem {
	case model.NotAnAPI:
		return fmt.Errorf("read cluster: %s", client.NotAnAPI(status.Server, c.Err))
	case model.Unauthorized:
		return fmt.Errorf("read cluster: %s no longer accepts the credentials: log in again, or choose another user with --user", status.Server)
	case model.Rejected:
		return fmt.Errorf("read cluster: %s rejects the request: %s: check the address, and the proxy in front of it if there is one", status.Server, c.Err)
	case model.NotReady, model.Failing:
		return fmt.Errorf("read cluster: %s: %s; try again later", status.Server, c.Err)
	}
	return fmt.Errorf("read cluster: no answer from %s: %s; check the network, or choose another context with --context",
		status.Server, c.Err)
}

// Unread is why a resource could not be read at all; nil if it could.
func (l *Live) Unread(resource string) error {
	status := l.Snapshot.Status
	if resource == "pods" && status.Namespace != "" {
		return nil // those of one namespace were
	}
	for _, unread := range status.Unread {
		if unread.Resource == resource {
			if l.Client == nil {
				return errors.New(unread.Why)
			}
			return fmt.Errorf("%s: run \"%s\" to see what you may read; \"%s\" prints a ClusterRole to ask for", unread.Why, l.Options.Command("get", "access"), l.Options.Command("get", "access", "-o", "yaml"))
		}
	}
	return nil
}

// SayLimits reports what could not be read.
func (l *Live) SayLimits() {
	var limits, absent []string
	for _, unread := range l.Snapshot.Status.Unread {
		if l.Client == nil && unread.Why == snapshot.Absent(unread.Resource) {
			absent = append(absent, unread.Resource)
			continue
		}
		limits = append(limits, unread.Why)
	}
	if len(absent) > 0 {
		slices.Sort(absent)
		l.Options.Streams.Say(errors.New("not in the file, so what depends on them is unknown: " + strings.Join(absent, ", ")))
	}
	if len(limits) > 0 {
		slices.Sort(limits)
		l.Options.Streams.Say(errors.New(strings.Join(slices.Compact(limits), "; ")))
	}
}

// Warn says beside a text what the dashboard begins with: kube-controller-manager that is not running, nodes that have
// just failed, evictions from those that have. Nothing is said about what may not be listed.
func Warn(ctx context.Context, l *Live, namespace string) {
	objects, err := l.Objects(ctx, warnings.UrgentResources...)
	if err != nil {
		l.Options.Streams.Say(fmt.Errorf("read cluster: %w", err))
		return
	}
	for _, sentence := range warnings.Urgent(l.Snapshot, objects, namespace, l.Now()) {
		l.Options.Streams.Say(errors.New(sentence))
	}
}

// WarnOfControllers says beside a text that kube-controller-manager is not running, where it is so.
func WarnOfControllers(ctx context.Context, l *Live) {
	objects, err := l.Objects(ctx, warnings.UrgentResources...)
	if err != nil {
		l.Options.Streams.Say(fmt.Errorf("read cluster: %w", err))
		return
	}
	if sentence := warnings.Controllers(objects); sentence != "" {
		l.Options.Streams.Say(errors.New(sentence))
	}
}

// Join joins a connection with the engine. The plugins' feature gates have to be known before.
func (o *Options) Join(ctx context.Context, client *client.Client) (*cluster.Cluster, error) {
	scheduler.Emulate(client.Version())
	open := func(ctx context.Context) (*cluster.Source, error) { return o.equipped(client.Source(ctx)) }
	source, err := open(ctx)
	if err != nil {
		return nil, err
	}
	return cluster.New(ctx, source, cluster.Options{Reopen: open})
}
