package recording

import (
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// incident is an embedded cluster, whose scheduler is the real one, that is recorded.
type incident struct {
	*testing.T
	*cluster.Cluster
	demo *demo.Cluster
	dir  string
	next time.Time // when the next step is said to be taken
}

func newIncident(t *testing.T) *incident {
	t.Helper()
	running, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running.Stop)
	source, err := running.Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(t.Context(), source, cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &incident{t, c, running, t.TempDir(), time.Now()}
}

// step waits until something is so, and records.
func (i *incident) step(until func(*model.Snapshot) bool) {
	i.Helper()
	deadline := time.Now().Add(time.Minute)
	for !until(i.Newest()) {
		if time.Now().After(deadline) {
			i.Fatal("it does not come to that")
		}
		time.Sleep(10 * time.Millisecond)
	}
	taken, err := snapshot.Take(i.Context(), i.Source(), i.Newest(), snapshot.Options{Taken: i.next})
	if err != nil {
		i.Fatal(err)
	}
	if err := taken.Save(filepath.Join(i.dir, FileName(i.next)), false); err != nil {
		i.Fatal(err)
	}
	i.next = i.next.Add(time.Minute)
}

// create makes a pod as kubectl would.
func (i *incident) create(p *corev1.Pod) *corev1.Pod {
	i.Helper()
	p.Namespace, p.UID, p.Status = "default", "", corev1.PodStatus{}
	p, err := i.demo.Client().CoreV1().Pods("default").Create(i.Context(), p, metav1.CreateOptions{})
	if err != nil {
		i.Fatal(err)
	}
	return p
}

func TestWhatTheRealSchedulerDidIsToldOfItsRecording(t *testing.T) {
	i := newIncident(t)
	if _, err := i.demo.Client().CoreV1().Nodes().Create(t.Context(), node("std-1", "4"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	i.step(func(s *model.Snapshot) bool {
		return len(s.Nodes) == 1 && s.Nodes[0].Status == "Ready" && s.Nodes[0].Taints == ""
	})
	i.create(pod("took", "2", ""))
	i.step(func(s *model.Snapshot) bool {
		took, ok := s.PodNamed("default", "took")
		return ok && took.Object.Spec.NodeName == "std-1"
	})
	waits := i.create(pod("waits", "3", ""))
	i.step(func(s *model.Snapshot) bool {
		pod, ok := s.PodNamed("default", "waits")
		return ok && len(pod.Object.Status.Conditions) > 0
	})
	if err := i.demo.Client().CoreV1().Pods("default").Delete(t.Context(), "took", *metav1.NewDeleteOptions(0)); err != nil {
		t.Fatal(err)
	}
	i.step(func(s *model.Snapshot) bool {
		_, there := s.PodNamed("default", "took")
		pod, ok := s.PodNamed("default", "waits")
		return !there && ok && pod.Object.Spec.NodeName == "std-1"
	})

	p := play(t, i.dir, 2)
	at(t, p, 3, 1)
	report, err := p.Ask(t.Context(), report.Query{Target: report.PodOf(waits.UID)})
	if err != nil {
		t.Fatal(err)
	}
	if report.Observed.Agrees == nil || !*report.Observed.Agrees {
		t.Errorf("the scheduler said %q, here it is %q", report.Observed.Message, report.SchedulerMessage)
	}
	history, err := p.Past(2, waits.UID).Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := told(history), `No node would have fit since step 2: took took the capacity on std-1.
3-3 Unschedulable
2-2 Unschedulable not there
1-1 Schedulable not there
step 1 to 2
std-1: default/took was scheduled with cpu 2; without it the pod would fit
`; got != want {
		t.Errorf("it says\n%swant\n%s", got, want)
	}
	changed, err := p.Changes(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if changed.Count(model.PodPlaced) != 1 || changed.Count(model.PodDeleted) != 1 || changed.Pods[0].Pod.Name() != "waits" {
		t.Errorf("what changed: %+v", changed.Pods)
	}
}
