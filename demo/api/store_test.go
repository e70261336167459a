package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
)

func newTestStore(t *testing.T) (*Store, kubernetes.Interface) {
	s := NewStore(t.Context(), clock.RealClock{}, 1)
	return s, s.Client(t.Context(), Writes)
}

func aPod(name string, change func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "app:1"}}},
	}
	if change != nil {
		change(pod)
	}
	return pod
}

func mustCreate(t *testing.T, client kubernetes.Interface, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	made, err := client.CoreV1().Pods("shop").Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestANewPodIsDefaultedAndItsStatusIsItsOwn(t *testing.T) {
	_, client := newTestStore(t)
	made := mustCreate(t, client, aPod("", func(p *corev1.Pod) {
		p.GenerateName = "cart-"
		p.Status.Phase = corev1.PodRunning
	}))
	if !strings.HasPrefix(made.Name, "cart-") || len(made.Name) != len("cart-")+5 {
		t.Errorf("the name is %q", made.Name)
	}
	if made.UID == "" || made.ResourceVersion == "" || made.CreationTimestamp.IsZero() {
		t.Errorf("the metadata is %+v", made.ObjectMeta)
	}
	got := []string{
		string(made.Spec.RestartPolicy), string(made.Spec.DNSPolicy), made.Spec.SchedulerName,
		string(made.Spec.Containers[0].ImagePullPolicy), string(made.Status.Phase), string(made.Status.QOSClass),
	}
	want := []string{"Always", "ClusterFirst", "default-scheduler", "IfNotPresent", "Pending", "BestEffort"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatTheAPIServerRefusesIsRefusedInItsWords(t *testing.T) {
	_, client := newTestStore(t)
	mustCreate(t, client, aPod("web", nil))
	_, err := client.CoreV1().Pods("shop").Create(t.Context(), aPod("web", nil), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		t.Errorf("a second one gives %v", err)
	}
	_, err = client.CoreV1().Pods("shop").Create(t.Context(), aPod("Web", nil), metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) || !strings.HasPrefix(err.Error(), `Pod "Web" is invalid: metadata.name: Invalid value: "Web"`) {
		t.Errorf("a wrong name gives %v", err)
	}
	pods := client.CoreV1().Pods("shop")
	_, err = pods.Patch(t.Context(), "web", types.MergePatchType, []byte(`{"spec":{"nodeSelector":{"disktype":"ssd"}}}`), metav1.PatchOptions{})
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "pod updates may not change fields other than") {
		t.Errorf("another node selector gives %v", err)
	}
	_, err = pods.Patch(t.Context(), "gone", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("a patch of nothing gives %v", err)
	}
}

func TestAWriteOfAnOldVersionIsAConflict(t *testing.T) {
	_, client := newTestStore(t)
	pods := client.CoreV1().Pods("shop")
	old := mustCreate(t, client, aPod("web", nil))
	newer := old.DeepCopy()
	newer.Labels["tier"] = "front"
	newer, err := pods.Update(t.Context(), newer, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	old.Labels["tier"] = "back"
	if _, err := pods.Update(t.Context(), old, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of the old version gives %v", err)
	}
	patch := `{"metadata":{"resourceVersion":"` + old.ResourceVersion + `","labels":{"a":"b"}}}`
	if _, err := pods.Patch(t.Context(), "web", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("a patch of the old version gives %v", err)
	}
	patch = `{"metadata":{"uid":"another","labels":{"a":"b"}}}`
	if _, err := pods.Patch(t.Context(), "web", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("a patch of another pod gives %v", err)
	}
	same, err := pods.Update(t.Context(), newer, metav1.UpdateOptions{})
	if err != nil || same.ResourceVersion != newer.ResourceVersion {
		t.Errorf("an update that changes nothing gives version %s, not %s (%v)", same.ResourceVersion, newer.ResourceVersion, err)
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	s, client := newTestStore(t)
	dryRunner := s.Client(t.Context(), Tries)
	mustCreate(t, client, aPod("web", nil))
	pods := dryRunner.CoreV1().Pods("shop")
	patched, err := pods.Patch(t.Context(), "web", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
	if err != nil || patched.Labels["a"] != "b" {
		t.Errorf("the dry run gives %v, %v", patched, err)
	}
	if err := pods.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if err := pods.EvictV1(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}); err != nil {
		t.Error(err)
	}
	stored, err := client.CoreV1().Pods("shop").Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil || stored.Labels["a"] != "" || stored.DeletionTimestamp != nil {
		t.Errorf("after dry runs the pod is %v (%v)", stored, err)
	}
	if _, err := s.Client(t.Context(), Reads).CoreV1().Pods("shop").Create(t.Context(), aPod("x", nil), metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a client that reads creates: %v", err)
	}
}

func TestAPodIsBoundOnce(t *testing.T) {
	_, client := newTestStore(t)
	pods := client.CoreV1().Pods("shop")
	mustCreate(t, client, aPod("web", nil))
	bind := func(node string) error {
		return pods.Bind(t.Context(), &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Target: corev1.ObjectReference{Kind: "Node", Name: node},
		}, metav1.CreateOptions{})
	}
	if err := bind("n1"); err != nil {
		t.Fatal(err)
	}
	bound, err := pods.Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil || bound.Spec.NodeName != "n1" || len(bound.Status.Conditions) != 1 || bound.Status.Conditions[0].Status != corev1.ConditionTrue {
		t.Errorf("the pod is %+v (%v)", bound, err)
	}
	err = bind("n2")
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `pod web is already assigned to node "n1"`) {
		t.Errorf("a second binding gives %v", err)
	}
	byNode, err := pods.List(t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=n1"})
	if err != nil || len(byNode.Items) != 1 {
		t.Errorf("%d pods are on n1 (%v)", len(byNode.Items), err)
	}
}

func TestABoundPodEndsGracefullyAndOneWithAFinalizerStays(t *testing.T) {
	_, client := newTestStore(t)
	pods := client.CoreV1().Pods("shop")
	mustCreate(t, client, aPod("bound", func(p *corev1.Pod) { p.Spec.NodeName = "n1" }))
	mustCreate(t, client, aPod("unbound", nil))
	mustCreate(t, client, aPod("held", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/hold"} }))
	for _, name := range []string{"bound", "unbound", "held"} {
		if err := pods.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	bound, err := pods.Get(t.Context(), "bound", metav1.GetOptions{})
	if err != nil || bound.DeletionTimestamp == nil || *bound.DeletionGracePeriodSeconds != 30 {
		t.Errorf("the bound pod is %+v (%v)", bound, err)
	}
	if _, err := pods.Get(t.Context(), "unbound", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the unbound pod is there (%v)", err)
	}
	zero := int64(0)
	if err := pods.Delete(t.Context(), "bound", metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil {
		t.Error(err)
	}
	if _, err := pods.Get(t.Context(), "bound", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the kubelet's deletion leaves the pod (%v)", err)
	}
	held, err := pods.Get(t.Context(), "held", metav1.GetOptions{})
	if err != nil || held.DeletionTimestamp == nil {
		t.Fatalf("the held pod is %+v (%v)", held, err)
	}
	if _, err := pods.Patch(t.Context(), "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := pods.Get(t.Context(), "held", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("without its finalizer the pod stays (%v)", err)
	}
}

func TestABudgetHoldsAnEviction(t *testing.T) {
	_, client := newTestStore(t)
	pods, budgets := client.CoreV1().Pods("shop"), client.PolicyV1().PodDisruptionBudgets("shop")
	pod := mustCreate(t, client, aPod("web", func(p *corev1.Pod) { p.Spec.NodeName = "n1" }))
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	if _, err := pods.UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	one := intstr.FromInt32(1)
	budget, err := budgets.Create(t.Context(), &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	evict := func() error {
		return pods.EvictV1(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}})
	}
	err = evict()
	if !apierrors.IsTooManyRequests(err) {
		t.Errorf("before the budget is counted an eviction gives %v", err)
	}
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation, CurrentHealthy: 1, DesiredHealthy: 1, ExpectedPods: 1}
	if budget, err = budgets.UpdateStatus(t.Context(), budget, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	err = evict()
	status, ok := err.(apierrors.APIStatus)
	if !ok || len(status.Status().Details.Causes) != 1 ||
		status.Status().Details.Causes[0].Message != "The disruption budget web needs 1 healthy pods and has 1 currently" {
		t.Errorf("an eviction gives %#v", err)
	}
	budget.Status.DisruptionsAllowed = 1
	if _, err = budgets.UpdateStatus(t.Context(), budget, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := evict(); err != nil {
		t.Fatal(err)
	}
	evicted, err := pods.Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil || evicted.DeletionTimestamp == nil {
		t.Errorf("the evicted pod is %+v (%v)", evicted, err)
	}
	spent, err := budgets.Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil || spent.Status.DisruptionsAllowed != 0 || len(spent.Status.DisruptedPods) != 1 {
		t.Errorf("the budget is %+v (%v)", spent.Status, err)
	}
}

func TestAWatchTellsWhatComesIntoItsSelectionAndLeavesIt(t *testing.T) {
	_, client := newTestStore(t)
	pods := client.CoreV1().Pods("shop")
	list, err := pods.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mustCreate(t, client, aPod("early", nil))
	w, err := pods.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion, FieldSelector: "spec.nodeName="})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	mustCreate(t, client, aPod("late", nil))
	if err := pods.Bind(t.Context(), &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "late"}, Target: corev1.ObjectReference{Name: "n1"},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 3 {
		select {
		case e := <-w.ResultChan():
			got = append(got, string(e.Type)+" "+nameOf(e.Object).Name)
		case <-time.After(10 * time.Second):
			t.Fatalf("after %v nothing more comes", got)
		}
	}
	if diff := cmp.Diff([]string{"ADDED early", "ADDED late", "DELETED late"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAWatchThatNobodyReadsHoldsUpNoWrite(t *testing.T) {
	_, client := newTestStore(t)
	w, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for i := range 500 {
		mustCreate(t, client, aPod(fmt.Sprintf("p%d", i), nil))
	}
	for range 500 {
		if e := <-w.ResultChan(); e.Type != watch.Added {
			t.Fatalf("told %v", e)
		}
	}
}

func TestAWorkloadIsScaledByItsScale(t *testing.T) {
	_, client := newTestStore(t)
	deployments := client.AppsV1().Deployments("shop")
	labels := map[string]string{"app": "web"}
	made, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: aPod("web", nil).Spec},
		},
	}, metav1.CreateOptions{})
	if err != nil || *made.Spec.Replicas != 1 || made.Generation != 1 {
		t.Fatalf("made %+v (%v)", made, err)
	}
	scale, err := deployments.GetScale(t.Context(), "web", metav1.GetOptions{})
	if err != nil || scale.Spec.Replicas != 1 || scale.Status.Selector != "app=web" {
		t.Fatalf("the scale is %+v (%v)", scale, err)
	}
	scale.Spec.Replicas = 3
	if _, err := deployments.UpdateScale(t.Context(), "web", scale, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := deployments.UpdateScale(t.Context(), "web", scale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("the old scale again gives %v", err)
	}
	if made, err = deployments.Get(t.Context(), "web", metav1.GetOptions{}); err != nil || *made.Spec.Replicas != 3 || made.Generation != 2 {
		t.Errorf("the deployment is %+v (%v)", made, err)
	}
}
