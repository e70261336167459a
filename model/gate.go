package model

import (
	"slices"
	"strings"
)

// Queueing is a controller that keeps pods out of kube-scheduler's queue by gates
// of its own until its own queue admits them.
type Queueing struct {
	Name     string // "Kueue"
	Bypasses string // what removing its gate by hand gets round: "Kueue's quota"
	Admits   string // when it removes the gate: "Kueue admits its Workload"
	See      string // where it says why it has not: "its Workload and LocalQueue"

	domain string // of its gates
	label  string // of pods: the name of the queue; "": there is none
}

// queueing are the controllers whose gates are known: pkg/controller/constants and
// apis/kueue of sigs.k8s.io/kueue, pkg/apis/scheduling of volcano.sh/apis.
var queueing = []Queueing{
	{
		Name: "Kueue", Bypasses: "Kueue's quota", Admits: "Kueue admits its Workload", See: "its Workload and LocalQueue",
		domain: "kueue.x-k8s.io", label: "kueue.x-k8s.io/queue-name",
	},
	{
		Name: "Volcano", Bypasses: "Volcano's queue", Admits: "Volcano's queue has capacity for it", See: "its PodGroup and Queue",
		domain: "volcano.sh", label: "volcano.sh/queue-name",
	},
}

// QueueingOf is the controller that a gate is of; false where none is known.
func QueueingOf(gate string) (Queueing, bool) {
	domain := GateDomain(gate)
	at := slices.IndexFunc(queueing, func(q Queueing) bool { return domain == q.domain || strings.HasSuffix(domain, "."+q.domain) })
	if at < 0 {
		return Queueing{}, false
	}
	return queueing[at], true
}

// Queue is the name of the queue that a pod with these labels is in; "" where
// they do not tell.
func (q Queueing) Queue(labels map[string]string) string { return labels[q.label] }

// GateDomain is the domain of a gate's name, which tells who set it:
// "example.com" of example.com/licence; "" where the name has none.
func GateDomain(gate string) string {
	domain, _, ok := strings.Cut(gate, "/")
	if !ok {
		return ""
	}
	return domain
}
