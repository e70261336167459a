package metrics

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// staleAfter is how long what was found has a value after the API server answered last: a
// figure that may have changed long since is worse than none.
const staleAfter = time.Minute

// current is what is known now. It is safe for concurrent use.
type current struct {
	now    func() time.Time
	found  atomic.Pointer[reading]
	status atomic.Pointer[func() model.Status]
}

// set takes what an evaluation found.
func (c *current) set(found *reading) { c.found.Store(found) }

// connect takes what gives the newest status of the connection.
func (c *current) connect(status func() model.Status) { c.status.Store(&status) }

// newest is the status of the connection; false before there is one.
func (c *current) newest() (model.Status, bool) {
	status := c.status.Load()
	if status == nil {
		return model.Status{}, false
	}
	return (*status)(), true
}

// fresh is what was found, unless the API server is lost for too long; nil otherwise.
func (c *current) fresh() *reading {
	status, _ := c.newest()
	if status.Connection.Lost() && c.now().Sub(status.Connection.Heard) > staleAfter {
		return nil
	}
	return c.found.Load()
}

// desc describes a metric.
func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("fathom_"+name, help, labels, nil)
}

// The metrics. docs/guide/metrics.md lists them.
var (
	buildInfo = desc("build_info", "The versions of fathom and of the scheduler plugins in it; always 1.", "version", "kubernetes")
	connected = desc("connected", "Whether the API server answers and all watches are open (1) or not (0).")
	answered  = desc("last_answer_timestamp_seconds", "When the API server answered last; after a failure, the time of the data.")
	evaluated = desc("last_evaluation_timestamp_seconds", "When the pending pods were explained last.")
	took      = desc("last_evaluation_duration_seconds", "How long explaining all pending pods took.")
	complete  = desc("view_complete", "Whether everything that explanations need was read (1) or not (0): then some verdicts are Unknown, and some values are left out.")
	unread    = desc("unread_resource", "A resource that could not be read; always 1.", "group", "resource")

	pendingPods = desc("pending_pods", "Pending pods by verdict. A verdict without a value is not known.", "verdict")
	blockedPods = desc("blocked_pods", "Pending pods by namespace, verdict, what blocks them, the scheduler plugin that rejects the closest node, and what autoscalers of nodes do for them.",
		"namespace", "verdict", "blocked_by", "plugin", "autoscaler")
	oldestPod = desc("oldest_blocked_pod_timestamp_seconds", "Creation time of the longest-pending pod.", "namespace", "verdict", "blocked_by")

	nodeCount   = desc("nodes", "Nodes by their condition Ready.", "ready")
	cordoned    = desc("cordoned_nodes", "Nodes that are marked as unschedulable.")
	allocatable = desc("allocatable", "What all nodes have for pods.", "resource", "unit")
	requested   = desc("requested", "What the pods on all nodes request, as kube-scheduler counts.", "resource", "unit")
)

// all are the metrics in the order of the documentation.
var all = []*prometheus.Desc{
	pendingPods, blockedPods, oldestPod, nodeCount, cordoned, allocatable, requested,
	complete, unread, connected, answered, evaluated, took, buildInfo,
}

// Describe implements prometheus.Collector.
func (c *current) Describe(to chan<- *prometheus.Desc) {
	for _, d := range all {
		to <- d
	}
}

// gauge sends one value.
func gauge(to chan<- prometheus.Metric, of *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
}

// flag is 1 for yes.
func flag(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// seconds is a time as Prometheus has it.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// Collect implements prometheus.Collector.
func (c *current) Collect(to chan<- prometheus.Metric) {
	gauge(to, buildInfo, 1, build.Version(), build.Dependency("k8s.io/kubernetes"))
	c.collectView(to)
	found := c.fresh()
	if found == nil {
		return
	}
	gauge(to, evaluated, seconds(found.evaluated))
	gauge(to, took, found.took.Seconds())
	found.collectPods(to)
	found.collectNodes(to)
}

// collectView says how much of the cluster is seen, and how fresh that is.
func (c *current) collectView(to chan<- prometheus.Metric) {
	status, ok := c.newest()
	connection := status.Connection
	gauge(to, connected, flag(ok && connection.Live))
	gauge(to, complete, flag(c.fresh() != nil && len(status.Unread) == 0 && len(status.Reading) == 0 && !status.Seeking && status.Namespace == ""))
	if !ok {
		return
	}
	switch {
	case connection.Live: // it was heard within seconds
		gauge(to, answered, seconds(c.now()))
	case !connection.Heard.IsZero():
		gauge(to, answered, seconds(connection.Heard))
	}
	type of struct{ group, resource string }
	said := map[of]bool{}
	for _, u := range status.Unread {
		if is := (of{u.Group, u.Resource}); !said[is] {
			said[is] = true
			gauge(to, unread, 1, u.Group, u.Resource)
		}
	}
}

// collectPods sends what is known of pending pods.
func (f *reading) collectPods(to chan<- prometheus.Metric) {
	for verdict, pods := range f.verdicts {
		gauge(to, pendingPods, float64(pods), string(verdict))
	}
	oldest := map[cause]time.Time{}
	for i := range f.blocked {
		b := &f.blocked[i]
		gauge(to, blockedPods, float64(b.pods), b.namespace, string(b.verdict), b.by, b.plugin, string(b.scaleUp))
		of := b.cause
		of.plugin, of.scaleUp = "", ""
		if since, ok := oldest[of]; !b.oldest.IsZero() && (!ok || b.oldest.Before(since)) {
			oldest[of] = b.oldest
		}
	}
	for of, since := range oldest {
		gauge(to, oldestPod, seconds(since), of.namespace, string(of.verdict), of.by)
	}
}

// readiness are the values of the label ready.
var readiness = map[corev1.ConditionStatus]string{
	corev1.ConditionTrue: "true", corev1.ConditionFalse: "false", corev1.ConditionUnknown: "unknown",
}

// collectNodes sends what is known of nodes.
func (f *reading) collectNodes(to chan<- prometheus.Metric) {
	if f.capacity == nil {
		return
	}
	for ready, nodes := range f.nodes {
		gauge(to, nodeCount, float64(nodes), readiness[ready])
	}
	gauge(to, cordoned, float64(f.cordoned))
	for _, name := range resources(f.capacity) {
		unit := unitOf(name)
		exact := f.capacity.Allocatable.Exact(name)
		gauge(to, allocatable, exact.AsApproximateFloat64(), string(name), unit)
		if f.counted {
			exact = f.capacity.Requested.Exact(name)
			gauge(to, requested, exact.AsApproximateFloat64(), string(name), unit)
		}
	}
}

// plain are the resources that each node has.
var plain = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods}

// resources are those of the nodes: of extended ones and hugepages, the first by name.
func resources(c *model.Capacity) []corev1.ResourceName {
	more := slices.DeleteFunc(slices.Sorted(maps.Keys(c.Allocatable.Scalar)), func(name corev1.ResourceName) bool {
		return c.Allocatable.Scalar[name] == 0 && c.Requested.Scalar[name] == 0
	})
	return slices.Concat(plain, more[:min(len(more), mostResources)])
}

// unitOf is the unit of a resource, in the words of kube-state-metrics.
func unitOf(name corev1.ResourceName) string {
	switch {
	case name == corev1.ResourceCPU:
		return "core"
	case name == corev1.ResourceMemory, name == corev1.ResourceEphemeralStorage, strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
		return "byte"
	}
	return "integer"
}
