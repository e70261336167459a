package plan

import (
	"fmt"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Restart replaces the pods of a workload by its own rollout, as kubectl rollout
// restart does.
type Restart struct {
	Ref model.Ref // "deployments", "statefulsets" or "daemonsets"
	At  time.Time // written to the template, which makes it another
}

// restartedAt is the annotation that kubectl writes.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

var restartedPath = []string{"spec", "template", "metadata", annotations, restartedAt}

// Name implements Action.
func (r Restart) Name() string { return "restart " + workloadWords(r.Ref) }

// Targets implements Action.
func (r Restart) Targets() []model.Ref { return []model.Ref{r.Ref} }

// kinds are the workloads that roll their pods, by resource.
var kinds = map[string]string{"deployments": "Deployment", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet"}

// Plan implements Action.
func (r Restart) Plan(on Facts) (*Plan, error) {
	if kinds[r.Ref.Resource] == "" {
		return nil, fmt.Errorf("%s: %w: %s have no rollout", r.Name(), ErrWrongWish, r.Ref.Resource)
	}
	object, err := on.Object(r.Ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), ErrGone)
	}
	if paused, _ := valueAt(object, []string{"spec", "paused"}).(bool); paused {
		return nil, fmt.Errorf("%s: %w: its rollout is paused: kubectl rollout resume goes on with it", r.Name(), ErrWrongWish)
	}
	change := changeOf(r.Ref, object)
	change.edit(object, r.At.Format(time.RFC3339), restartedPath...)
	if len(change.Edits) == 0 {
		return nil, fmt.Errorf("%s: %w: it was restarted this second", r.Name(), ErrNoChange)
	}
	plan := &Plan{
		Action: r, Title: "Restart " + model.Clean(workloadWords(r.Ref)), Does: "restart", Changes: []Change{change}, on: on.Snapshot,
		UndoSays: "Undo: the template as before, which rolls the pods once more.",
	}
	plan.Undo = undoOf(r, plan.Changes)
	plan.roll(on)
	return plan, nil
}

// roll finds the pods that a change of a template replaces, and says how.
func (p *Plan) roll(on Facts) {
	for _, change := range p.Changes {
		kind := kinds[change.Target.Resource]
		object, err := on.Object(change.Target)
		if kind == "" || err != nil {
			continue
		}
		name := model.Clean(workloadWords(change.Target))
		if strategyOf(object) == "OnDelete" {
			p.say(grammar.Capital(name) + " replaces its pods only when somebody deletes them (strategy OnDelete).")
			continue
		}
		before := len(p.Ends)
		for _, pod := range p.on.Pods {
			if pod.Owner.Kind == kind && pod.Owner.Name == change.Target.Name && pod.Object.Namespace == change.Target.Namespace && !pod.Finished() {
				p.Ends = append(p.Ends, endOf(pod, Rolled))
			}
		}
		ends := ending(p.Ends[before:])
		p.Ending += ends
		p.order()
		p.say(rollWords(name, ends, strategyOf(object)))
	}
}

// say adds an effect that stands whatever is foretold.
func (p *Plan) say(sentence string) {
	p.Effects, p.sentences.plain = append(p.Effects, sentence), append(p.sentences.plain, sentence)
}

// rollWords say how many pods of a workload are replaced, and in which way.
func rollWords(name string, pods int, strategy string) string {
	switch {
	case pods == 0:
		return grammar.Capital(name) + " has no pods to replace."
	case strategy == "Recreate" && pods > 1:
		return fmt.Sprintf("%s ends all its %d pods, then makes others.", grammar.Capital(name), pods)
	case strategy == "Recreate":
		return grammar.Capital(name) + " ends its 1 pod, then makes another."
	}
	return fmt.Sprintf("%s replaces its %s, some at a time.", grammar.Capital(name), CountPods(pods))
}

// strategyOf is how a workload updates its pods.
func strategyOf(object map[string]any) string {
	for _, field := range []string{"strategy", "updateStrategy"} {
		if kind, ok := valueAt(object, []string{"spec", field, "type"}).(string); ok {
			return kind
		}
	}
	return ""
}
