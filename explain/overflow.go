package explain

import (
	"fmt"
	"maps"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// noteOverflow notes amounts that 64 bits do not hold. kube-scheduler's own code
// overflows there, so its verdict is about other amounts than those that were
// written: the report shows the verdict as it is and the amounts as written.
func (x *explanation) noteOverflow() {
	q := x.question
	wanted := model.NewPod(q.Pod).Requests.Beyond
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		amount := wanted[name]
		x.caveat(fmt.Sprintf("the pod requests %s %s, which overflows 64 bits: kube-scheduler counts a different amount", name, amount.String()))
	}
	nodes, err := q.Nodes.NodeInfos().List()
	if err != nil {
		return // noted elsewhere
	}
	for _, node := range nodes {
		if overflows(node.GetAllocatable()) || overflows(node.GetRequested()) {
			x.caveat(fmt.Sprintf("the allocatable or requested amount of %s overflows 64 bits: kube-scheduler counts a different amount", node.Node().Name))
		}
	}
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
