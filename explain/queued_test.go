package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// teamA is what Kueue says of a pod that waits for quota.
func teamA() *kueue.State {
	return &kueue.State{
		Workload: &kueue.Workload{Name: "job-train-1a2b", Queue: "team-a", Conditions: []metav1.Condition{{
			Type: "QuotaReserved", Status: "False", Reason: "Pending", LastTransitionTime: metav1.NewTime(testNow.Add(-12 * time.Minute)),
			Message: "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed",
		}}},
		Queue: "team-a", LocalQueue: &kueue.LocalQueue{Name: "team-a", ClusterQueue: "gpu"}, Position: new(2),
		ClusterQueue: &kueue.ClusterQueue{Name: "gpu", Pending: new(12), Quotas: []kueue.Quota{{
			Flavor: "default", Resource: "cpu", Nominal: resource.MustParse("40"), Used: new(resource.MustParse("40")), Reserved: new(resource.MustParse("40")),
		}}},
	}
}

// askKueue are options of an engine that asks Kueue about the pod.
func askKueue(t *testing.T, pod *corev1.Pod, state *kueue.State) Options {
	return Options{Lookups: Lookups{Queue: func(_ context.Context, of kueue.Subject) *kueue.State {
		if of.UID != pod.UID || of.Namespace != pod.Namespace {
			t.Errorf("asked about %+v", of)
		}
		return state
	}}}
}

func TestAPodThatKueueHoldsIsQueued(t *testing.T) {
	pod := testPod("ml/train", "", "1", gatedBy("kueue.x-k8s.io/admission"))
	e := startEngine(t, askKueue(t, pod, teamA()), testNode("std-a-01", "4"), pod)
	r := mustExplain(t, e, pod).WithFixes(mustFix(t, e, pod))
	same(t, string(r.Verdict)+", "+r.State+", "+r.BlockedBy, "Gated, queued, queue")
	same(t, r.Why, "team-a, position 3 of 12: quota not reserved")
	const answer = "Queued by Kueue: waiting for quota for 12m (Pending): couldn't assign flavors to pod set main: " +
		"insufficient unused quota for cpu in flavor default, 1 more needed; position 3 of 12 in ClusterQueue gpu (LocalQueue team-a)."
	same(t, r.Summary, answer)
	if len(r.Fixes) == 0 || r.Fixes[0].Kind != report.FixQueue {
		t.Errorf("%+v", r.Fixes)
	}
	for _, fix := range r.Fixes {
		if fix.Verified || fix.Command != "" {
			t.Errorf("%+v works", fix)
		}
	}
	document, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const quota = "cpu of flavor default: 40 used, 40 reserved, nominal quota 40"
	for format, c := range map[string]struct {
		text string
		want []string
	}{
		"text":       {report.Text(r, 0, report.TextOptions{Now: testNow}), []string{answer, "Gated by kueue.x-k8s.io/admission until Kueue admits its Workload.", "QUEUE", "gpu: " + quota}},
		"everything": {report.Text(r, 0, report.TextOptions{Verbose: true, Now: testNow}), []string{answer, "QUEUE", quota}},
		"Markdown":   {r.Markdown(), []string{"#### QUEUE", quota}},
		"JSON":       {string(document), []string{`"queue":{"controller":"Kueue"`, `"position":3,"pending":12`, `"notes":[],"unknown":[]`, `"nominal":"40","used":"40","reserved":"40","borrowed":null`}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s does not have %q: %s", format, want, c.text)
			}
		}
	}
}

func TestOnlyPodsThatKueueHoldsAreAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		pod   *corev1.Pod
		asked int
	}{
		"a gate of Kueue":   {testPod("ml/train", "", "1", gatedBy("kueue.x-k8s.io/topology")), 1},
		"a gate of Volcano": {testPod("ml/train", "", "1", gatedBy("scheduling.volcano.sh/queue-allocation-gate")), 0},
		"another gate":      {testPod("ml/train", "", "1", gatedBy("example.com/licence")), 0},
		"no gate":           {testPod("ml/train", "", "9", func(p *corev1.Pod) { p.Labels = map[string]string{"kueue.x-k8s.io/queue-name": "team-a"} }), 0},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			e := startEngine(t, Options{Lookups: Lookups{Queue: func(context.Context, kueue.Subject) *kueue.State { asked++; return nil }}}, testNode("std-a-01", "4"), c.pod)
			r := mustExplain(t, e, c.pod)
			if asked != c.asked || r.Queue != nil {
				t.Errorf("asked %d times, %+v", asked, r.Queue)
			}
		})
	}
}

func TestASnapshotHoldsWhatKueueSays(t *testing.T) {
	pod := testPod("ml/train", "", "1", gatedBy("kueue.x-k8s.io/admission"))
	e := startEngine(t, askKueue(t, pod, teamA()), testNode("std-a-01", "4"), pod)
	live, err := json.Marshal(mustExplain(t, e, pod).Queue)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(teamA())
	if err != nil {
		t.Fatal(err)
	}
	var again kueue.State
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	filed, err := json.Marshal(mustExplain(t, startEngine(t, askKueue(t, pod, &again), testNode("std-a-01", "4"), pod), pod).Queue)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(live, filed) {
		t.Errorf("the cluster: %s\nthe file: %s", live, filed)
	}
}

func TestAJobThatKueueKeepsSuspendedIsQueued(t *testing.T) {
	pod := testPod("ml/", "", "1", func(p *corev1.Pod) {
		p.Name, p.UID = "", "not-created-job"
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: "job", Controller: new(true)}}
	})
	refused := &model.NotCreated{Pod: pod, Wanted: 4, Missing: 4, Queue: "team-a"}
	for name, c := range map[string]struct {
		state        *kueue.State
		summary, why string
		fact         string
	}{
		"as Kueue says": {
			teamA(), "Queued by Kueue: waiting for quota for 12m (Pending): couldn't assign flavors to pod set main: " +
				"insufficient unused quota for cpu in flavor default, 1 more needed; position 3 of 12 in ClusterQueue gpu (LocalQueue team-a).",
			"team-a, position 3 of 12: quota not reserved", "Job train is suspended until Kueue admits its Workload: it has no pods yet and needs quota for 4 pods at once",
		},
		"without its words": {
			nil, "Queued: job train is suspended until Kueue admits its Workload: it has no pods yet and needs quota for 4 pods at once (LocalQueue team-a).",
			"team-a, Job suspended", "If a pod were created, it would fit 1 node: std-a-01.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, askKueue(t, pod, c.state), testNode("std-a-01", "4"))
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodsNotCreated(refused), Parts: report.FixesPart})
			if err != nil {
				t.Fatal(err)
			}
			same(t, string(r.Verdict)+", "+r.State+", "+r.BlockedBy, "NotCreated, queued, queue")
			same(t, r.Summary, c.summary)
			same(t, r.Why, c.why)
			if !slices.Contains(r.Facts, c.fact) || (r.Queue != nil) != (c.state != nil) {
				t.Errorf("got %q, %+v", r.Facts, r.Queue)
			}
			text := report.Text(r, 120, report.TextOptions{Verbose: true, Fixes: true, Now: testNow})
			if strings.Contains(text, "reject") || strings.Contains(text, "kubectl") || !strings.Contains(text, "see its Workload and LocalQueue team-a") {
				t.Errorf("it says %s", text)
			}
			if len(r.Fixes) != 1 || r.Fixes[0].Verified {
				t.Errorf("%+v", r.Fixes)
			}
		})
	}
}
