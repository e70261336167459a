package explain

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// unschedulableFor gives a pod the condition of a try that long ago.
func unschedulableFor(d time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(testNow.Add(-d)), Message: "0/1 nodes",
		}}
	}
}

func createdBefore(d time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(testNow.Add(-d)) }
}

func TestWhenTheSchedulerTriedAPodThatFits(t *testing.T) {
	seen := func(ago time.Duration) func(context.Context, *corev1.Pod) *metav1.Time {
		return func(context.Context, *corev1.Pod) *metav1.Time { return new(metav1.NewTime(testNow.Add(-ago))) }
	}
	stale := func(context.Context, string) (alive, known bool, why string) {
		return false, true, "Lease last renewed 3m ago (kube-system/kube-scheduler)"
	}
	for name, c := range map[string]struct {
		options             Options
		pod                 *corev1.Pod
		summary, why, quiet string
	}{
		"in back-off": {
			Options{Lookups: Lookups{AttemptSeen: seen(4 * time.Second)}},
			testPod("shop/x", "", "1", unschedulableFor(time.Minute)),
			"kube-scheduler last tried it 4s ago and backs off for up to 10s.", "tried 4s ago, backs off for up to 10s", "",
		},
		"tried before the pod changed its mind": {
			Options{Lookups: Lookups{AttemptSeen: seen(time.Hour)}},
			testPod("shop/x", "", "1", unschedulableFor(4*time.Second)),
			"kube-scheduler last tried it 4s ago and backs off for up to 10s.", "tried 4s ago, backs off for up to 10s", "",
		},
		"tried within five minutes": {
			Options{Lookups: Lookups{AttemptSeen: seen(4 * time.Minute)}},
			testPod("shop/x", "", "1", unschedulableFor(time.Hour)),
			"kube-scheduler last tried it 4m ago.", "tried 4m ago", "",
		},
		"not tried for longer": {
			Options{Lookups: Lookups{AttemptSeen: seen(12 * time.Minute)}},
			testPod("shop/x", "", "1", unschedulableFor(time.Hour)),
			"No attempt is known for 12m, although kube-scheduler retries a pod within 5m.", "no attempt known for 12m",
			"no attempt to schedule it is known for 12m",
		},
		"never tried": {
			Options{},
			testPod("shop/x", "", "1", createdBefore(12*time.Minute)),
			"No scheduler has tried it in the 12m since it was created.", "not tried by a scheduler in 12m", "no scheduler has tried it in 12m",
		},
		"new": {
			Options{},
			testPod("shop/x", "", "1", createdBefore(10*time.Second)),
			"No scheduler has tried it yet.", "not tried by a scheduler yet", "",
		},
		"not tried at once": {
			Options{},
			testPod("shop/x", "", "1", createdBefore(time.Minute)),
			"No scheduler has tried it in the 1m since it was created.", "not tried by a scheduler in 1m", "",
		},
		"its Lease is old": {
			Options{Lookups: Lookups{SchedulerAlive: stale, AttemptSeen: seen(4 * time.Second)}},
			testPod("shop/x", "", "1", unschedulableFor(time.Hour)),
			"kube-scheduler may be down: Lease last renewed 3m ago (kube-system/kube-scheduler).", "fits 1 node",
			"kube-scheduler may be down: Lease last renewed 3m ago (kube-system/kube-scheduler)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustExplain(t, startEngine(t, c.options, testNode("std-a-01", "4")), c.pod)
			same(t, string(r.Verdict), string(report.Schedulable))
			if !strings.HasSuffix(r.Summary, " "+c.summary) || !strings.HasSuffix(r.Why, "; "+c.why) || r.Observed.Quiet != c.quiet {
				t.Errorf("got %q, %q, %q", r.Summary, r.Why, r.Observed.Quiet)
			}
		})
	}
}

