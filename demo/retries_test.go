package demo

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// TestAReplicaSetWhosePodsWereRejectedTriesAgainSoon, however often they were: its controller
// tries at each resync, which does not change the object.
func TestAReplicaSetWhosePodsWereRejectedTriesAgainSoon(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s: controllers try again at their next resync")
	}
	t.Parallel()
	c := startTest(t, 0)
	if _, err := c.Client().CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app": "api"}
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "api"}, Spec: appsv1.ReplicaSetSpec{
		Replicas: new(int32(0)), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "api", Image: "api:1"}}},
		},
	}}
	resynced := make(chan struct{}, 1)
	_, err := c.plane.Informers().Apps().V1().ReplicaSets().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(was, is any) {
		if was.(*appsv1.ReplicaSet).ResourceVersion == is.(*appsv1.ReplicaSet).ResourceVersion {
			select {
			case resynced <- struct{}{}:
			default:
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Client().AppsV1().ReplicaSets("team").Create(t.Context(), set, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-resynced:
	case <-time.After(time.Minute):
		t.Error("its controller does not look at it again")
	}
}
