package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Restart replaces the pods of a workload by its own rollout, as kubectl rollout
// restart does.
type Restart struct {
	Ref model.Ref // "deployments", "statefulsets" or "daemonsets"
	At  time.Time // written to the template, which changes it
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
		return nil, fmt.Errorf("%s: %w: %s have no rollout", r.Name(), ErrNotPossible, r.Ref.Resource)
	}
	object, err := on.Object(r.Ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), ErrGone)
	}
	if paused, _ := valueAt(object, []string{"spec", "paused"}).(bool); paused {
		return nil, fmt.Errorf("%s: %w: its rollout is paused; run kubectl rollout resume first", r.Name(), ErrNotPossible)
	}
	change := changeOf(r.Ref, object)
	change.edit(object, r.At.Format(time.RFC3339), restartedPath...)
	if len(change.Edits) == 0 {
		return nil, fmt.Errorf("%s: %w: it was already restarted this second", r.Name(), ErrNoChange)
	}
	plan := &Plan{
		Action: r, Title: "Restart " + model.Clean(workloadWords(r.Ref)), Does: "restart", Changes: []Change{change}, on: on.Snapshot,
		UndoSays: "Undo: restore the previous template, which replaces the pods again.",
	}
	plan.Undo = UndoOf(r, plan.Changes)
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
			p.say(grammar.Capital(name) + " replaces its pods only when they are deleted (strategy OnDelete).")
			continue
		}
		before, kept := len(p.Ends), 0
		for _, pod := range p.on.Pods {
			switch {
			case pod.Owner.Kind != kind || pod.Owner.Name != change.Target.Name || pod.Object.Namespace != change.Target.Namespace || pod.Finished():
			case keptBack(object, pod.Object.Name):
				kept++
			default:
				p.Ends = append(p.Ends, endOf(pod, Rolled))
			}
		}
		ends := ending(p.Ends[before:])
		p.PodsTerminated += ends
		p.order()
		p.say(rollWords(name, ends, kept, strategyOf(object)))
		if ends > 0 {
			p.say("Where the new pods are scheduled is not simulated.")
		}
	}
}

// say adds an effect that holds whatever the forecast.
func (p *Plan) say(sentence string) {
	p.Effects, p.sentences.plain = append(p.Effects, sentence), append(p.sentences.plain, sentence)
}

// keptBack says whether a StatefulSet's partition keeps a pod from being replaced
// (updateStatefulSet of k8s.io/kubernetes/pkg/controller/statefulset).
func keptBack(set map[string]any, pod string) bool {
	partition, _ := valueAt(set, []string{"spec", "updateStrategy", "rollingUpdate", "partition"}).(int64)
	start, _ := valueAt(set, []string{"spec", "ordinals", "start"}).(int64)
	ordinal, err := strconv.ParseInt(pod[strings.LastIndexByte(pod, '-')+1:], 10, 64)
	return err == nil && ordinal-start < partition
}

// rollWords say how many pods of a workload are replaced, and how. kept are those that a
// partition keeps.
func rollWords(name string, pods, kept int, strategy string) string {
	switch {
	case pods == 0 && kept > 0:
		return fmt.Sprintf("%s replaces none of its pods: its partition keeps %s.", grammar.Capital(name), grammar.Agree(kept, "the 1 that it has", fmt.Sprintf("all %d", kept)))
	case kept > 0:
		return fmt.Sprintf("%s replaces %s in a rolling update; its partition keeps %d.", grammar.Capital(name), CountPods(pods), kept)
	case pods == 0:
		return grammar.Capital(name) + " has no pods to replace."
	case strategy == "Recreate" && pods > 1:
		return fmt.Sprintf("%s deletes all its %d pods, then creates new ones.", grammar.Capital(name), pods)
	case strategy == "Recreate":
		return grammar.Capital(name) + " deletes its 1 pod, then creates a new one."
	}
	return fmt.Sprintf("%s replaces its %s in a rolling update.", grammar.Capital(name), CountPods(pods))
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
