package explain

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestOneMoreNodeIsUnknownWherePodsMayNotBeRead(t *testing.T) {
	pod := testPod("shop/web", "", "1")
	e := startEngineForbidding(t, Options{}, []string{"persistentvolumeclaims"}, testNode("n1", "4"), withClaim(pod))
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	if want := "whether one more node would help is unknown: not allowed to list persistentvolumeclaims"; found.NoNode != want {
		t.Errorf("it says %q, want %q", found.NoNode, want)
	}
}

// withClaim gives a pod a claim.
func withClaim(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	return pod
}

func TestServicesThatMayNotBeReadLeaveOpenNoPendingPod(t *testing.T) {
	e := startEngineForbidding(t, Options{}, []string{"services"}, testNode("n1", "4"), testPod("shop/old", "n1", "3"), testPod("shop/web", "", "3"))
	got, err := FitPending(t.Context(), e, report.NewNodes{Like: "n1", Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	if says := got.Sentence(); says != "With 2 more nodes like n1, 1 of 1 pending pod fits. Without them none fits." {
		t.Errorf("it says %q", says)
	}
}

// TestAFixWorksWhereOnlyScoresAreUnknown: on which of its nodes the pod goes is unknown without Services, and that it has one
// is not.
func TestAFixWorksWhereOnlyScoresAreUnknown(t *testing.T) {
	pod := testPod("shop/web", "", "3")
	gpu := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	}
	e := startEngineForbidding(t, Options{}, []string{"services"}, testNode("a", "4", gpu), testNode("b", "4", gpu), testNode("c", "2"), pod)
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Title == "tolerate gpu:NoSchedule" })
	if at < 0 || found.Tried[at].NodesGained != 2 || !found.Tried[at].Works() {
		t.Errorf("the toleration does not work:\n%s", toldFixes(found))
	}
}

func TestFitSaysThatNodesCouldNotBeEvaluated(t *testing.T) {
	none := func(context.Context, string) ([]corev1.ResourceQuota, error) { return nil, context.DeadlineExceeded }
	e := startEngineForbidding(t, Options{Lookups: Lookups{Quotas: none}}, []string{"persistentvolumeclaims"}, testNode("n1", "4"), testNode("n2", "4"), testNode("n3", "4", cordoned))
	got := mustFit(t, e, report.FitQuery{Pod: withClaim(testPod("shop/web", "", "1")), Replicas: 6, Admittance: report.Admittance{Admitted: true}})
	if says := got.Sentence(); !strings.HasPrefix(says, "How many of 6 fit is unknown: 2 of 3 nodes could not be evaluated.") {
		t.Errorf("it says %q", says)
	}
}
