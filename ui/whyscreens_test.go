package ui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestWhyIsDrawnAsDesigned(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			app := whyOf(t, size.width, size.height, checkoutReport(), checkoutEvents())
			requireScreen(t, app)
		})
	}
}

// whyVerdicts are the answers that are not, or not only, about nodes.
var whyVerdicts = []struct {
	name string
	make func(r *report.Report)
}{
	{"gated", func(r *report.Report) {
		r.Verdict = report.Gated
		r.Summary = "Gated by example.com/budget until the gate is removed."
		r.Facts = []string{"The controller of example.com normally removes this gate; a gate that you remove cannot be added again."}
		r.SchedulerMessage = ""
		r.Observed = report.Observed{Message: "Scheduling is blocked due to non-empty scheduling gates"}
		r.Groups, r.Nodes, r.Preemption = nil, nil, nil
	}},
	{"no scheduler", func(r *report.Report) {
		r.Verdict = report.NotConsidered
		r.Summary = "Scheduler \"ml-scheduler\" is not running: no Lease, no events, no pods bound by it."
		r.Facts = []string{"spec.schedulerName is ml-scheduler"}
		r.SchedulerMessage, r.Observed = "", report.Observed{}
		r.Groups, r.Nodes, r.Preemption = nil, nil, nil
	}},
	{"not started", func(r *report.Report) {
		r.Verdict = report.Scheduled
		r.Summary = "Scheduled to std-a-01 3m ago, not started: the image registry.example/cart:v9 cannot be pulled (403 Forbidden)."
		r.Facts = []string{"kubelet's message: failed to pull and unpack image \"registry.example/cart:v9\": 403 Forbidden"}
		r.SchedulerMessage, r.Observed = "", report.Observed{}
		r.Groups, r.Nodes, r.Preemption = nil, nil, nil
	}},
	{"not created", func(r *report.Report) {
		r.Verdict = report.NotCreated
		r.Summary = "Not created: ResourceQuota team-a/compute allows requests.cpu 20, 19.5 used, the pod needs 1."
		r.SchedulerMessage, r.Observed = "", report.Observed{}
		r.Facts = []string{"kube-apiserver's message: exceeded quota: compute"}
		r.Groups, r.Nodes, r.Preemption = nil, nil, nil
	}},
	{"preempting", func(r *report.Report) {
		r.Verdict = report.Preempting
		r.Summary = "Preempting: nominated to std-c-01, 2 pods terminating, 18s of grace left."
		r.Facts = []string{"batch/report-3 is terminating on std-c-01, 18s of grace left", "web/front-5d8f9c6b4-q8z2m is terminating on std-c-01, 4s of grace left"}
	}},
	{"schedulable", func(r *report.Report) {
		r.Verdict = report.Schedulable
		r.Summary = "It fits 4 nodes now, std-a-01 first. kube-scheduler last tried 15s ago."
		r.Facts = []string{"It fits std-a-01, std-a-02, std-c-01 and std-c-02.", "kube-scheduler tries again by itself."}
		r.Groups[2].Fits, r.Groups[2].Rejections, r.Groups[2].Words = new(true), nil, "fit"
		r.SchedulerMessage, r.Preemption = "", nil
		r.Observed.Agrees = nil
	}},
	{"unknown", func(r *report.Report) {
		r.Verdict = report.Unknown
		r.Summary = "Unknown: not allowed to list nodes. NodeResourcesFit, TaintToleration and 8 more could not be evaluated."
		r.Facts = []string{"Not allowed to list nodes: see kube-scheduler's message."}
		r.SchedulerMessage, r.Preemption, r.Observed.Agrees = "", nil, nil
		r.Unknown = []report.UnknownPart{{Resource: "nodes", Why: "not allowed to list nodes", Plugins: []string{"NodeResourcesFit", "TaintToleration"}}}
		r.Groups, r.Nodes, r.Plugins = nil, nil, nil
	}},
	{"one plugin left open", func(r *report.Report) {
		r.Verdict = report.Unknown
		r.Summary = "Unknown: not allowed to list persistentvolumeclaims. VolumeBinding could not be evaluated."
		r.Facts = []string{"4 nodes would fit if VolumeBinding did not reject them."}
		r.SchedulerMessage, r.Preemption, r.Observed.Agrees = "", nil, nil
		r.Unknown = []report.UnknownPart{{
			Resource: "persistentvolumeclaims", Why: "not allowed to list persistentvolumeclaims", Plugins: []string{"VolumeBinding"},
		}}
		r.Groups[2].Fits, r.Groups[2].Rejections, r.Groups[2].Words = nil, nil, "not evaluated: VolumeBinding"
	}},
	{"refused before any node was looked at", func(r *report.Report) {
		r.Summary = `No node fits: persistentvolumeclaim "data" not found.`
		rejection := report.Rejection{
			Plugin: "VolumeBinding", Reason: `persistentvolumeclaim "data" not found`, PreFilter: true,
			What: `persistentvolumeclaim "data" not found`, Short: `persistentvolumeclaim "data" not found`,
		}
		r.Plugins = append(r.Plugins, report.PluginResult{Name: "VolumeBinding", Rejects: 12})
		r.Others--
		for i := range r.Groups {
			r.Groups[i].Rejections = append(r.Groups[i].Rejections, rejection)
			r.Groups[i].Words += "; " + rejection.Short
		}
	}},
	{"topology spread", func(r *report.Report) {
		r.Summary = "0 of 12 nodes fit. Closest: std-b-02, zone skew 3, maxSkew 1."
		spread := report.Rejection{
			Plugin: "PodTopologySpread", Reason: "node(s) didn't match pod topology spread constraints", Resolvable: true, Cause: "spread",
			What: "std-b-02, std-b-01: topology spread constraint on zone: 2 pods match app=checkout in zone=eu-1b", Short: "zone skew 3, maxSkew 1",
		}
		r.Plugins = append(r.Plugins, report.PluginResult{Name: "PodTopologySpread", Rejects: 3, Alone: 3})
		r.Groups[0].Rejections, r.Groups[0].Words, r.Groups[0].Nodes, r.Groups[0].Count = []report.Rejection{spread}, spread.Short, []string{"std-b-02", "std-b-01"}, 2
		r.Nodes = nil
		for _, node := range r.Groups[0].Nodes {
			own := spread
			own.What = strings.Replace(spread.What, "std-b-02, std-b-01", node, 1)
			r.Nodes = append(r.Nodes, report.NodeResult{Name: node, Fits: new(false), Rejections: []report.Rejection{own}})
		}
		r.Topology = []report.Topology{{
			Rule: report.SpreadRule, Key: corev1.LabelTopologyZone, Selector: "app=checkout", MaxSkew: 1, MinDomains: 1, Minimum: new(0),
			Domains: []report.Domain{
				{Name: "eu-1b", Nodes: 4, Pods: 2, Skew: new(3), Rejects: true},
				{Name: "eu-1a", Nodes: 4, Skew: new(1)},
				{Name: "eu-1c", Nodes: 4, Pods: 0, Skew: new(1), Excluded: "node selector or affinity rejects it"},
			},
		}}
	}},
	{"anti-affinity", func(r *report.Report) {
		r.Summary = "0 of 12 nodes fit. Closest: std-b-02 and 1 more, one per node: each has one."
		apart := report.Rejection{
			Plugin: "InterPodAffinity", Reason: "node(s) didn't match pod anti-affinity rules", Resolvable: true, Cause: "anti-affinity",
			What: "std-b-02: pod anti-affinity: 1 pod matches app=checkout in hostname=std-b-02: shop/checkout-2", Short: "one per node: each has one",
		}
		r.Plugins = append(r.Plugins, report.PluginResult{Name: "InterPodAffinity", Rejects: 2, Alone: 2})
		r.Groups[0].Rejections, r.Groups[0].Words, r.Groups[0].Nodes, r.Groups[0].Count = []report.Rejection{apart}, apart.Short, []string{"std-b-02", "std-b-01"}, 2
		r.Nodes = nil
		for i, node := range r.Groups[0].Nodes {
			own := apart
			own.What = fmt.Sprintf("%s: pod anti-affinity: 1 pod matches app=checkout in hostname=%[1]s: shop/checkout-%d", node, 2-i)
			r.Nodes = append(r.Nodes, report.NodeResult{Name: node, Fits: new(false), Rejections: []report.Rejection{own}})
		}
		t := report.Topology{Rule: report.ApartRule, Key: corev1.LabelHostname, Selector: "app=checkout"}
		for i, node := range []string{"std-b-01", "std-b-02", "gpu-a-01", "gpu-b-01", "gpu-c-01", "spot-a-01", "spot-b-01", "spot-c-01", "std-a-01", "std-a-02", "std-c-01", "std-c-02"} {
			d := report.Domain{Name: node, Nodes: 1}
			if i < 2 {
				d.Pods, d.Rejects, d.Names = 1, true, []report.PodName{{Namespace: "shop", Name: fmt.Sprintf("checkout-%d", i+1)}}
			}
			t.Domains = append(t.Domains, d)
		}
		r.Topology = []report.Topology{t}
	}},
	{"kube-scheduler says otherwise", func(r *report.Report) {
		r.Observed.Agrees = new(false)
		r.Observed.Message = "0/11 nodes are available: 11 Insufficient cpu. preemption: not eligible."
		r.Scheduler.Cluster = "v1.33.2"
	}},
	{"kube-scheduler said nothing yet", func(r *report.Report) { r.Observed = report.Observed{} }},
	{"kube-scheduler is quiet", func(r *report.Report) {
		r.Observed.Quiet = "kube-scheduler may be down: Lease last renewed 3m ago (kube-system/kube-scheduler)"
	}},
	{"the spec changed since", func(r *report.Report) {
		r.Observed.AttemptSeen, r.Observed.GenerationCurrent = nil, new(false)
		since := metav1.NewTime(now.Add(-14 * time.Minute))
		r.Observed.UnschedulableSince = &since
	}},
	{"preemption would help", func(r *report.Report) {
		r.Preemption = &report.Preemption{Possible: true, Node: "std-c-01", Victims: []report.Victim{
			{Namespace: "batch", Name: "report-3"}, {Namespace: "shop", Name: "cart-7b5c4d9f8-2kq8x", ViolatesPDB: true},
		}}
	}},
	{"more groups than rows", func(r *report.Report) {
		for i := range 40 {
			group := r.Groups[1]
			group.Words, group.Nodes = fmt.Sprintf("team=%02d:NoSchedule", i), []string{fmt.Sprintf("node-%02d", i)}
			group.Count = 1 + i
			r.Groups = append(r.Groups, group)
		}
		r.Total = 832
	}},
}

