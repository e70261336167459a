package lessons

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// errNoManifest says of an item of objects that it is something else than a manifest.
var errNoManifest = errors.New("not a manifest: it must be a YAML mapping with apiVersion, kind and metadata")

// objects reads manifests.
func objects(manifests []runtime.RawExtension) ([]runtime.Object, error) {
	var all []runtime.Object
	for i := range manifests {
		if err := json.Unmarshal(manifests[i].Raw, &metav1.TypeMeta{}); err != nil { // Decode would say it without its type
			return nil, atManifest(i, inYAML(err, errNoManifest))
		}
		object, kind, err := strict.Decode(manifests[i].Raw, nil, nil)
		if err != nil && !runtime.IsNotRegisteredError(err) {
			return nil, atManifest(i, inYAML(err, errNoManifest))
		}
		if err != nil || handledBy(&fake.Clientset{}, object) == nil {
			return nil, atManifest(i, locate(fmt.Errorf("lessons cannot create a %s", kind.Kind), "kind"))
		}
		if meta, ok := object.(metav1.Object); ok && meta.GetNamespace() == "" && isNamespaced(object) {
			meta.SetNamespace(corev1.NamespaceDefault) // as kubectl does
		}
		all = append(all, object)
	}
	return all, nil
}

// atManifest places an error about an item of objects, counted from 0.
func atManifest(i int, err error) error {
	if field := pathIn(err.Error()); len(field) > 0 {
		err = locate(err, toAny(field)...)
	}
	return locate(fmt.Errorf("read manifest %d: %w", i+1, err), "objects", i)
}

func toAny(path []string) []any {
	steps := make([]any, len(path))
	for i, step := range path {
		steps[i] = step
	}
	return steps
}

// isNamespaced reports whether an object that lessons can create is in a namespace.
func isNamespaced(object runtime.Object) bool { return namespacedBy(&fake.Clientset{}, object) != nil }

// namespaces checks that each object is in a namespace that exists when it is created.
func (l *Lesson) namespaces() error {
	exist := map[string]bool{corev1.NamespaceDefault: true, metav1.NamespaceSystem: true}
	for i := range l.Steps {
		if err := inNamespaces(l.Steps[i].Objects, exist); err != nil {
			return locate(fmt.Errorf("step %d: %w", i+1, err), "steps", i)
		}
		for n, does := range l.Steps[i].Does {
			if err := inNamespaces(does.Objects, exist); err != nil {
				return locate(fmt.Errorf("step %d: does %d: %w", i+1, n+1, err), "steps", i, "does", n)
			}
		}
	}
	for i := range l.Faults {
		if err := inNamespaces(l.Faults[i].Objects, exist); err != nil {
			return locate(fmt.Errorf("fault %d: %w", i+1, err), "faults", i)
		}
	}
	return nil
}

// inNamespaces checks the objects of manifests, and notes the namespaces that they create.
func inNamespaces(manifests []runtime.RawExtension, exist map[string]bool) error {
	all, err := objects(manifests)
	if err != nil {
		return err
	}
	for i, object := range all {
		meta, ok := object.(metav1.Object)
		if _, creates := object.(*corev1.Namespace); ok && creates {
			exist[meta.GetName()] = true
			continue
		}
		if ok && isNamespaced(object) && !exist[meta.GetNamespace()] {
			return atManifest(i, locate(fmt.Errorf("no manifest before it creates the namespace %s", meta.GetNamespace()), "metadata", "namespace"))
		}
	}
	return nil
}

// handledBy is an object with the client of its kind; nil if lessons cannot create
// this kind.
func handledBy(client kubernetes.Interface, object runtime.Object) *handled {
	switch o := object.(type) {
	case *corev1.Namespace:
		return handling(client.CoreV1().Namespaces(), o)
	case *corev1.PersistentVolume:
		return handling(client.CoreV1().PersistentVolumes(), o)
	case *schedulingv1.PriorityClass:
		return handling(client.SchedulingV1().PriorityClasses(), o)
	case *nodev1.RuntimeClass:
		return handling(client.NodeV1().RuntimeClasses(), o)
	case *storagev1.StorageClass:
		return handling(client.StorageV1().StorageClasses(), o)
	}
	return namespacedBy(client, object)
}

