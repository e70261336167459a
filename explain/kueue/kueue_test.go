package kueue

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// is is a condition that holds for three minutes.
func is(of, status, reason, message string) metav1.Condition {
	return metav1.Condition{Type: of, Status: metav1.ConditionStatus(status), Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(now.Add(-3 * time.Minute))}
}

const insufficient = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed"

// workload is one of LocalQueue team-a with conditions.
func workload(conditions ...metav1.Condition) *Workload {
	return &Workload{Name: "train", Queue: "team-a", Conditions: conditions}
}

func TestWhatKueueSaysIsQuoted(t *testing.T) {
	pending := is("QuotaReserved", "False", "Pending", insufficient)
	reserved := is("QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue gpu")
	local := &LocalQueue{Name: "team-a", ClusterQueue: "gpu", StopPolicy: "None", Conditions: []metav1.Condition{is("Active", "True", "Ready", "")}}
	cluster := &ClusterQueue{Name: "gpu", Pending: new(12), Conditions: []metav1.Condition{is("Active", "True", "Ready", "")}}
	for name, c := range map[string]struct {
		state          State
		summary, short string
	}{
		"no quota": {
			State{Workload: workload(pending), Queue: "team-a", LocalQueue: local, ClusterQueue: cluster, Position: new(2)},
			"waiting for quota for 3m (Pending): " + insufficient + "; position 3 of 12 in ClusterQueue gpu (LocalQueue team-a).",
			"team-a, position 3 of 12: quota not reserved",
		},
		"more are before it than the status counts": {
			State{Workload: workload(pending), Queue: "team-a", LocalQueue: local, ClusterQueue: cluster, Position: new(12)},
			"waiting for quota for 3m (Pending): " + insufficient + "; position 13 in ClusterQueue gpu (LocalQueue team-a).",
			"team-a, position 13: quota not reserved",
		},
		"no position": {
			State{Workload: workload(pending), Queue: "team-a", LocalQueue: local, ClusterQueue: cluster},
			"waiting for quota for 3m (Pending): " + insufficient + "; ClusterQueue gpu (LocalQueue team-a).", "team-a, quota not reserved",
		},
		"evicted": {
			State{Workload: workload(is("QuotaReserved", "False", "Pending", ""), is("Evicted", "True", "Preempted", "Preempted to accommodate a higher priority Workload.")), Queue: "team-a"},
			"waiting for quota for 3m (Pending); evicted 3m ago (Preempted): Preempted to accommodate a higher priority Workload; LocalQueue team-a.", "team-a, quota not reserved",
		},
		"an eviction that is over": {
			State{Workload: workload(pending, is("Evicted", "False", "QuotaReserved", "Previously: Preempted")), Queue: "team-a"},
			"waiting for quota for 3m (Pending): " + insufficient + "; LocalQueue team-a.", "team-a, quota not reserved",
		},
		"new": {State{Workload: workload(), Queue: "team-a"}, "its Workload has no condition QuotaReserved yet; LocalQueue team-a.", "team-a, not considered yet"},
		"a check": {
			State{Workload: &Workload{Conditions: []metav1.Condition{reserved}, Checks: []Check{{"quick", "Ready", ""}, {"provision", "Pending", "waiting for capacity"}, {"slow", "Retry", ""}}}},
			"quota was reserved 3m ago, but it is not admitted; admission check provision is Pending: waiting for capacity; admission check slow is Retry.",
			"admission check provision is Pending",
		},
		"reserved": {
			State{Workload: &Workload{Conditions: []metav1.Condition{reserved, is("Admitted", "False", "NoReservation", "The workload has not all checks ready")}}},
			"quota was reserved 3m ago, but it is not admitted: The workload has not all checks ready.", "not admitted",
		},
		"admitted": {
			State{Workload: &Workload{Conditions: []metav1.Condition{reserved, is("Admitted", "True", "Admitted", "")}}},
			"it was admitted 3m ago, but its gate is still there.", "admitted, its gate still there",
		},
		"finished":    {State{Workload: workload(reserved, is("Finished", "True", "Succeeded", ""))}, "its Workload is finished.", "Workload finished"},
		"deactivated": {State{Workload: &Workload{Inactive: true, Conditions: []metav1.Condition{pending}}}, "its Workload is deactivated (spec.active is false).", "Workload deactivated"},
		"no Workload": {State{Queue: "team-a", LocalQueue: local}, "there is no Workload for it yet; ClusterQueue gpu (LocalQueue team-a).", "team-a, no Workload yet"},
		"nothing":     {State{}, "there is no Workload for it yet.", "no Workload yet"},
		"no LocalQueue": {
			State{Workload: workload(pending), Queue: "team-a", LocalQueue: &LocalQueue{Name: "team-a", Gone: true}},
			"waiting for quota for 3m (Pending): " + insufficient + "; LocalQueue team-a does not exist.", "LocalQueue team-a does not exist",
		},
		"stopped": {
			State{Workload: workload(pending), LocalQueue: &LocalQueue{Name: "team-a", StopPolicy: "Hold"}, ClusterQueue: &ClusterQueue{
				Name: "gpu", StopPolicy: "HoldAndDrain", Conditions: []metav1.Condition{is("Active", "False", "Stopped", "Can't admit new workloads: is stopped.")},
			}},
			"waiting for quota for 3m (Pending): " + insufficient + "; LocalQueue team-a is stopped (stopPolicy Hold); ClusterQueue gpu is stopped (stopPolicy HoldAndDrain); " +
				"ClusterQueue gpu is not active (Stopped): Can't admit new workloads: is stopped.",
			"LocalQueue team-a is stopped (stopPolicy Hold)",
		},
		"not allowed": {
			State{Queue: "team-a", Unread: []Unread{{"workloads", "not allowed to list workloads.kueue.x-k8s.io"}, {"localqueues", "not allowed to get localqueues.kueue.x-k8s.io"}}},
			"unknown: not allowed to list workloads.kueue.x-k8s.io; LocalQueue team-a.", "team-a, unknown: not allowed to list workloads.kueue.x-k8s.io",
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := Judge(&c.state, "its gate", now)
			if q.Summary != "Kueue: "+c.summary {
				t.Errorf("got  %s\nwant Kueue: %s", q.Summary, c.summary)
			}
			if q.Short != c.short {
				t.Errorf("got %q, want %q", q.Short, c.short)
			}
			if text := q.Summary + strings.Join(q.Lines(now), " "); regexp.MustCompile(`\b[Ww]ill\b`).MatchString(text) {
				t.Errorf("it promises: %s", text)
			}
		})
	}
	if Judge(nil, "", now) != nil {
		t.Error("nothing is told as something")
	}
}

