package fixes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/forecast"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

const (
	// verifyingTime is for how long fixes are simulated with all other pods in a large
	// cluster, leastVerifying how much of it each one gets at least, and sharesLeft that it
	// gets no more than this part of what is left.
	verifyingTime  = time.Second
	leastVerifying = 10 * time.Millisecond
	sharesLeft     = 3
	// preemptionHarm is the harm of each pod that is preempted.
	preemptionHarm = 20
	// mostUnless is how many pods are named on which it depends whether a fix works.
	mostUnless = 3
)

// simulationOf is the fix as it is simulated with all other pods. The scheduler is held.
func (f *Search) simulationOf(changed *corev1.Pod, c command.Command, steps []remedy.Step) *forecast.FixSimulation {
	kind := placement.ControllerKind(changed)
	t := &forecast.FixSimulation{
		Pod: changed, Recreated: c.Anew, Nodes: remedy.NodesOf(steps), AtOnce: c.AtOnce, Missing: c.Missing,
		Any: kind != "StatefulSet" && kind != "DaemonSet", Last: c.OwnLast,
	}
	if c.Anew {
		t.Pod = anew(f, changed)
	}
	for _, victim := range evictedBy(steps) {
		t.Gone = append(t.Gone, victim.UID)
	}
	addSteps(f, t, changed, steps)
	if len(t.Changes) > 0 && !c.OwnFirst {
		t.AtFirst = 1
	}
	addOthers(f, t, c.Others, changed, steps)
	if f.uncreated {
		for _, other := range f.alike[1:min(len(f.alike), mostAlike)] {
			t.Alike = append(t.Alike, equalTo(t.Pod, other))
		}
	}
	if c.Anew && kind == "ReplicaSet" && !goesFirst(t, c) {
		t.Old = f.Scheduler.State.Pods[changed.UID]
	}
	return t
}

// addSteps adds what the steps change other than the pod itself and the pods that they evict.
func addSteps(f *Search, t *forecast.FixSimulation, changed *corev1.Pod, steps []remedy.Step) {
	for _, step := range steps {
		switch step := step.(type) {
		case remedy.Evict:
		case remedy.AllowUnavailable:
			addStopped(f, t, step)
		case remedy.Suspend:
			for _, pod := range step.Pods {
				t.Stopped = append(t.Stopped, pod.UID)
			}
		default:
			if remedy.ChangesPod(step) {
				continue
			}
			t.Changes = append(t.Changes, func(s *scheduler.Fork) error {
				_, err := remedy.Apply(s, changed, step)
				return err
			})
		}
	}
}

// addStopped adds the older pod that a Deployment stops. Any of its new pods may take the place.
func addStopped(f *Search, t *forecast.FixSimulation, rollout remedy.AllowUnavailable) {
	t.Stopped = append(t.Stopped, rollout.Stops.UID)
	set := metav1.GetControllerOfNoCopy(t.Pod)
	for _, other := range f.alike {
		now := f.Scheduler.State.Pods[other.UID]
		if now != nil && now.UID != t.Pod.UID && metav1.IsControlledBy(now, &metav1.ObjectMeta{UID: set.UID}) {
			t.Alike = append(t.Alike, now)
		}
	}
}

// addOthers adds the other pods of the controller, as they are after the change.
func addOthers(f *Search, t *forecast.FixSimulation, others []*corev1.Pod, changed *corev1.Pod, steps []remedy.Step) {
	for _, other := range others {
		next := changedBy(other, steps)
		if now := f.Scheduler.State.Pods[changed.UID]; now != nil && !ofOtherTemplate(now, other) {
			next = ofNewTemplate(f, now, next, steps)
		}
		if t.Any && !placement.HasOwnClaims(changed) && (requestsMore(changed, next) || ofOtherTemplate(changed, next)) {
			next = madeLike(other, changed)
		}
		if scheduler.Assigned(other) {
			t.Rolled = append(t.Rolled, forecast.Rolled{Pod: other, Next: next})
		} else {
			t.Alike = append(t.Alike, anew(f, next))
		}
	}
}

// goesFirst reports whether the pod goes before any new one is Ready: it is evicted, as its ReplicaSet
// gives the change only to new pods, or so many may be missing during the rolling update that it is
// deleted at once, with the others that are pending.
func goesFirst(t *forecast.FixSimulation, c command.Command) bool {
	missing := forecast.MayMiss(1 + len(t.Alike) + len(t.Rolled))
	if c.Missing != nil {
		missing = *c.Missing
	}
	return c.Lone || c.AtOnce || missing > len(t.Alike)
}

