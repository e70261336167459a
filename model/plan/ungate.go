package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Ungate removes scheduling gates of pods; all of them where none is named.
type Ungate struct {
	Pods  []model.Ref
	Gates []string
}

var gatesPath = []string{"spec", "schedulingGates"}

// Name implements Action.
func (u Ungate) Name() string {
	gates := "gates"
	if len(u.Gates) > 0 {
		gates = grammar.Agree(len(u.Gates), "gate ", "gates ") + strings.Join(u.Gates, ", ")
	}
	return "remove " + gates + " of " + podsWords(u.Pods)
}

// Targets implements Action.
func (u Ungate) Targets() []model.Ref { return u.Pods }

// Plan implements Action. Pods without such a gate are left out.
func (u Ungate) Plan(on Facts) (*Plan, error) {
	plan := &Plan{
		Action: u, Does: "remove", on: on.Snapshot,
		UndoSays: "Cannot be undone: a removed gate cannot be added again.",
	}
	var kept []model.Ref
	free, held, removed := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, ref := range u.Pods {
		object, err := on.Object(ref)
		if err != nil {
			plan.skips.add(ref, "deleted", fmt.Errorf("remove gates of %s: %w", ref.Words(), ErrGone))
			continue
		}
		left := slices.DeleteFunc(slices.Clone(items(valueAt(object, gatesPath))), func(gate any) bool {
			goes := len(u.Gates) == 0 || slices.Contains(u.Gates, gateName(gate))
			if goes {
				removed[gateName(gate)] = true
			}
			return goes
		})
		change := changeOf(ref, object)
		change.edit(object, left, gatesPath...)
		if len(change.Edits) == 0 {
			plan.skips.add(ref, "no such gate", nil)
			continue
		}
		plan.Changes = append(plan.Changes, change)
		kept = append(kept, ref)
		if len(left) == 0 {
			free[schedulerOf(object)]++
		}
		for _, gate := range left {
			held[model.Clean(gateName(gate))] = true
		}
	}
	if len(plan.Changes) == 0 {
		return nil, plan.skips.noneLeft(u.Name(), grammar.Agree(len(u.Pods), "it has", "they have")+" no such gate")
	}
	u.Pods = kept
	plan.Action = u
	plan.Title = grammar.Capital(model.Clean(u.Name()))
	plan.tell("", ungated(len(plan.Changes), free, held)...)
	for _, gate := range slices.Sorted(maps.Keys(removed)) {
		plan.warn(ungateWarning(gate))
	}
	return plan, nil
}

// ungateWarning says whose gate it is; "" where its name does not tell.
func ungateWarning(gate string) string {
	if q, ok := model.QueueingOf(gate); ok {
		return fmt.Sprintf("%s is %s's gate: removing it bypasses %s. See %s.", model.Clean(gate), q.Name, q.Bypasses, q.See)
	}
	if owner := model.GateOwner(gate); owner != "" {
		return fmt.Sprintf("%s normally removes %s; removing it here bypasses that.", model.Clean(owner), model.Clean(gate))
	}
	return ""
}

func gateName(gate any) string {
	fields, _ := gate.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

// schedulerOf is the name of the pod's scheduler.
func schedulerOf(pod map[string]any) string {
	name, _ := valueAt(pod, []string{"spec", "schedulerName"}).(string)
	return cmp.Or(name, corev1.DefaultSchedulerName)
}

// ungated says what schedulers do then; free is of how many pods each one has no gate any more.
func ungated(pods int, free map[string]int, held map[string]bool) []string {
	var sentences []string
	left := pods
	for _, scheduler := range slices.Sorted(maps.Keys(free)) {
		n := free[scheduler]
		left -= n
		which := grammar.Agree(pods, "it", CountPods(n))
		if scheduler == corev1.DefaultSchedulerName {
			sentences = append(sentences, fmt.Sprintf("kube-scheduler then tries to schedule %s.", which))
			continue
		}
		sentences = append(sentences, fmt.Sprintf("%s then %s for scheduler %s.", grammar.Capital(which), grammar.Agree(n, "waits", "wait"), model.Clean(scheduler)))
	}
	if n := left; n > 0 {
		sentences = append(sentences, fmt.Sprintf("%s %s gated by %s.", CountPods(n), grammar.Agree(n, "remains", "remain"), joinKeys(held)))
	}
	return sentences
}
