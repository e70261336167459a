package lessons

import (
	"context"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
)

// strict reads manifests as kubectl apply --validate=strict does.
var strict = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// objects reads manifests.
func objects(manifests []runtime.RawExtension) ([]runtime.Object, error) {
	var all []runtime.Object
	for i := range manifests {
		object, kind, err := strict.Decode(manifests[i].Raw, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("read manifest %d: %w", i+1, err)
		}
		if maker(&fake.Clientset{}, object) == nil {
			return nil, fmt.Errorf("read manifest %d: lessons make no %s", i+1, kind.Kind)
		}
		all = append(all, object)
	}
	return all, nil
}

// maker creates one object; nil where lessons make none of its kind.
func maker(client kubernetes.Interface, object runtime.Object) func(context.Context) error {
	switch o := object.(type) {
	case *corev1.Namespace:
		return making(client.CoreV1().Namespaces().Create, o)
	case *corev1.PersistentVolume:
		return making(client.CoreV1().PersistentVolumes().Create, o)
	case *schedulingv1.PriorityClass:
		return making(client.SchedulingV1().PriorityClasses().Create, o)
	case *nodev1.RuntimeClass:
		return making(client.NodeV1().RuntimeClasses().Create, o)
	case *storagev1.StorageClass:
		return making(client.StorageV1().StorageClasses().Create, o)
	}
	return namespacedMaker(client, object)
}

// namespacedMaker is maker for the kinds that live in namespaces.
func namespacedMaker(client kubernetes.Interface, object runtime.Object) func(context.Context) error {
	switch o := object.(type) {
	case *corev1.Pod:
		return making(client.CoreV1().Pods(o.Namespace).Create, o)
	case *corev1.PersistentVolumeClaim:
		return making(client.CoreV1().PersistentVolumeClaims(o.Namespace).Create, o)
	case *corev1.ResourceQuota:
		return making(client.CoreV1().ResourceQuotas(o.Namespace).Create, o)
	case *corev1.LimitRange:
		return making(client.CoreV1().LimitRanges(o.Namespace).Create, o)
	case *corev1.Service:
		return making(client.CoreV1().Services(o.Namespace).Create, o)
	case *appsv1.Deployment:
		return making(client.AppsV1().Deployments(o.Namespace).Create, o)
	case *appsv1.StatefulSet:
		return making(client.AppsV1().StatefulSets(o.Namespace).Create, o)
	case *appsv1.DaemonSet:
		return making(client.AppsV1().DaemonSets(o.Namespace).Create, o)
	case *appsv1.ReplicaSet:
		return making(client.AppsV1().ReplicaSets(o.Namespace).Create, o)
	case *batchv1.Job:
		return making(client.BatchV1().Jobs(o.Namespace).Create, o)
	case *policyv1.PodDisruptionBudget:
		return making(client.PolicyV1().PodDisruptionBudgets(o.Namespace).Create, o)
	}
	return nil
}

// making is the creation of an object by the client of its kind.
func making[T runtime.Object](create func(context.Context, T, metav1.CreateOptions) (T, error), object T) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := create(ctx, object, metav1.CreateOptions{})
		return err
	}
}

// room is what a node of a lesson has where the lesson does not say.
var room = corev1.ResourceList{
	corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi"), corev1.ResourcePods: resource.MustParse("110"),
}

// makeNode joins a node to the cluster.
func makeNode(ctx context.Context, client kubernetes.Interface, n Node) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: map[string]string{
		corev1.LabelHostname: n.Name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
	}}}
	if n.Zone != "" {
		node.Labels[corev1.LabelTopologyZone] = n.Zone
	}
	maps.Copy(node.Labels, n.Labels)
	node.Spec.Taints, node.Spec.Unschedulable = n.Taints, n.Cordon
	has := maps.Clone(room)
	maps.Copy(has, n.Room)
	node.Status.Capacity, node.Status.Allocatable = has, has // a kubelet registers its node with them
	if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("make node %s: %w", n.Name, err)
	}
	return nil
}

// makeAll makes the objects of manifests.
func makeAll(ctx context.Context, client kubernetes.Interface, manifests []runtime.RawExtension) error {
	all, err := objects(manifests)
	if err != nil {
		return err
	}
	for _, object := range all {
		if err := maker(client, object)(ctx); err != nil {
			return fmt.Errorf("make %s: %w", object.GetObjectKind().GroupVersionKind().Kind, err)
		}
	}
	return nil
}
