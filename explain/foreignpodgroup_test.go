package explain

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// volcanoGroup is what Volcano says of a group that has no room.
func volcanoGroup() *foreignpodgroups.State {
	return &foreignpodgroups.State{
		Group: foreignpodgroups.Volcano.Group, Name: "train", Needs: new(8), Queue: "research", Phase: "Pending",
		Conditions: []foreignpodgroups.Condition{{Condition: metav1.Condition{
			Type: "Unschedulable", Status: "True", Reason: "NotEnoughResources", Message: "3/8 tasks in gang unschedulable", LastTransitionTime: metav1.NewTime(testNow.Add(-3 * time.Minute)),
		}}},
	}
}

// inGroup is a pod of a scheduler that names a group in all ways.
func inGroup(schedulerName string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.SchedulerName = schedulerName
		p.Annotations = map[string]string{"scheduling.k8s.io/group-name": "train"}
	}
}

func alive(context.Context, string) (alive, known bool, why string) {
	return true, true, "last seen 1m ago"
}

func TestAPodOfAnotherSchedulersGroupIsThatSchedulersToDecide(t *testing.T) {
	for name, requests := range map[string]string{"fits alone": "1", "fits nowhere": "9"} {
		t.Run(name, func(t *testing.T) {
			pod := testPod("ml/train-0", "", requests, inGroup("volcano"))
			e := startEngine(t, Options{Lookups: Lookups{
				SchedulerAlive: alive,
				Group: func(_ context.Context, of foreignpodgroups.Subject) *foreignpodgroups.State {
					if of.UID != pod.UID || len(of.Named) != 1 || of.Named[0].Name != "train" {
						t.Errorf("asked about %+v", of)
					}
					return volcanoGroup()
				},
			}}, testNode("std-a-01", "4"), pod)
			r := mustExplain(t, e, pod).WithFixes(mustFix(t, e, pod))
			same(t, string(r.Verdict)+", "+r.State+", "+r.BlockedBy, "Unknown, unknown, gang")
			same(t, r.Summary, "Unknown: Volcano decides about PodGroup train as a whole: its phase is Pending; Unschedulable for 3m (NotEnoughResources): 3/8 tasks in gang unschedulable.")
			if len(r.Fixes) > 0 || r.SchedulerMessage != "" || r.Gang == nil || r.Gang.Fits != nil {
				t.Errorf("%+v, %q, %+v", r.Fixes, r.SchedulerMessage, r.Gang)
			}
			document, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			for format, c := range map[string]struct {
				text string
				want []string
			}{
				"text":     {report.Text(r, 0, report.TextOptions{Now: testNow, Fixes: true}), []string{"GANG PodGroup train, scheduled by Volcano: it needs 8 pods.\n", "queue research", "Not simulated"}},
				"Markdown": {r.Markdown(), []string{"GANG PodGroup train, scheduled by Volcano", "queue research"}},
				"JSON": {string(document), []string{
					`"scheduler":"Volcano","policy":"gang","minCount":8`, `"queue":"research","phase":"Pending"`, `"reason":"NotEnoughResources"`, `"nodePool":""`, `"resource":"podgroups.scheduling.volcano.sh"`,
				}},
			} {
				for _, want := range c.want {
					if !strings.Contains(c.text, want) {
						t.Errorf("%s does not have %q: %s", format, want, c.text)
					}
				}
			}
		})
	}
}

