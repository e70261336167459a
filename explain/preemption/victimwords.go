package preemption

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// tellNodes lists every node where evicting pods makes the pod fit, in the
// scheduler's order.
func (p *planning) tellNodes(ctx context.Context) error {
	blind := p.simulator.Budgets.Unread != ""
	p.plan.Sampled = len(p.ranked) > p.tried.wanted || p.plan.Tried < p.plan.Could
	may := make([]bool, len(p.ranked))
	if !blind && len(p.ranked) > 0 {
		may = mayTake(p.ranked, p.tried.wanted)
		p.plan.Node = p.ranked[0].Name()
	}
	several := 0
	for _, it := range may {
		if it {
			several++
		}
	}
	at := indicesOf(p.matrix)
	for i, candidate := range p.ranked {
		node := report.PreemptionNode{Name: candidate.Name(), Broken: -1, May: may[i]}
		node.Room, node.Resource = p.room(at[node.Name], candidate.Victims().Pods)
		if blind {
			node.Room, node.Why = "", "the victims are unknown"
			p.plan.Nodes = append(p.plan.Nodes, node)
			continue
		}
		if err := p.tellVictims(ctx, &node, candidate); err != nil {
			return err
		}
		node.Why = p.whyTaken(i, &node, several)
		p.plan.Nodes = append(p.plan.Nodes, node)
	}
	return nil
}

// indicesOf tell where in the matrix each node is.
func indicesOf(m *scheduler.Matrix) map[string]int {
	at := make(map[string]int, len(m.Nodes))
	for i, node := range m.Nodes {
		at[node.Node().Name] = i
	}
	return at
}

// whyTaken says why the scheduler takes the i-th node of the ranking, or why not;
// it may take so many.
func (p *planning) whyTaken(i int, node *report.PreemptionNode, several int) string {
	best, own := p.ranked[0].standing, p.ranked[i].standing
	switch worse := own.worse(best, node.Budgets); {
	case worse != "" && node.May && !p.plan.Sampled:
		return "may be chosen, with other equal victims"
	case worse != "":
		return worse
	case several > 1 && p.plan.Sampled:
		return "likely: least disruptive"
	case several > 1:
		return fmt.Sprintf("may be chosen: %d nodes tie", several)
	case len(p.ranked) == 1:
		return "chosen: no other node would fit"
	}
	return "chosen: least disruptive"
}

// tellVictims tells who would have to go.
func (p *planning) tellVictims(ctx context.Context, node *report.PreemptionNode, candidate rankedCandidate) error {
	victims := candidate.Victims()
	node.Broken = int(victims.NumPDBViolations)
	var breaking breakers
	if node.Broken > 0 {
		var err error
		if breaking, err = p.simulator.breaking(ctx, node.Name, p.question.Pod, p.tried.budgets); err != nil {
			return err
		}
	}
	for _, pod := range victims.Pods {
		victim := p.victim(pod, node.Resource)
		victim.ViolatesPDB = len(breaking[pod.UID]) > 0
		for _, budget := range breaking[pod.UID] {
			if !slices.Contains(node.Budgets, budget) {
				node.Budgets = append(node.Budgets, budget)
			}
		}
		node.Victims = append(node.Victims, victim)
	}
	p.pods[node.Name] = victims.Pods
	node.Alike = p.alike(node.Name, victims.Pods, candidate.others)
	return nil
}

// victim tells one pod that would have to go.
func (p *planning) victim(pod *corev1.Pod, resource string) report.PreemptionVictim {
	victim := report.PreemptionVictim{
		Victim: report.Victim{Namespace: pod.Namespace, Name: pod.Name, Priority: corev1helpers.PodPriority(pod), Static: model.IsMirror(pod)},
		Amount: "–",
	}
	name := corev1.ResourceName(resource)
	if amount := p.held(pod, name); amount > 0 {
		victim.Amount = quantity.RoundedDown(name, amount)
	}
	for _, budget := range p.tried.budgets {
		if protects(budget, pod) {
			victim.Budgets = append(victim.Budgets, fmt.Sprintf("%s: allows %d", budget.Name, max(0, budget.Status.DisruptionsAllowed)))
		}
	}
	return victim
}

// protects says whether the budget is about the pod, as preemption sees it: an
// empty selector is about none.
func protects(budget *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	if budget.Namespace != pod.Namespace || len(pod.Labels) == 0 {
		return false
	}
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	return err == nil && !selector.Empty() && selector.Matches(labels.Set(pod.Labels))
}

// alike are pods that could have to go in place of victims: where some of the
// pods of one priority and start go and others stay, the order in which the
// scheduler has met them decides.
func (p *planning) alike(name string, victims, others []*corev1.Pod) []report.PodName {
	node, err := p.scheduler.State.NodeInfos().Get(name)
	if err != nil {
		return nil
	}
	ranks := map[victimRank]bool{}
	for _, victim := range victims {
		ranks[rankOf(victim)] = true
	}
	var found []report.PodName
	for _, info := range node.GetPods() {
		pod := info.GetPod()
		if (ranks[rankOf(pod)] || slices.Contains(others, pod)) && !slices.Contains(victims, pod) {
			found = append(found, report.PodName{Namespace: pod.Namespace, Name: pod.Name})
		}
	}
	slices.SortFunc(found, func(a, b report.PodName) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return found
}

// MostImportantFirst are pods by priority, the highest first.
func MostImportantFirst(pods []*corev1.Pod) []*corev1.Pod {
	return slices.SortedStableFunc(slices.Values(pods), func(a, b *corev1.Pod) int {
		return cmp.Compare(corev1helpers.PodPriority(b), corev1helpers.PodPriority(a))
	})
}

// nominated puts the node in the plan that the pod is nominated to, with the pods
// that end there already.
func (p *planning) nominated() {
	if p.report.Verdict != report.Preempting {
		return
	}
	ending := MostImportantFirst(p.ending)
	name := p.plan.Nominated
	best := len(p.ranked) > 0 && p.ranked[0].Name() == name
	at := slices.IndexFunc(p.plan.Nodes, func(n report.PreemptionNode) bool { return n.Name == name })
	node := report.PreemptionNode{Name: name, Resource: string(corev1.ResourceCPU)}
	if at >= 0 {
		node = p.plan.Nodes[at]
		p.plan.Nodes = slices.Delete(p.plan.Nodes, at, at+1)
	}
	if i, ok := indicesOf(p.matrix)[name]; ok {
		node.Room, node.Resource = p.room(i, ending)
	}
	node.Victims = nil
	for _, pod := range ending {
		node.Victims = append(node.Victims, p.victim(pod, node.Resource))
	}
	p.pods[name] = ending
	node.May, node.Alike, node.Why = true, nil, "chosen already: its victims are terminating"
	if best {
		node.Why = "chosen: least disruptive"
	}
	for i := range p.plan.Nodes {
		p.plan.Nodes[i].May = false
	}
	p.plan.Node, p.plan.Sampled = name, false
	p.plan.Nodes = slices.Insert(p.plan.Nodes, 0, node)
}
