package provisioning

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// judgedPool is a NodePool and what rules it out.
type judgedPool struct {
	report    report.NodePool
	conflicts []conflict
	weight    int32
}

// judgePools judges each, those first that are not ruled out, by weight; then those with the
// fewest reasons.
func judgePools(pools []NodePool, q *Question) []judgedPool {
	pod, readable := requirementsOf(q.Pod, q.Volumes)
	judged := make([]judgedPool, 0, len(pools))
	for i := range pools {
		judged = append(judged, judgePool(&pools[i], q, pod, readable))
	}
	rank := func(p *judgedPool) int {
		switch {
		case p.report.RuledOut == nil:
			return 1
		case *p.report.RuledOut:
			return 1 + len(p.report.Reasons)
		}
		return 0
	}
	slices.SortFunc(judged, func(a, b judgedPool) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.weight, a.weight), strings.Compare(a.report.Name, b.report.Name))
	})
	return judged
}

// judgePool finds all that rules a NodePool out, by the rules of Karpenter's provisioner: it
// leaves out NodePools that are not Ready, are deleted or have a fixed size, and needs the limits,
// the taints and the requirements to let a node for the pod be. What the machines of the
// provider are like is not known here.
func judgePool(pool *NodePool, q *Question, pod []alternative, readable bool) judgedPool {
	told := judgedPool{weight: pool.Weight, report: report.NodePool{Name: pool.Name, Reasons: []string{}, Limits: []report.NodeRoom{}, Notes: []string{}}}
	r := &told.report
	if pool.Deleting {
		r.Reasons = append(r.Reasons, "it is being deleted")
	}
	if pool.Static {
		r.Reasons = append(r.Reasons, "it has a fixed number of nodes")
	}
	unready, open := unreadiness(pool)
	if unready != "" {
		r.Reasons = append(r.Reasons, unready)
	}
	if readable {
		told.conflicts = conflicts(pool, pod)
	}
	for i := range told.conflicts {
		c := &told.conflicts[i]
		r.Reasons = append(r.Reasons, fmt.Sprintf("the pod requires %s, the NodePool has %s", c.wanted(), c.offered()))
	}
	r.Reasons = append(r.Reasons, untolerated(pool, q.Pod)...)
	r.Reasons = append(r.Reasons, exceeded(pool, q.Requests)...)
	for _, name := range slices.Sorted(maps.Keys(pool.Limits)) {
		limit, used := pool.Limits[name], pool.Used[name]
		r.Limits = append(r.Limits, report.NodeRoom{Resource: string(name), Used: used.String(), Limit: limit.String()})
	}
	if c := condition(pool.Conditions, "NodeRegistrationHealthy"); c != nil && c.Status == metav1.ConditionFalse {
		r.Notes = append(r.Notes, "its last nodes failed to register"+because(c))
	}
	switch {
	case len(r.Reasons) > 0:
		r.RuledOut = new(true)
	case open != "":
		r.Reasons = append(r.Reasons, open)
	default:
		r.RuledOut = new(false)
	}
	return told
}

// because is what a condition says, to continue a sentence.
func because(c *Condition) string {
	if said := cmp.Or(c.Message, c.Reason); said != "" {
		return ": " + said
	}
	return ""
}

// unreadiness says that a NodePool is not Ready, by the condition that is the cause; open is for
// one that does not say.
func unreadiness(pool *NodePool) (why, open string) {
	ready := condition(pool.Conditions, "Ready")
	switch {
	case ready == nil:
		return "", "it has no condition Ready yet"
	case ready.Status == metav1.ConditionTrue:
		return "", ""
	case ready.Status != metav1.ConditionFalse:
		return "", "its condition Ready is " + string(ready.Status) + because(ready)
	}
	for _, cause := range []string{"NodeClassReady", "ValidationSucceeded"} {
		if c := condition(pool.Conditions, cause); c != nil && c.Status == metav1.ConditionFalse {
			return "it is not Ready: " + cause + because(c), ""
		}
	}
	return "it is not Ready" + because(ready), ""
}

// untolerated are the taints of a NodePool's nodes that the pod does not tolerate. Startup taints
// are removed before its nodes are initialized.
func untolerated(pool *NodePool, pod *corev1.Pod) []string {
	var found []string
	for i := range pool.Taints {
		rejects := func(taint *corev1.Taint) bool {
			return taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
		}
		if taint, no := corev1helpers.FindMatchingUntoleratedTaint(logr.Discard(), pool.Taints[i:i+1], pod.Spec.Tolerations, rejects, model.ComparesTolerations()); no {
			found = append(found, "the pod does not tolerate its taint "+taint.ToString())
		}
	}
	return found
}

// everyNodeHas are resources of which each node has some.
var everyNodeHas = map[corev1.ResourceName]bool{corev1.ResourceCPU: true, corev1.ResourceMemory: true, "nodes": true}

// exceeded are the limits that leave no node that the pod could be on: nothing is left of what
// every node has, or less than the pod requests. A node has at least as much as its pods request.
func exceeded(pool *NodePool, requests corev1.ResourceList) []string {
	var found []string
	for _, name := range slices.SortedFunc(maps.Keys(pool.Limits), func(a, b corev1.ResourceName) int {
		return cmp.Or(cmp.Compare(report.ResourceRank(a), report.ResourceRank(b)), strings.Compare(string(a), string(b)))
	}) {
		limit, used, wants := pool.Limits[name], pool.Used[name], requests[name]
		left := limit.DeepCopy()
		left.Sub(used)
		switch {
		case everyNodeHas[name] && left.Sign() <= 0:
			found = append(found, fmt.Sprintf("it is at its limit: %s %s of %s", name, used.String(), limit.String()))
		case wants.Sign() > 0 && left.Cmp(wants) < 0:
			found = append(found, fmt.Sprintf("its limit leaves %s %s of %s, the pod requests %s", name, notNegative(left), limit.String(), wants.String()))
		}
	}
	return found
}

func notNegative(q resource.Quantity) string {
	if q.Sign() < 0 {
		return "0"
	}
	return q.String()
}

// PlacesOf are the terms of where the volumes of a pod are: of volumes that exist their affinity,
// of others where their class provisions, if that is limited.
func PlacesOf(q *plugins.Question) [][]corev1.NodeSelectorTerm {
	var all [][]corev1.NodeSelectorTerm
	for _, claim := range plugins.PodClaims(q) {
		if terms := claim.Places(q); len(terms) > 0 {
			all = append(all, terms)
		}
	}
	return all
}
