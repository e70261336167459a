package plan

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Drain cordons nodes and evicts their pods.
type Drain struct {
	Nodes  []string
	AtOnce int           // how many nodes lose their pods at a time; 0: all
	Grace  time.Duration // what the containers of each pod get to end; 0: what the pod says
}

var _ Drains = Drain{}

// Name implements Action.
func (d Drain) Name() string { return "drain " + nodesWords(d.Nodes) }

// DrainedNodes implements Drains.
func (d Drain) DrainedNodes() []string { return d.Nodes }

// NodesAtOnce implements Drains.
func (d Drain) NodesAtOnce() int { return d.AtOnce }

// Targets implements Action.
func (d Drain) Targets() []model.Ref { return nodeRefs(d.Nodes) }

// Plan implements Action. Whether a pod goes is for kubectl drain's own filters,
// whose answer is in the facts.
func (d Drain) Plan(on Facts) (*Plan, error) {
	plan := &Plan{Action: d, Does: "drain", on: on.Snapshot}
	wished := d
	d.Nodes = nil
	for _, ref := range wished.Targets() {
		object, err := on.Object(ref)
		if err != nil {
			plan.skips.add(ref, "gone", fmt.Errorf("drain %s: %w", ref.Name, ErrGone))
			continue
		}
		if jobs := Draining(on.Jobs, ref.Name); len(jobs) > 0 {
			plan.skips.add(ref, "being drained already by "+jobs[0].Name, nil)
			continue
		}
		change := changeOf(ref, object)
		change.edit(object, true, unschedulablePath...)
		if len(change.Edits) > 0 {
			plan.Changes = append(plan.Changes, change)
		}
		going, known := on.Filtered[ref.Name]
		if !known {
			return nil, fmt.Errorf("drain %s: %w: its pods were not read", ref.Name, ErrWrongWish)
		}
		d.share(plan, ref.Name, going)
		d.Nodes = append(d.Nodes, ref.Name)
	}
	if d.Grace > 0 {
		plan.Ends.giveGrace(d.Grace)
	}
	plan.Ending = ending(plan.Ends)
	switch {
	case len(d.Nodes) == 0:
		return nil, plan.skips.noneLeft(wished.Name(), grammar.Agree(len(wished.Nodes), "it is", "all are")+" being drained already")
	case plan.Ending == 0 && len(plan.Changes) == 0:
		return nil, fmt.Errorf("%s: %w: %s", wished.Name(), ErrNoChange, d.already(plan.Ends))
	}
	plan.Action, plan.Title = d, grammar.Capital(d.Name())
	plan.Consents = consentsOf(plan.Ends)
	plan.Undo, plan.UndoSays = nil, "An eviction cannot be undone."
	if len(plan.Changes) > 0 {
		plan.Undo, plan.UndoSays = undoOf(d, plan.Changes), "Undo: uncordon; pods do not move back."
	}
	plan.tell(shareWords(plan.Ending, len(plan.Ends)-plan.Ending, len(plan.Stays)))
	return plan, nil
}

// share tells the pods of a node that go from those that stay. One that came
// after the snapshot is named: nobody has foretold anything of it.
func (d Drain) share(p *Plan, node string, going []types.UID) {
	unseen := len(going)
	for _, pod := range p.on.Pods {
		if pod.Object.Spec.NodeName != node {
			continue
		}
		switch {
		case slices.Contains(going, pod.Object.UID):
			unseen--
			p.Ends = append(p.Ends, endOf(pod, Evicted))
		case isMirror(pod.Object):
			p.Stays = append(p.Stays, Stay{Pod: pod, Why: StaticPod})
		case ofDaemonSet(pod.Object) && !pod.Finished():
			p.Stays = append(p.Stays, Stay{Pod: pod, Why: OfDaemonSet})
		}
	}
	if unseen > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s of %s came just now and %s not in this plan: make it again.",
			CountPods(unseen), model.Clean(node), grammar.Agree(unseen, "is", "are")))
	}
}

// giveGrace gives the pods that are evicted another grace period than their own.
func (e Ends) giveGrace(grace time.Duration) {
	for i := range e {
		if end := &e[i]; !end.Terminating {
			end.Grace, end.GivenGrace = grace, grace
		}
	}
}

// already says that nothing is to be done.
func (d Drain) already(left []End) string {
	whose := grammar.Agree(len(d.Nodes), "it is", "all are") + " cordoned already"
	if len(left) > 0 {
		return whose + ", and the last pods are terminating"
	}
	return whose + ", and no pod has to go"
}

// consentsOf is what kubectl drain asks for a flag for.
func consentsOf(ends []End) []Consent {
	var consents []Consent
	if n := countEnds(ends, func(e End) bool { return e.Lost && !e.Terminating }); n > 0 {
		consents = append(consents, Consent{Words: fmt.Sprintf("end %s that no controller owns", CountPods(n)), Flag: "kubectl drain --force"})
	}
	if n := countEnds(ends, func(e End) bool { return e.EmptyDir && !e.Terminating }); n > 0 {
		consents = append(consents, Consent{Words: fmt.Sprintf("lose the emptyDir data of %s", CountPods(n)), Flag: "--delete-emptydir-data"})
	}
	return consents
}

// shareWords count the pods of drained nodes: "14 pods: 11 end, 3 stay."
func shareWords(end, already, stay int) string {
	if end+already+stay == 0 {
		return "No pod is there."
	}
	words := fmt.Sprintf("%s: %d %s", CountPods(end+already+stay), end, grammar.Agree(end, "ends", "end"))
	if already > 0 {
		words += fmt.Sprintf(", %d %s already", already, grammar.Agree(already, "ends", "end"))
	}
	if stay > 0 {
		words += fmt.Sprintf(", %d %s", stay, grammar.Agree(stay, "stays", "stay"))
	}
	return words + "."
}
