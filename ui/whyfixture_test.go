package ui

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// checkoutName is the pod that the mock-ups of Why are about.
const checkoutName = "checkout-6c9d8b7f4-x2x1p"

// cores are amounts of cpu as screens show them, of one quantity or a range.
func cores(quantities string) string {
	var shown []string
	for quantity := range strings.SplitSeq(quantities, "–") {
		amount := resource.MustParse(quantity)
		shown = append(shown, model.FormatCPU(amount.MilliValue(), model.Nearest))
	}
	return strings.Join(shown, "–")
}

// checkoutReport says why shop/checkout waits, as in the mock-ups of Why.
func checkoutReport() *report.Report {
	seen := metav1.NewTime(now.Add(-2 * time.Minute))
	r := &report.Report{
		Pod: report.PodRef{
			Namespace: "shop", Name: checkoutName, UID: "pod-shop-" + checkoutName, QOSClass: "Burstable",
			Owner:    &report.OwnerRef{Kind: "Deployment", Name: "checkout"},
			Requests: map[string]string{"cpu": "4", "memory": "8Gi"},
		},
		Verdict:          report.Unschedulable,
		Summary:          "0 of 12 nodes fit. Closest: std-b-02 needs cpu 350m more.",
		SchedulerMessage: checkoutSaid,
		Observed:         report.Observed{Message: checkoutSaid, AttemptSeen: &seen, Agrees: new(true)},
		Preemption: &report.Preemption{
			Why:   "No pod of lower priority on the 3 nodes that lack only resources; the other 9 reject the pod for other reasons.",
			Short: "no lower-priority pod on otherwise suitable nodes",
		},
		Scheduler: report.SchedulerInfo{Library: "v1.37.1", Cluster: "v1.36.3", Profile: "default-scheduler, default profile assumed", Origin: "default profile assumed", Caveats: []string{"default profile assumed"}},
		Plugins: []report.PluginResult{
			{Name: "NodeUnschedulable", Rejects: 1},
			{Name: "TaintToleration", Rejects: 5, Alone: 3},
			{Name: "NodeAffinity", Rejects: 4, Alone: 4},
			{Name: "NodeResourcesFit", Rejects: 5, Alone: 3},
		},
		Total: 12, Others: 10, Revision: 1,
		Autoscaler: []report.AutoscalerWord{{
			Component: "cluster-autoscaler", Reason: "NotTriggerScaleUp", LastSeen: metav1.NewTime(now.Add(-3 * time.Minute)),
			Message: "pod didn't trigger scale-up: 2 max node group size reached, 1 node(s) had untolerated taint(s)",
		}},
	}
	fit := func(node string, requested, allocatable, short string) report.Rejection {
		return report.Rejection{
			Plugin: "NodeResourcesFit", Reason: "Insufficient cpu", Resolvable: true,
			What:    fmt.Sprintf("%s needs cpu %s more: the pod requests 4, allocatable %s, requested %s", node, cores(short), cores(allocatable), cores(requested)),
			Numbers: []report.Number{{Resource: "cpu", Wanted: "4", Requested: requested, Allocatable: allocatable, Short: short}},
			Short:   "needs cpu " + cores(short) + " more",
		}
	}
	taint := func(short string) report.Rejection {
		return report.Rejection{Plugin: "TaintToleration", What: "the pod does not tolerate " + short, Short: short}
	}
	near := fit("std-b-02", "12250m–15", "7900m–15900m", "350m–3100m")
	near.Short = "cpu: std-b-02 needs 350m, 2 others 1.2–3.1"
	near.Wider = []string{near.Short, "cpu: std-b-02 needs 350m, spot-c-01 1.2, std-b-01 3.1"}
	gpu := taint("dedicated=gpu:NoSchedule")
	gpu.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule, TimeAdded: new(metav1.NewTime(now.Add(-14 * 24 * time.Hour)))}}
	gpu.Wider = []string{"gpu-a-01, gpu-b-01, gpu-c-01: dedicated=gpu:NoSchedule"}
	disk := report.Rejection{
		Plugin: "NodeAffinity", What: "std-a-01, std-a-02, std-c-01 have disktype=hdd, std-c-02 has no label disktype; the pod requires disktype=ssd",
		Short: "node selector disktype=ssd: 3 have hdd, 1 has no label",
	}
	cordon := report.Rejection{Plugin: "NodeUnschedulable", What: "spot-a-01 is cordoned", Short: "cordoned"}
	group := func(words string, rejections []report.Rejection, nodes ...string) report.Group {
		return report.Group{Count: len(nodes), Nodes: nodes, Fits: new(false), Rejections: rejections, Words: words}
	}
	r.Groups = []report.Group{
		group(near.Short, []report.Rejection{near}, "std-b-02", "spot-c-01", "std-b-01"),
		group(gpu.Short, []report.Rejection{gpu}, "gpu-a-01", "gpu-b-01", "gpu-c-01"),
		group(disk.Short, []report.Rejection{disk}, "std-a-01", "std-a-02", "std-c-01", "std-c-02"),
		group("spot-b-01: NotReady; needs cpu 2 more", []report.Rejection{taint("NotReady"), fit("spot-b-01", "5900m", "7900m", "2")}, "spot-b-01"),
		group("spot-a-01: cordoned; needs memory 2Gi more", []report.Rejection{cordon, taint("cordoned"), fit("spot-a-01", "2800m", "7900m", "0")}, "spot-a-01"),
	}
	for _, n := range []struct{ name, requested, allocatable, short string }{
		{"std-b-02", "12250m", "15900m", "350m"}, {"spot-c-01", "5100m", "7900m", "1200m"}, {"std-b-01", "15", "15900m", "3100m"},
	} {
		r.Nodes = append(r.Nodes, report.NodeResult{
			Name: n.name, Fits: new(false), Rejections: []report.Rejection{fit(n.name, n.requested, n.allocatable, n.short)},
		})
	}
	for _, name := range []string{"std-a-01", "std-a-02", "std-c-01", "std-c-02"} {
		has, short := "has disktype=hdd", "has hdd"
		if name == "std-c-02" {
			has, short = "has no label disktype", "has no label"
		}
		r.Nodes = append(r.Nodes, report.NodeResult{Name: name, Fits: new(false), Rejections: []report.Rejection{{
			Plugin: "NodeAffinity", What: name + ": node selector requires disktype=ssd, the node " + has, Short: "node selector disktype=ssd, " + short,
		}}})
	}
	return r
}

// checkoutEvents are the events of the pod of the mock-ups.
func checkoutEvents() []model.Event {
	return []model.Event{
		{
			Type: "Warning", Reason: "FailedScheduling", Source: "default-scheduler", Message: checkoutSaid,
			Count: 3, First: now.Add(-14 * time.Minute), Last: now.Add(-2 * time.Minute),
		},
		{
			Type: "Normal", Reason: "NotTriggerScaleUp", Source: "cluster-autoscaler", Last: now.Add(-3 * time.Minute),
			Message: "pod didn't trigger scale-up: 2 max node group size reached, 1 node(s) had untolerated taint(s)",
		},
	}
}
