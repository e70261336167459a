package ui

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// filterPlugins are those of the default profile, in their order.
var filterPlugins = []string{
	"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions",
	"NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures",
}

// aStep is a plugin that was asked about some nodes and refused some of them.
func aStep(stage, plugin string, asked, refused int) report.Step {
	step := report.Step{Stage: stage, Plugin: plugin, Asked: asked, Rejected: new(refused), Left: asked - refused, Outcome: report.Passed}
	if refused > 0 {
		step.Outcome = report.Rejected
	}
	return step
}

// quiet is a plugin that was not asked.
func quiet(stage, plugin string, left int, outcome report.Outcome, what string) report.Step {
	return report.Step{Stage: stage, Plugin: plugin, Rejected: new(0), Left: left, Outcome: outcome, What: what}
}

// checkoutWay is the report of the mock-ups with the way of the drawn Trace.
func checkoutWay() *report.Report {
	r := checkoutReport()
	filter := report.Stage{
		Name: report.StageFilter, Outcome: report.Rejected, From: 12,
		Words: "Each node passes the plugins in turn until one rejects it.",
	}
	refuses := map[string]struct {
		asked, refused int
		what, detail   string
		nodes          []string
	}{
		"NodeName":          {asked: 12},
		"NodeUnschedulable": {12, 1, "spot-a-01, cordoned", "spot-a-01: cordoned (spec.unschedulable).", []string{"spot-a-01"}},
		"TaintToleration": {
			11, 4, "3 dedicated=gpu, 1 NotReady",
			"gpu-a-01, gpu-b-01, gpu-c-01: dedicated=gpu:NoSchedule. spot-b-01: not-ready:NoExecute, not-ready:NoSchedule.",
			[]string{"gpu-a-01", "gpu-b-01", "gpu-c-01", "spot-b-01"},
		},
		"NodeAffinity": {
			7, 4, "3 disktype=hdd, 1 no label", "std-a-01, std-a-02, std-c-02: nodeSelector requires disktype=ssd; the nodes have disktype=hdd.",
			[]string{"std-a-01", "std-a-02", "std-c-02", "std-c-01"},
		},
		"NodeResourcesFit": {
			3, 3, "need cpu 350m, 1.2, 3.1 more", "std-b-02, spot-c-01, std-b-01 need cpu 350m to 3.1 more: requests 4, free 900m to 3.65.",
			[]string{"std-b-02", "spot-c-01", "std-b-01"},
		},
	}
	for _, plugin := range filterPlugins {
		step := quiet(report.StageFilter, plugin, 0, report.Unreached, "not reached: no node is left")
		if plugin == "NodePorts" {
			step = quiet(report.StageFilter, plugin, 3, report.Skipped, "skipped: no host ports")
		}
		if of, ok := refuses[plugin]; ok {
			step = aStep(report.StageFilter, plugin, of.asked, of.refused)
			step.What, step.Detail, step.Nodes = of.what, of.detail, of.nodes
		}
		filter.Steps = append(filter.Steps, step)
	}
	r.Cycle = &report.SchedulingCycle{Stages: slices.Concat(beforeFilter(), []report.Stage{
		filter,
		{
			Name: report.StagePostFilter, Outcome: report.Rejected, From: 12,
			Words: "No node is left. Would evicting pods of lower priority help?",
			Steps: []report.Step{
				quiet(report.StagePostFilter, "DynamicResources", 0, report.Skipped, "skipped: no claim to free"),
				quiet(report.StagePostFilter, "DefaultPreemption", 0, report.Rejected, "won't help on any node"),
			},
		},
		{Name: report.StageScore, Outcome: report.Unreached, Words: "Not reached: no node is left."},
		{Name: report.StageBind, Outcome: report.Unreached, Words: "Not reached: no node is left."},
	})}
	return r
}

// beforeFilter are the stages before Filter, which everything passes.
func beforeFilter() []report.Stage {
	queue := report.Stage{
		Name: report.StageQueue, Outcome: report.Passed, From: 12, To: 12, Words: "The pod is in the scheduling queue.",
	}
	for _, plugin := range []string{"SchedulingGates", "DynamicResources", "DefaultPreemption"} {
		queue.Steps = append(queue.Steps, aStep(report.StageQueue, plugin, 12, 0))
	}
	pre := report.Stage{
		Name: report.StagePreFilter, Outcome: report.Passed, From: 12, To: 12,
		Words: "Each plugin checks the pod once against all nodes.",
	}
	for _, plugin := range filterPlugins {
		pre.Steps = append(pre.Steps, aStep(report.StagePreFilter, plugin, 12, 0))
	}
	return []report.Stage{queue, pre}
}

// rankedWay is the way of a pod that fits four nodes. Running is where it is.
func rankedWay(running string) *report.Report {
	r := checkoutWay()
	r.Verdict = report.Schedulable
	filter := aStep(report.StageFilter, "NodeUnschedulable", 12, 8)
	filter.What, filter.Nodes = "8 cordoned", []string{"spot-a-01"}
	score := report.Stage{
		Name: report.StageScore, Outcome: report.Passed, From: 4, To: 4,
		Words: "Each plugin gives each node 0 to 100, times its weight. The highest sum wins.",
	}
	scorers := []struct {
		plugin string
		weight int64
		scores [4]int64
	}{
		{"TaintToleration", 3, [4]int64{100, 100, 100, 100}},
		{"NodeResourcesFit", 1, [4]int64{62, 50, 49, 40}},
		{"VolumeBinding", 1, [4]int64{0, 0, 0, 0}},
		{"PodTopologySpread", 2, [4]int64{0, 0, 0, 0}},
		{"DynamicResources", 2, [4]int64{0, 0, 0, 0}},
		{"NodeResourcesBalancedAllocation", 1, [4]int64{50, 48, 47, 46}},
		{"ImageLocality", 1, [4]int64{0, 0, 0, 0}},
	}
	for _, stage := range []string{report.StagePreScore, report.StageScore} {
		for _, name := range []string{"NodeAffinity", "InterPodAffinity"} {
			score.Steps = append(score.Steps, quiet(stage, name, 4, report.Skipped, "skipped: no preferred affinity"))
		}
	}
	for i, name := range []string{"std-c-01", "std-a-01", "std-a-02", "std-c-02"} {
		node := report.RankedNode{Node: name, First: i == 0}
		for _, s := range scorers {
			node.Scores = append(node.Scores, report.NodeScore{Node: name, Score: s.scores[i], Weight: s.weight, Plugin: s.plugin})
			node.Total += s.scores[i] * s.weight
		}
		r.Cycle.Ranked = append(r.Cycle.Ranked, node)
	}
	r.Cycle.Sample, r.Cycle.Running = 4, running
	r.Cycle.Where = "It would be scheduled on std-c-01: it scores 412, next std-a-01 398."
	if running != "" {
		r.Verdict = report.Scheduled
		r.Cycle.Where = "On std-c-01: it scores 412, next std-a-01 398 (simulated now, without this pod)."
	}
	r.Cycle.Stages = slices.Concat(beforeFilter(), []report.Stage{
		{
			Name: report.StageFilter, Outcome: report.Passed, From: 12, To: 4, Steps: []report.Step{filter},
			Words: "Each node passes the plugins in turn until one rejects it.",
		},
		{Name: report.StagePostFilter, Outcome: report.Unreached, Words: "Not reached: a node is left, so nothing is preempted."},
		score,
		{Name: report.StageBind, Outcome: report.Passed, From: 4, To: 1, Words: "It would be bound to std-c-01."},
	})
	return r
}