// requestsMore reports whether a pod requests more cpu or memory than another, and of neither less.
func requestsMore(pod, than *corev1.Pod) bool {
	a, b := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}), resourcehelper.PodRequests(than, resourcehelper.PodResourcesOptions{})
	cpu, memory := a.Cpu().Cmp(*b.Cpu()), a.Memory().Cmp(*b.Memory())
	return cpu >= 0 && memory >= 0 && cpu+memory > 0
}

// ofOtherTemplate says whether two pods of a Deployment are of different templates.
func ofOtherTemplate(a, b *corev1.Pod) bool {
	return a.Labels[appsv1.DefaultDeploymentUniqueLabelKey] != b.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
}

// madeLike is a pod as its controller makes it now, where it makes all alike: from the same template
// as the changed one, and with the same defaults of LimitRanges. Pods of an older template, or from
// before a LimitRange, may have requested less.
func madeLike(pod, changed *corev1.Pod) *corev1.Pod {
	made := pod.DeepCopy()
	made.Spec, made.Labels, made.Annotations = *changed.Spec.DeepCopy(), changed.Labels, changed.Annotations
	made.Spec.NodeName = pod.Spec.NodeName
	return made
}

// ofNewTemplate is a pod with the label that it gets where steps change the template of its workload, if its selectors
// are about that: of is the pod before.
func ofNewTemplate(f *Search, of, pod *corev1.Pod, steps []remedy.Step) *corev1.Pod {
	if label := command.NewTemplate(f.Commands, of, steps); label != "" {
		return labelkeys.Relabel(pod, label, labelkeys.NotCreated)
	}
	return pod
}

// anew is the pod as a new one of its controller.
func anew(f *Search, pod *corev1.Pod) *corev1.Pod {
	made := pod.DeepCopy()
	made.CreationTimestamp = f.now
	made.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return made
}

// changedBy is a pod with those of the steps that change pods, as far as it has what they
// change.
func changedBy(pod *corev1.Pod, steps []remedy.Step) *corev1.Pod {
	for _, step := range steps {
		if !remedy.ChangesPod(step) {
			continue
		}
		if changed, err := remedy.Apply(nil, pod, step); err == nil {
			pod = changed
		}
	}
	return pod
}

// verify simulates the fix with all other pods, in the orders in which they may come, and
// says what becomes of it and of them.
func (f *Search) verify(ctx context.Context, fix *Attempt) error {
	victims := evictedBy(fix.Remedies)
	if err := admissionAgainst(ctx, f, fix); err != nil {
		return err
	}
	if len(fix.Remaining) > 0 && len(victims) == 0 {
		return nil
	}
	if err := preemptsBetween(ctx, f, fix); err != nil {
		return err
	}
	tried, err := f.simulate(ctx, fix.trial)
	if err != nil {
		return err
	}
	anyway, err := f.forgive(ctx, tried)
	if err != nil {
		return err
	}
	if t := fix.trial; len(t.Changes) == 0 && len(t.Gone) == 0 {
		noteTogether(f, fix, t, tried)
	}
	tellVictims(victims, tried, fix)
	tellPreempted(tried, fix)
	tellOthers(f.alike, tried, fix)
	tellAnyway(anyway, fix)
	good := len(fix.Remaining) == 0 && len(fix.unread) == 0
	fix.Verified = good && fix.Command != ""
	fix.Simulated = good && slices.ContainsFunc(fix.Remedies, remedy.Manual)
	return nil
}

// preemptsBetween notes that the pod, or others of its workload, would preempt others before the
// fix is done: once they are changed and the rest is not, or while evicted pods are terminating.
func preemptsBetween(ctx context.Context, f *Search, fix *Attempt) error {
	const afterFirst = "may preempt other pods after its first command"
	if fix.between != nil {
		preempts, err := simulatorOf(f).Preempts(ctx, fix.between, nil)
		if preempts {
			fix.Remaining = append(fix.Remaining, afterFirst)
		}
		if preempts || err != nil {
			return err
		}
	}
	several := len(fix.trial.Alike)+len(fix.trial.Rolled) > 0
	switch {
	case fix.ownFirst:
		preempts, err := simulatorOf(f).Preempts(ctx, fix.trial.Pod, nil)
		if err == nil && !preempts && several {
			preempts, err = preemptsTogether(ctx, f, fix)
		}
		if preempts {
			fix.Remaining = append(fix.Remaining, afterFirst)
		}
		return err
	case len(fix.trial.Gone) > 0 && (several || fix.trial.Last):
		begun := time.Now()
		preempts, err := preemptsMeanwhile(ctx, f, fix, several)
		f.verified += time.Since(begun)
		if preempts {
			fix.Remaining = append(fix.Remaining, "may preempt other pods while the evicted ones are terminating")
		}
		return err
	}
	return nil
}