func TestTheLinesHoldWhatTheSummaryDoesNot(t *testing.T) {
	q := Judge(&State{
		Workload: &Workload{
			Conditions: []metav1.Condition{is("PodsReady", "False", "WaitForStart", "Not all pods are ready"), is("QuotaReserved", "False", "Pending", insufficient), is("Requeued", "True", "", "back-off")},
			Checks:     []Check{{"provision", "Pending", "not considered"}},
		},
		ClusterQueue: &ClusterQueue{Name: "gpu", Quotas: []Quota{
			{Flavor: "spot", Resource: "cpu", Nominal: resource.MustParse("40"), Used: new(resource.MustParse("36")), Reserved: new(resource.MustParse("42")), Borrowed: new(resource.MustParse("2"))},
			{Flavor: "spot", Resource: "memory", Nominal: resource.MustParse("200Gi"), Used: new(resource.MustParse("0")), Reserved: new(resource.MustParse("0")), Borrowed: new(resource.MustParse("0"))},
			{Flavor: "new", Resource: "cpu", Nominal: resource.MustParse("8")},
		}},
		Unread: []Unread{{"localqueues", "not allowed to get localqueues.kueue.x-k8s.io"}},
	}, "its gate", now)
	q.ClusterQueue = "gpu"
	want := []string{
		"gpu: cpu of flavor spot: 36 used, 42 reserved (2 borrowed), nominal quota 40",
		"gpu: memory of flavor spot: 0 used, 0 reserved, nominal quota 200Gi",
		"gpu: cpu of flavor new: ? used, ? reserved, nominal quota 8",
		"PodsReady=False for 3m (WaitForStart): Not all pods are ready",
		"admission check provision is Pending: not considered",
		"unknown: not allowed to get localqueues.kueue.x-k8s.io",
	}
	if got := q.Lines(now); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(q.Conditions) != 2 || q.Conditions[0].Type != "QuotaReserved" || q.Quotas[2].Used != nil {
		t.Errorf("%+v", q)
	}
}

