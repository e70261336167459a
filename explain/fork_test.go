package explain

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// fitting are the nodes that a pod fits, by name.
func fitting(t *testing.T, e *Engine, pod *corev1.Pod, only []string) []string {
	t.Helper()
	e.scheduler.Settle(context.Background())
	tried, err := e.scheduler.FittingNodes(context.Background(), pod, only)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(tried.Names)
	return tried.Names
}

// A supposed state answers as a real one with the same changes, and is gone
// without a trace when it ends.
func TestWhatIsSupposedAnswersAsIfItWereSo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawn(rt)
		c := newRandomCluster(d, 6, 14, 3)
		e := startEngine(t, Options{}, c.Objects()...)
		var before [][]string
		for _, pod := range c.Pending {
			before = append(before, fitting(t, e, pod, nil))
		}
		changed := slices.Clone(c.Bound)
		nodes := slices.Clone(c.Nodes)
		s := e.scheduler.State.Fork()
		forks := []*scheduler.Fork{s}
		for range 1 + d(5) {
			if d.Chance(30) {
				s = e.scheduler.State.Fork() // one within another
				forks = append(forks, s)
			}
			changed, nodes = supposeSomething(rt, c, d, s, changed, nodes)
			for _, pod := range c.Pending { // the answers that are kept are those of the nodes as they are
				fitting(t, e, pod, nil)
			}
		}
		real := &randomCluster{Nodes: nodes, Bound: changed, Pending: c.Pending, Others: c.Others}
		fresh := startEngine(t, Options{}, real.Objects()...)
		for _, pod := range c.Pending {
			if diff := cmp.Diff(fitting(t, fresh, pod, nil), fitting(t, e, pod, nil)); diff != "" {
				rt.Fatalf("%s is taken otherwise than it would be (-so +supposed):\n%s", pod.Name, diff)
			}
		}
		for _, s := range slices.Backward(forks) {
			s.Revert()
		}
		for i, pod := range c.Pending {
			if diff := cmp.Diff(before[i], fitting(t, e, pod, nil)); diff != "" {
				rt.Fatalf("%s is taken otherwise than before (-before +after):\n%s", pod.Name, diff)
			}
		}
	})
}

// supposeSomething makes one change to the supposed state and to the lists of
// what is bound and of the nodes.
func supposeSomething(t *rapid.T, c *randomCluster, d dice, s *scheduler.Fork, bound []*corev1.Pod, nodes []*corev1.Node) ([]*corev1.Pod, []*corev1.Node) {
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	i := d(len(nodes))
	switch d(3) {
	case 0:
		node := randomNode(d, i)
		check(s.SetNode(node))
		nodes = slices.Clone(nodes)
		nodes[i] = node
	case 1:
		if at := d(len(bound)); scheduler.Assigned(bound[at]) && !sharesPort(bound, bound[at]) {
			check(s.RemovePod(bound[at]))
			bound = slices.Delete(slices.Clone(bound), at, at+1)
		}
	default:
		pod := c.RandomPod(d, rapid.StringMatching(`more-[a-z]{8}`).Draw(t, "name"))
		pod.Spec.SchedulingGates, pod.Status.NominatedNodeName = nil, ""
		check(s.AddPod(pod, nodes[i].Name))
		pod = pod.DeepCopy()
		pod.Spec.NodeName = nodes[i].Name
		bound = append(slices.Clone(bound), pod)
	}
	return bound, nodes
}

// sharesPort reports whether another pod has a host port of a pod on its node. No kubelet admits both, and a NodeInfo
// counts such a port once: when one of them goes, it is free (HostPortInfo of k8s.io/kube-scheduler/framework).
func sharesPort(bound []*corev1.Pod, pod *corev1.Pod) bool {
	ports := func(pod *corev1.Pod) (all []int32) {
		for _, c := range pod.Spec.Containers {
			for _, port := range c.Ports {
				if port.HostPort != 0 {
					all = append(all, port.HostPort)
				}
			}
		}
		return all
	}
	own := ports(pod)
	return slices.ContainsFunc(bound, func(other *corev1.Pod) bool {
		return other.UID != pod.UID && other.Spec.NodeName == pod.Spec.NodeName &&
			slices.ContainsFunc(ports(other), func(port int32) bool { return slices.Contains(own, port) })
	})
}

// Trying a pod and explaining it come to the same nodes.
func TestATrialAgreesWithTheExplanation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawn(rt)
		c := newRandomCluster(d, 6, 14, 3)
		e := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			pod.Spec.SchedulingGates = nil
			var want []string
			for _, node := range mustExplain(t, e, pod).Nodes {
				if node.Fits != nil && *node.Fits {
					want = append(want, node.Name)
				}
			}
			if diff := cmp.Diff(want, fitting(t, e, pod, nil)); diff != "" {
				rt.Fatalf("%s (-explained +tried):\n%s", pod.Name, diff)
			}
			some := c.Nodes[d(len(c.Nodes))].Name
			if fits := slices.Contains(fitting(t, e, pod, []string{some}), some); fits != slices.Contains(want, some) {
				rt.Fatalf("%s on %s alone: %v", pod.Name, some, fits)
			}
		}
	})
}

// What cannot be read leaves a trial open.
func TestATrialIsOpenWhereSomethingCouldNotBeRead(t *testing.T) {
	pod := testPod("shop/a", "", "1", func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
		}}}
	})
	e := startEngineForbidding(t, Options{}, []string{"persistentvolumeclaims"}, []runtime.Object{testNode("n", "4")}...)
	tried := must(e.scheduler.FittingNodes(context.Background(), pod, nil))
	if !tried.Open || len(tried.Names) > 0 {
		t.Errorf("fits %v, open %v; want none and open", tried.Names, tried.Open)
	}
}