func TestWhyTellsEachVerdict(t *testing.T) {
	for _, test := range whyVerdicts {
		t.Run(test.name, func(t *testing.T) {
			report := checkoutReport()
			test.make(report)
			narrow := whyOf(t, 80, 24, report, checkoutEvents()[:1])
			wide := whyOf(t, 120, 40, report, checkoutEvents())
			golden.RequireEqual(t, screen(narrow)+"\n"+screen(wide))
		})
	}
}

func TestFixesThatHaveNoRowAreCounted(t *testing.T) {
	const tried = 15
	fixes := &report.Fixes{}
	for i := range tried {
		fixes.Tried = append(fixes.Tried, report.Fix{Title: fmt.Sprintf("tolerate team=%d:NoSchedule", i), Verified: true, NodesGained: 1})
	}
	counted := regexp.MustCompile(` (\d+) more ↓`)
	for height := 20; height <= 60; height++ {
		for _, width := range []int{80, 160} {
			r := checkoutReport()
			r.Tried = fixes
			app := whyOf(t, width, height, r, nil)
			drawn := screen(app)
			rows := strings.Count(drawn, "✓ tolerate team=")
			found := counted.FindAllStringSubmatch(drawn, -1)
			if rows > 1 && (len(found) == 0 || found[len(found)-1][1] != strconv.Itoa(tried-rows)) {
				t.Fatalf("%dx%d: %d of %d fixes are in view, and\n%s", width, height, rows, tried, drawn)
			}
		}
	}
}