// preemptsMeanwhile reports whether a fix lets pods preempt others while those that it evicts are
// terminating: the pod itself, if its last command lets the scheduler try it, and those like it.
func preemptsMeanwhile(ctx context.Context, f *Search, fix *Attempt, several bool) (preempts bool, err error) {
	if fix.trial.Last {
		preempts, err = simulatorOf(f).PreemptsOthers(ctx, fix.trial.Pod, fix.trial.Gone)
	}
	if several && err == nil && !preempts {
		// The first one is nominated to the node meanwhile, and keeps the others from no node but that.
		preempts, err = simulatorOf(f).Preempts(ctx, fix.trial.Pod, fix.trial.Gone)
	}
	return preempts, err
}

// preemptsTogether reports whether the pods that a fix changes would preempt others while
// nothing else of the fix is done: the first of them may take what room there is.
func preemptsTogether(ctx context.Context, f *Search, fix *Attempt) (bool, error) {
	first := *fix.trial
	first.Changes, first.AtFirst, first.Nodes, first.Gone = nil, 0, nil, nil
	if known, ok := f.together[togetherKey(fix, &first)]; ok {
		return known, nil
	}
	tried, err := f.simulate(ctx, &first)
	if err != nil {
		return false, err
	}
	if _, err := f.forgive(ctx, tried); err != nil {
		return false, err
	}
	return noteTogether(f, fix, &first, tried), nil
}

// noteTogether reports whether the pods that a fix changes preempt others in a simulation of that
// alone, and keeps it for other fixes that change them so, if it is certain.
func noteTogether(f *Search, fix *Attempt, alone *forecast.FixSimulation, tried *forecast.FixOutcome) bool {
	preempts := slices.ContainsFunc(tried.Unless, func(h forecast.AffectedPod) bool { return h.How == forecast.Preempted })
	if tried.Unknown == "" {
		if f.together == nil {
			f.together = map[string]bool{}
		}
		f.together[togetherKey(fix, alone)] = preempts
	}
	return preempts
}

// togetherKey is what a simulation depends on in which nothing is changed but pods of one workload.
func togetherKey(fix *Attempt, alone *forecast.FixSimulation) string {
	var key strings.Builder
	fmt.Fprint(&key, alone.Recreated, alone.AtOnce, alone.Last)
	for _, step := range fix.Remedies {
		if remedy.ChangesPod(step) {
			fmt.Fprintf(&key, "\n%T%+v", step, step)
		}
	}
	return key.String()
}

// simulatorOf is what simulates other pods.
func simulatorOf(f *Search) forecast.Simulator {
	return forecast.Simulator{Scheduler: f.Scheduler, Budgets: f.Budgets, PreemptionCache: f.PreemptionCache, Now: func() time.Time { return f.now.Time }}
}

// tellVictims says what becomes of the pods that the fix evicts.
func tellVictims(victims []*corev1.Pod, tried *forecast.FixOutcome, fix *Attempt) {
	fix.rescheduled = len(fix.Remedies) == 1 && len(victims) > 0
	for i, victim := range victims {
		how, harm := tellReturn(victim, tried.Fates[victim.UID])
		fix.harm += harm
		fix.rescheduled = fix.rescheduled && harm == 0
		if by := metav1.GetControllerOfNoCopy(victim); harm > 0 && by != nil && metav1.IsControlledBy(fix.trial.Pod, &metav1.ObjectMeta{UID: by.UID}) {
			fix.Remaining = append(fix.Remaining, "another replica of its workload becomes Pending instead")
		}
		fix.Affects = append(fix.Affects, report.Affected{Kind: "Pod", Namespace: victim.Namespace, Name: victim.Name, How: how})
		if i == 0 {
			fix.Brief = strings.TrimPrefix(how, "is ")
		}
	}
	if len(victims) > 1 {
		fix.Brief = grammar.Plural(len(victims), "pod") + " evicted"
	}
}

