package model

import (
	"cmp"
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

	// Cause is what blocks its pods, in a word: "queue", "quota".
	Cause string

	domain string // of its gates, or the gate itself where it has none
	label  string // of pods: the name of the queue; "": there is none
}

// queueing are the controllers whose gates are known: pkg/controller/constants and
// apis/kueue of sigs.k8s.io/kueue, pkg/apis/scheduling of volcano.sh/apis, and
// pkg/util of kubevirt.io/application-aware-quota.
var queueing = []Queueing{
	{
		Name: "Kueue", Bypasses: "Kueue's quota", Admits: "Kueue admits its Workload", See: "its Workload and LocalQueue", Cause: "queue",
		domain: KueueGroup, label: KueueQueueLabel,
	},
	{
		Name: "Volcano", Bypasses: "Volcano's queue", Admits: "Volcano's queue has capacity for it", See: "its PodGroup and Queue", Cause: "queue",
		domain: "volcano.sh", label: "volcano.sh/queue-name",
	},
	{
		Name: "KubeVirt's Application Aware Quota", Bypasses: "its quota", Admits: "its quota has capacity for it",
		See: "the ApplicationAwareResourceQuotas of its namespace", Cause: "quota",
		domain: "ApplicationAwareQuotaGate",
	},
}

// KueueGroup is the API group of Kueue, and the domain of its gates.
const KueueGroup = "kueue.x-k8s.io"

// KueueQueueLabel is the label of Jobs and pods that holds their LocalQueue.
const KueueQueueLabel = KueueGroup + "/queue-name"

// gateOwners are other controllers whose gates are known, by the gate's domain: the operator of
// ai-dynamo/grove, openshift/multiarch-tuning-operator and openshift/instaslice-operator.
var gateOwners = map[string]string{
	"grove.io":               "Grove",
	"multiarch.openshift.io": "The Multiarch Tuning Operator",
	"org.instaslice":         "InstaSlice",
}

// GateOwner is who normally removes a gate, as a subject that begins a sentence; "" where its
// name does not tell.
func GateOwner(gate string) string {
	domain := GateDomain(gate)
	switch {
	case gateOwners[domain] != "":
		return gateOwners[domain]
	case domain != "":
		return "The controller of " + domain
	}
	return ""
}

// QueueingOf is the controller that a gate is of; false where none is known.
func QueueingOf(gate string) (Queueing, bool) {
	domain := cmp.Or(GateDomain(gate), gate)
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
