package explain

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// script is a run of changes over a few names, with all the disorder that an
// informer and its handlers can show, and what is left in the end.
type script struct {
	d     dice
	nodes map[string]*corev1.Node
	pods  map[types.UID]*corev1.Pod
	// told is what was last said of a pod, also when that was lost or wrong.
	told map[string]*corev1.Pod
}

// step makes one change and keeps the books.
func (s *script) step() scheduler.Change {
	if s.d.Chance(30) {
		return s.nodeStep()
	}
	n := s.d(4)
	name := fmt.Sprintf("pod-%d", n)
	old := s.told[name]
	var before runtime.Object
	if old != nil && s.d.Chance(80) {
		before = old // else the old state is unknown to the one who tells
	}
	if old != nil && s.d.Chance(20) {
		delete(s.pods, old.UID)
		delete(s.told, name)
		return scheduler.Change{Old: old}
	}
	pod := (&randomCluster{Nodes: []*corev1.Node{aNode("node-00", "1"), aNode("node-01", "1")}}).RandomPod(s.d, name)
	pod.UID = types.UID(name)
	if s.d.Chance(15) {
		pod.UID = types.UID(name + "-again")
	}
	pod.Status.NominatedNodeName = one(s.d, "", "node-00", "node-01")
	pod.Spec.SchedulingGates, pod.Spec.Volumes = nil, nil
	for i := range pod.Spec.Containers[0].Ports {
		// Each has a port of its own: of two that hold one on a node the
		// scheduler, which never puts them there, forgets both when one goes.
		pod.Spec.Containers[0].Ports[i].HostPort = int32(8080 + n)
	}
	if s.d.Chance(50) {
		pod.Spec.NodeName = fmt.Sprintf("node-%02d", s.d(3))
		pod.Status.Phase = one(s.d, corev1.PodRunning, corev1.PodRunning, corev1.PodPending, corev1.PodSucceeded, corev1.PodFailed)
	}
	if old != nil && old.UID != pod.UID {
		before = old // a pod replaced under its name: informers tell the old one
		delete(s.pods, old.UID)
	}
	s.pods[pod.UID], s.told[name] = pod, pod
	return scheduler.Change{Old: before, New: pod}
}

func (s *script) nodeStep() scheduler.Change {
	i := s.d(3)
	name := fmt.Sprintf("node-%02d", i)
	old, known := s.nodes[name]
	if known && s.d.Chance(40) {
		delete(s.nodes, name)
		return scheduler.Change{Old: old}
	}
	s.nodes[name] = randomNode(s.d, i)
	if known && s.d.Chance(70) {
		return scheduler.Change{Old: old, New: s.nodes[name]}
	}
	return scheduler.Change{New: s.nodes[name]}
}

// left is a state told plainly, every object once.
func (s *script) left() (changes []scheduler.Change) {
	for _, node := range s.nodes {
		changes = append(changes, scheduler.Change{New: node})
	}
	for _, pod := range s.pods {
		changes = append(changes, scheduler.Change{New: pod})
	}
	return changes
}

// A state that grew by any run of changes answers as one that was told at once, also where it was
// asked meanwhile and keeps answers.
func TestChangesInAnyOrderLeadToTheSameAnswers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawn(rt)
		s := &script{d: d, nodes: map[string]*corev1.Node{}, pods: map[types.UID]*corev1.Pod{}, told: map[string]*corev1.Pod{}}
		grown := startEngine(t, Options{})
		probe := (&randomCluster{Nodes: []*corev1.Node{aNode("node-00", "1")}}).RandomPod(d, "probe")
		probe.Spec.Volumes = nil
		for range 1 + d(8) {
			var batch []scheduler.Change
			for range 1 + d(5) {
				batch = append(batch, s.step())
			}
			if err := grown.Apply(1, batch); err != nil {
				rt.Fatal(err)
			}
			mustExplain(t, grown, probe)
		}
		fresh := startEngine(t, Options{})
		if err := fresh.Apply(1, s.left()); err != nil {
			rt.Fatal(err)
		}
		got, want := mustExplain(t, grown, probe), mustExplain(t, fresh, probe)
		if diff := cmp.Diff(want.Nodes, got.Nodes); diff != "" {
			rt.Fatalf("the grown state answers otherwise:\n%s", diff)
		}
		if got.Verdict != want.Verdict || upToPreemption(got.SchedulerMessage) != upToPreemption(want.SchedulerMessage) {
			rt.Fatalf("%s %q, want %s %q", got.Verdict, got.SchedulerMessage, want.Verdict, want.SchedulerMessage)
		}
	})
}

func TestWhatCannotBeAppliedIsReportedAndTheRestApplied(t *testing.T) {
	e := startEngine(t, Options{})
	nameless := aPod("nameless", "1")
	nameless.UID = ""
	err := e.Apply(7, []scheduler.Change{{New: nameless}, {New: &corev1.Service{}}, {New: aNode("a", "4")}, {}})
	if err == nil {
		t.Fatal("no error")
	}
	if r := mustExplain(t, e, aPod("web", "1")); r.Fits != 1 || r.Revision != 7 {
		t.Errorf("%d nodes fit at revision %d", r.Fits, r.Revision)
	}
}

func TestRoomComesBackWhenAPodEnds(t *testing.T) {
	held, pod := aPod("held", "3", on("a")), aPod("web", "3")
	e := startEngine(t, Options{}, aNode("a", "4"), held)
	if r := mustExplain(t, e, pod); r.Fits != 0 {
		t.Fatal("it fits beside a pod of its size")
	}
	over := held.DeepCopy()
	over.Status.Phase = corev1.PodSucceeded
	if err := e.Apply(2, []scheduler.Change{{Old: held, New: over}}); err != nil {
		t.Fatal(err)
	}
	if r := mustExplain(t, e, pod); r.Fits != 1 {
		t.Error("a pod that has ended holds its room")
	}
}
