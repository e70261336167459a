package foreignpodgroups

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// is is a condition that holds for some minutes.
func is(of, status, reason, message string, minutes int) Condition {
	return Condition{Condition: metav1.Condition{
		Type: of, Status: metav1.ConditionStatus(status), Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(now.Add(-time.Duration(minutes) * time.Minute)),
	}}
}

func TestTheStatusOfAGroupIsQuoted(t *testing.T) {
	unschedulable := is("Unschedulable", "True", "NotEnoughResources", "3/8 tasks in gang unschedulable: pod group is not ready", 3)
	onPool := is("UnschedulableOnNodePool", "True", "OverLimit", "queue research is over its limit.", 12)
	onPool.NodePool = "default"
	for name, c := range map[string]struct {
		state            State
		sentence, decide string
		status           []string
	}{
		"Volcano": {
			State{
				Group: Volcano.Group, Name: "train", Needs: new(8), Queue: "research", Phase: "Pending", Conditions: []Condition{unschedulable},
				ByTask: map[string]int{"worker": 7, "master": 1}, Counts: []Count{{"running", 0}, {"failed", 1}},
			},
			"PodGroup train, scheduled by Volcano: it needs 8 pods; its phase is Pending; Unschedulable for 3m (NotEnoughResources): 3/8 tasks in gang unschedulable: pod group is not ready.",
			"Volcano decides about PodGroup train as a whole: its phase is Pending; Unschedulable for 3m (NotEnoughResources): 3/8 tasks in gang unschedulable: pod group is not ready",
			[]string{"queue research", "it needs 1 of task master, 7 of task worker", "pods by its status: 0 running, 1 failed"},
		},
		"the newest condition leads": {
			State{Group: Volcano.Group, Name: "train", Phase: "Running", Conditions: []Condition{unschedulable, is("Scheduled", "True", "tasks in gang are ready to be scheduled", "", 1)}},
			"PodGroup train, scheduled by Volcano; its phase is Running; Scheduled for 1m (tasks in gang are ready to be scheduled).",
			"Volcano decides about PodGroup train as a whole: its phase is Running; Scheduled for 1m (tasks in gang are ready to be scheduled)",
			[]string{"Unschedulable for 3m (NotEnoughResources): 3/8 tasks in gang unschedulable: pod group is not ready"},
		},
		"one that does not hold never leads": {
			State{Group: Volcano.Group, Name: "train", Conditions: []Condition{is("Scheduled", "False", "", "", 1)}},
			"PodGroup train, scheduled by Volcano; none of its conditions is True.", "Volcano decides about PodGroup train as a whole: none of its conditions is True",
			[]string{"Scheduled is False for 1m"},
		},
		"KAI Scheduler": {
			State{Group: KAI.Group, Name: "pg-train", NeedsParts: new(2), Conditions: []Condition{onPool}},
			"PodGroup pg-train, scheduled by KAI Scheduler; UnschedulableOnNodePool default for 12m (OverLimit): queue research is over its limit.",
			"KAI Scheduler decides about PodGroup pg-train as a whole: UnschedulableOnNodePool default for 12m (OverLimit): queue research is over its limit",
			[]string{"it needs 2 subgroups", "this may be of an earlier attempt: some versions of KAI Scheduler leave a condition once it no longer holds"},
		},
		"Coscheduling": {
			State{Group: Coscheduling.Group, Name: "train", Needs: new(1), Phase: "Scheduling"},
			"PodGroup train, scheduled by Coscheduling: it needs 1 pod; its phase is Scheduling.",
			"the plugin Coscheduling of its scheduler decides about PodGroup train as a whole: its phase is Scheduling",
			[]string{},
		},
		"no status":   {State{Group: KAI.Group, Name: "train"}, "PodGroup train, scheduled by KAI Scheduler; its status is empty.", "KAI Scheduler decides about PodGroup train as a whole: its status is empty", []string{}},
		"gone":        {State{Group: Volcano.Group, Name: "train", Gone: true}, "PodGroup train, scheduled by Volcano; it does not exist.", "Volcano decides about PodGroup train as a whole: it does not exist", []string{}},
		"not allowed": {State{Group: Volcano.Group, Name: "train", Unread: "not allowed"}, "PodGroup train, scheduled by Volcano; unknown: not allowed.", "Volcano decides about PodGroup train as a whole: unknown: not allowed", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			g := Judge(&c.state, now)
			if got := g.Sentence(); got != c.sentence {
				t.Errorf("got  %s\nwant %s", got, c.sentence)
			}
			if got := Decides(&c.state, g); got != c.decide {
				t.Errorf("got  %s\nwant %s", got, c.decide)
			}
			if !reflect.DeepEqual(g.Status, c.status) {
				t.Errorf("got %q, want %q", g.Status, c.status)
			}
			if text := g.Sentence() + strings.Join(g.Status, " "); regexp.MustCompile(`\b[Ww]ill\b`).MatchString(text) {
				t.Errorf("it promises: %s", text)
			}
			if g.Fits != nil || g.Places != nil || g.Members != nil {
				t.Errorf("what only the scheduler knows is claimed: %+v", g)
			}
			document, err := json.Marshal(c.state)
			if err != nil {
				t.Fatal(err)
			}
			var again State
			if err := json.Unmarshal(document, &again); err != nil {
				t.Fatal(err)
			}
			if got := Judge(&again, now); got.Sentence() != c.sentence || !reflect.DeepEqual(got.Status, c.status) {
				t.Errorf("from a snapshot: %+v", got)
			}
		})
	}
	if Judge(nil, now) != nil || Judge(&State{Group: "example.com"}, now) != nil {
		t.Error("nothing is told as something")
	}
}

func TestAPodNamesItsGroups(t *testing.T) {
	all := func(*Kind) bool { return true }
	for name, c := range map[string]struct {
		annotations, labels map[string]string
		may                 func(*Kind) bool
		want                string
	}{
		"Kubernetes' annotation":  {map[string]string{"scheduling.k8s.io/group-name": "a", "scheduling.volcano.sh/group-name": "b"}, nil, all, "Volcano a"},
		"Volcano's annotation":    {map[string]string{"scheduling.volcano.sh/group-name": "b"}, nil, all, "Volcano b"},
		"KAI's annotation":        {map[string]string{"pod-group-name": "pg"}, nil, all, "KAI Scheduler pg"},
		"the plugin's label":      {nil, map[string]string{"scheduling.x-k8s.io/pod-group": "c"}, all, "Coscheduling c"},
		"a label as annotation":   {map[string]string{"scheduling.x-k8s.io/pod-group": "c"}, nil, all, ""},
		"an empty name":           {map[string]string{"pod-group-name": ""}, nil, all, ""},
		"a scheduler that cannot": {map[string]string{"pod-group-name": "pg"}, nil, func(k *Kind) bool { return k != KAI }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "uid", Namespace: "ml", Annotations: c.annotations, Labels: c.labels}}
			s, named := SubjectOf(pod, c.may)
			got := ""
			for _, n := range s.Named {
				got += n.Kind.Scheduler + " " + n.Name
				if !s.Has(n.Kind.Group, n.Name) || s.Has(n.Kind.Group, "other") {
					t.Errorf("%+v", s)
				}
			}
			if got != c.want || named != (c.want != "") || s.UID != "uid" || s.Namespace != "ml" {
				t.Errorf("got %q, %+v", got, s)
			}
		})
	}
}
