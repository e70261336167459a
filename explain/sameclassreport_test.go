package explain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

func TestReplicasGetTheAnswerThatAskingThemWouldGive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawn(rt)
		c := newRandomCluster(d, 1+d(6), d(12), 1)
		one := c.Pending[0]
		other := one.DeepCopy()
		other.Name, other.UID = "replica", "replica"
		if d.Chance(50) {
			other.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "something else"}}
		}
		c.Pending = append(c.Pending, other)
		e := startEngine(t, Options{}, c.Objects()...)
		first, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(one.UID)})
		if err != nil {
			rt.Fatal(err)
		}
		want, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(other.UID)})
		if err != nil {
			rt.Fatal(err)
		}
		got, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(other.UID), Like: first})
		if err != nil {
			rt.Fatal(err)
		}
		if want.Preemption != nil && want.Preemption.Possible { // its node is picked from a random offset
			return
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(report.Report{})); diff != "" {
			rt.Errorf("the replica's own answer, and the one restated:\n%s", diff)
		}
	})
}

func TestAnAnswerOfAnotherStateIsNotRestated(t *testing.T) {
	one, other := aPod("one", "2"), aPod("other", "2")
	e := startEngine(t, Options{}, aNode("n", "1"), one, other)
	before := mustExplain(t, e, one)
	if before.Verdict != report.Unschedulable {
		t.Fatalf("verdict %s", before.Verdict)
	}
	if err := e.Apply(before.Revision+1, []scheduler.Change{{New: aNode("larger", "4")}}); err != nil {
		t.Fatal(err)
	}
	after, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(other.UID), Like: before})
	if err != nil || after.Verdict != report.Schedulable {
		t.Errorf("verdict %v, %v; want Schedulable", after, err)
	}
}

func TestAPodWithClaimsOfItsOwnIsAskedItself(t *testing.T) {
	scratch := func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
	}
	one, other := aPod("one", "1", scratch), aPod("other", "1", scratch)
	e := startEngine(t, Options{}, aNode("n", "2"), one, other)
	got, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(other.UID), Like: mustExplain(t, e, one)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.SchedulerMessage, "other-scratch") {
		t.Errorf("the message is not the pod's own: %q", got.SchedulerMessage)
	}
}

// The answer for a replica that was not tried yet holds for one that was, whichever words the patch
// release of its kube-scheduler has.
func TestARestatedAnswerKnowsTheWordsOfPatchReleases(t *testing.T) {
	emulated(t, 34)
	untried, tried := aPod("untried", "1"), aPod("tried", "1")
	taint := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	for _, word := range []string{"untolerated taint {dedicated: gpu}", "untolerated taint(s)"} {
		tried.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Message: "0/1 nodes are available: 1 node(s) had " + word + ". no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
		}}
		e := startEngine(t, Options{ClusterVersion: "v1.34.4"}, testNode("gpu-a-01", "4", taint), untried, tried)
		first := mustExplain(t, e, untried)
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(tried.UID), Like: first})
		if err != nil {
			t.Fatal(err)
		}
		if r.Observed.Agrees == nil || !*r.Observed.Agrees {
			t.Errorf("%s: does not agree\nolder %q", word, r.Reworded)
		}
	}
}
