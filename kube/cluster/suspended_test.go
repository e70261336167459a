package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// aJob is a suspended Job of four pods in LocalQueue team-a.
func aJob(name string, change ...func(*batchv1.Job)) *batchv1.Job {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1", Labels: map[string]string{"kueue.x-k8s.io/queue-name": "team-a"}},
		Spec: batchv1.JobSpec{
			Suspend: new(true), Parallelism: new(int32(4)),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "x"}}}},
		},
	}
	for _, c := range change {
		c(job)
	}
	return job
}

// lookForJobs runs SuspendedJobs over objects until it knows them.
func lookForJobs(t *testing.T, client *fake.Clientset, groups *metav1.APIGroupList) *SuspendedJobs {
	t.Helper()
	changed := make(chan struct{}, 100)
	s := NewSuspendedJobs(SuspendedOptions{Watcher: client, Client: client, Groups: groups, Changed: func() { changed <- struct{}{} }})
	go s.Run(t.Context())
	for {
		var status model.Status
		if s.Status(&status); !status.Seeking {
			return s
		}
		select {
		case <-changed:
		case <-time.After(time.Minute):
			t.Fatal("it is not known")
		}
	}
}

var kueueServed = served(schema.GroupVersion{Group: "kueue.x-k8s.io", Version: "v1beta2"})

func TestJobsThatAQueueKeepsSuspendedAreFound(t *testing.T) {
	done := []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	since := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	client := fake.NewClientset(
		aJob("waits", func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(since)}}
		}),
		aJob("few", func(j *batchv1.Job) { j.Spec.Completions = new(int32(3)); j.Status.Succeeded = 1 }),
		aJob("runs", func(j *batchv1.Job) { j.Spec.Suspend = new(false) }),
		aJob("stops", func(j *batchv1.Job) { j.Status.Active = 1 }),
		aJob("done", func(j *batchv1.Job) { j.Status.Conditions = done }),
		aJob("ends", func(j *batchv1.Job) { j.DeletionTimestamp = &metav1.Time{Time: since}; j.Finalizers = []string{"x"} }),
		aJob("own", func(j *batchv1.Job) { j.Labels = nil }),
	)
	found := lookForJobs(t, client, kueueServed).Found()
	var names []string
	for _, r := range found {
		owner := metav1.GetControllerOf(r.Pod)
		names = append(names, fmt.Sprintf("%s %d of %d in %s", owner.Name, r.Missing, r.Wanted, r.Queue))
		if r.Pod.Name != "" || r.Pod.UID != model.NotCreatedUID(owner.UID) || r.Message != "" || r.Pod.Spec.Priority == nil {
			t.Errorf("%+v", r)
		}
		if owner.Name == "waits" && !r.Since.Equal(since) {
			t.Errorf("since %s", r.Since)
		}
	}
	if want := []string{"few 2 of 2 in team-a", "waits 4 of 4 in team-a"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	classes := 0
	for _, action := range client.Actions() {
		if action.GetResource().Resource == "priorityclasses" {
			classes++
		}
	}
	if classes != 1 {
		t.Errorf("the default PriorityClass was asked for %d times", classes)
	}
}

func TestJobsAreNotLookedForWithoutKueue(t *testing.T) {
	client := fake.NewClientset(aJob("waits"))
	s := NewSuspendedJobs(SuspendedOptions{Watcher: client, Client: client, Groups: served(schema.GroupVersion{Group: "batch", Version: "v1"}), Changed: func() { t.Error("it changed") }})
	s.Run(t.Context())
	if len(client.Actions()) > 0 || len(s.Found()) > 0 {
		t.Errorf("asked %v", client.Actions())
	}
}

// withPods runs SuspendedJobs with unknown API groups over pods, on a server that has Kueue or not,
// until it knows whether there are Jobs.
func withPods(t *testing.T, kueue bool, pods ...*corev1.Pod) (s *SuspendedJobs, client *fake.Clientset) {
	t.Helper()
	client = fake.NewClientset(aJob("waits"))
	if kueue {
		client.Resources = []*metav1.APIResourceList{{GroupVersion: "kueue.x-k8s.io/v1beta2"}}
	}
	changed := make(chan struct{}, 100)
	asked := 0
	s = NewSuspendedJobs(SuspendedOptions{Watcher: client, Client: client, Changed: func() { changed <- struct{}{} }, Pods: func() []*corev1.Pod {
		if asked++; asked == 1 {
			return nil // they are not in yet
		}
		return append([]*corev1.Pod{}, pods...)
	}, Ask: func(context.Context) *metav1.APIGroupList {
		groups, err := client.Discovery().ServerGroups()
		if err != nil {
			t.Error(err)
		}
		return groups
	}})
	go s.Run(t.Context())
	for {
		var status model.Status
		if s.Status(&status); !status.Seeking {
			return s, client
		}
		select {
		case <-changed:
		case <-time.After(time.Minute):
			t.Fatal("it is not known")
		}
	}
}

func TestAPodHasToShowKueueWhereTheGroupsAreNotKnown(t *testing.T) {
	labelled := func(key, value string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{key: value}}}
	}
	gated := &corev1.Pod{Spec: corev1.PodSpec{SchedulingGates: []corev1.PodSchedulingGate{{Name: "kueue.x-k8s.io/topology"}}}}
	other := &corev1.Pod{Spec: corev1.PodSpec{SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/licence"}}}}
	for name, c := range map[string]struct {
		pod   *corev1.Pod
		kueue bool
		found int
		asked bool
	}{
		"nothing":              {other, true, 0, false},
		"Kueue's own":          {labelled("app.kubernetes.io/name", "kueue"), true, 1, true},
		"of a queue":           {labelled("kueue.x-k8s.io/queue-name", "team-a"), true, 1, true},
		"a gate":               {gated, true, 1, true},
		"a gate, and no Kueue": {gated, false, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, client := withPods(t, c.kueue, c.pod)
			if len(s.Found()) != c.found || (len(client.Actions()) > 0) != c.asked {
				t.Errorf("found %d, asked %v", len(s.Found()), client.Actions())
			}
		})
	}
}

func TestJobsThatMayNotBeListedAreUnread(t *testing.T) {
	client := fake.NewClientset(aJob("waits"))
	client.PrependReactor("list", "jobs", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "jobs"}, "", errors.New("no"))
	})
	s := lookForJobs(t, client, kueueServed)
	var status model.Status
	s.Status(&status)
	if fmt.Sprint(status.Unread) != "[{jobs batch not allowed to list jobs}]" || len(s.Found()) > 0 {
		t.Errorf("%+v", status)
	}
}
