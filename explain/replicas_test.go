package explain

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// placeAll is how many of so many equal pods the scheduler places one after another.
func (u *upstream) placeAll(t *testing.T, pod *corev1.Pod, wanted int) (placed int) {
	t.Helper()
	snapshot := u.profile.SnapshotSharedLister().(*internalcache.Snapshot)
	var there []*corev1.Pod
	change := func(err error) {
		if err := errors.Join(err, u.Cache.UpdateSnapshot(klog.Background(), snapshot)); err != nil {
			t.Fatal(err)
		}
	}
	for ; placed < wanted; placed++ {
		next := placement.AsNewPod(pod).DeepCopy()
		next.Name = fmt.Sprintf("replica-%d", placed)
		next.UID = types.UID(next.Name)
		node := u.place(next)
		if node == "" {
			break
		}
		next.Spec.NodeName = node
		there = append(there, next)
		change(u.Cache.AddPod(klog.Background(), next))
	}
	for _, pod := range there {
		change(u.Cache.RemovePod(klog.Background(), pod))
	}
	return placed
}

func TestAsManyReplicasFitAsTheSchedulerPlaces(t *testing.T) {
	const wanted = 9
	all, some, none, chance := 0, 0, 0, 0
	for seed := range seeds(t) {
		c := rankable(seed)
		e, real := startEngine(t, Options{}, c.Objects()...), startUpstream(t, c.Objects()...)
		for _, pod := range c.Pending {
			pod = withoutNomination(pod)
			if len(pod.Spec.ResourceClaims) > 0 {
				continue
			}
			got, err := Replicas(t.Context(), e, pod, wanted, report.Admittance{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Fit == nil {
				t.Fatalf("seed %d, pod %s: unknown: %s", seed, pod.Name, got.Why)
			}
			want := real.placeAll(t, pod, wanted)
			switch {
			case *got.Fit != want && got.Chance:
				chance++ // the scheduler has taken another one of equally good nodes
			case *got.Fit != want:
				t.Errorf("seed %d, pod %s: %d of %d fit (%s), the scheduler places %d", seed, pod.Name, *got.Fit, wanted, got.Why, want)
			case want == wanted:
				all++
			case want > 0:
				some++
			default:
				none++
			}
			if (*got.Fit == wanted) != (got.Why == "") {
				t.Errorf("seed %d, pod %s: %d of %d fit, and the next is Pending: %q", seed, pod.Name, *got.Fit, wanted, got.Why)
			}
		}
	}
	if all == 0 || some == 0 || none == 0 {
		t.Errorf("%d pods fit with all replicas, %d with some, %d with none: this shows little", all, some, none)
	}
	t.Logf("%d with all replicas, %d with some, %d with none; %d left to chance", all, some, none, chance)
}

func TestReplicasArePlacedOneAfterAnother(t *testing.T) {
	token := func(pod *corev1.Pod) {
		pod.Spec.Volumes = []corev1.Volume{{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}}
	}
	claims := func(pod *corev1.Pod) { pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu"}} }
	apart := awayFrom(podTerm(corev1.LabelHostname, "web"))
	soft := func(pod *corev1.Pod) {
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: corev1.ScheduleAnyway,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}
	}
	for name, test := range map[string]struct {
		pod    *corev1.Pod
		wanted int
		says   string
	}{
		"one of one":                  {testPod("shop/web", "", "1"), 1, "The 1 replica fits, placed one after another."},
		"a node for each":             {testPod("shop/web", "", "3"), 2, "All 2 replicas fit, placed one after another."},
		"several on a node":           {testPod("shop/web", "", "1", token), 7, "All 7 replicas fit, placed one after another."},
		"more than there is cpu for":  {testPod("shop/web", "", "3"), 30, "2 of 30 replicas fit, placed one after another. The next would be Pending: "},
		"each on a host of its own":   {testPod("shop/web", "", "100m", podLabel("app", "web"), apart), 3, "2 of 3 replicas fit, placed one after another. The next would be Pending: "},
		"spread where it can be":      {testPod("shop/web", "", "2", podLabel("app", "web"), soft), 30, "4 of 30 replicas fit, placed one after another. The next would be Pending: "},
		"none":                        {testPod("shop/web", "", "5"), 3, "0 of 3 replicas fit, placed one after another. The next would be Pending: "},
		"a claim that does not exist": {testPod("shop/web", "", "1", claims), 3, "0 of 3 replicas fit, placed one after another. The next would be Pending: ResourceClaim gpu is not created yet."},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{}, testNamespace("shop"), testNode("n1", "4"), testNode("n2", "4"))
			got, err := Replicas(t.Context(), e, test.pod, test.wanted, report.Admittance{})
			if err != nil {
				t.Fatal(err)
			}
			if says := got.Sentence(); !strings.HasPrefix(says, test.says) {
				t.Errorf("it says %q, want %q …", says, test.says)
			}
			if again := mustLand(t, e, testPod("shop/other", "", "4")); again.Node == "" {
				t.Error("replicas stay on their nodes after they were counted")
			}
		})
	}
}

