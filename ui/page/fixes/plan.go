package fixes

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/follow"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// unplanned says why enter does not plan the fix; "" if it does.
func (p *Page) unplanned(f *report.Fix) string {
	if pod, ok := p.Host.Observed().FollowedPod(p.Pod.Object.UID); ok && (pod.State == follow.Acting || pod.State == follow.Waiting) {
		return "a fix of this pod is being carried out; z opens Activity."
	}
	if planned(f) {
		return p.Host.LookOnly()
	}
	why := "fathom does not " + planless(f, p.Pod) + "."
	if f.Command == "" {
		return why
	}
	return why + " C copies the command."
}

// planned says whether every step of the fix is a change that can be planned.
func planned(f *report.Fix) bool { return len(f.Actions) > 0 && len(f.Actions) == f.Steps }

// planless is what would have to be done for a fix, which no plan does.
func planless(f *report.Fix, pod *model.Pod) string {
	switch f.Kind {
	case report.FixClaim:
		return "change claims"
	case report.FixQuota:
		return "change quotas"
	case report.FixDevice:
		return "change ResourceClaims"
	case report.FixNode:
		return "add nodes"
	case report.FixSuspend:
		return "suspend Jobs"
	case report.FixRollout:
		return "change how Deployments roll out"
	case report.FixUndo:
		return "undo rollouts"
	case report.FixResize:
		return "resize pods"
	case report.FixQueue:
		return "admit pods to queues"
	case report.FixGroup:
		return "start schedulers"
	}
	switch {
	case pod.Bound():
		return "resize pods"
	case pod.Owner.Name != "":
		return "change pod templates"
	}
	return "change the requests or spec of a pod"
}

// toPlan is the first step of a fix. Where that is the whole fix, and the pod fits then,
// the dashboard follows the pod until it has its node.
func toPlan(f *report.Fix, pod *model.Pod, o *page.Observed) page.Step {
	step := page.Step{Action: actionOf(f.Actions[0]), Says: saysFirst(f, pod, o)}
	if f.Steps <= 1 && f.NodesGained > 0 && pod.Exists() {
		step.Action = follow.Fix{Action: step.Action, Pod: pod, Nodes: f.Nodes}
	}
	return step
}

// saysFirst is what a user has to know of the fix before the first step is made, which its plan
// does not say; "" is nothing.
func saysFirst(f *report.Fix, pod *model.Pod, o *page.Observed) string {
	var says []string
	if f.Steps > 1 {
		says = append(says, fmt.Sprintf("Step 1 of %d of a fix: %s.", f.Steps, f.Title))
	}
	switch {
	case f.Works():
	case f.NodesGained == 0 && !f.Unevaluated():
		says = append(says, "This does not help "+model.Clean(pod.Object.Name)+": "+strings.TrimPrefix(butWhat(f), "still: ")+".")
	default:
		says = append(says, "This may not help "+model.Clean(pod.Object.Name)+". "+verdictOn(o, f))
	}
	return strings.Join(says, " ")
}

// actionOf is the first step of a fix as an action. Once that is done the page tries
// the rest anew.
func actionOf(step report.Remedy) plan.Action {
	switch step.Kind {
	case report.FixUncordon:
		return plan.Cordon{Nodes: step.Nodes, Off: true}
	case report.FixUntaint:
		return plan.Taint{Nodes: step.Nodes, Remove: []plan.TaintRemoval{{
			Key: step.Taint.Key, Value: &step.Taint.Value, Effect: step.Taint.Effect,
		}}}
	case report.FixLabel:
		label := plan.Label{Set: map[string]string{step.Label[0]: step.Label[1]}}
		for _, name := range step.Nodes {
			label.Refs = append(label.Refs, plan.NodeRef(name))
		}
		return label
	case report.FixGate:
		return plan.Ungate{Pods: refsOf(step.Pods), Gates: step.Gates}
	}
	return plan.Evict{Pods: refsOf(step.Pods)}
}

// refsOf name the pods of a step.
func refsOf(pods []report.PodRef) []model.Ref {
	refs := make([]model.Ref, len(pods))
	for i, pod := range pods {
		refs[i] = model.Ref{Resource: "pods", Namespace: pod.Namespace, Name: pod.Name, UID: types.UID(pod.UID)}
	}
	return refs
}