func TestAPodThatFitsIsBlockedByASchedulerThatIsDown(t *testing.T) {
	stale := func(context.Context, string) (alive, known bool, why string) {
		return false, true, "Lease last renewed 3m ago (kube-system/kube-scheduler)"
	}
	r := mustExplain(t, startEngine(t, Options{Lookups: Lookups{SchedulerAlive: stale}}, testNode("std-a-01", "4")), testPod("shop/x", "", "1"))
	same(t, string(r.Verdict), string(report.Schedulable))
	same(t, r.State, "no scheduler")
	same(t, r.BlockedBy, "no scheduler")
	same(t, r.Why, "kube-scheduler may be down: Lease last renewed 3m ago (kube-system/kube-scheduler); fits 1 node")
}

func TestAQuietSchedulerIsToldBesideTheVerdict(t *testing.T) {
	stale := func(context.Context, string) (alive, known bool, why string) {
		return false, true, "Lease last renewed 3m ago (kube-system/kube-scheduler)"
	}
	r := mustExplain(t, startEngine(t, Options{Lookups: Lookups{SchedulerAlive: stale}}, testNode("std-a-01", "4")), testPod("shop/x", "", "9"))
	said := "\nkube-scheduler may be down: Lease last renewed 3m ago (kube-system/kube-scheduler).\n"
	if text := report.Text(r, 100, report.TextOptions{Now: testNow}); !strings.Contains(text, said) {
		t.Error(text)
	}
	if text := r.Markdown(); !strings.Contains(text, said) {
		t.Error(text)
	}
}

func TestANominationWithoutVictimsIsTold(t *testing.T) {
	node := testNode("std-c-01", "4")
	r := mustExplain(t, startEngine(t, Options{}, node), testPod("shop/x", "", "1", nominatedTo("std-c-01")))
	if want := " It is nominated to std-c-01, where no pod of lower priority is terminating."; !strings.HasSuffix(r.Summary, want) {
		t.Error(r.Summary)
	}
	r = mustExplain(t, startEngine(t, Options{}, node), testPod("shop/x", "", "9", nominatedTo("gone")))
	if want := []string{"it is nominated to gone, which does not exist"}; !slices.Equal(r.Facts, want) {
		t.Error(r.Facts)
	}
}

func TestAClaimOfTheFirstConsumerIsTold(t *testing.T) {
	pod := testPod("data/etl", "", "1", mounting("scratch"))
	e := startEngine(t, Options{}, testNode("std-a-01", "4"), aClass("fast", "csi.example.com"), aClaim("data/scratch", "fast"))
	r := mustExplain(t, e, pod)
	same(t, string(r.Verdict), string(report.Schedulable))
	if want := []string{"claim data/scratch is bound once the pod has a node: class fast has volumeBindingMode WaitForFirstConsumer"}; !slices.Equal(r.Facts, want) {
		t.Error(r.Facts)
	}
}

func TestAVolumeThatIsBeingProvisionedIsWaitedFor(t *testing.T) {
	pod := testPod("data/etl-m2k9q", "", "1", mounting("scratch"), unschedulableFor(time.Hour))
	selected := func(c *corev1.PersistentVolumeClaim) {
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, storagehelpers.AnnSelectedNode, "std-a-01")
	}
	var asked []model.Ref
	events := []model.Event{{Reason: "ExternalProvisioning", First: testNow.Add(-2 * time.Minute), Last: testNow}}
	options := Options{Lookups: Lookups{Events: func(_ context.Context, ref model.Ref) ([]model.Event, error) {
		asked = append(asked, ref)
		return events, nil
	}}}
	e := startEngine(t, options, testNode("std-a-01", "4"), testNode("std-a-02", "4"), aClass("fast", "csi.example.com"), aClaim("data/scratch", "fast", selected))
	r := mustExplain(t, e, pod)
	same(t, r.Summary, "Waiting for the volume of claim data/scratch to be provisioned on std-a-01 for 2m, by csi.example.com.")
	same(t, r.State, "provisioning")
	same(t, r.Why, "claim data/scratch on std-a-01 for 2m")
	if want := (model.Ref{Resource: "persistentvolumeclaims", Namespace: "data", Name: "scratch", UID: "claim-data/scratch"}); len(asked) != 1 || asked[0] != want {
		t.Error(asked)
	}

	events = append(events, model.Event{Reason: "ProvisioningFailed", Message: "no space in eu-1a", First: testNow.Add(-time.Minute), Last: testNow.Add(-30 * time.Second)})
	r = mustExplain(t, e, pod)
	same(t, r.Summary, "Waiting for the volume of claim data/scratch to be provisioned on std-a-01 for 2m, by csi.example.com. It failed 30s ago: no space in eu-1a")
	if said := "csi.example.com failed 30s ago for claim data/scratch: no space in eu-1a"; !slices.Contains(r.Facts, said) {
		t.Error(r.Facts)
	}
}