// tellPreempted names the pods that are preempted in every order, where the pod has a node in
// all: that belongs to the fix, and does not keep it from working. Of several pods that come at
// once the later ones may preempt while victims of the first are still terminating: whom is not
// certain.
func tellPreempted(tried *forecast.FixOutcome, fix *Attempt) {
	if tried.Placed < tried.Orders || len(fix.Remedies) > 1 {
		return // a replacement of theirs may be in its place, or others go between two commands
	}
	if len(fix.trial.Alike)+len(fix.trial.Rolled) > 0 {
		return
	}
	tried.Unless = slices.DeleteFunc(tried.Unless, func(h forecast.AffectedPod) bool {
		if h.How != forecast.Preempted || h.Orders < tried.Orders {
			return false
		}
		fix.Affects = append(fix.Affects, report.Affected{Kind: "Pod", Namespace: h.Pod.Namespace, Name: h.Pod.Name, How: "is preempted"})
		fix.preempted++
		return true
	})
	if fix.preempted > 0 {
		fix.rescheduled, fix.harm = false, fix.harm+fix.preempted*preemptionHarm
		fix.Brief = grammar.Plural(fix.preempted, "pod") + " preempted"
	}
}

// simulate simulates a change with all other pods, in a share of the time that is left.
func (f *Search) simulate(ctx context.Context, t *forecast.FixSimulation) (*forecast.FixOutcome, error) {
	begun := time.Now()
	t.Time = max((verifyingTime-f.verified)/sharesLeft, leastVerifying)
	tried, err := simulatorOf(f).SimulateFix(ctx, t)
	f.verified += time.Since(begun)
	return tried, err
}

// forgive leaves out what happens to other pods without the change as well: they may be
// preempted, or find no node, where the cluster is not at rest. It returns those that may be
// preempted.
func (f *Search) forgive(ctx context.Context, tried *forecast.FixOutcome) (preempted []*corev1.Pod, err error) {
	harms := func(h forecast.AffectedPod) bool { return h.How == forecast.Preempted || h.How == forecast.LosesPlace }
	if !slices.ContainsFunc(tried.Unless, harms) {
		return nil, nil
	}
	if f.anyway == nil {
		without, err := f.simulate(ctx, &forecast.FixSimulation{}) // without what the pod itself may preempt
		if err != nil {
			return nil, err
		}
		f.anyway = append([]forecast.AffectedPod{}, without.Unless...)
	}
	tried.Unless = slices.DeleteFunc(tried.Unless, func(h forecast.AffectedPod) bool {
		if !harms(h) || !slices.ContainsFunc(f.anyway, func(known forecast.AffectedPod) bool { return known.How == h.How && known.Pod.UID == h.Pod.UID }) {
			return false
		}
		if h.How == forecast.Preempted {
			preempted = append(preempted, h.Pod)
		}
		return true
	})
	return preempted, nil
}

// tellOthers says on which other pods it depends whether the fix works, and names those that
// it lets in.
func tellOthers(alike []*corev1.Pod, tried *forecast.FixOutcome, fix *Attempt) {
	switch {
	case tried.Unknown != "":
		fix.Open, fix.Remaining = true, append(fix.Remaining, "unknown: "+tried.Unknown)
	case tried.Placed < tried.Orders && len(tried.Unless) == 0:
		fix.Remaining = append(fix.Remaining, "other pending pods may be scheduled there first")
	}
	unless := allUnless(tried, len(fix.trial.Gone))
	if tried.Placed > 0 && len(fix.Remaining) == 0 { // nothing else keeps it from working
		fix.Unless = append(fix.Unless, unless...)
	}
	for i := range unless {
		fix.Remaining = append(fix.Remaining, unless[i].Words())
	}
	for _, pod := range tried.Displaced {
		fix.Affects = append(fix.Affects, report.Affected{
			Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, How: "is pending: may be scheduled there first, then preempted and recreated",
		})
	}
	for _, pod := range tried.Daemons {
		fix.Affects = append(fix.Affects, report.Affected{
			Kind: "DaemonSet", Namespace: pod.Namespace, Name: metav1.GetControllerOfNoCopy(pod).Name, How: "may create a pod on " + placement.TargetNode(pod),
		})
	}
	if n := len(tried.Daemons); n > 0 && fix.Brief == "" {
		fix.Brief = grammar.Count(n, "new DaemonSet pod", "new DaemonSet pods")
	}
	if !changesPodAll(fix.Remedies) {
		tellNewcomers(alike, tried, fix)
		tellOpened(fix)
	}
}

// allUnless are the other pods on which it depends whether a fix works, which evicts so many; of
// the pods of one workload only one that it concerns in the most simulations.
func allUnless(tried *forecast.FixOutcome, gone int) (unless []report.Unless) {
	for _, h := range tried.Unless {
		told := unlessOf(h, tried, gone)
		at := slices.IndexFunc(unless, func(other report.Unless) bool { return other.Who == told.Who && other.How == told.How })
		switch {
		case at >= 0 && unless[at].Simulations < told.Simulations:
			unless[at] = told
		case at < 0 && len(unless) < mostUnless:
			unless = append(unless, told)
		}
	}
	return unless
}

