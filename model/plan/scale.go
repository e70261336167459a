package plan

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Scale gives a workload another number of replicas.
type Scale struct {
	Ref      model.Ref // its scale: "deployments/scale"
	Replicas int32
}

// Name implements Action.
func (s Scale) Name() string {
	return fmt.Sprintf("scale %s to %d", workloadWords(s.Ref), s.Replicas)
}

// Targets implements Action.
func (s Scale) Targets() []model.Ref { return []model.Ref{s.Ref} }

// Plan implements Action. The controller chooses which pods a scale down deletes:
// they are counted, and not named.
func (s Scale) Plan(on Facts) (*Plan, error) {
	switch {
	case !strings.HasSuffix(s.Ref.Resource, "/scale"):
		return nil, fmt.Errorf("%s: %w: %s have no scale", s.Name(), ErrNotPossible, s.Ref.Resource)
	case s.Replicas < 0:
		return nil, fmt.Errorf("%s: %w: replicas cannot be negative", s.Name(), ErrNotPossible)
	}
	object, err := on.Object(s.Ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), ErrGone)
	}
	change := changeOf(s.Ref, object)
	change.edit(object, replicasValue(s.Replicas), "spec", "replicas")
	if len(change.Edits) == 0 {
		return nil, fmt.Errorf("%s: %w: it already has %d replicas", s.Name(), ErrNoChange, s.Replicas)
	}
	was := replicasOf(object, "spec")
	plan := &Plan{
		Action: s, Title: "Scale " + model.Clean(workloadWords(s.Ref)), Does: "scale", Changes: []Change{change}, on: on.Snapshot,
		UndoSays: fmt.Sprintf("Undo: scale back to %d.", was),
	}
	plan.Undo = UndoOf(s, plan.Changes)
	plan.rescale(on)
	return plan, nil
}

// replicasValue is a number of replicas as the API server holds it: 0 is left out.
func replicasValue(n int32) any {
	if n == 0 {
		return nil
	}
	return int64(n)
}

// replicasOf is how many replicas a scale has in its spec or status.
func replicasOf(object map[string]any, part string) int64 {
	n, _ := valueAt(object, []string{part, "replicas"}).(int64)
	return n
}

// existing is how many pods a workload has, of those that it should have.
func existing(on Facts, scale model.Ref, wanted int64) int64 {
	object, err := on.Object(scale)
	if err != nil || valueAt(object, []string{"status", "replicas"}) == nil {
		return wanted
	}
	return min(replicasOf(object, "status"), wanted) // a rolling update may have more
}

// rescale says what another number of replicas does. Not all pods need exist: a quota may reject some,
// or they are being created, so how many are deleted is then only known at most.
func (p *Plan) rescale(on Facts) {
	for _, change := range p.Changes {
		then, scales := change.Replicas()
		if !scales || !strings.HasSuffix(change.Target.Resource, "/scale") {
			continue
		}
		was, _ := change.Edits[0].From.(int64)
		name, has := model.Clean(workloadWords(change.Target)), existing(on, change.Target, was)
		if has < was {
			p.say(fmt.Sprintf("%s has %d of its %d pods.", grammar.Capital(name), has, was))
		}
		if more := int(int64(then) - was); more > 0 {
			p.say(fmt.Sprintf("%s creates %d more %s.", grammar.Capital(name), more, grammar.Agree(more, "pod", "pods")))
			continue
		}
		fewer := int(was - int64(then))
		p.PodsTerminated += fewer
		if has < was {
			p.say(fmt.Sprintf("Up to %s of %s %s deleted; its controller chooses which.", CountPods(fewer), name, grammar.Agree(fewer, "is", "are")))
		} else {
			p.say(fmt.Sprintf("%s of %s %s deleted; its controller chooses which.", CountPods(fewer), name, grammar.Agree(fewer, "is", "are")))
		}
		p.warn("Scaling down ignores PodDisruptionBudgets.")
	}
}

// workloadWords name a workload for a sentence: "deployment shop/checkout".
func workloadWords(ref model.Ref) string {
	kind, _, _ := strings.Cut(ref.Resource, "/")
	return strings.TrimSuffix(kind, "s") + " " + ref.Words()
}
