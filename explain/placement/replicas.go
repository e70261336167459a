package placement

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// placingTime is how long replicas are placed before the rest is left out.
const placingTime = 10 * time.Second

// Replicas places equal pods, which do not exist, one after another in a simulated
// state: each is filtered by the scheduler's plugins with those before it on their
// nodes. Where the place of one decides about the next, each goes where the plugins'
// scores rank first. Nothing of it is kept.
func Replicas(ctx context.Context, s *scheduler.Scheduler, pod *corev1.Pod, wanted int) (*report.Replicas, error) {
	r := &report.Replicas{Wanted: wanted}
	on, begun := s.State.NewSimulatedState(nil, nil), time.Now()
	for r.Placed < wanted {
		if time.Since(begun) > placingTime {
			r.Why = fmt.Sprintf("stopped after %d s", int(placingTime.Seconds()))
			return r, nil
		}
		done := false
		err := s.Hold(ctx, on, func() (err error) {
			done, err = placeNext(ctx, s, on, pod, r)
			return err
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("place replicas of %s: %w", plugins.FullName(pod), err)
		case done:
			return r, nil
		}
	}
	r.Fit = &r.Placed
	return r, nil
}

// DaemonPods says how many of the nodes that a DaemonSet is for, by its controller's
// own rules, would take its pod, which does not exist.
func DaemonPods(ctx context.Context, s *scheduler.Scheduler, set *appsv1.DaemonSet, of Template) (*report.Replicas, error) {
	r, on := &report.Replicas{Daemon: true}, s.State.NewSimulatedState(nil, nil)
	err := s.Hold(ctx, on, func() error {
		pod, err := of.AsOnlyPod(on)
		if err != nil {
			return err
		}
		t, err := s.FittingNodes(ctx, pod, nil)
		if err != nil {
			return err
		}
		nodes, err := s.State.NodeInfos().List()
		if err != nil {
			return err
		}
		var rejecting []string
		for _, node := range nodes {
			runs, _ := daemon.NodeShouldRunDaemonPod(s.State.Logger, node.Node(), set)
			fits := slices.Contains(t.Names, node.Node().Name)
			switch {
			case runs && fits:
				r.Placed++
			case runs:
				rejecting = append(rejecting, node.Node().Name)
			}
		}
		r.Wanted = r.Placed + len(rejecting)
		switch {
		case t.Open:
			r.Why = WhyUnread(t.Matrix.Unknown())
			return nil
		case t.Devices() && r.Placed > 1: // nodes may share them
			r.Why = "which devices its pods get is not simulated"
			return nil
		}
		r.Fit = &r.Placed
		if len(rejecting) > 0 {
			r.Why = "does not fit " + grammar.List(rejecting, grammar.Few)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("try pods of DaemonSet %s/%s: %w", set.Namespace, set.Name, err)
	}
	return r, nil
}

// placeNext places one replica more. It is done where none fits any more, where all
// that are left fit, or where that cannot be decided.
func placeNext(ctx context.Context, s *scheduler.Scheduler, on *scheduler.SimulatedState, pod *corev1.Pod, r *report.Replicas) (done bool, err error) {
	next := numbered(pod, r.Placed)
	p := s.Profile(next)
	matters := PlaceMatters(p, next)
	t, err := s.FittingNodes(ctx, next, nil)
	switch {
	case err != nil:
		return true, err
	case t.Open:
		r.Why = WhyUnread(t.Matrix.Unknown())
		return true, nil
	case len(t.Names) == 0:
		r.Fit = &r.Placed
		r.Why, err = Why(ctx, s, AsNewPod(next), nil)
		return true, err
	case !matters && !t.Devices() && len(t.Names) >= r.Wanted-r.Placed:
		r.Placed = r.Wanted // a node for each of them
		r.Fit = &r.Placed
		return true, nil
	}
	node := t.Names[0]
	if matters {
		ranked, err := p.Prioritize(ctx, t.State, next, t.Nodes)
		if err != nil {
			return true, err
		}
		node = ranked.Nodes[0].Node
		r.Chance = r.Chance || len(ranked.Unread) > 0 || len(ranked.Nodes) > 1 && ranked.Nodes[1].Tied
	}
	if _, err := on.Place(ctx, t, next, node); err != nil {
		return true, err
	}
	r.Placed++
	return false, nil
}

// PlaceMatters says whether where one such pod is decides where the next may go,
// beside what it takes of its node.
func PlaceMatters(p *scheduler.Profile, pod *corev1.Pod) bool {
	bare := *pod
	bare.Spec.Volumes = nil // most are the node's own: configuration, tokens, scratch
	if Matters(&bare) || slices.ContainsFunc(pod.Spec.Volumes, shared) {
		return true
	}
	spread, ok := p.Args[names.PodTopologySpread].(*config.PodTopologySpreadArgs)
	return ok && slices.ContainsFunc(spread.DefaultConstraints, func(c corev1.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable == corev1.DoNotSchedule
	})
}

// shared says whether a volume may keep other pods of the template off nodes.
func shared(volume corev1.Volume) bool {
	return volume.PersistentVolumeClaim != nil || volume.Ephemeral != nil || volume.GCEPersistentDisk != nil ||
		volume.AWSElasticBlockStore != nil || volume.ISCSI != nil || volume.RBD != nil
}

// setOrdinal labels a pod of a StatefulSet by its name, as the controller does.
func setOrdinal(pod *corev1.Pod) {
	metav1.SetMetaDataLabel(&pod.ObjectMeta, appsv1.StatefulSetPodNameLabel, pod.Name)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, appsv1.PodIndexLabel, pod.Name[strings.LastIndexByte(pod.Name, '-')+1:])
}

// numbered is a pod of its own that equals another.
func numbered(pod *corev1.Pod, n int) *corev1.Pod {
	next := AsNewPod(pod).DeepCopy()
	next.Name = "replica-" + strconv.Itoa(n)
	for i := range next.Spec.Volumes {
		if _, name := admission.SetClaim(&next.Spec.Volumes[i], n); name != "" {
			next.Name = name
			setOrdinal(next)
			break
		}
	}
	next.UID = types.UID("to be placed: " + next.Name)
	return next
}
