package plan

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// factsOf are the facts of a cluster of these nodes and pods, all of them read
// live. Every pod of a node passes kubectl's filters that is neither a static pod
// nor of a DaemonSet.
func factsOf(t testing.TB, objects ...runtime.Object) Facts {
	t.Helper()
	b := model.NewBuilder()
	facts := Facts{Objects: map[model.Ref]map[string]any{}, Filtered: map[string][]types.UID{}}
	for _, object := range objects {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			t.Fatal(err)
		}
		ref := model.Ref{}
		switch object := object.(type) {
		case *corev1.Node:
			ref = NodeRef(object.Name)
			facts.Filtered[object.Name] = append(facts.Filtered[object.Name], []types.UID{}...)
			b.Node(nil, object)
		case *corev1.Pod:
			ref = model.Ref{Resource: "pods", Namespace: object.Namespace, Name: object.Name}
			if node := object.Spec.NodeName; !model.IsMirror(object) && (!model.OfDaemonSet(object) || model.Finished(object)) {
				facts.Filtered[node] = append(facts.Filtered[node], object.UID)
			}
			b.Pod(nil, object)
		case *appsv1.Deployment:
			ref = model.Ref{Resource: "deployments", Namespace: object.Namespace, Name: object.Name}
		case *appsv1.StatefulSet:
			ref = model.Ref{Resource: "statefulsets", Namespace: object.Namespace, Name: object.Name}
		}
		facts.Objects[ref] = fields
	}
	facts.Snapshot = b.Build(1, model.Status{}, nil)
	return facts
}

// anEmptyNode is a node with nothing special.
func anEmptyNode(name string) *corev1.Node {
	node := modeltest.NewNode(name, "eu-1a", "8", "32Gi")
	node.UID, node.ResourceVersion = types.UID("uid-"+name), "7"
	return node
}

// owned is a pod of a controller, such as "ReplicaSet/cart", on a node.
func owned(name, node, controller string, change func(*corev1.Pod)) *corev1.Pod {
	return modeltest.NewPod(name, node, "1", "1Gi", time.Hour, func(pod *corev1.Pod) {
		pod.ResourceVersion = "8"
		if kind, name, ok := cutOwner(controller); ok {
			pod.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID(controller), Controller: new(true),
			}}
		}
		if change != nil {
			change(pod)
		}
	})
}

func grace(seconds int64) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.TerminationGracePeriodSeconds = &seconds }
}

func withEmptyDir(pod *corev1.Pod) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
}

func asMirror(pod *corev1.Pod) {
	pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
}

func asTerminating(pod *corev1.Pod) { pod.DeletionTimestamp = new(metav1.NewTime(modeltest.Epoch)) }

func asFinished(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded }

// podRef names a pod of these tests, whose UID is its name.
func podRef(namespace, name string) model.Ref {
	return model.Ref{Resource: "pods", Namespace: namespace, Name: name, UID: types.UID(name)}
}

func cutOwner(controller string) (kind, name string, ok bool) {
	return strings.Cut(controller, "/")
}
