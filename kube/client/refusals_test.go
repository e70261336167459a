package client

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// named is the metadata of a controller, whose name is its UID.
func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "dev", Name: name, UID: types.UID(name)}
}

func aTemplate() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "api"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "app"}}},
	}
}

func replicaSet(name string, wants, has int32, failed bool) *appsv1.ReplicaSet {
	set := &appsv1.ReplicaSet{
		ObjectMeta: named(name),
		Spec:       appsv1.ReplicaSetSpec{Replicas: &wants, Template: aTemplate()},
		Status:     appsv1.ReplicaSetStatus{Replicas: has},
	}
	if failed {
		set.Status.Conditions = []appsv1.ReplicaSetCondition{{
			Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate",
			Message: "it says so itself", LastTransitionTime: metav1.NewTime(minutesAgo(9)),
		}}
	}
	return set
}

func statefulSet(name string, wants, has int32) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: named(name),
		Spec:       appsv1.StatefulSetSpec{Replicas: &wants, Template: aTemplate()},
		Status:     appsv1.StatefulSetStatus{Replicas: has},
	}
}

func daemonSet(name string, wants, has int32) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{
		ObjectMeta: named(name), Spec: appsv1.DaemonSetSpec{Template: aTemplate()},
		Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: wants, CurrentNumberScheduled: has},
	}
}

func job(name string, change func(*batchv1.Job)) *batchv1.Job {
	j := &batchv1.Job{
		ObjectMeta: named(name),
		Spec:       batchv1.JobSpec{Parallelism: new(int32(3)), Completions: new(int32(5)), Template: aTemplate()},
	}
	change(j)
	return j
}

// refusedEvent tells that a pod of a controller was rejected.
func refusedEvent(kind, name string, minutes int) *corev1.Event {
	at := metav1.NewTime(minutesAgo(minutes))
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: "dev", Name: fmt.Sprintf("%s.%d", name, minutes)},
		InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: "dev", Name: name, UID: types.UID(name)},
		Reason:         "FailedCreate", Message: "an event says so", FirstTimestamp: at, LastTimestamp: at,
	}
}

func minutesAgo(n int) time.Time {
	return time.Now().Add(-time.Duration(n) * time.Minute).Truncate(time.Second)
}

// podOf is a running pod of a controller.
func podOf(controller string, minutes int) *corev1.Pod {
	pod := sample.SmallPod(controller+"-0", "node-1")
	pod.Namespace, pod.CreationTimestamp = "dev", metav1.NewTime(minutesAgo(minutes))
	pod.OwnerReferences = []metav1.OwnerReference{{Kind: "StatefulSet", Name: controller, UID: types.UID(controller), Controller: new(true)}}
	return pod
}

// add puts objects on the server.
func (s *apiserver) add(resource string, objects ...runtime.Object) {
	s.objects[resource] = append(s.objects[resource], objects...)
}

// refusedBy waits until all suspects were asked, and tells what was found.
func refusedBy(t *testing.T, source *cluster.Source) string {
	t.Helper()
	until(t, source, "everybody was asked", func(s model.Status) bool { return !s.Seeking })
	return findings(source)
}

