package demo

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/util/retry"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

func TestMain(m *testing.M) {
	explain.Silence() // as the program does: client-go writes of every watch that ends
	goleak.VerifyTestMain(m)
}

func startTest(t *testing.T, nodes int) *Cluster {
	t.Helper()
	c, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	for i := range nodes {
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i), Labels: map[string]string{corev1.LabelHostname: fmt.Sprintf("n%d", i)}},
			Status: corev1.NodeStatus{Capacity: corev1.ResourceList{
				"cpu": resource.MustParse("4"), "memory": resource.MustParse("16Gi"), "pods": resource.MustParse("110"),
			}},
		}
		node.Status.Allocatable = node.Status.Capacity
		if _, err := c.Client().CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		// The kubelet writes the node's status too, so this may be a conflict.
		if err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			made, err := c.Client().CoreV1().Nodes().Get(t.Context(), node.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			made.Status.Capacity, made.Status.Allocatable = node.Status.Capacity, node.Status.Allocatable
			_, err = c.Client().CoreV1().Nodes().UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func template(app, cpu string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "app", Image: "app:1", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu)}},
		}}},
	}
}

func (c *Cluster) deploy(t *testing.T, app, cpu string, replicas int32) {
	t.Helper()
	if _, err := c.Client().AppsV1().Deployments("default").Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}, Template: template(app, cpu),
		},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (c *Cluster) podsOf(t *testing.T, app string) []corev1.Pod {
	t.Helper()
	list, err := c.Client().CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// until waits for something to become true, and says what did not.
func until(t *testing.T, says string, holds func() bool) {
	t.Helper()
	const limit = 3 * time.Minute // so that a test that hangs ends; it says nothing about speed
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("after %v it does not hold that %s", limit, says)
}

func running(pods []corev1.Pod) int {
	n := 0
	for i := range pods {
		if pods[i].Status.Phase == corev1.PodRunning && pods[i].DeletionTimestamp == nil {
			n++
		}
	}
	return n
}

func TestPodsOfWorkloadsStartAndComeBackAfterAnEviction(t *testing.T) {
	c := startTest(t, 3)
	c.deploy(t, "web", "1", 6)
	until(t, "six pods of web run", func() bool { return running(c.podsOf(t, "web")) == 6 })
	evicted := c.podsOf(t, "web")[0]
	if err := c.Client().CoreV1().Pods("default").EvictV1(t.Context(), &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: evicted.Name},
	}); err != nil {
		t.Fatal(err)
	}
	until(t, "the evicted pod is gone and six run again", func() bool {
		pods := c.podsOf(t, "web")
		return running(pods) == 6 && len(pods) == 6 && !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.UID == evicted.UID })
	})
}

func TestWhatAWorkloadThatIsGoneLeavesBehindIsDeleted(t *testing.T) {
	c := startTest(t, 1)
	pods := c.Client().CoreV1().Pods("default")
	set, err := c.Client().AppsV1().ReplicaSets("default").Create(t.Context(), &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       appsv1.ReplicaSetSpec{Replicas: new(int32(2)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: template("web", "1")},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "two pods run", func() bool { return running(c.podsOf(t, "web")) == 2 })
	if err := c.Client().AppsV1().ReplicaSets("default").Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "they are gone", func() bool { return len(c.podsOf(t, "web")) == 0 })
	late := template("web", "1")
	late.Name = "late"
	late.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))}
	made, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: late.ObjectMeta, Spec: late.Spec}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "one made after its owner went is gone too", func() bool {
		_, err := pods.Get(t.Context(), made.Name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

func TestAPodThatFitsNowhereIsToldSoByTheRealScheduler(t *testing.T) {
	c := startTest(t, 3)
	c.deploy(t, "big", "5", 1)
	want := "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
	until(t, "the condition says "+want, func() bool { // a first one may be of the nodes that were known by then
		pods := c.podsOf(t, "big")
		return len(pods) == 1 && len(pods[0].Status.Conditions) > 0 && pods[0].Status.Conditions[0].Message == want
	})
}

func TestANoExecuteTaintThrowsPodsOut(t *testing.T) {
	c := startTest(t, 2)
	c.deploy(t, "web", "1", 4)
	until(t, "four pods run", func() bool { return running(c.podsOf(t, "web")) == 4 })
	patch := []byte(`{"spec":{"taints":[{"key":"broken","effect":"NoExecute"}]}}`)
	if _, err := c.Client().CoreV1().Nodes().Patch(t.Context(), "n0", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "all pods run on n1", func() bool {
		pods := c.podsOf(t, "web")
		return running(pods) == 4 && !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.Spec.NodeName != "n1" })
	})
}

