package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
)

// wish is a pod that a manifest asks for and that does not exist yet.
type wish struct {
	pod   *corev1.Pod
	notes []string // what the manifest leaves open
	drop  []string // volumes whose claims a controller would make first
}

// strict refuses fields that the API does not know, as kubectl does.
var strict = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// readManifest reads the file, "-" being stdin, and gives the pods it asks for.
// What is no pod and no workload is passed over.
func readManifest(file string, stdin io.Reader, namespace string) ([]wish, error) {
	data, err := readAll(file, stdin)
	if err != nil {
		return nil, usagef("read manifest: %w", err)
	}
	var wishes []wish
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, usagef("read manifest %s: %w", file, err)
		}
		found, err := wishesOf(document, namespace)
		if err != nil {
			return nil, usagef("read manifest %s: %w", file, err)
		}
		wishes = append(wishes, found...)
	}
	if len(wishes) == 0 {
		return nil, usagef("read manifest %s: it holds no pod and no workload with a pod template", file)
	}
	return wishes, nil
}

// readAll reads a file, or stdin for "-".
func readAll(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(file)
}

// wishesOf gives the pods that one document asks for; a List holds several objects.
func wishesOf(document []byte, namespace string) ([]wish, error) {
	raw, err := yaml.ToJSON(document)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(raw)) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return nil, nil // comments only
	}
	object, _, err := strict.Decode(raw, nil, nil)
	switch {
	case runtime.IsNotRegisteredError(err):
		return nil, nil // a custom resource
	case err != nil:
		return nil, err
	}
	list, isList := object.(*corev1.List)
	if !isList {
		w, ok := wishOf(object, namespace)
		if !ok {
			return nil, nil
		}
		return []wish{w}, nil
	}
	var wishes []wish
	for i, item := range list.Items {
		found, err := wishesOf(item.Raw, namespace)
		if err != nil {
			return nil, fmt.Errorf("items[%d]: %w", i, err)
		}
		wishes = append(wishes, found...)
	}
	return wishes, nil
}

// wishOf gives the pod that an object asks for, if it asks for one.
func wishOf(object runtime.Object, namespace string) (wish, bool) {
	switch o := object.(type) {
	case *corev1.Pod:
		pod := o.DeepCopy()
		pod.Namespace = cmp.Or(pod.Namespace, namespace)
		pod.Status = corev1.PodStatus{}
		return wish{pod: pod}, true
	case *corev1.PodTemplate:
		return fromTemplate(o, &o.Template, namespace), true
	case *corev1.ReplicationController:
		if o.Spec.Template == nil {
			return wish{}, false
		}
		return fromTemplate(o, o.Spec.Template, namespace), true
	case *appsv1.Deployment:
		return fromTemplate(o, &o.Spec.Template, namespace), true
	case *appsv1.ReplicaSet:
		return fromTemplate(o, &o.Spec.Template, namespace), true
	case *appsv1.StatefulSet:
		return fromStatefulSet(o, namespace), true
	case *appsv1.DaemonSet:
		return fromDaemonSet(o, namespace), true
	case *batchv1.Job:
		return fromTemplate(o, &o.Spec.Template, namespace), true
	case *batchv1.CronJob:
		return fromTemplate(o, &o.Spec.JobTemplate.Spec.Template, namespace), true
	default:
		return wish{}, false
	}
}

// fromTemplate makes the pod that a controller would make from its template.
func fromTemplate(owner metav1.Object, template *corev1.PodTemplateSpec, namespace string) wish {
	kind := kindOf(owner)
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Name, pod.GenerateName = "", owner.GetName()+"-"
	pod.Namespace = cmp.Or(owner.GetNamespace(), namespace)
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: kind.GroupVersion().String(),
		Kind:       kind.Kind,
		Name:       owner.GetName(),
		Controller: new(true),
	}}
	return wish{pod: pod}
}

// fromDaemonSet adds what the DaemonSet controller adds to each of its pods.
func fromDaemonSet(set *appsv1.DaemonSet, namespace string) wish {
	w := fromTemplate(set, &set.Spec.Template, namespace)
	daemonutil.AddOrUpdateDaemonPodTolerations(&w.pod.Spec)
	w.notes = append(w.notes, "a DaemonSet makes one pod per node and binds each to its node by node affinity; "+
		"here its template is tried on every node")
	return w
}

// fromStatefulSet mounts the claims that the StatefulSet controller would make:
// the API server refuses a pod with a mount of no volume.
func fromStatefulSet(set *appsv1.StatefulSet, namespace string) wish {
	w := fromTemplate(set, &set.Spec.Template, namespace)
	for _, claim := range set.Spec.VolumeClaimTemplates {
		w.pod.Spec.Volumes = append(w.pod.Spec.Volumes, corev1.Volume{
			Name: claim.Name,
			VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
				ClaimName: claim.Name + "-" + set.Name + "-0",
			}},
		})
		w.drop = append(w.drop, claim.Name)
		w.notes = append(w.notes, fmt.Sprintf(
			"the claim of volumeClaimTemplate %s does not exist yet, so its volume decides nothing here", claim.Name))
	}
	return w
}

// kindOf is the kind of an object of the API.
func kindOf(object metav1.Object) schema.GroupVersionKind {
	kinds, _, err := scheme.Scheme.ObjectKinds(object.(runtime.Object))
	if err != nil || len(kinds) == 0 {
		return schema.GroupVersionKind{}
	}
	return kinds[0]
}
