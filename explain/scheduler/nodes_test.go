package scheduler

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"pgregory.net/rapid"
)

// upstream is kube-scheduler's own cache, which is told of the same.
type upstream struct {
	cache internalcache.Cache
	nodes map[string]*corev1.Node
	pods  map[types.UID]*corev1.Pod
}

func (u *upstream) apply(t *rapid.T, c Change) {
	var err error
	switch now := c.New.(type) {
	case *corev1.Node:
		if old, ok := u.nodes[now.Name]; ok {
			u.cache.UpdateNode(klog.Background(), old, now)
		} else {
			u.cache.AddNode(klog.Background(), now)
		}
		u.nodes[now.Name] = now
	case *corev1.Pod:
		if old := u.pods[now.UID]; Assigned(old) {
			err = u.cache.RemovePod(klog.Background(), old)
		}
		if err == nil && Assigned(now) {
			err = u.cache.AddPod(klog.Background(), now)
		}
		u.pods[now.UID] = now
	}
	switch old := c.Old.(type) {
	case *corev1.Node:
		if c.New == nil && u.nodes[old.Name] != nil {
			err = u.cache.RemoveNode(klog.Background(), u.nodes[old.Name])
			delete(u.nodes, old.Name)
		}
	case *corev1.Pod:
		if known := u.pods[old.UID]; c.New == nil && Assigned(known) {
			err = u.cache.RemovePod(klog.Background(), known)
		}
		if c.New == nil {
			delete(u.pods, old.UID)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// drawNode draws a node of few names, in one of few zones, with some images.
func drawNode(t *rapid.T) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "node")}}
	node.Labels = map[string]string{corev1.LabelTopologyZone: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "zone")}
	node.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse(rapid.SampledFrom([]string{"1", "2"}).Draw(t, "cpu"))}
	for range rapid.IntRange(0, 2).Draw(t, "images") {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"app:v1", "app:v2", "web:v1"}), 0, 2).Draw(t, "names")
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{Names: names, SizeBytes: rapid.Int64Range(1, 3).Draw(t, "size")})
	}
	return node
}

// drawTemplates draws what the pods of one run share, as the client lets replicas share it.
func drawTemplates(t *rapid.T) (specs []corev1.PodSpec, statuses []corev1.PodStatus) {
	amount := rapid.SampledFrom([]string{"100m", "1", "2Gi"})
	amounts := func() corev1.ResourceList {
		list := corev1.ResourceList{}
		for _, name := range rapid.SliceOfN(rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", "example.com/gpu"}), 0, 2).Draw(t, "resources") {
			list[name] = resource.MustParse(amount.Draw(t, "amount"))
		}
		return list
	}
	for range 4 {
		spec := corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: amounts()}}}}
		if rapid.Bool().Draw(t, "sidecar") {
			always := corev1.ContainerRestartPolicyAlways
			spec.InitContainers = []corev1.Container{{Name: "init", RestartPolicy: &always, Resources: corev1.ResourceRequirements{Requests: amounts()}}}
		}
		if priority := rapid.Int32Range(0, 2).Draw(t, "priority"); priority > 0 {
			spec.Priority = &priority
		}
		if rapid.Bool().Draw(t, "overhead") {
			spec.Overhead = amounts()
		}
		if rapid.Bool().Draw(t, "whole") {
			spec.Resources = &corev1.ResourceRequirements{Requests: amounts()}
		}
		if rapid.Bool().Draw(t, "apart") {
			spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey:   rapid.SampledFrom([]string{corev1.LabelHostname, corev1.LabelTopologyZone}).Draw(t, "topology"),
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			}}}}
		}
		if rapid.Bool().Draw(t, "claim") {
			spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: rapid.SampledFrom([]string{"p", "q"}).Draw(t, "claim name")},
			}}}
		}
		specs = append(specs, spec)
		status := corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "main", AllocatedResources: amounts()}}}
		if rapid.Bool().Draw(t, "resized") {
			status.AllocatedResources = amounts()
			status.Resources = &corev1.ResourceRequirements{Requests: amounts()}
			status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Reason: corev1.PodReasonInfeasible}}
		}
		statuses = append(statuses, status)
	}
	return specs, statuses
}

func TestNodesAreThoseOfTheSchedulersOwnCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, end := context.WithCancel(context.Background())
		defer end()
		state := newState(ctx, time.Now)
		other := &upstream{newCache(ctx), map[string]*corev1.Node{}, map[types.UID]*corev1.Pod{}}
		specs, statuses := drawTemplates(t)
		for rev := range int64(rapid.IntRange(1, 6).Draw(t, "batches")) {
			var changes []Change
			for range rapid.IntRange(1, 8).Draw(t, "changes") {
				c := drawChange(t, specs, statuses)
				other.apply(t, c)
				changes = append(changes, c)
			}
			if err := state.update(rev+1, changes); err != nil {
				t.Fatal(err)
			}
			compare(t, state, other)
		}
	})
}