func TestAutoscalersAreQuotedApart(t *testing.T) {
	word := report.AutoscalerWord{Component: "karpenter", Reason: "FailedScheduling", Message: "no instance type has enough cpu", LastSeen: metav1.NewTime(testNow.Add(-3 * time.Minute))}
	options := Options{Lookups: Lookups{Autoscalers: func(context.Context, *corev1.Pod) []report.AutoscalerWord { return []report.AutoscalerWord{word} }}}
	r := mustExplain(t, startEngine(t, options, testNode("std-a-01", "4")), testPod("shop/x", "", "9"))
	if len(r.Autoscaler) != 1 || r.Observed.AttemptSeen != nil {
		t.Fatalf("%+v, attempt %v", r.Autoscaler, r.Observed.AttemptSeen)
	}
	if text := report.Text(r, 80, report.TextOptions{Now: testNow}); !strings.Contains(text, "\nAUTOSCALER karpenter, 3m ago (FailedScheduling)\n  no instance type has enough cpu\n") {
		t.Error(text)
	}
	if text := r.Markdown(); !strings.Contains(text, "#### AUTOSCALER karpenter (FailedScheduling)\n\n```\nno instance type has enough cpu\n```") {
		t.Error(text)
	}
}

func TestEventsTellWhatAPodItselfDoesNot(t *testing.T) {
	ready := func(status corev1.ConditionStatus) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
		}
	}
	taken := func(p *corev1.Pod) {
		p.Status.StartTime = new(metav1.NewTime(testNow.Add(-time.Minute)))
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}}}
	}
	mount := model.Event{
		Type: "Warning", Reason: "FailedMount", Source: "kubelet", Last: testNow.Add(-time.Second),
		Message: `MountVolume.SetUp failed for volume "cfg" : configmap "settings" not found`,
	}
	for name, c := range map[string]struct {
		events  []model.Event
		node    *corev1.Node
		pod     *corev1.Pod
		summary string
	}{
		"a mount that fails": {
			[]model.Event{mount, {Reason: "FailedCreatePodSandBox", Last: testNow.Add(-time.Hour)}},
			testNode("std-a-01", "4"), testPod("shop/x", "std-a-01", "1", taken),
			`not started: its volumes are not mounted (FailedMount, configmap "settings" not found).`,
		},
		"no event": {nil, testNode("std-a-01", "4"), testPod("shop/x", "std-a-01", "1", taken), "not started: its containers are being created."},
		"a node that is away": {
			nil, testNode("std-a-01", "4", ready(corev1.ConditionUnknown)), testPod("shop/x", "std-a-01", "1"),
			"not started: the kubelet has not started it, and std-a-01 is NotReady.",
		},
		"not admitted": {
			nil, testNode("std-a-01", "4"), testPod("shop/x", "std-a-01", "1", func(p *corev1.Pod) {
				p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "OutOfcpu", Message: "Pod was rejected: Node didn't have enough resource: cpu"}
			}),
			"finished: Failed (OutOfcpu).",
		},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{Lookups: Lookups{Events: func(context.Context, model.Ref) ([]model.Event, error) { return c.events, nil }}}
			r := mustExplain(t, startEngine(t, options, c.node), c.pod)
			if !strings.HasSuffix(r.Summary, ", "+c.summary) {
				t.Error(r.Summary)
			}
		})
	}
}
