package formerpods

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rollout"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// mostGenerated is how long the part of a name is at most that the API server adds a random end to, and
// randomEnd how long that end is (k8s.io/apiserver/pkg/storage/names).
const mostGenerated, randomEnd = 58, 5

// Preempted are the victims, in events, that are named as a pending pod is: their names were generated from the
// same generateName, or are the pod's own. They are gone, so it is not known who controlled them. Nil without any.
func Preempted(state *scheduler.State, pod *corev1.Pod, events []*corev1.Event) *report.Preempted {
	if scheduler.Assigned(pod) {
		return nil
	}
	told, victims := &report.Preempted{Names: pod.Name, By: []report.Preemptor{}}, map[types.UID]bool{}
	prefix := generated(pod)
	if prefix != "" {
		told.Names = prefix + "…"
	}
	for _, e := range events {
		of, last := e.InvolvedObject, model.NewEvent(e).Last
		if victims[of.UID] || !tellsOf(e, pod) || of.Name != pod.Name && !isGenerated(of.Name, prefix) {
			continue
		}
		victims[of.UID] = true
		told.Count++
		if told.Last == nil || told.Last.Time.Before(last) {
			told.Last = new(metav1.NewTime(last))
		}
		if e.Related != nil {
			addPreemptor(told, state, e.Related)
		}
	}
	if told.Count == 0 {
		return nil
	}
	slices.SortStableFunc(told.By, func(a, b report.Preemptor) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return told
}

// ChangedPreemptor is a pod of the workload for which most of the victims in events were preempted, if its template was
// changed; nil without.
func ChangedPreemptor(state *scheduler.State, told *report.Preempted, events []*corev1.Event) *corev1.Pod {
	if told == nil || len(told.By) == 0 || told.By[0].Rollout == nil {
		return nil
	}
	by := &told.By[0]
	for _, e := range events {
		if e.Related == nil {
			continue
		}
		pod := state.Pods[e.Related.UID]
		if pod == nil || pod.Namespace != by.Namespace {
			continue
		}
		owner := model.NewPod(pod).Owner
		if owner.Kind == by.Kind && owner.Name == by.Name && rollout.ByTemplate(state, pod) != nil {
			return pod
		}
	}
	return nil
}

// tellsOf says whether an event tells that the pod's scheduler preempted another pod of its namespace.
func tellsOf(e *corev1.Event, pod *corev1.Pod) bool {
	of := e.InvolvedObject
	return e.Reason == model.PreemptedReason && model.NewEvent(e).Source == scheduler.NameOf(pod) &&
		of.Kind == "Pod" && of.Namespace == pod.Namespace && of.UID != pod.UID
}

// isGenerated says whether a name is one that the API server makes from a prefix, "": from none.
func isGenerated(name, prefix string) bool {
	return prefix != "" && len(name) == len(prefix)+randomEnd && strings.HasPrefix(name, prefix)
}

// generated is what the pod's name was generated from, as far as it is in the name; "" where the name was given.
func generated(pod *corev1.Pod) string {
	prefix := pod.GenerateName[:min(len(pod.GenerateName), mostGenerated)]
	if !isGenerated(pod.Name, prefix) {
		return ""
	}
	return prefix
}

// addPreemptor counts a victim of a preemptor: of its workload where the pod is still there, else by its own name.
func addPreemptor(told *report.Preempted, state *scheduler.State, ref *corev1.ObjectReference) {
	by := report.Preemptor{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
	preemptor := state.Pods[ref.UID]
	if ref.Kind == "Pod" && preemptor != nil {
		by.Priority = new(corev1helpers.PodPriority(preemptor))
		if owner := model.NewPod(preemptor).Owner; owner.Kind != "" {
			by.Kind, by.Name = owner.Kind, owner.Name
		}
	}
	at := slices.IndexFunc(told.By, func(p report.Preemptor) bool {
		return p.Kind == by.Kind && p.Namespace == by.Namespace && p.Name == by.Name
	})
	if at < 0 {
		at = len(told.By)
		told.By = append(told.By, by)
	}
	known := &told.By[at]
	known.Count++
	if known.Rollout == nil && by.Priority != nil {
		known.Rollout = rollout.ByTemplate(state, preemptor)
	}
}
