package explanation

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// nominees names the pods that are nominated to the node, whose requests are among what is requested there; "" where
// there are none, or where the node lacks nothing that pods request.
func (c closest) nominees() string {
	lacking := figures.Shortages(c.rejections, c.node, nil)
	if len(lacking) == 0 || len(c.nominated) == 0 {
		return ""
	}
	var all []figures.Holding
	for _, pod := range c.nominated {
		all = append(all, figures.Holding{Pod: pod, Amount: figures.AmountIn(*pod.Requests, lacking[0].Resource)})
	}
	shown := all[:min(2, len(all))]
	tail := ""
	if rest := len(all) - len(shown); rest > 0 {
		tail = ", " + model.FormatCount(rest) + " more"
	}
	head := cells.Blank(table.Gutter) + "requested includes pods nominated to it: "
	return head + holderNames(shown, lacking[0].Resource, c.page.Width-cells.Width(head)-cells.Width(tail)-1) + tail
}

// countedNode is a node with the requests that kube-scheduler counts there for the pod of the page: those of the pods on
// it, and of other pods that are nominated to it, of no lower priority. (RunFilterPluginsWithNominatedPods in
// k8s.io/kubernetes/pkg/scheduler/framework/runtime)
func countedNode(p *Drawing, name string) (*model.Node, []*model.Pod) {
	node, ok := p.Snapshot.Node(name)
	if !ok || p.Pod == nil {
		return node, nil
	}
	var nominated []*model.Pod
	var requests []model.Resources
	for _, class := range p.Snapshot.Pending {
		if class.First().Object.Status.NominatedNodeName != name { // the same for all of a class
			continue
		}
		for _, pod := range class.Pods {
			if pod.Object.UID != p.Pod.Object.UID && pod.Priority() >= p.Pod.Priority() {
				nominated, requests = append(nominated, pod), append(requests, *pod.Requests)
			}
		}
	}
	if len(nominated) == 0 {
		return node, nil
	}
	counted := *node
	counted.Requested = node.Requested.Plus(requests...)
	counted.Requested.Pods = node.Requested.Pods + int64(len(nominated))
	return &counted, nominated
}

// Counted are the pods nominated to a node that are among what is requested there, where it is rejected for lack of a
// resource.
func Counted(p *Drawing, node string, rejections []report.Rejection) []*model.Pod {
	if !slices.ContainsFunc(rejections, func(r report.Rejection) bool { return r.Plugin == figures.FitPlugin }) {
		return nil
	}
	_, nominated := countedNode(p, node)
	return nominated
}
