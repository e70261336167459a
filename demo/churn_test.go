package demo

import (
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (c *Cluster) pod(t *testing.T, namespace, name string) corev1.Pod {
	t.Helper()
	list, err := c.Client().CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) == 0 {
		return corev1.Pod{}
	}
	return list.Items[0]
}

func (c *Cluster) of(t *testing.T, namespace, app string) []corev1.Pod {
	t.Helper()
	list, err := c.Client().CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func TestAPaymentsPodPreemptsAReportWhichComesBack(t *testing.T) {
	c := tellTest(t, FewestNodes, 1)
	if err := c.scaleLedger(1)(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "ledger runs and a report waits", func() bool {
		return c.pod(t, "payments", "ledger-0").Spec.NodeName == "std-c-01" && c.pod(t, "batch", "report-3").Status.Phase == corev1.PodPending
	})
	if err := c.scaleLedger(0)(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "the report is back", func() bool { return c.pod(t, "batch", "report-3").Spec.NodeName == "std-c-01" })
}

func TestWhatHappensEndsAsItBegan(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 19 s: rollouts run to their end")
	}
	c := tellTest(t, FewestNodes, 2)
	ctx := t.Context()
	until(t, "all that can be judged is", func() bool { return c.said(t)["shop/checkout"] != "" })
	before := c.of(t, "web", "api")
	for _, step := range []func() error{
		func() error { return c.rollOut("web", "api")(ctx) },
		func() error { return c.scaleDeployment("search", "query", 3)(ctx) },
		func() error { return c.compact(ctx) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "api was rolled, query has a third pod and the Job is complete", func() bool {
		old := func(p corev1.Pod) bool {
			return slices.ContainsFunc(before, func(b corev1.Pod) bool { return b.UID == p.UID })
		}
		api, query := c.of(t, "web", "api"), c.of(t, "search", "query")
		job, err := c.Client().BatchV1().Jobs("data").Get(ctx, "compact", metav1.GetOptions{})
		return running(api) == 3 && !slices.ContainsFunc(api, old) && running(query) == 3 && err == nil &&
			slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == batchv1.JobComplete })
	})
	if err := c.scaleDeployment("search", "query", 2)(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.forgetCompact(ctx); err != nil {
		t.Fatal(err)
	}
	var on []string
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("api and query are on %v; compact has %d pods", on, len(c.of(t, "data", "compact")))
		}
	})
	until(t, "the Job is gone with its pods, and each pod is where it was", func() bool {
		on = []string{}
		for _, pod := range append(c.of(t, "web", "api"), c.of(t, "search", "query")...) {
			on = append(on, pod.Spec.NodeName)
		}
		slices.Sort(on)
		return len(c.of(t, "data", "compact")) == 0 && slices.Equal(on, []string{"std-a-01", "std-a-02", "std-a-02", "std-c-01", "std-c-01"})
	})
}

func TestTheSameSeedTellsTheSameStory(t *testing.T) {
	names := func(seed uint64) (all []string) {
		c := tellTest(t, 30, seed)
		list, err := c.Client().CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			if pod := &list.Items[i]; time.Since(pod.CreationTimestamp.Time) > time.Minute {
				all = append(all, pod.Namespace+"/"+pod.Name+" "+string(pod.UID)+" "+pod.Spec.NodeName)
			}
		}
		return all
	}
	one, again, other := names(1), names(1), names(2)
	if !slices.Equal(one, again) {
		t.Error("the same seed tells another story")
	}
	if slices.Equal(one, other) {
		t.Error("another seed tells the same story")
	}
}
