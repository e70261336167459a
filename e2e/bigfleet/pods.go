package bigfleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// tries is how many nodes are looked at for a pod, at most.
const tries = 12

// writePods writes the pods of all workloads. The API server completes the first
// of each, as a dry run; the others are copies of it.
func (f *Fleet) writePods(ctx context.Context, w *writer, client kubernetes.Interface) error {
	templates := make([]*corev1.Pod, len(f.workloads))
	err := parallel(ctx, len(f.workloads), func(ctx context.Context, i int) error {
		one := f.workloads[i]
		owner, err := createOwner(ctx, client, one)
		if err != nil {
			return fmt.Errorf("create %s %s: %w", one.kind, one.name, err)
		}
		pod := &corev1.Pod{ObjectMeta: one.template.ObjectMeta, Spec: one.template.Spec}
		pod.Namespace, pod.Name, pod.GenerateName = one.namespace, one.name, one.name+"-"
		pod.OwnerReferences = []metav1.OwnerReference{owner}
		templates[i], err = client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{
			DryRun: []string{metav1.DryRunAll}, FieldManager: "kube-controller-manager",
		})
		if err != nil {
			return fmt.Errorf("complete a pod of %s: %w", one.name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, one := range f.workloads {
		for k := range one.replicas {
			pod := f.replica(one, templates[i], k)
			err := w.put(ctx, "/registry/pods/"+pod.Namespace+"/"+pod.Name, pod)
			if err != nil {
				return err
			}
		}
	}
	return w.flush(ctx)
}

// createOwner creates the controller of a workload's pods, if it is of a kind
// that is read, and gives the reference to it.
func createOwner(ctx context.Context, client kubernetes.Interface, w *workload) (metav1.OwnerReference, error) {
	owner := metav1.OwnerReference{
		APIVersion: "apps/v1", Kind: w.kind, Name: w.name, UID: types.UID(w.namespace + "-" + w.name),
		Controller: new(true), BlockOwnerDeletion: new(true),
	}
	meta := metav1.ObjectMeta{Namespace: w.namespace, Name: w.name, Labels: w.template.Labels}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": w.name}}
	switch w.kind {
	case "ReplicaSet":
		set := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(w.replicas)), Selector: selector, Template: w.template}}
		made, err := client.AppsV1().ReplicaSets(w.namespace).Create(ctx, set, metav1.CreateOptions{})
		if err != nil {
			return owner, err
		}
		owner.UID = made.UID
	case "StatefulSet":
		set := &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: new(int32(w.replicas)), Selector: selector, Template: w.template, ServiceName: w.name}}
		made, err := client.AppsV1().StatefulSets(w.namespace).Create(ctx, set, metav1.CreateOptions{})
		if err != nil {
			return owner, err
		}
		owner.UID = made.UID
	case "Job":
		owner.APIVersion = "batch/v1"
	}
	return owner, nil
}

// replica is one more pod like the first.
func (f *Fleet) replica(w *workload, first *corev1.Pod, k int) *corev1.Pod {
	pod := first.DeepCopy()
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	pod.Name = f.podName(w)
	if w.kind == "StatefulSet" {
		pod.Name = fmt.Sprintf("%s-%d", w.name, k)
		pod.GenerateName = ""
	}
	pod.UID, pod.CreationTimestamp = f.draw.uid(), f.draw.age()
	addToken(f.draw, pod)
	if w.pending {
		pod.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Duration(f.draw.IntN(7200)) * time.Second).Truncate(time.Second))
		return pod
	}
	at := f.find(w, k)
	pod.Spec.NodeName = at.name
	f.run(pod)
	return pod
}

// podName draws a name that no pod has: of 2,000 of a workload two would draw the same at times.
func (f *Fleet) podName(w *workload) string {
	for {
		name := fmt.Sprintf("%s-%s", w.name, f.draw.word(5))
		if key := w.namespace + "/" + name; !f.names[key] {
			f.names[key] = true
			return name
		}
	}
}

// addToken mounts a token, as admission does, under a name that no two pods share.
func addToken(d dice, pod *corev1.Pod) {
	name := "kube-api-access-" + d.word(5)
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: new(int32(0o644)),
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: new(int64(3607)), Path: "token"}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
		},
	}}})
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"})
	}
}

// find draws a node with room for pod k of a workload; if it finds none, the one
// with the most.
func (f *Fleet) find(w *workload, k int) *place {
	if w.kind == "DaemonSet" {
		return f.nodes[k%len(f.nodes)].take(w)
	}
	best := -1
	for range tries {
		i := f.draw.IntN(len(f.nodes))
		if w.pool != nil {
			hosts := f.hosts[w.pool]
			i = hosts[f.draw.IntN(len(hosts))]
		}
		at := &f.nodes[i]
		if w.pool == nil && at.pool.taint != nil {
			continue
		}
		if at.pods > 0 && at.milliCPU >= w.milliCPU && at.mib >= w.mib {
			return at.take(w)
		}
		if best < 0 || at.milliCPU > f.nodes[best].milliCPU {
			best = i
		}
	}
	return f.nodes[max(best, 0)].take(w)
}

// take puts a pod on the node.
func (at *place) take(w *workload) *place {
	at.milliCPU -= w.milliCPU
	at.mib -= w.mib
	at.pods--
	return at
}

// run writes the status of a pod that runs, and the managed fields of its kubelet.
func (f *Fleet) run(pod *corev1.Pod) {
	address := fmt.Sprintf("10.%d.%d.%d", f.draw.IntN(256), f.draw.IntN(256), f.draw.IntN(256))
	started := pod.CreationTimestamp
	pod.Status.Phase = corev1.PodRunning
	pod.Status.HostIP, pod.Status.HostIPs = "10.0.0.1", []corev1.HostIP{{IP: "10.0.0.1"}}
	pod.Status.PodIP, pod.Status.PodIPs = address, []corev1.PodIP{{IP: address}}
	pod.Status.StartTime = &started
	pod.Status.Conditions = nil
	for _, t := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: started})
	}
	for i := range pod.Spec.InitContainers {
		status := f.containerStatus(&pod.Spec.InitContainers[i])
		status.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "Completed", StartedAt: started, FinishedAt: started, ContainerID: status.ContainerID,
		}}
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, status)
	}
	for i := range pod.Spec.Containers {
		status := f.containerStatus(&pod.Spec.Containers[i])
		status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
	pod.ManagedFields = append(pod.ManagedFields, managed("kubelet", "status", started, map[string]any{"f:status": fieldsOf(pod.Status)})...)
}

// containerStatus is what a kubelet says of a container, without its state.
func (f *Fleet) containerStatus(c *corev1.Container) corev1.ContainerStatus {
	name, _, _ := strings.Cut(c.Image, ":")
	return corev1.ContainerStatus{
		Name: c.Name, Ready: true, Started: new(true), Image: c.Image, RestartCount: int32(f.draw.about(0.2, 20)),
		ImageID:     name + "@" + imageDigest(f.draw.IntN(f.shape.images)),
		ContainerID: fmt.Sprintf("containerd://%032x%032x", f.draw.Uint64(), f.draw.Uint64()),
	}
}
