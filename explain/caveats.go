package explain

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// caveats hold for every report about a pod of the profile.
func (e *Engine) caveats(p *scheduler.Profile) []string {
	var all []string
	if p.Origin == report.Assumed {
		all = append(all, report.Assumed)
	}
	all = append(all, e.scheduler.Notes...)
	if said := scheduler.VersionCaveat(e.options.ClusterVersion); said != "" {
		all = append(all, said)
	}
	return all
}

func (x *explanation) caveat(text string) {
	x.report.Scheduler.Caveats = append(x.report.Scheduler.Caveats, text)
}

// addGateCaveats names the feature gates that may change the verdict about the pod, and that the plugins do
// not have as the cluster has them, or that were read from kube-apiserver alone.
func addGateCaveats(x *explanation) {
	state := map[bool]string{true: "on", false: "off"}
	for _, gate := range x.report.Scheduler.Gates {
		switch {
		case !scheduler.Concerns(gate.Name, x.question.Pod):
		case !gate.Applied:
			x.caveat(fmt.Sprintf("feature gate %s is %s in the cluster (%s), but the plugins run here with it %s", gate.Name, state[gate.Enabled], gate.Source, state[!gate.Enabled]))
		case gate.Source == scheduler.Metrics:
			x.caveat(fmt.Sprintf("feature gate %s is %s by %s: assumed for kube-scheduler too", gate.Name, state[gate.Enabled], gate.Source))
		}
	}
}

// leaving is how long after its deletion a pod may still be in the scheduler's
// queue: five minutes until the queue takes up what nothing else has moved, half
// a minute between two looks for such pods, and the back-off.
const leaving = 6 * time.Minute

// leavingCaveats name pods that the scheduler may still reserve capacity for, because
// it has not come upon them since they were deleted: nothing in the API says whether
// it has.
func leavingCaveats(state *scheduler.State, q *plugins.Question) (all []string) {
	pod := q.Pod
	nodes := state.NominatedNodes()
	slices.Sort(nodes)
	for _, node := range nodes {
		for _, info := range state.Nominated(node) {
			other := state.Pods[info.GetPod().UID]
			if other == nil || other.UID == pod.UID || !scheduler.LeavesQueue(other) || q.Now.Sub(other.DeletionTimestamp.Time) > leaving ||
				corev1helpers.PodPriority(other) < corev1helpers.PodPriority(pod) {
				continue
			}
			all = append(all, fmt.Sprintf("%s is nominated to %s and is being deleted: kube-scheduler may reserve capacity for it there for some more minutes", plugins.FullName(other), node))
		}
	}
	return all
}

// overflowCaveats name amounts that 64 bits do not hold. kube-scheduler's own code
// overflows there, so its verdict is about other amounts than those that were
// written: the report shows the verdict as it is and the amounts as written.
func overflowCaveats(q *plugins.Question) (all []string) {
	wanted := model.NewPod(q.Pod).Requests.Beyond
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		amount := wanted[name]
		all = append(all, fmt.Sprintf("the pod requests %s %s, which overflows 64 bits: kube-scheduler counts a different amount", name, amount.String()))
	}
	nodes, err := q.Nodes.NodeInfos().List()
	if err != nil {
		return all // noted elsewhere
	}
	for _, node := range nodes {
		if overflows(node.GetAllocatable()) || overflows(node.GetRequested()) {
			all = append(all, fmt.Sprintf("the allocatable or requested amount of %s overflows 64 bits: kube-scheduler counts a different amount", node.Node().Name))
		}
	}
	return all
}

// overflows says whether an amount wrapped around to less than zero.
func overflows(r fwk.Resource) bool {
	if r.GetMilliCPU() < 0 || r.GetMemory() < 0 || r.GetEphemeralStorage() < 0 {
		return true
	}
	for _, amount := range r.GetScalarResources() {
		if amount < 0 {
			return true
		}
	}
	return false
}
