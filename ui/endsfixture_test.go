package ui

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// owned gives a pod a controller.
func owned(p *corev1.Pod, kind, name string) *corev1.Pod {
	p.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID("owner-" + name), Controller: new(true),
	}}
	return p
}

// graced gives a pod's containers time to end.
func graced(p *corev1.Pod, seconds int64) *corev1.Pod {
	p.Spec.TerminationGracePeriodSeconds = &seconds
	return p
}

// threeReports are prod-eu where the pods of the mock-up of an eviction run.
func threeReports() *prodEU {
	c := newProdEU()
	c.keep(func(p *corev1.Pod) bool { return p.Name != "front-5d8f9c6b4-8sd2l" })
	front := ran(pod("web", "front-5d8f9c6b4-8sd2l", "500m", "512Mi", 2*day), "std-a-01")
	c.pods = append(c.pods, owned(front, "ReplicaSet", "front-5d8f9c6b4"))
	for _, p := range c.pods {
		switch p.Name {
		case "report-1", "report-2":
			owned(p, "Job", p.Name)
		}
	}
	return c
}

// foretold puts fates into plans, by the pods' names.
func foretold(fates map[string]plan.Fate) func(*plan.Plan) {
	return func(p *plan.Plan) {
		forecast := &plan.Forecast{Fates: map[types.UID]plan.Fate{}}
		for _, end := range p.Ends {
			if fate, ok := fates[end.Pod.Object.Name]; ok {
				forecast.Fates[end.Pod.Object.UID] = fate
			}
		}
		p.Foretell(forecast)
	}
}

// frontBudget is a budget that lets one pod go.
var frontBudget = plan.Budget{Allows: plan.BudgetAllows, Name: "front", Left: 1}

// reportFates are those of the mock-up of an eviction.
var reportFates = map[string]plan.Fate{
	"report-1":              {Outcome: plan.Lands, Node: "std-a-01", Budget: plan.Budget{Allows: plan.BudgetAllows}},
	"report-2":              {Outcome: plan.Lands, Node: "std-c-01", Budget: plan.Budget{Allows: plan.BudgetAllows}},
	"front-5d8f9c6b4-8sd2l": {Outcome: plan.Waits, Why: "a pending front pod takes the capacity", Budget: frontBudget},
}

// drained is std-a-02 with the pods of the mock-up of a drain: 11 that go, 3 that stay.
func drained() *prodEU {
	c := newProdEU()
	c.keep(func(p *corev1.Pod) bool { return p.Spec.NodeName != "std-a-02" && p.Name != "cart-7b5c4d9f8-9fj4w" })
	add := func(namespace, name, kind string, grace int64) *corev1.Pod {
		p := graced(ran(pod(namespace, name, "1", "1Gi", 3*time.Hour), "std-a-02"), grace)
		if kind != "" {
			owned(p, kind, "of-"+name)
		}
		c.pods = append(c.pods, p)
		return p
	}
	add("dev", "shell-anna", "", 60)
	add("search", "index-1", "StatefulSet", 30)
	add("shop", "cart-7b5c4d9f8-9fj4w", "ReplicaSet", 30)
	cache := add("web", "cache-0", "StatefulSet", 30)
	cache.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	add("batch", "report-2", "ReplicaSet", 30)
	for i := range 6 {
		add("team-a", fmt.Sprintf("worker-%d", i), "ReplicaSet", 30)
	}
	add("kube-system", "proxy-1", "DaemonSet", 30)
	add("kube-system", "logs-1", "DaemonSet", 30)
	static := add("kube-system", "etcd-std-a-02", "", 30)
	static.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "1"}
	return c
}

// drainFates are those of the mock-up of a drain.
func drainFates() map[string]plan.Fate {
	allowed := plan.Budget{Allows: plan.BudgetAllows}
	fates := map[string]plan.Fate{
		"shell-anna":           {Outcome: plan.Lost, Budget: allowed},
		"index-1":              {Outcome: plan.Waits, Why: "volume in eu-1a; needs cpu 1.2 more", Budget: allowed},
		"cart-7b5c4d9f8-9fj4w": {Outcome: plan.Lands, Node: "std-c-01", Budget: plan.Budget{Allows: plan.BudgetWaits, Name: "cart", Why: "3 healthy pods, 3 needed"}},
		"cache-0":              {Outcome: plan.Lands, Node: "std-c-01", Budget: allowed},
		"report-2":             {Outcome: plan.Lands, Node: "std-a-01", Budget: allowed},
	}
	for i := range 6 {
		fates[fmt.Sprintf("worker-%d", i)] = plan.Fate{Outcome: plan.Lands, Node: "std-a-01", Budget: allowed}
	}
	return fates
}

// going are the pods of a node that kubectl drain's filters let go.
func (c *prodEU) going(node string) []types.UID {
	var uids []types.UID
	for _, p := range c.pods {
		static := p.Annotations[corev1.MirrorPodAnnotationKey] != ""
		daemon := len(p.OwnerReferences) > 0 && p.OwnerReferences[0].Kind == "DaemonSet"
		if p.Spec.NodeName == node && !static && !daemon {
			uids = append(uids, p.UID)
		}
	}
	return uids
}