func findings(source *cluster.Source) string {
	var all []string
	for _, r := range source.NotCreated() {
		all = append(all, fmt.Sprintf("%s %d of %d: %s", r.Pod.OwnerReferences[0].Name, r.Missing, r.Wanted, r.Message))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

func TestControllersThatLackRefusedPodsAreFound(t *testing.T) {
	for _, test := range []struct {
		name  string
		fill  func(*apiserver)
		finds string
	}{
		{"a ReplicaSet that says so", func(s *apiserver) { s.add("replicasets", replicaSet("api", 4, 2, true)) }, "api 2 of 4: it says so itself"},
		{"one of which an event tells later", func(s *apiserver) {
			s.add("replicasets", replicaSet("api", 4, 2, true))
			s.add("events", refusedEvent("ReplicaSet", "api", 1))
		}, "api 2 of 4: an event says so"},
		{"one of which an event told before", func(s *apiserver) {
			s.add("replicasets", replicaSet("api", 4, 2, true))
			s.add("events", refusedEvent("ReplicaSet", "api", 20))
		}, "api 2 of 4: it says so itself"},
		{"one that says so no more", func(s *apiserver) {
			s.add("replicasets", replicaSet("api", 4, 2, false))
			s.add("events", refusedEvent("ReplicaSet", "api", 1))
		}, ""},
		{"one that has all its pods again", func(s *apiserver) { s.add("replicasets", replicaSet("api", 4, 4, true)) }, ""},
		{"one that is being deleted", func(s *apiserver) {
			set := replicaSet("api", 4, 2, true)
			set.DeletionTimestamp = &metav1.Time{Time: minutesAgo(1)}
			s.add("replicasets", set)
		}, ""},
		{"a StatefulSet", func(s *apiserver) {
			s.add("statefulsets", statefulSet("db", 3, 1))
			s.add("pods", podOf("db", 8))
			s.add("events", refusedEvent("StatefulSet", "db", 2))
		}, "db 2 of 3: an event says so"},
		{"a StatefulSet that created a pod since", func(s *apiserver) {
			s.add("statefulsets", statefulSet("db", 3, 1))
			s.add("pods", podOf("db", 1))
			s.add("events", refusedEvent("StatefulSet", "db", 2))
		}, ""},
		{"a StatefulSet of which no event tells", func(s *apiserver) { s.add("statefulsets", statefulSet("db", 3, 1)) }, ""},
		{"a StatefulSet of which an old event tells", func(s *apiserver) {
			s.add("statefulsets", statefulSet("db", 3, 1))
			s.add("events", refusedEvent("StatefulSet", "db", 61))
		}, ""},
		{"a StatefulSet of that name before", func(s *apiserver) {
			set := statefulSet("db", 3, 1)
			set.UID = "another"
			s.add("statefulsets", set)
			s.add("events", refusedEvent("StatefulSet", "db", 2))
		}, ""},
		{"a DaemonSet", func(s *apiserver) {
			s.add("daemonsets", daemonSet("agent", 12, 5))
			s.add("events", refusedEvent("DaemonSet", "agent", 2), refusedEvent("DaemonSet", "agent", 7))
		}, "agent 7 of 12: an event says so"},
		{"a Job", func(s *apiserver) {
			s.add("jobs", job("etl", func(j *batchv1.Job) { j.Status.Active = 1 }))
			s.add("events", refusedEvent("Job", "etl", 2))
		}, "etl 2 of 3: an event says so"},
		{"a Job that needs one more", func(s *apiserver) {
			s.add("jobs", job("etl", func(j *batchv1.Job) { j.Status.Succeeded = 4 }))
			s.add("events", refusedEvent("Job", "etl", 2))
		}, "etl 1 of 1: an event says so"},
		{"a Job that replaces pods once they are gone", func(s *apiserver) {
			s.add("jobs", job("etl", func(j *batchv1.Job) {
				j.Spec.PodReplacementPolicy, j.Status.Terminating = new(batchv1.Failed), new(int32(3))
			}))
			s.add("events", refusedEvent("Job", "etl", 2))
		}, ""},
		{"a Job that is suspended", func(s *apiserver) {
			s.add("jobs", job("etl", func(j *batchv1.Job) { j.Spec.Suspend = new(true) }))
			s.add("events", refusedEvent("Job", "etl", 2))
		}, ""},
		{"a Job that failed", func(s *apiserver) {
			s.add("jobs", job("etl", func(j *batchv1.Job) {
				j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
			}))
			s.add("events", refusedEvent("Job", "etl", 2))
		}, ""},
		{"what creates no pods", func(s *apiserver) { s.add("events", refusedEvent("CronJob", "nightly", 2)) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := newAPIServer(t)
			test.fill(server)
			if finds := refusedBy(t, start(t, server.open(t))); finds != test.finds {
				t.Errorf("finds %q, want %q", finds, test.finds)
			}
		})
	}
}

func TestARefusedPodIsWhatTheAPIServerWouldComplete(t *testing.T) {
	server := newAPIServer(t)
	server.add("replicasets", replicaSet("api", 4, 2, true))
	source := start(t, server.open(t))
	refusedBy(t, source)
	r := source.NotCreated()[0]
	pod := r.Pod
	if pod.Name != "" || pod.Namespace != "dev" || pod.Labels["app"] != "api" || pod.UID != model.NotCreatedUID("api") {
		t.Errorf("it is %+v", pod.ObjectMeta)
	}
	if pod.Spec.SchedulerName != corev1.DefaultSchedulerName || pod.Spec.Priority == nil || len(pod.Spec.Tolerations) != 2 {
		t.Errorf("its spec is %+v", pod.Spec)
	}
	if ref := model.NewPod(pod).Controller(); ref != (model.Ref{Resource: "replicasets.apps", Namespace: "dev", Name: "api", UID: "api"}) {
		t.Errorf("its controller is %+v", ref)
	}
	if !r.Since.Equal(minutesAgo(9)) && time.Since(r.Since) > 10*time.Minute {
		t.Errorf("refused since %v", r.Since)
	}
}

func TestWhoRecoversIsNoLongerRefused(t *testing.T) {
	server := newAPIServer(t)
	server.add("replicasets", replicaSet("api", 4, 2, true))
	source := start(t, server.open(t))
	if finds := refusedBy(t, source); finds == "" {
		t.Fatal("nothing was found")
	}
	server.set(func() { server.objects["replicasets"] = nil })
	server.tell("replicasets", watch.Modified, replicaSet("api", 4, 4, false))
	until(t, source, "recovered", func(model.Status) bool { return findings(source) == "" })

	server.set(func() { server.objects["replicasets"] = nil })
	server.tell("replicasets", watch.Modified, replicaSet("api", 5, 4, true))
	until(t, source, "refused again", func(model.Status) bool { return findings(source) == "api 1 of 5: it says so itself" })
	server.set(func() { server.objects["replicasets"] = nil })
	server.tell("events", watch.Added, refusedEvent("ReplicaSet", "api", 0))
	until(t, source, "deleted", func(model.Status) bool { return findings(source) == "" })
}

func TestControllersThatMayNotBeReadAreUnread(t *testing.T) {
	for _, resource := range []string{"events", "daemonsets", "replicasets"} {
		t.Run(resource, func(t *testing.T) {
			server := newAPIServer(t)
			server.add("replicasets", replicaSet("api", 4, 2, true))
			server.add("daemonsets", daemonSet("agent", 12, 5))
			server.add("events", refusedEvent("DaemonSet", "agent", 2), refusedEvent("ReplicaSet", "api", 2))
			server.forbid = func(_, _, of string) bool { return of == resource }
			source := start(t, server.open(t))
			finds := refusedBy(t, source)
			want := map[string]string{
				"events":      "api 2 of 4: it says so itself",
				"daemonsets":  "api 2 of 4: an event says so",
				"replicasets": "agent 7 of 12: an event says so",
			}[resource]
			if finds != want {
				t.Errorf("finds %q, want %q", finds, want)
			}
			says := func(u model.Unread) bool { return u.Resource == resource && u.Why == "not allowed to list "+resource }
			if unread := source.Status().Unread; !slices.ContainsFunc(unread, says) {
				t.Errorf("unread is %v", unread)
			}
		})
	}
}

// TestNothingRefusedAsksForNoObject holds the search to a list and a watch of events.
func TestNothingRefusedAsksForNoObject(t *testing.T) {
	server := newAPIServer(t)
	server.add("replicasets", replicaSet("api", 4, 4, false))
	source := start(t, server.open(t))
	refusedBy(t, source)
	ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if asked := server.asked("metadata.name"); len(asked) > 0 {
		t.Errorf("asked for single objects: %v", asked)
	}
	for _, request := range server.asked("/events?") {
		if !strings.Contains(request, "limit=1&") && !strings.HasSuffix(request, "limit=1") && !strings.Contains(request, "fieldSelector=reason%3DFailedCreate") {
			t.Errorf("asked for other events: %s", request)
		}
	}
}
