package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/follow"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// SelectPod is a selected pod; of one that was not created, its controller.
func SelectPod(pod *model.Pod) Selection {
	ref := model.Ref{Resource: "pods", Namespace: pod.Object.Namespace, Name: pod.Object.Name, UID: pod.Object.UID}
	if !pod.Exists() { // only its controller exists
		ref = pod.Controller()
	}
	return Selection{Ref: ref, Pod: pod, Copy: pod.FullName()}
}

// PodIn is the pod as the snapshot has it, for a page about it. One that no longer
// exists stays as it was, and is gone once everything is read; so is one that was not created,
// once no pod of its controller is missing.
func PodIn(s *model.Snapshot, pod *model.Pod) (now *model.Pod, gone bool) {
	now, ok := s.PodNamed(pod.Object.Namespace, pod.Object.Name)
	if ok && now.Object.UID == pod.Object.UID {
		return now, false
	}
	if pod.Object.Name == "" {
		if kind, missing := s.ClassOf(pod.Object.UID); missing {
			return kind.First(), false
		}
	}
	return pod, len(s.Status.Reading) == 0 && s.Revision > 0
}

// InPlaceOf says which pods there are now in place of one that is gone: a sentence about those of
// its workload; "" where that is not known.
func InPlaceOf(o *Observed, pod *model.Pod) string {
	if pod.Owner.Name == "" || o.PodsUnknown() != "" {
		return ""
	}
	all, unplaced := 0, 0
	for _, other := range InNamespace(o.Snapshot.Pods, pod.Object.Namespace) {
		if other.Owner.Kind != pod.Owner.Kind || other.Owner.Name != pod.Owner.Name || other.Finished() || other.Object.DeletionTimestamp != nil {
			continue
		}
		if all++; other.Object.Spec.NodeName == "" {
			unplaced++
		}
	}
	owner := model.Clean(pod.Object.Namespace + "/" + pod.Owner.Name)
	switch {
	case all == 0:
		return owner + " has no pods now."
	case unplaced == 0:
		return fmt.Sprintf("%s has %s now, %s.", owner, plan.CountPods(all), grammar.Agree(all, "on a node", "all on nodes"))
	}
	return fmt.Sprintf("%s has %s now, %d without a node.", owner, plan.CountPods(all), unplaced)
}

// Awaited says that a pod waits for the scheduler after a fix that was carried out, a
// sentence; "" if it does not.
func Awaited(o *Observed, pod *model.Pod) string {
	followed, ok := o.FollowedPod(pod.Object.UID)
	if !ok || followed.State != follow.Waiting {
		return ""
	}
	return grammar.Capital(o.Brief(followed.Words(o.At))) + "."
}

// NodeOf is the node that a pod is on, else the one that it is nominated to.
func NodeOf(p *model.Pod) string {
	return cmp.Or(p.Object.Spec.NodeName, p.Object.Status.NominatedNodeName)
}

// PodName is a pod's name, with its namespace where more than one is shown.
func PodName(h Display, pod *model.Pod) string {
	if h.Namespace() != "" {
		return pod.Name()
	}
	return pod.FullName()
}

// KindName is a kind's name with how many pods it has.
func KindName(h Display, kind *model.EquivalenceClass) string {
	name := kind.Name()
	if h.Namespace() == "" {
		name = kind.FullName()
	}
	if len(kind.Pods) > 1 {
		name += fmt.Sprintf(" ×%d", len(kind.Pods))
	}
	return name
}

// aboutVerdicts are the pages that need verdicts, and so wait until everything is read.
var aboutVerdicts = []keymap.Action{keymap.Open, keymap.Explain, keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Words, keymap.Fit}

// ofRefused are the actions on a pod that was not created.
var ofRefused = []keymap.Action{keymap.Open, keymap.Explain, keymap.Fixes, keymap.Describe, keymap.YAML, keymap.Words}

// OffPod says why an action is not available on a pod.
func OffPod(o *Observed, do keymap.Action, gone bool, on Selection) string {
	if do != keymap.Describe && do != keymap.YAML && do != keymap.GoNode && !slices.Contains(aboutVerdicts, do) {
		return ""
	}
	switch {
	case on.Pod == nil:
		return "no pod is selected."
	case gone:
		return AbsentPod(o, on.Pod, on.Copy)
	case o.IsReading() && slices.Contains(aboutVerdicts, do):
		return "available when everything is read."
	}
	return offThisPod(do, on.Pod, on.Copy)
}

// offThisPod is OffPod for what depends on the state of the pod.
func offThisPod(do keymap.Action, pod *model.Pod, name string) string {
	placed := pod.Object.Spec.NodeName != ""
	switch {
	case !pod.Exists() && !slices.Contains(ofRefused, do):
		return "no pod of " + name + " was created."
	case do == keymap.Preempt && placed:
		return name + " has a node: preemption is for pods without one."
	case do == keymap.Fixes && placed && !model.ResizeOf(pod.Object).IsWaiting():
		return name + " has a node: fixes are for pods without one."
	case do == keymap.Fit && pod.Owner.Kind == "DaemonSet":
		return name + " belongs to a DaemonSet: it has one pod per node."
	case do == keymap.GoNode && NodeOf(pod) == "":
		return name + " has no node yet."
	}
	return ""
}

// AboutPod reports whether a key is about the pod of a page, whatever is selected.
func AboutPod(do keymap.Action) bool { return keymap.Of(do, keymap.PodFacts).Where == keymap.PodFacts }