func TestOnlyGroupsThatMayDecideAreAskedAbout(t *testing.T) {
	coscheduled := func(p *corev1.Pod) { p.Labels = map[string]string{"scheduling.x-k8s.io/pod-group": "train"} }
	with := &scheduler.Configuration{Source: "file", Asked: true, Data: []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {enabled: [{name: Coscheduling}]}}}, {schedulerName: plain}]`)}
	for name, c := range map[string]struct {
		pod           *corev1.Pod
		configuration *scheduler.Configuration
		asked         int
	}{
		"kube-scheduler ignores Volcano's annotation": {testPod("ml/train", "", "1", inGroup("")), nil, 0},
		"Volcano":                       {testPod("ml/train", "", "1", inGroup("volcano")), nil, 1},
		"no group":                      {testPod("ml/train", "", "1", func(p *corev1.Pod) { p.Spec.SchedulerName = "volcano" }), nil, 0},
		"Coscheduling, not known":       {testPod("ml/train", "", "1", coscheduled), nil, 1},
		"Coscheduling, configured":      {testPod("ml/train", "", "1", coscheduled), with, 1},
		"Coscheduling, not configured":  {testPod("ml/train", "", "1", coscheduled, func(p *corev1.Pod) { p.Spec.SchedulerName = "plain" }), with, 0},
		"Coscheduling, other scheduler": {testPod("ml/train", "", "1", coscheduled, func(p *corev1.Pod) { p.Spec.SchedulerName = "gangs" }), with, 1},
		"a pod that has a node":         {testPod("ml/train", "std-a-01", "1", inGroup("volcano")), nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			e := startEngine(t, Options{Configuration: c.configuration, Lookups: Lookups{Group: func(context.Context, foreignpodgroups.Subject) *foreignpodgroups.State { asked++; return nil }}}, testNode("std-a-01", "4"), c.pod)
			r := mustExplain(t, e, c.pod)
			if asked != c.asked || r.Gang != nil {
				t.Errorf("asked %d times, %+v", asked, r.Gang)
			}
		})
	}
}

func TestAGroupIsQuotedWhereTheVerdictIsNotAboutNodes(t *testing.T) {
	group := func(context.Context, foreignpodgroups.Subject) *foreignpodgroups.State { return volcanoGroup() }
	down := func(context.Context, string) (alive, known bool, why string) { return false, true, "no Lease" }
	gated := testPod("ml/train-0", "", "1", inGroup("volcano"), gatedBy("example.com/licence"))
	e := startEngine(t, Options{Lookups: Lookups{SchedulerAlive: alive, Group: group}}, testNode("std-a-01", "4"), gated)
	r := mustExplain(t, e, gated).WithFixes(mustFix(t, e, gated))
	if r.Verdict != report.Gated || r.Gang == nil || len(r.Fixes) > 0 {
		t.Errorf("%s, %+v, %+v", r.Verdict, r.Gang, r.Fixes)
	}
	pod := testPod("ml/train-0", "", "1", inGroup("volcano"))
	gone := func(context.Context, foreignpodgroups.Subject) *foreignpodgroups.State {
		return &foreignpodgroups.State{Group: foreignpodgroups.Volcano.Group, Name: "train", Gone: true}
	}
	if r := mustExplain(t, startEngine(t, Options{Lookups: Lookups{SchedulerAlive: down, Group: gone}}, testNode("std-a-01", "4"), pod), pod); r.Verdict != report.NotConsidered || r.Gang == nil {
		t.Errorf("%s, %+v", r.Verdict, r.Gang)
	}
	// Who writes about the group may be running, though nothing else tells of it; KAI Scheduler makes its groups.
	made := func(context.Context, foreignpodgroups.Subject) *foreignpodgroups.State {
		return &foreignpodgroups.State{Group: foreignpodgroups.KAI.Group, Name: "train", NeedsParts: new(2)}
	}
	for name, found := range map[string]func(context.Context, foreignpodgroups.Subject) *foreignpodgroups.State{"its status is written": group, "KAI Scheduler made it": made} {
		if r := mustExplain(t, startEngine(t, Options{Lookups: Lookups{SchedulerAlive: down, Group: found}}, testNode("std-a-01", "4"), pod), pod); r.Verdict != report.Unknown || r.BlockedBy != "gang" {
			t.Errorf("%s: %s, %s", name, r.Verdict, r.Summary)
		}
	}
	// A gate keeps the pod from any scheduler.
	e = startEngine(t, Options{Lookups: Lookups{SchedulerAlive: down, Group: group}}, testNode("std-a-01", "4"), gated)
	if r := mustExplain(t, e, gated); r.Verdict != report.Gated || r.Gang == nil || !strings.HasPrefix(r.Summary, "Gated by example.com/licence") {
		t.Errorf("%s, %+v: %s", r.Verdict, r.Gang, r.Summary)
	}
}

func TestTheDefaultSchedulerTakesAPodOutOfItsGroup(t *testing.T) {
	down := func(context.Context, string) (alive, known bool, why string) { return false, true, "no Lease" }
	for name, c := range map[string]struct {
		group  foreignpodgroups.State
		says   string
		advice string
	}{
		"Volcano":       {foreignpodgroups.State{Group: foreignpodgroups.Volcano.Group, Name: "train", Gone: true}, "takes the pod out of its group train", "Volcano schedules it with PodGroup train"},
		"Volcano, made": {foreignpodgroups.State{Group: foreignpodgroups.Volcano.Group, Name: "train", Needs: new(2)}, "takes the pod out of its group train", "Volcano schedules it with PodGroup train"},
		"KAI Scheduler": {foreignpodgroups.State{Group: foreignpodgroups.KAI.Group, Name: "train", Gone: true}, "takes the pod out of its group train", "KAI Scheduler schedules it with PodGroup train"},
		"Coscheduling": {
			foreignpodgroups.State{Group: foreignpodgroups.Coscheduling.Group, Name: "train", Gone: true},
			"takes the pod out of its group train, unless default-scheduler runs the plugin Coscheduling", "Coscheduling schedules it with PodGroup train",
		},
	} {
		t.Run(name, func(t *testing.T) {
			pod := testPod("ml/train-0", "", "1", inGroup("gangs"))
			e := startEngine(t, Options{Lookups: Lookups{SchedulerAlive: down, Group: func(context.Context, foreignpodgroups.Subject) *foreignpodgroups.State { return &c.group }}}, testNode("std-a-01", "4"), pod)
			told := mustFix(t, e, pod)
			same(t, told.Sentence(), c.advice+`: start scheduler "gangs".`)
			if len(told.Tried) != 2 || told.Work() != 0 {
				t.Fatalf("%d work of %+v", told.Work(), told.Tried)
			}
			first, other := &told.Tried[0], &told.Tried[1]
			same(t, first.Title+": "+first.Outcome(), `start scheduler "gangs": `+c.advice)
			same(t, other.Title+": "+other.Outcome(), "set schedulerName default-scheduler: "+c.says)
			if other.Verified || other.Command != "" || other.Recreates || other.NodesGained != 1 {
				t.Errorf("%+v", other)
			}
		})
	}
}