// tellNewcomers names the pods that the fix lets in, other than those alike.
func tellNewcomers(alike []*corev1.Pod, tried *forecast.FixOutcome, fix *Attempt) {
	newcomers := slices.DeleteFunc(tried.Newcomers, func(n forecast.Newcomer) bool {
		return slices.ContainsFunc(alike, func(pod *corev1.Pod) bool { return pod.UID == n.Pod.UID })
	})
	for _, newcomer := range newcomers {
		how := "would fit too"
		if newcomer.Count > 1 {
			how = "would fit too, with " + grammar.Plural(newcomer.Count-1, "more pod") + " like it"
		}
		fix.Affects = append(fix.Affects, report.Affected{Kind: "Pod", Namespace: newcomer.Pod.Namespace, Name: newcomer.Pod.Name, How: how})
	}
	if n := len(newcomers); n > 0 && fix.Brief == "" {
		fix.Brief = grammar.Count(n, "other workload fits too", "other workloads fit too")
	}
}

// tellOpened says that nodes without a taint may get other pods later, and what an undo means for those.
func tellOpened(fix *Attempt) {
	for _, step := range fix.Remedies {
		untaint, ok := step.(remedy.Untaint)
		if !ok {
			continue
		}
		how := "may get pods that do not tolerate the taint"
		switch {
		case fix.Undo == "":
		case untaint.Taint.Effect == corev1.TaintEffectNoExecute:
			how += "; undo evicts them"
		default:
			how += "; undo leaves them there"
		}
		if more := len(untaint.Nodes) - 1; more > 0 {
			how = fmt.Sprintf("and %d more %s", more, how)
		}
		fix.Affects = slices.Insert(fix.Affects, 0, report.Affected{Kind: "Node", Name: untaint.Nodes[0], How: how})
		if fix.Brief == "" {
			fix.Brief = "other pods may come"
		}
	}
}

// unlessOf is what another pod does to the fix.
func unlessOf(h forecast.AffectedPod, tried *forecast.FixOutcome, gone int) report.Unless {
	told := report.Unless{Namespace: h.Pod.Namespace, Name: h.Pod.Name, Simulations: h.Orders, Of: tried.Orders}
	if h.How == forecast.TakesPlace { // of several that may take it the simulations are told together
		told.Simulations = tried.Orders - tried.Placed
	}
	always := told.Simulations == tried.Orders
	switch {
	case h.How == forecast.Preempted && always:
		told.Who, told.How = h.Pod.Namespace+"/"+h.Pod.Name, "is preempted"
	case h.How == forecast.Preempted:
		told.Who, told.How = h.Pod.Namespace+"/"+h.Pod.Name, "may be preempted"
	case h.How == forecast.NotReplaced:
		told.Who, told.How = "a running replica", "may not find a node again"
	case h.How == forecast.LosesPlace:
		told.Who, told.How = pendingWords(h.Pod), "may find no node"
	case h.Replacement && gone > 0 && always:
		told.Who, told.How = replacementWords(gone), "takes the capacity again"
	case h.Replacement && gone > 0:
		told.Who, told.How = replacementWords(gone), "may take the capacity again"
	case always:
		told.Who, told.How = pendingWords(h.Pod), "is scheduled there first"
	default:
		told.Who, told.How = pendingWords(h.Pod), "may be scheduled there first"
	}
	return told
}

func replacementWords(gone int) string {
	return grammar.Agree(gone, "its replacement", "one of their replacements")
}

// pendingWords name a pending pod by its workload.
func pendingWords(pod *corev1.Pod) string {
	switch owner := model.NewPod(pod).Owner; {
	case owner.Kind == "DaemonSet":
		return "a pod of DaemonSet " + owner.Name
	case owner.Name != "":
		return "a pending " + owner.Name + " pod"
	}
	return "the pending pod " + pod.Namespace + "/" + pod.Name
}

// lowersRequest reports whether a step changes what a pod requests.
func lowersRequest(step remedy.Step) bool { _, lowers := step.(remedy.LowerRequest); return lowers }

// evictedBy are the pods that steps evict.
func evictedBy(steps []remedy.Step) []*corev1.Pod {
	at := slices.IndexFunc(steps, func(r remedy.Step) bool { _, ok := r.(remedy.Evict); return ok })
	if at < 0 {
		return nil
	}
	return steps[at].(remedy.Evict).Pods
}
