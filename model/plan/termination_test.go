package plan

import (
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// A Job counts a terminated pod as failed, and gives up after backoffLimit failures: its pods
// are not recreated then.
func TestJobsThatFailDoNotRecreateTheirPods(t *testing.T) {
	disruption := func(action batchv1.PodFailurePolicyAction) *batchv1.PodFailurePolicy {
		return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: action, OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
		}}}
	}
	exitCodes := &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionFailJob, OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{3}},
	}}}
	const comesBack = "to n2; its work starts over"
	for _, c := range []struct {
		name   string
		limit  int32
		failed int32
		pods   int // of the Job, which are evicted
		change func(*batchv1.Job)
		want   string
	}{
		{"the first failure is too many", 0, 0, 1, nil, "not recreated: its Job fails (backoffLimit 0)"},
		{"one failure is left", 1, 0, 1, nil, comesBack},
		{"one has failed before", 1, 1, 1, nil, "not recreated: its Job fails (backoffLimit 1)"},
		{"two pods at once", 1, 0, 2, nil, "not recreated: its Job fails (backoffLimit 1)"},
		{"by the index", 1 << 30, 0, 1, func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = new(int32(0)) }, "not recreated: its index of the Job fails (backoffLimitPerIndex 0)"},
		{"disruptions do not count", 0, 0, 1, func(j *batchv1.Job) { j.Spec.PodFailurePolicy = disruption(batchv1.PodFailurePolicyActionIgnore) }, comesBack},
		{"a disruption fails the Job", 6, 0, 1, func(j *batchv1.Job) { j.Spec.PodFailurePolicy = disruption(batchv1.PodFailurePolicyActionFailJob) }, "not recreated: its Job's podFailurePolicy fails the Job"},
		{"it waits until its pods have failed", 0, 0, 1, func(j *batchv1.Job) { j.Spec.PodReplacementPolicy = new(batchv1.Failed) }, "not evaluated: its Job fails unless it exits with 0 (backoffLimit 0)"},
		{"by the index, more than once", 1 << 30, 0, 1, func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = new(int32(2)) }, "not evaluated: its index may fail too often for its Job (backoffLimitPerIndex 2)"},
		{"a policy by exit codes", 6, 0, 1, func(j *batchv1.Job) { j.Spec.PodFailurePolicy = exitCodes }, "not evaluated: its Job's podFailurePolicy decides by its exit code"},
	} {
		objects, refs := []runtime.Object{anEmptyNode("n1"), anEmptyNode("n2")}, []model.Ref{}
		fates := map[types.UID]Fate{}
		for _, name := range []string{"a", "b"}[:c.pods] {
			pod := owned("ml/"+name, "n1", "Job/train", func(p *corev1.Pod) { p.OwnerReferences[0].APIVersion = "batch/v1" })
			objects, refs = append(objects, pod), append(refs, podRef("ml", name))
			fates[pod.UID] = Fate{Outcome: Lands, Node: "n2"}
		}
		plan, err := Evict{Pods: refs}.Plan(factsOf(t, objects...))
		if err != nil {
			t.Fatal(err)
		}
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "Job/train"}}
		job.Spec.BackoffLimit, job.Status.Failed = &c.limit, c.failed
		if c.change != nil {
			c.change(job)
		}
		if refs := JobsOf(plan); len(refs) != 1 || refs[job.UID].Name != "train" {
			t.Fatalf("%s: the Jobs are %v", c.name, refs)
		}
		TellJobs(plan, map[types.UID]*batchv1.Job{job.UID: job})
		plan.Foretell(&Forecast{Fates: fates})
		for _, end := range plan.Ends {
			if words := end.Words(); words != c.want {
				t.Errorf("%s: %s, want %s", c.name, words, c.want)
			}
		}
	}
}

// A Job that fails deletes all its pods, and not only those of the plan.
func TestTheOtherPodsOfAJobThatFailsAreCounted(t *testing.T) {
	objects := []runtime.Object{anEmptyNode("n1")}
	for _, name := range []string{"a", "b", "c", "d"} {
		objects = append(objects, owned("ml/"+name, "n1", "Job/train", func(p *corev1.Pod) {
			p.OwnerReferences[0].APIVersion = "batch/v1"
			if name == "d" {
				p.Status.Phase = corev1.PodSucceeded
			}
		}))
	}
	plan, err := Evict{Pods: []model.Ref{podRef("ml", "a")}}.Plan(factsOf(t, objects...))
	if err != nil {
		t.Fatal(err)
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "Job/train"}, Spec: batchv1.JobSpec{BackoffLimit: new(int32(0))}}
	TellJobs(plan, map[types.UID]*batchv1.Job{job.UID: job})
	if plan.PodsTerminated != 3 || !slices.Contains(plan.Warnings, "Job ml/train fails by it: its 2 other pods are deleted, too.") {
		t.Errorf("%d pods, %q", plan.PodsTerminated, plan.Warnings)
	}
	if decided := plan.Supposed(plan.on).Decided; decided["a"].Outcome != Lost {
		t.Errorf("the forecast is told %v", decided)
	}
}

func TestAJobThatCouldNotBeReadIsWarnedOf(t *testing.T) {
	pod := owned("ml/a", "n1", "Job/train", func(p *corev1.Pod) { p.OwnerReferences[0].APIVersion = "batch/v1" })
	plan, err := Evict{Pods: []model.Ref{podRef("ml", "a")}}.Plan(factsOf(t, anEmptyNode("n1"), pod))
	if err != nil {
		t.Fatal(err)
	}
	TellJobs(plan, nil)
	want := "A Job could not be read: unknown whether the termination of its pod is a failure too many for it (backoffLimit)."
	if !slices.Contains(plan.Warnings, want) {
		t.Errorf("it warns %q", plan.Warnings)
	}
}