// The first reason that rejects a pod on a node is not the only one: a tainted node that is too small as well is not the
// closest.
func TestTheNextReplicaIsPendingForWhatTheClosestNodeLacks(t *testing.T) {
	e := startEngine(t, Options{}, testNamespace("shop"), testNode("n1", "4"),
		testNode("n2", "4", nodeTaint("tenant", "acme", corev1.TaintEffectNoSchedule)), testNode("n3", "4", nodeTaint("tenant", "globex", corev1.TaintEffectNoSchedule)))
	pod := testPod("shop/web", "", "99")
	got, err := Replicas(t.Context(), e, pod, 5, report.Admittance{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got.Why, "n1 needs cpu 95 more")
	same(t, mustFit(t, e, report.FitQuery{Pod: pod, Replicas: 5}).Sentence(), "0 of 5 fit. The 1st needs cpu 95 more on n1, the closest of 3 nodes.")
}

func TestReplicasThatCannotBeDecidedAreUnknown(t *testing.T) {
	e := startEngineForbidding(t, Options{}, []string{"persistentvolumeclaims"}, testNamespace("shop"), testNode("n1", "4"))
	pod := testPod("shop/web", "", "1")
	pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	got, err := Replicas(t.Context(), e, pod, 3, report.Admittance{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Fit != nil || got.Why != "not allowed to list persistentvolumeclaims" {
		t.Errorf("fit %v, why %q", got.Fit, got.Why)
	}
}

func TestADaemonSetWantsAPodOnEachNodeThatItIsFor(t *testing.T) {
	e := startEngine(t, Options{},
		testNode("free", "4"), testNode("full", "4"), testNode("tainted", "4", nodeTaint("gpu", "yes", corev1.TaintEffectNoSchedule)),
		testPod("shop/big", "full", "4"))
	for name, test := range map[string]struct {
		selector map[string]string
		says     string
	}{
		"all": {nil, "Its pod fits 1 of 2 nodes that the DaemonSet targets; it does not fit full."},
		"one": {map[string]string{corev1.LabelHostname: "free"}, "Its pod fits the 1 node that the DaemonSet targets."},
		"no":  {map[string]string{"disk": "none"}, "The DaemonSet targets no node: its node selector, affinity and tolerations exclude all."},
	} {
		t.Run(name, func(t *testing.T) {
			set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "agent"}}
			set.Spec.Template.Spec = testPod("shop/agent", "", "1").Spec
			set.Spec.Template.Spec.NodeSelector = test.selector
			planned, _ := admission.PodOf(set, "shop")
			got, err := e.DaemonPods(t.Context(), planned.Set, planned.Pod)
			if err != nil {
				t.Fatal(err)
			}
			if says := got.Sentence(); says != test.says {
				t.Errorf("it says %q, want %q", says, test.says)
			}
		})
	}
}

func TestAReportTellsItsReplicasInEachForm(t *testing.T) {
	r := newReport(startEngine(t, Options{}, testNode("n1", "4")).scheduler.Profile(&corev1.Pod{}).Question(testPod("shop/web", "", "1")))
	r.Replicas = &report.Replicas{Wanted: 3, Fit: new(2), Why: "a needs cpu 1 more"}
	want := "2 of 3 replicas fit, placed one after another. The next would be Pending: a needs cpu 1 more."
	for form, text := range map[string]string{"text": report.Text(r, 0, report.TextOptions{}), "markdown": r.Markdown()} {
		if !strings.Contains(text, want) {
			t.Errorf("the %s does not say %q:\n%s", form, want, text)
		}
	}
	r.Replicas = nil
	if text := fmt.Sprint(report.Text(r, 0, report.TextOptions{}), r.Markdown()); strings.Contains(text, "replica") {
		t.Errorf("nobody asked about replicas:\n%s", text)
	}
}
