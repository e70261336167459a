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
	AtOnce int           // how many nodes are drained at a time; 0: all
	Grace  time.Duration // grace period of each pod; 0: its own
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

// Plan implements Action. kubectl drain's own filters, whose answer is in the
// facts, choose the pods that are evicted.
func (d Drain) Plan(on Facts) (*Plan, error) {
	plan := &Plan{Action: d, Does: "drain", on: on.Snapshot}
	requested := d
	d.Nodes = nil
	for _, ref := range requested.Targets() {
		object, err := on.Object(ref)
		if err != nil {
			plan.skips.add(ref, "deleted", fmt.Errorf("drain %s: %w", ref.Name, ErrGone))
			continue
		}
		if jobs := Draining(on.Jobs, ref.Name); len(jobs) > 0 {
			plan.skips.add(ref, "already being drained by "+jobs[0].Name, nil)
			continue
		}
		change := changeOf(ref, object)
		change.edit(object, true, unschedulablePath...)
		if len(change.Edits) > 0 {
			plan.Changes = append(plan.Changes, change)
		} else {
			plan.Preconditions = append(plan.Preconditions, change)
		}
		going, known := on.Filtered[ref.Name]
		if !known {
			return nil, fmt.Errorf("drain %s: %w: its pods could not be read", ref.Name, ErrNotPossible)
		}
		if unseen := d.share(plan, ref.Name, going); unseen > 0 {
			return nil, fmt.Errorf("drain %s: %w: %s missing; try again in a moment", ref.Name, ErrUnread, grammar.Agree(unseen, "1 is", fmt.Sprint(unseen, " are")))
		}
		d.Nodes = append(d.Nodes, ref.Name)
	}
	if d.Grace > 0 {
		plan.Ends.giveGrace(d.Grace)
	}
	plan.PodsTerminated = ending(plan.Ends)
	switch {
	case len(d.Nodes) == 0:
		return nil, plan.skips.noneLeft(requested.Name(), grammar.Agree(len(requested.Nodes), "it is", "all are")+" already being drained")
	case plan.PodsTerminated == 0 && len(plan.Changes) == 0:
		return nil, fmt.Errorf("%s: %w: %s", requested.Name(), ErrNoChange, d.already(plan.Ends))
	}
	plan.Action, plan.Title = d, grammar.Capital(d.Name())
	plan.Consents = consentsOf(plan.Ends)
	plan.Undo, plan.UndoSays = nil, "Evictions cannot be undone."
	if len(plan.Changes) > 0 {
		plan.Undo, plan.UndoSays = UndoOf(d, plan.Changes), "Undo: uncordon; pods do not move back."
	}
	plan.tell(evictsWords(plan.PodsTerminated, len(plan.Ends)+len(plan.Stays)))
	return plan, nil
}

// share separates the pods of a node that are evicted from those that are not, and counts those to
// evict that the snapshot does not have.
func (d Drain) share(p *Plan, node string, going []types.UID) (unseen int) {
	unseen = len(going)
	for _, pod := range p.on.Pods {
		if pod.Object.Spec.NodeName != node {
			continue
		}
		switch {
		case slices.Contains(going, pod.Object.UID):
			unseen--
			end := endOf(pod, Evicted)
			// kubectl's filters name one of a DaemonSet only where the DaemonSet is gone, for which kubectl wants --force.
			end.Lost = end.Lost || model.OfDaemonSet(pod.Object) && !pod.Finished()
			p.Ends = append(p.Ends, end)
		case model.IsMirror(pod.Object):
			p.Stays = append(p.Stays, Stay{Pod: pod, Why: StaticPod})
		case model.OfDaemonSet(pod.Object) && !pod.Finished():
			p.Stays = append(p.Stays, Stay{Pod: pod, Why: OfDaemonSet})
		}
	}
	return unseen
}

// giveGrace replaces the grace period of the pods that are evicted.
func (e Ends) giveGrace(grace time.Duration) {
	for i := range e {
		if end := &e[i]; !end.Terminating {
			end.Grace, end.GivenGrace = grace, grace
		}
	}
}

// already says why there is nothing to do.
func (d Drain) already(left []End) string {
	if len(left) > 0 {
		return grammar.Agree(len(d.Nodes), "it is already cordoned and its", "all are already cordoned and their") + " last pods are terminating"
	}
	return grammar.Agree(len(d.Nodes), "it is already cordoned and has", "all are already cordoned and have") + " no pods to evict"
}

// consentsOf are the losses for which kubectl drain needs a flag.
func consentsOf(ends []End) []Consent {
	var consents []Consent
	if n := countEnds(ends, func(e End) bool { return e.Lost && !e.Terminating }); n > 0 {
		consents = append(consents, Consent{Words: fmt.Sprintf("evict %s without a controller", CountPods(n)), Flag: "--force"})
	}
	if n := countEnds(ends, func(e End) bool { return e.EmptyDir && !e.Terminating }); n > 0 {
		consents = append(consents, Consent{Words: fmt.Sprintf("delete the emptyDir data of %s", CountPods(n)), Flag: "--delete-emptydir-data"})
	}
	return consents
}

// evictsWords count the pods that a plan evicts: "Evicts 11 of 14 pods". It is the
// beginning of a sentence, which the forecast of these pods ends.
func evictsWords(evicted, all int) string {
	if evicted == 0 {
		return "No pods to evict"
	}
	return "Evicts " + ofPods(evicted, all)
}