// namespacedBy is handledBy for namespaced kinds.
func namespacedBy(client kubernetes.Interface, object runtime.Object) *handled {
	switch o := object.(type) {
	case *corev1.Pod:
		return handling(client.CoreV1().Pods(o.Namespace), o)
	case *corev1.PersistentVolumeClaim:
		return handling(client.CoreV1().PersistentVolumeClaims(o.Namespace), o)
	case *corev1.ResourceQuota:
		return handling(client.CoreV1().ResourceQuotas(o.Namespace), o)
	case *corev1.LimitRange:
		return handling(client.CoreV1().LimitRanges(o.Namespace), o)
	case *corev1.Service:
		return handling(client.CoreV1().Services(o.Namespace), o)
	case *appsv1.Deployment:
		return handling(client.AppsV1().Deployments(o.Namespace), o)
	case *appsv1.StatefulSet:
		return handling(client.AppsV1().StatefulSets(o.Namespace), o)
	case *appsv1.DaemonSet:
		return handling(client.AppsV1().DaemonSets(o.Namespace), o)
	case *appsv1.ReplicaSet:
		return handling(client.AppsV1().ReplicaSets(o.Namespace), o)
	case *batchv1.Job:
		return handling(client.BatchV1().Jobs(o.Namespace), o)
	case *policyv1.PodDisruptionBudget:
		return handling(client.PolicyV1().PodDisruptionBudgets(o.Namespace), o)
	}
	return nil
}

// handler is the part of a typed client that lessons need.
type handler[T any] interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
}

// handled creates and deletes one object.
type handled struct{ create, remove func(context.Context) error }

func handling[T metav1.Object](client handler[T], object T) *handled {
	background := metav1.DeletePropagationBackground
	return &handled{
		create: func(ctx context.Context) error {
			_, err := client.Create(ctx, object, metav1.CreateOptions{})
			return err
		},
		remove: func(ctx context.Context) error {
			err := client.Delete(ctx, object.GetName(), metav1.DeleteOptions{PropagationPolicy: &background})
			if apierrors.IsNotFound(err) { // it was deleted before
				return nil
			}
			return err
		},
	}
}

// defaultAllocatable is the allocatable of a node for which the lesson sets none.
var defaultAllocatable = corev1.ResourceList{
	corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi"), corev1.ResourcePods: resource.MustParse("110"),
}

// createNode joins a node to the cluster.
func createNode(ctx context.Context, client kubernetes.Interface, n Node) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: map[string]string{
		corev1.LabelHostname: n.Name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
	}}}
	if n.Zone != "" {
		node.Labels[corev1.LabelTopologyZone] = n.Zone
	}
	maps.Copy(node.Labels, n.Labels)
	node.Spec.Taints, node.Spec.Unschedulable = n.Taints, n.Cordon
	has := maps.Clone(defaultAllocatable)
	maps.Copy(has, n.Allocatable)
	node.Status.Capacity, node.Status.Allocatable = has, has // as registered by a kubelet
	if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create node %s: %w", n.Name, err)
	}
	return nil
}

// createAll creates the objects of manifests.
func createAll(ctx context.Context, client kubernetes.Interface, manifests []runtime.RawExtension) error {
	_, err := createEach(ctx, client, manifests)
	return err
}

// createEach is createAll that also returns how to delete each object, including those
// created before an error.
func createEach(ctx context.Context, client kubernetes.Interface, manifests []runtime.RawExtension) ([]undo, error) {
	all, err := objects(manifests)
	if err != nil {
		return nil, err
	}
	var undos []undo
	for _, object := range all {
		made := handledBy(client, object)
		if err := made.create(ctx); err != nil {
			return undos, fmt.Errorf("create %s: %w", object.GetObjectKind().GroupVersionKind().Kind, err)
		}
		undos = append(undos, made.remove)
	}
	return undos, nil
}
