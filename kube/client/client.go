// Package client is the only client of a real API server. It connects, serves the
// state that the engine and the model are built on, and asks about single
// objects; what it writes was confirmed before, or is a dry run.
package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // OIDC and the cloud providers' exec plugins
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	metrics "k8s.io/metrics/pkg/client/clientset/versioned"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/strip"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// answerTime is how long the server has to answer a small question.
const answerTime = 10 * time.Second

// connectTime is how long it has for the first ones, with the handshakes before
// them, which take several round trips.
const connectTime = 30 * time.Second

// Options say which cluster is meant, and who asks.
type Options struct {
	Getter    genericclioptions.RESTClientGetter // kubectl's connection flags
	Context   string                             // instead of the one that Getter chooses; "" leaves that
	UserAgent string                             // "fathom/1.2.3"
	Namespace string                             // read where not all may be, in place of the one that Getter chooses; "" leaves that
	ReadOnly  bool                               // nothing is sent but reads
	Whole     bool                               // objects are kept as they come, which takes memory
	Unseen    bool                               // nothing is shown before all is in: no first rows are asked for
	Throttled func()                             // is called with every answer 429, from any goroutine; nil: nobody asks
}

// Client talks to one cluster.
type Client struct {
	target  *target
	health  *serverHealth
	version string
	whole   bool
	unseen  bool
	config  *rest.Config // reads only, takes its time

	reader    kubernetes.Interface // reads only, takes its time
	lister    kubernetes.Interface // the reader, for what strip goes over: its pods and nodes are pruned
	brief     kubernetes.Interface // reads only, gives up soon
	greeter   kubernetes.Interface // reads only, as long as connecting may take
	dryRunner kubernetes.Interface // dry runs only
	writer    kubernetes.Interface // what was confirmed only
	dynamic   dynamic.Interface

	access          accessReviews
	readiness       readinessProbe
	usage           podMetrics
	schedulerConfig schedulerConfig
	gates           featureGates
	asker           *cluster.CachedReader
	rights          sync.Map    // those that the user has had, by right
	grouped         atomic.Bool // a pod names a PodGroup
	shared          *strip.Pool // what the objects that are read have in common

	changes chan struct{} // capacity one
	end     context.CancelFunc
}

// Connect opens the cluster that the kubeconfig and the flags choose. It talks
// to the server, so that credential plugins may ask on the terminal before
// anything is drawn there. Its errors are one line, and one of ErrNoConfig,
// ErrNoContext, ErrFlag, ErrUnreachable, ErrUnauthorized and ErrForbidden.
func Connect(ctx context.Context, options Options) (*Client, error) {
	return connect(ctx, options, usualPace)
}

func connect(ctx context.Context, options Options, pace pace) (*Client, error) {
	pingSoon()
	target, err := chosen(ctx, options.Getter, options.Context)
	if err != nil {
		return nil, err
	}
	target.namespace = cmp.Or(options.Namespace, target.namespace)
	c := &Client{target: target, whole: options.Whole, unseen: options.Unseen, shared: strip.NewPool(), changes: make(chan struct{}, 1)}
	c.usage.changed = c.changed
	c.health = newServerHealth(pace, c.readiness.probe, c.changed)
	c.health.throttled = options.Throttled
	fair, err := c.dial(options)
	if err != nil {
		return nil, target.unusable(err)
	}
	if err := c.greet(ctx); err != nil {
		return nil, err
	}
	if fair() {
		c.config.QPS = -1 // the server itself shares out its time
		if err := c.readers(); err != nil {
			return nil, target.unusable(err)
		}
	}
	var running context.Context
	running, c.end = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer utilruntime.HandleCrash()
		c.health.run(running)
	}()
	return c, nil
}

// dial makes the clients. What it gives back tells, once the server was heard,
// whether it has priority and fairness.
func (c *Client) dial(options Options) (fair func() bool, err error) {
	base := rest.CopyConfig(c.target.config)
	base.UserAgent = options.UserAgent
	base.ContentType = runtime.ContentTypeProtobuf
	base.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	base.QPS, base.Burst = 100, 200
	base.WarningHandler = rest.NoWarnings{}
	base.WarningHandlerWithContext = nil
	asked := max(base.Timeout, 0)
	limit, first := cmp.Or(asked, answerTime), cmp.Or(asked, connectTime)
	if base.BearerTokenFile != "" { // client-go reads it once a minute, whatever the server says
		base.Wrap(transport.ResettableTokenSourceWrapTransport(transport.NewCachedFileTokenSource(base.BearerTokenFile)))
		base.BearerToken, base.BearerTokenFile = "", ""
	}
	base.Timeout = 0 // a watch has no end, and a long list is not begun again
	base.Wrap(c.health.listen)
	if !base.DisableCompression { // outside of listen, which closes connections by the transport within
		base.Wrap(gunzip)
	}
	base.Wrap((&retries{limit: asked, since: map[string]refusal{}}).over)
	base.Wrap(checked(pathPrefix(base)))
	fair = noteHeader(base, flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID)

	tries, writes := dryRunsOnly, confirmedOnly
	if options.ReadOnly {
		tries, writes = readsOnly, readsOnly
	}
	if c.dryRunner, err = guarded(base, tries, limit); err != nil {
		return nil, err
	}
	if c.writer, err = guarded(base, writes, limit); err != nil {
		return nil, err
	}
	base.Wrap(readsOnly)
	brief := rest.CopyConfig(base)
	brief.QPS = -1 // few, and asked for by hand
	if c.readiness.client, err = kubernetes.NewForConfig(brief); err != nil {
		return nil, err
	}
	greeting := rest.CopyConfig(brief)
	greeting.Wrap(within(first))
	if c.greeter, err = kubernetes.NewForConfig(greeting); err != nil {
		return nil, err
	}
	brief.Wrap(within(limit))
	if c.brief, err = kubernetes.NewForConfig(brief); err != nil {
		return nil, err
	}
	c.config = base
	c.access = accessReviews{client: c.brief, target: c.target}
	c.schedulerConfig.client, c.gates.client = c.brief, c.brief
	custom, err := dynamic.NewForConfig(brief)
	if err != nil {
		return nil, err
	}
	c.asker = cluster.NewCachedReader(cluster.CachedReaderOptions{
		Client: c.brief, Dynamic: custom, Namespace: c.target.namespace, Words: shortly,
		Wrap:    func(what string, err error) error { return classify(what, c.target.config.Host, err) },
		Watcher: func() kubernetes.Interface { return c.reader },
	})
	return fair, c.readers()
}