func TestASilentNodeBecomesNotReadyAndComesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 16 s: a node is found not ready only after its grace period")
	}
	c := startTest(t, 2)
	ready := func(want corev1.ConditionStatus) func() bool {
		return func() bool {
			node, err := c.Client().CoreV1().Nodes().Get(t.Context(), "n0", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
			tainted := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnreachable })
			return at >= 0 && node.Status.Conditions[at].Status == want && tainted == (want != corev1.ConditionTrue)
		}
	}
	until(t, "n0 is ready", ready(corev1.ConditionTrue))
	c.Silence("n0", true)
	until(t, "n0 is unknown and tainted", ready(corev1.ConditionUnknown))
	c.Silence("n0", false)
	until(t, "n0 is ready again", ready(corev1.ConditionTrue))
}

func TestABudgetIsCountedAndHolds(t *testing.T) {
	c := startTest(t, 2)
	c.deploy(t, "web", "1", 2)
	two := intstr.FromInt32(2)
	if _, err := c.Client().PolicyV1().PodDisruptionBudgets("default").Create(t.Context(), &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &two, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the budget counts two healthy pods", func() bool {
		budget, err := c.Client().PolicyV1().PodDisruptionBudgets("default").Get(t.Context(), "web", metav1.GetOptions{})
		return err == nil && budget.Status.CurrentHealthy == 2 && budget.Status.ObservedGeneration == budget.Generation
	})
	err := c.Client().CoreV1().Pods("default").EvictV1(t.Context(), &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: c.podsOf(t, "web")[0].Name},
	})
	if !apierrors.IsTooManyRequests(err) {
		t.Errorf("an eviction gives %v", err)
	}
}

func TestAQuotaRefusesAndAJobEnds(t *testing.T) {
	c := startTest(t, 1)
	if _, err := c.Client().CoreV1().ResourceQuotas("default").Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "compute"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"requests.cpu": resource.MustParse("1")}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	one := template("job", "800m")
	one.Spec.RestartPolicy = corev1.RestartPolicyNever
	one.Annotations = map[string]string{"demo.fathom/runs-for": "2s"}
	if _, err := c.Client().BatchV1().Jobs("default").Create(t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "job"}, Spec: batchv1.JobSpec{Template: one},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the Job is complete", func() bool {
		job, err := c.Client().BatchV1().Jobs("default").Get(t.Context(), "job", metav1.GetOptions{})
		return err == nil && job.Status.Succeeded == 1
	})
	c.deploy(t, "big", "2", 1)
	until(t, "the quota refuses the pod of big", func() bool {
		sets, err := c.Client().AppsV1().ReplicaSets("default").List(t.Context(), metav1.ListOptions{})
		return err == nil && len(sets.Items) == 1 && len(sets.Items[0].Status.Conditions) == 1 &&
			sets.Items[0].Status.Conditions[0].Type == appsv1.ReplicaSetReplicaFailure
	})
}

// The quota controller and quota admission count what their informers have, here as on
// every cluster: the quota comes after a Deployment that the controllers have, and dry
// runs tell when admission has the quota.
func TestAQuotaCountsObjectsOfEveryKind(t *testing.T) {
	const deployments = "count/deployments.apps"
	c := startTest(t, 1)
	c.deploy(t, "first", "100m", 1)
	until(t, "the controllers have the first Deployment", func() bool {
		first, err := c.Client().AppsV1().Deployments("default").Get(t.Context(), "first", metav1.GetOptions{})
		return err == nil && first.Status.ObservedGeneration > 0
	})
	if _, err := c.Client().CoreV1().ResourceQuotas("default").Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "objects"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{deployments: resource.MustParse("1")}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the quota has counted the first Deployment", func() bool {
		quota, err := c.Client().CoreV1().ResourceQuotas("default").Get(t.Context(), "objects", metav1.GetOptions{})
		used := quota.Status.Used[deployments]
		return err == nil && used.Value() == 1
	})
	second := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "second"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "second"}}, Template: template("second", "100m"),
	}}
	want := `deployments.apps "second" is forbidden: exceeded quota: objects, requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1`
	create := func(options metav1.CreateOptions) string {
		if _, err := c.Client().AppsV1().Deployments("default").Create(t.Context(), second, options); err != nil {
			return err.Error()
		}
		return ""
	}
	until(t, "admission has the count and would refuse a second Deployment", func() bool {
		return create(metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}) == want
	})
	if got := create(metav1.CreateOptions{}); got != want {
		t.Errorf("a second Deployment: %q, want %q", got, want)
	}
}
