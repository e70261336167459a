// Package bigfleet fills a control plane with a large cluster that is drawn at
// random: its pools, its workloads and what their pods ask for.
package bigfleet

import (
	"context"
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// Size says how large the cluster is.
type Size struct {
	Nodes   int
	Pods    int // with a node
	Pending int // without one, for several causes
}

// Fleet is the cluster that a seed and a size stand for.
type Fleet struct {
	size  Size
	shape shape
	draw  dice

	pools     []pool
	nodes     []place
	workloads []*workload
	hosts     map[*pool][]int // indexes of nodes
	names     map[string]bool // of pods, with their namespaces
}

// shape is what all of a cluster has in common. A cluster is not only larger or
// smaller than another one: each of these is drawn.
type shape struct {
	namespaces int
	zones      int
	images     int     // that the workloads use
	perNode    int     // images that a node has
	alpha      float64 // of the power law of the workloads' sizes; smaller: larger workloads
	sidecar    float64 // the chance of one more container
	variables  float64 // in a container, at the mean
	notes      float64 // annotations of a pod, at the mean
	room       float64 // the share of all cpu that is requested
	daemons    int     // DaemonSets with a pod on each node
}

// New draws the cluster of a seed.
func New(seed uint64, size Size) *Fleet {
	f := &Fleet{size: size, draw: dice{rand.New(rand.NewPCG(seed, uint64(size.Nodes)))}, hosts: map[*pool][]int{}, names: map[string]bool{}}
	f.shape = shape{
		namespaces: f.draw.between(10, 120),
		zones:      f.draw.between(1, 4),
		images:     f.draw.between(200, 2000),
		perNode:    f.draw.between(20, 50), // a kubelet tells no more than 50
		alpha:      0.7 + 0.6*f.draw.Float64(),
		sidecar:    0.2 + 0.35*f.draw.Float64(),
		variables:  3 + 15*f.draw.Float64(),
		notes:      1 + 4*f.draw.Float64(),
		room:       0.45 + 0.35*f.draw.Float64(),
		daemons:    f.draw.between(0, 2),
	}
	f.addNodes()
	f.addWorkloads()
	f.addPending()
	return f
}

func namespaceName(i int) string { return fmt.Sprintf("team-%03d", i) }

// String says what was drawn.
func (f *Fleet) String() string {
	s := f.shape
	return fmt.Sprintf("%d nodes of %d pools in %d zones, %d workloads in %d namespaces, %d DaemonSets; "+
		"%d images, %d a node; at the mean %.1f more containers, %.0f variables, %.0f annotations; %.0f%% of cpu requested",
		f.size.Nodes, len(f.pools), s.zones, len(f.workloads), s.namespaces, s.daemons,
		s.images, s.perNode, s.sidecar/(1-s.sidecar), s.variables, s.notes, 100*s.room)
}

// Fill writes the cluster, tells its progress, and has kube-scheduler look at
// the pending pods. The scheduler and the controllers do not run afterwards.
func (f *Fleet) Fill(ctx context.Context, plane *controlplane.ControlPlane, progress func(done, of int)) error {
	plane.StopScheduler()
	client, err := plane.Client(controlplane.Admin)
	if err != nil {
		return err
	}
	err = f.createShared(ctx, client)
	if err != nil {
		return err
	}
	w := &writer{plane: plane, progress: progress, total: 2*f.size.Nodes + f.size.Pods + f.size.Pending}
	err = f.writeNodes(ctx, w)
	if err != nil {
		return err
	}
	err = f.writePods(ctx, w, client)
	if err != nil {
		return err
	}
	return schedule(ctx, plane, client)
}

// schedule lets kube-scheduler run until it has looked at each pending pod.
func schedule(ctx context.Context, plane *controlplane.ControlPlane, client kubernetes.Interface) error {
	err := plane.StartScheduler(ctx)
	if err != nil {
		return err
	}
	defer plane.StopScheduler()
	return lookedAt(ctx, client)
}

// waitsForScheduler says that kube-scheduler has not looked at the pod yet, and will.
func waitsForScheduler(pod *corev1.Pod) bool {
	if pod.Spec.SchedulerName != corev1.DefaultSchedulerName || len(pod.Spec.SchedulingGates) > 0 {
		return false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			return false
		}
	}
	return true
}