// guarded makes a client that sends only what the guard lets through.
func guarded(base *rest.Config, guard func(http.RoundTripper) http.RoundTripper, limit time.Duration) (kubernetes.Interface, error) {
	config := rest.CopyConfig(base)
	config.QPS = -1 // one request at a time that a user waits for
	config.Wrap(guard)
	config.Wrap(within(limit))
	return kubernetes.NewForConfig(config)
}

// readers makes the clients that take their time.
func (c *Client) readers() (err error) {
	if c.reader, err = kubernetes.NewForConfig(c.config); err != nil {
		return err
	}
	c.lister = c.reader
	if !c.whole {
		if c.lister, err = strip.Pruned(c.config, c.reader, c.shared); err != nil {
			return err
		}
	}
	if c.usage.client, err = metrics.NewForConfig(c.config); err != nil {
		return err
	}
	c.dynamic, err = dynamic.NewForConfig(c.config)
	return err
}

// noteHeader reports whether an answer carried the header.
func noteHeader(config *rest.Config, name string) func() bool {
	var mu sync.Mutex
	var found bool
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(r)
			if err == nil && response.Header.Get(name) != "" {
				mu.Lock()
				found = true
				mu.Unlock()
			}
			return response, err
		})
	})
	return func() bool {
		mu.Lock()
		defer mu.Unlock()
		return found
	}
}

// greet asks the server for its version and whether it knows the user.
func (c *Client) greet(ctx context.Context) error {
	server := c.target.config.Host
	gitVersion, err := c.askVersion(ctx)
	if err != nil && !errors.Is(classify("", server, err), ErrForbidden) {
		return classify("connect", server, err)
	}
	c.version = gitVersion
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "pods"},
	}}
	began := time.Now() // whatever asks for a password has done so
	_, err = c.greeter.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	// Where the answer is of another kind, the rights are unknown when they are asked about.
	if err != nil && !isStatusBut401(err) && !isOtherObject(err) {
		return classify("connect", server, err)
	}
	c.health.took(time.Since(began))
	return ctx.Err()
}

// askVersion asks the server for its version. What answers with something else, a
// page to log in for example, is no API server.
func (c *Client) askVersion(ctx context.Context) (string, error) {
	text, err := await(ctx, func() ([]byte, error) {
		return c.greeter.Discovery().RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	})
	if err != nil {
		return "", err
	}
	var info version.Info
	if json.Unmarshal(text, &info) != nil {
		return "", errNotAnAPI
	}
	return info.GitVersion, nil
}

// changed notes that the status changed.
func (c *Client) changed() {
	select {
	case c.changes <- struct{}{}:
	default: // it is known already
	}
}

// Version is the API server's; "" if it did not say.
func (c *Client) Version() string { return c.version }

// Namespace is the one that the flags or the context name; "default" without.
func (c *Client) Namespace() string { return c.target.namespace }

// Context is the name of the kubeconfig's context.
func (c *Client) Context() string { return c.target.context }

// User is who asks, as far as the kubeconfig tells.
func (c *Client) User() string { return c.target.user }

// Reader reads and gives up soon, DryRunner sends dry runs, and Writer what a user
// confirmed (act.Confirmation). In a read-only run the last two reject everything.
func (c *Client) Reader() kubernetes.Interface { return c.brief }

// DryRunner is described at Reader.
func (c *Client) DryRunner() kubernetes.Interface { return c.dryRunner }

// Writer is described at Reader.
func (c *Client) Writer() kubernetes.Interface { return c.writer }

// Retry asks a server that was lost again, now.
func (c *Client) Retry() { c.health.now() }

// Close ends what the client started. Sources end with their own contexts.
func (c *Client) Close() {
	c.end()
	c.asker.CloseEvents()
}
