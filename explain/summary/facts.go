package summary

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// podQuestion is the pod in question with what is known of it beside its nodes, which is
// what a summary tells.
type podQuestion struct {
	*plugins.Question
	found *Facts
}

// Facts are facts about a pod that are not about nodes. Those that do not
// belong to the report's verdict are zero.
type Facts struct {
	Gates        []plugins.GateRejection // Gated: what every PreEnqueue plugin that refuses comes to
	Scheduler    Liveness                // NotConsidered, and wherever it was asked
	Start        Start                   // Scheduled: how far it got
	Victims      []*corev1.Pod           // Preempting: still on the nominated node, ending
	Pinned       sets.Set[string]        // the nodes that the pod's affinity names; nil: any
	Places       [][]int                 // of the nodes of each group, among those that were asked about
	Unattended   bool                    // no scheduler has looked at it yet (no PodScheduled condition)
	Free         []fwk.NodeInfo          // Schedulable: the nodes that fit, by name
	First        []string                // Schedulable: those of them that rank first; empty where they were not ranked
	Likely       bool                    // Schedulable: the scheduler does not look at all that fit
	GangRejects  bool                    // Unschedulable: a node fits, but the pod's group is not scheduled, or not with it
	Condition    *corev1.PodCondition
	WithoutNodes FactsWithoutNodes        // Unknown because nodes may not be read
	Claims       map[string][]model.Event // of claims that somebody is making a volume for, by namespace/name
	Events       []model.Event            // of the pod, where it does not tell itself what it waits for
	PodsUnread   bool                     // not all pods of the nodes are known
	Unread       string                   // why events about the pod could not be read; "": they could
	// LimitRanges are the names of those that set requests of the pod, by resource, where that is known.
	LimitRanges map[corev1.ResourceName]string
}

// Liveness is what is known about the scheduler that the pod names.
type Liveness struct {
	Alive bool
	Known bool   // false: it could not be found out
	Why   string // what was seen: "no Lease, no events, no pods bound by it"
}