// drawChange draws a change of a node or a pod, which need not be known.
func drawChange(t *rapid.T, specs []corev1.PodSpec, statuses []corev1.PodStatus) Change {
	gone := rapid.IntRange(0, 3).Draw(t, "gone") == 0
	if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
		node := drawNode(t)
		if gone {
			return Change{Old: node}
		}
		return Change{New: node}
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: rapid.SampledFrom([]string{"dev", "prod"}).Draw(t, "namespace"), Labels: map[string]string{"app": "web"},
	}}
	pod.Name = fmt.Sprint(pod.Namespace, rapid.IntRange(0, 5).Draw(t, "pod"))
	pod.UID = types.UID(pod.Name)
	if rapid.Bool().Draw(t, "of a DaemonSet") {
		pod.OwnerReferences = []metav1.OwnerReference{{Kind: "DaemonSet", Controller: new(true)}}
	}
	if gone {
		return Change{Old: pod}
	}
	pod.Spec, pod.Status = rapid.SampledFrom(specs).Draw(t, "spec"), rapid.SampledFrom(statuses).Draw(t, "status")
	pod.Spec.NodeName = rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e"}).Draw(t, "on")
	pod.Status.Phase = rapid.SampledFrom([]corev1.PodPhase{corev1.PodRunning, corev1.PodPending, corev1.PodSucceeded}).Draw(t, "phase")
	return Change{New: pod}
}

// compare fails where plugins would see another state than in kube-scheduler.
func compare(t *rapid.T, state *State, other *upstream) {
	// An older snapshot would keep the order, and what was counted of images, of an earlier time.
	now := internalcache.NewEmptySnapshot()
	if err := other.cache.UpdateSnapshot(klog.Background(), now); err != nil {
		t.Fatal(err)
	}
	for name, lists := range map[string][2]func() ([]fwk.NodeInfo, error){
		"nodes":         {state.overlay.List, now.List},
		"affinity":      {state.overlay.HavePodsWithAffinityList, now.HavePodsWithAffinityList},
		"anti-affinity": {state.overlay.HavePodsWithRequiredAntiAffinityList, now.HavePodsWithRequiredAntiAffinityList},
		"beyond host":   {state.overlay.HavePodsWithRequiredNonHostScopedAntiAffinityList, now.HavePodsWithRequiredNonHostScopedAntiAffinityList},
	} {
		if got, want := nodeNames(lists[0]()), nodeNames(lists[1]()); !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		got, gotErr := state.overlay.Get(name)
		want, wantErr := now.Get(name)
		if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Fatalf("node %s: %v, want %v", name, gotErr, wantErr)
		}
		if gotErr != nil {
			continue
		}
		images := state.nodes.withImages(got, slices.Collect(maps.Keys(want.GetImageStates()))).GetImageStates()
		for image, state := range want.GetImageStates() {
			if is := images[image]; is == nil || is.NumNodes != state.NumNodes || is.Size != state.Size {
				t.Fatalf("image %s of node %s: %+v, want %+v", image, name, is, state)
			}
		}
		if counted, recounted := state.Priorities.On(got), newPriorities(newNodeInfos(klog.Background())).On(want); !equalCounts(counted, recounted) {
			t.Fatalf("priorities on node %s: %v, want %v", name, counted, recounted)
		}
		one, two := got.Snapshot().(*framework.NodeInfo), want.Snapshot().(*framework.NodeInfo)
		one.Generation, two.Generation = 0, 0
		one.ImageStates, two.ImageStates = nil, nil // compared above
		if !slices.IsSortedFunc(one.Pods, comparePodInfos) {
			t.Fatalf("node %s: pods in disorder: %s", name, podsOf(one))
		}
		for _, pods := range [][]fwk.PodInfo{two.Pods, one.PodsWithAffinity, two.PodsWithAffinity, one.PodsWithRequiredAntiAffinity, two.PodsWithRequiredAntiAffinity, one.PodsWithRequiredNonHostScopedAntiAffinity, two.PodsWithRequiredNonHostScopedAntiAffinity} {
			slices.SortFunc(pods, comparePodInfos)
		}
		if !reflect.DeepEqual(one, two) {
			t.Fatalf("node %s: %+v, want %+v; pods %s", name, one, two, cmp.Diff(podsOf(two), podsOf(one)))
		}
	}
	for _, claim := range []string{"dev/p", "dev/q", "prod/p"} {
		// Upstream counts the pods of a node that is not known at some times and not at others.
		nodes, _ := now.List()
		if got, want := state.overlay.IsPVCUsedByPods(claim), usesClaim(nodes, claim); got != want {
			t.Fatalf("claim %s is used: %t, want %t", claim, got, want)
		}
	}
}

// equalCounts compares counts in any order.
func equalCounts(a, b []PriorityCount) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(of PriorityCount) bool { return !slices.Contains(b, of) })
}

func comparePodInfos(a, b fwk.PodInfo) int { return comparePods(a.GetPod(), b.GetPod()) }

func nodeNames(nodes []fwk.NodeInfo, _ error) []string {
	var names []string
	for _, node := range nodes {
		names = append(names, node.Node().Name)
	}
	return names
}

// podsOf says what the pods of a node request.
func podsOf(node *framework.NodeInfo) []string {
	var pods []string
	for _, pod := range node.Pods {
		pods = append(pods, fmt.Sprintf("%s %+v", pod.GetPod().Name, pod.CalculateResource()))
	}
	return pods
}
