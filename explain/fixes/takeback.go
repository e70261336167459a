package fixes

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubectl/pkg/util/qos"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// mostTakenBack is of how many pods the resize is taken back at most, and mostTakenAlone how many are
	// tried alone.
	mostTakenBack, mostTakenAlone = 8, 3
	// givesUp is the harm of taking back the resize that is asked about: what grants it comes first.
	givesUp = 60
)

// takeBacks are the resizes to take back that free what a node is short of, each alone, and those of all
// nodes together: kube-scheduler counts what a resize wants although the kubelet has not granted it.
func takeBacks(q *plugins.Question, rs []plugins.NodeRejection) []option {
	var options []option
	var all remedy.TakeBackResize
	for _, r := range rs {
		if r.Node == nil || len(all.Pods) >= mostTakenBack {
			continue
		}
		enough, ok := takenBackOn(r.Node, plugins.Shortages(q, r))
		if !ok || len(all.Pods)+len(enough.Pods) > mostTakenBack {
			continue
		}
		if len(options) < mostTakenAlone {
			options = append(options, option{enough})
		}
		all.Pods, all.Back = append(all.Pods, enough.Pods...), append(all.Back, enough.Back...)
	}
	if len(options) > 1 {
		options = append(options, option{all})
	}
	return options
}

// takenBackOn are the resizes on one node that free what is short there: the one that frees most alone, if
// that is enough, else as many as are. ok is false where all of them are not.
func takenBackOn(node fwk.NodeInfo, short []plugins.Figure) (r remedy.TakeBackResize, ok bool) {
	if len(short) == 0 {
		return r, false
	}
	type freeing struct {
		pod, back *corev1.Pod
		frees     []int64
	}
	var all []freeing
	for _, info := range node.GetPods() {
		pod := info.GetPod()
		back := takenBack(pod)
		if back == nil {
			continue
		}
		after, err := framework.NewPodInfo(back)
		if err != nil {
			continue
		}
		one := freeing{pod: pod, back: back}
		for _, f := range short {
			one.frees = append(one.frees, plugins.Held(info, f.Resource)-plugins.Held(after, f.Resource))
		}
		if slices.Max(one.frees) > 0 {
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b freeing) int { return slices.Compare(b.frees, a.frees) })
	left := make([]int64, len(short))
	for i, f := range short {
		left[i] = f.Short
	}
	for _, one := range all {
		r.Pods, r.Back = append(r.Pods, one.pod), append(r.Back, one.back)
		for i := range left {
			left[i] -= one.frees[i]
		}
		if slices.Max(left) <= 0 {
			return r, true
		}
	}
	return r, false
}

// takenBack is a pod whose resize waits, with the requests that are allocated to it and the limits that it
// runs with; nil where nothing waits, where its status does not say, or where its QoS class would change.
func takenBack(pod *corev1.Pod) *corev1.Pod {
	if !model.ResizeOf(pod).IsWaiting() || pod.DeletionTimestamp != nil || model.IsMirror(pod) {
		return nil
	}
	granted, back := model.Granted(pod), pod.DeepCopy()
	changed := setBack(back.Spec.Containers, granted.Spec.Containers)
	changed = setBack(back.Spec.InitContainers, granted.Spec.InitContainers) || changed
	if own := back.Spec.Resources; own != nil && granted.Spec.Resources != nil {
		changed = setAmounts(own.Requests, granted.Spec.Resources.Requests) || changed
		changed = setAmounts(own.Limits, granted.Spec.Resources.Limits) || changed
	}
	if !changed || qos.ComputePodQOS(back) != qos.GetPodQOS(pod) {
		return nil
	}
	back.Status = granted.Status
	return back
}

// setBack gives containers the resources of others that can be resized, as far as both state them, and
// reports whether that changes any.
func setBack(containers, to []corev1.Container) (changed bool) {
	for i := range containers {
		changed = setAmounts(containers[i].Resources.Requests, to[i].Resources.Requests) || changed
		changed = setAmounts(containers[i].Resources.Limits, to[i].Resources.Limits) || changed
	}
	return changed
}

func setAmounts(list, to corev1.ResourceList) (changed bool) {
	for _, name := range model.ResizableResources {
		is, stated := list[name]
		want, known := to[name]
		if stated && known && is.Cmp(want) != 0 {
			list[name], changed = want, true
		}
	}
	return changed
}

// takenBackBy is a pod after those of the steps that take its own resize back; nil where none does.
func takenBackBy(pod *corev1.Pod, steps []remedy.Step) *corev1.Pod {
	for _, step := range steps {
		r, ok := step.(remedy.TakeBackResize)
		if !ok {
			continue
		}
		if at := slices.IndexFunc(r.Pods, func(p *corev1.Pod) bool { return p.UID == pod.UID }); at >= 0 {
			return r.Back[at]
		}
	}
	return nil
}

// takeBackOwn is to take back the resize of the pod itself; none where its status does not say what is
// allocated.
func takeBackOwn(pod *corev1.Pod) []candidate {
	back := takenBack(pod)
	if back == nil {
		return nil
	}
	step := remedy.TakeBackResize{Pods: []*corev1.Pod{pod}, Back: []*corev1.Pod{back}}
	return []candidate{{steps: option{step}, nodes: []string{pod.Spec.NodeName}}}
}

// limitsAgainst notes why a LimitRange rejects pods without their resize.
func limitsAgainst(ctx context.Context, f *Search, fix *Attempt) error {
	if f.Admission == nil || fix.Command == "" {
		return nil
	}
	for _, step := range fix.Remedies {
		r, ok := step.(remedy.TakeBackResize)
		if !ok {
			continue
		}
		for _, back := range r.Back {
			from := *f.Admission
			from.Labels, from.Quotas, from.Terminating = noLabels, noQuotas, nil
			judged, err := admission.Judge(ctx, &model.NotCreated{Pod: back}, from)
			if err != nil {
				return err
			}
			for _, part := range judged.Unknown() {
				if rule := admission.RuleOf(part); !slices.ContainsFunc(fix.unread, func(known unreadRule) bool { return known.name == rule }) {
					noteUnread(fix, rule, plugins.FullName(back), part.Why)
				}
			}
			if _, rejections := judged.Created(1); len(rejections) > 0 {
				fix.Remaining = append(fix.Remaining, plugins.FullName(back)+" may be rejected: "+rejections[0].What)
			}
		}
	}
	return nil
}
