package e2e

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

// replay makes the embedded cluster anew, with its pods where the real one has
// them, has both schedulers try all others afresh, and compares.
func (f *fidelity) replay(t *testing.T) bool {
	t.Helper()
	f.plane.StopScheduler()
	overwrite(t, f.real)
	f.embedded.Stop()
	f.embed(t)
	client := f.embedded.Client()
	f.embedded.Hold(true)
	release := f.stop(t)
	placed := listPods(t, f.real)
	for _, w := range f.applied { // one after the other, as quotas take who comes first
		if w.Kind == "Pod" && placed[w.Namespace()+"/"+w.Name] == nil { // refused, or a victim since
			w.Objects = w.Objects[:len(w.Objects)-1]
		}
		apply(t, client, w)
		f.place(t, w, placed)
	}
	release()
	err := f.plane.StartScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the scheduler has tried every pod", func(ctx context.Context) (bool, error) {
		for _, pod := range listPods(t, f.real) {
			if lookedAt(pod) && scheduled(pod).Message == overwritten {
				return false, nil
			}
		}
		return true, nil
	})
	one, other := f.rest(t)
	f.seen.replayed++
	if !one.equal(other) || !slices.Equal(one.where(), other.where()) {
		t.Errorf("made anew, with the pods of the real one where they are:%s", one.differences(other))
		return false
	}
	f.last = one
	return f.specsAlike(t, one, other)
}

// stop lets a pod that fits nowhere be the one that the embedded scheduler holds
// in its hand, and gives how it goes on.
func (f *fidelity) stop(t *testing.T) (release func()) {
	t.Helper()
	client := f.embedded.Client()
	held := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "held"}, Spec: corev1.PodSpec{
		NodeSelector: map[string]string{"nobody-has": "it"}, Containers: []corev1.Container{{Name: "main", Image: "x"}},
	}}
	err := random.Create(t.Context(), client, held)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		err := client.CoreV1().Pods("default").Delete(t.Context(), "held", metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
		if err != nil {
			t.Fatal(err)
		}
		f.embedded.Hold(false)
	}
}

// place waits for the pods of a workload in the embedded cluster, and binds them as
// those of the real one are.
func (f *fidelity) place(t *testing.T, w random.Workload, real map[string]*corev1.Pod) {
	t.Helper()
	client := f.embedded.Client()
	nodes := map[string][]string{} // who → where those are
	there := 0
	for _, pod := range real {
		if pod.Labels[random.WorkloadLabel] == w.Name {
			nodes[placeOf(pod)] = append(nodes[placeOf(pod)], pod.Spec.NodeName)
			there++
		}
	}
	for _, of := range nodes {
		slices.Sort(of)
		slices.Reverse(of) // those without one are last
	}
	defer func() {
		if t.Failed() {
			t.Logf("of %s, a %s, these are not there: %v", w.Name, w.Kind, nodes)
		}
	}()
	known := map[types.UID]bool{}
	eventually(t, "the pods are where those of the real cluster are", func(ctx context.Context) (bool, error) {
		claims, err := f.bindClaims(ctx, client)
		if err != nil {
			return false, err
		}
		list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{LabelSelector: random.WorkloadLabel + "=" + w.Name})
		if err != nil {
			return false, err
		}
		for i := range list.Items {
			pod := &list.Items[i]
			of := nodes[placeOf(pod)]
			if known[pod.UID] || len(of) == 0 {
				continue
			}
			known[pod.UID], nodes[placeOf(pod)] = true, of[1:]
			if of[0] == "" {
				continue
			}
			err := client.CoreV1().Pods(pod.Namespace).Bind(ctx, &corev1.Binding{
				ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}, Target: corev1.ObjectReference{Kind: "Node", Name: of[0]},
			}, metav1.CreateOptions{})
			if err != nil {
				return false, err
			}
		}
		return claims && len(known) == there, nil
	})
}

// placeOf is by what the node of a pod is taken over: a StatefulSet's pod has claims
// of its own.
func placeOf(pod *corev1.Pod) string {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && owner.Kind == "StatefulSet" {
		return pod.Name
	}
	return identity(pod)
}

// bindClaims has the claims of the embedded cluster get volumes as those of the
// real one have: of that name if it was there before, or else in the zone of that
// node. It tells whether all are bound.
func (f *fidelity) bindClaims(ctx context.Context, client kubernetes.Interface) (bool, error) {
	const selected = "volume.kubernetes.io/selected-node"
	list, err := f.real.CoreV1().PersistentVolumeClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	all := true
	for _, claim := range list.Items {
		own, err := client.CoreV1().PersistentVolumeClaims(claim.Namespace).Get(ctx, claim.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && own.Status.Phase == claim.Status.Phase {
			continue
		}
		if err != nil {
			return false, err
		}
		all = false
		if f.cluster.HasVolume(claim.Spec.VolumeName) {
			own.Spec.VolumeName = claim.Spec.VolumeName
		}
		if node := claim.Annotations[selected]; node != "" {
			metav1.SetMetaDataAnnotation(&own.ObjectMeta, selected, node)
		}
		_, err = client.CoreV1().PersistentVolumeClaims(claim.Namespace).Update(ctx, own, metav1.UpdateOptions{})
		if err != nil && !apierrors.IsConflict(err) {
			return false, err
		}
	}
	return all, nil
}