func TestAWorkloadIsFoundByItsNameOrItsOwner(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "pod", Namespace: "ml", OwnerReferences: []metav1.OwnerReference{{UID: "job"}}, Labels: map[string]string{"kueue.x-k8s.io/queue-name": "team-a"}}}
	if _, held := SubjectOf(pod); held {
		t.Error("a pod without a gate is held")
	}
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "scheduling.volcano.sh/queue-allocation-gate"}}
	if _, held := SubjectOf(pod); held {
		t.Error("Kueue holds a pod of Volcano")
	}
	pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: "kueue.x-k8s.io/topology"})
	at := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
	finished := []metav1.Condition{is("Finished", "True", "Succeeded", "")}
	for name, c := range map[string]struct {
		all    []Workload
		labels map[string]string
		want   string
	}{
		"by the pod":       {[]Workload{{Name: "other", Owners: []types.UID{"x"}}, {Name: "own", Owners: []types.UID{"pod"}}}, nil, "own"},
		"by its Job":       {[]Workload{{Name: "own", Owners: []types.UID{"job"}}}, nil, "own"},
		"by its group":     {[]Workload{{Name: "own", Owners: []types.UID{"job"}}, {Name: "group"}}, map[string]string{"kueue.x-k8s.io/pod-group-name": "group"}, "group"},
		"prebuilt":         {[]Workload{{Name: "mine"}}, map[string]string{"kueue.x-k8s.io/prebuilt-workload-name": "mine"}, "mine"},
		"the newest":       {[]Workload{{Name: "old", Owners: []types.UID{"job"}}, {Name: "new", Owners: []types.UID{"job"}, Created: at(1)}, {Name: "mid", Owners: []types.UID{"job"}, Created: at(0)}}, nil, "new"},
		"not the finished": {[]Workload{{Name: "run", Owners: []types.UID{"job"}}, {Name: "done", Owners: []types.UID{"job"}, Created: at(1), Conditions: finished}}, nil, "run"},
		"only a finished":  {[]Workload{{Name: "done", Owners: []types.UID{"job"}, Conditions: finished}}, nil, "done"},
		"none":             {[]Workload{{Name: "other", Owners: []types.UID{""}}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := pod.DeepCopy()
			maps.Copy(p.Labels, c.labels)
			subject, held := SubjectOf(p)
			if !held || subject.Queue != "team-a" || subject.UID != "pod" || subject.Namespace != "ml" {
				t.Fatalf("%+v", subject)
			}
			got := ""
			if w := WorkloadOf(c.all, subject); w != nil {
				got = w.Name
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			p.Annotations, p.Labels = p.Labels, map[string]string{"kueue.x-k8s.io/queue-name": "team-a"}
			delete(p.Annotations, "kueue.x-k8s.io/queue-name")
			if again, _ := SubjectOf(p); !slices.Equal(again.Names, subject.Names) {
				t.Errorf("of annotations %q, of labels %q", again.Names, subject.Names)
			}
		})
	}
}
