package ui

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// checkoutFixes are the fixes of shop/checkout, as in the mock-ups of Fixes and Why.
func checkoutFixes() *report.Fixes {
	rollout := report.Affected{Kind: "Deployment", Namespace: "shop", Name: "checkout", How: "rolls out to 5 pods: 2 running, 3 pending"}
	const (
		requests = "kubectl -n shop set resources deployment/checkout -c app --requests="
		rollback = "kubectl -n shop rollout undo deployment/checkout"
	)
	patch := func(patch string) string {
		return `kubectl -n shop patch deployment/checkout -p '{"spec":{"template":{"spec":` + patch + "}}}'"
	}
	template := func(title string, kind report.FixKind, command, undo string, placed int, nodes ...string) report.Fix {
		return report.Fix{
			Title: title, Kind: kind, Command: command, Undo: undo, Verified: true, Brief: "rolling update of 5 pods",
			NodesGained: len(nodes), Nodes: nodes, PodsPlaced: placed, Alike: 3, Affects: []report.Affected{rollout}, Steps: 1,
		}
	}
	refused := func(title string, kind report.FixKind, command, remains string, node string) report.Fix {
		return report.Fix{
			Title: title, Kind: kind, Command: command, Remaining: []string{remains}, Nodes: []string{node}, Alike: 3,
			Steps: 1, Actions: []report.Remedy{{Kind: kind, Nodes: []string{node}}},
		}
	}
	return &report.Fixes{Revision: 1, Tried: []report.Fix{
		template("request cpu 3.6 instead of 4", report.FixRequest,
			requests+"cpu=3600m", requests+"cpu=4", 1, "std-b-02"),
		template("tolerate dedicated=gpu:NoSchedule", report.FixTolerate,
			patch(`{"tolerations":[{"effect":"NoSchedule","key":"dedicated","operator":"Equal","value":"gpu"}]}`),
			rollback, 3, "gpu-a-01", "gpu-b-01", "gpu-c-01"),
		{
			Title: "evict batch/report-1 from std-b-02", Kind: report.FixEvict, Verified: true, Brief: "rescheduled on std-a-01",
			Command: `printf %s '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"report-1","namespace":"batch"}}' | ` +
				"kubectl create --raw /api/v1/namespaces/batch/pods/report-1/eviction -f -",
			NodesGained: 1, Nodes: []string{"std-b-02"}, PodsPlaced: 1, Alike: 3, Steps: 1,
			Actions: []report.Remedy{{Kind: report.FixEvict, Pods: []report.PodRef{{Namespace: "batch", Name: "report-1", UID: "pod-batch-report-1"}}}},
			Affects: []report.Affected{{Kind: "Pod", Namespace: "batch", Name: "report-1", How: "is rescheduled on std-a-01"}},
		},
		template("remove node selector disktype=ssd", report.FixSelector,
			patch(`{"nodeSelector":{"disktype":null}}`), rollback, 3, "std-a-01", "std-a-02", "std-c-01", "std-c-02"),
		{
			Title: "remove taint dedicated=gpu from 3 nodes", Kind: report.FixUntaint, Verified: true, Brief: "2 other workloads fit too",
			Command:     "kubectl taint nodes gpu-a-01 gpu-b-01 gpu-c-01 dedicated=gpu:NoSchedule-",
			Undo:        "kubectl taint nodes gpu-a-01 gpu-b-01 gpu-c-01 dedicated=gpu:NoSchedule",
			NodesGained: 3, Nodes: []string{"gpu-a-01", "gpu-b-01", "gpu-c-01"}, PodsPlaced: 3, Alike: 3, Steps: 1,
			Actions: []report.Remedy{{
				Kind: report.FixUntaint, Nodes: []string{"gpu-a-01", "gpu-b-01", "gpu-c-01"},
				Taint: &corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
			}},
			Affects: []report.Affected{
				{Kind: "Pod", Namespace: "web", Name: "front-5d8f9c6b4-8sd2l", How: "fits gpu-a-01 too"},
				{Kind: "Pod", Namespace: "search", Name: "index-2", How: "fits gpu-b-01 too"},
			},
		},
		refused("uncordon spot-a-01", report.FixUncordon, "kubectl uncordon spot-a-01", "still needs memory 2Gi more", "spot-a-01"),
		refused("evict web/front from spot-c-01", report.FixEvict, "", "still needs cpu 700m more", "spot-c-01"),
		{
			Title: "request cpu 2.8 instead of 4", Kind: report.FixRequest, NodesGained: 2, Nodes: []string{"std-b-02", "spot-c-01"}, Alike: 3,
			Command:   requests + "cpu=2800m",
			Remaining: []string{"4 pending pods may take the capacity"}, Affects: []report.Affected{rollout},
			Undo: requests + "cpu=4",
		},
	}}
}
