package ui

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

// filterPlugins are those of the default profile, in their order.
var filterPlugins = []string{
	"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions",
	"NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures",
}

// aStep is a plugin that was asked about some nodes and refused some of them.
func aStep(stage, plugin string, asked, refused int) explain.Step {
	step := explain.Step{Stage: stage, Plugin: plugin, Asked: asked, Refused: new(refused), Left: asked - refused, Outcome: explain.Passed}
	if refused > 0 {
		step.Outcome = explain.Refused
	}
	return step
}

// quiet is a plugin that was not asked.
func quiet(stage, plugin string, left int, outcome explain.Outcome, what string) explain.Step {
	return explain.Step{Stage: stage, Plugin: plugin, Refused: new(0), Left: left, Outcome: outcome, What: what}
}

// checkoutWay is the report of the mock-ups with the way of the drawn Trace.
func checkoutWay() *explain.Report {
	r := checkoutReport()
	filter := explain.Stage{
		Name: explain.StageFilter, Outcome: explain.Refused, From: 12,
		Words: "Each node is asked plugin after plugin and drops out at the first refusal.",
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
			7, 4, "3 disktype=hdd, 1 no label", "std-a-01, std-a-02, std-c-02: nodeSelector wants disktype=ssd, has disktype=hdd.",
			[]string{"std-a-01", "std-a-02", "std-c-02", "std-c-01"},
		},
		"NodeResourcesFit": {
			3, 3, "cpu short by 350m, 1.2, 3.1", "std-b-02, spot-c-01, std-b-01: cpu 350m–3100m short: wants 4, free 900m–3650m.",
			[]string{"std-b-02", "spot-c-01", "std-b-01"},
		},
	}
	for _, plugin := range filterPlugins {
		step := quiet(explain.StageFilter, plugin, 0, explain.Unreached, "not asked: no node is left")
		if plugin == "NodePorts" {
			step = quiet(explain.StageFilter, plugin, 3, explain.Skipped, "skipped: no host ports")
		}
		if of, ok := refuses[plugin]; ok {
			step = aStep(explain.StageFilter, plugin, of.asked, of.refused)
			step.What, step.Detail, step.Nodes = of.what, of.detail, of.nodes
		}
		filter.Steps = append(filter.Steps, step)
	}
	r.Way = &explain.Way{Stages: slices.Concat(beforeFilter(), []explain.Stage{
		filter,
		{
			Name: explain.StagePostFilter, Outcome: explain.Refused, From: 12,
			Words: "No node is left: is there one where ending pods of lower priority makes room?",
			Steps: []explain.Step{
				quiet(explain.StagePostFilter, "DynamicResources", 0, explain.Skipped, "skipped: no claim to free"),
				quiet(explain.StagePostFilter, "DefaultPreemption", 0, explain.Refused, "makes room on no node"),
			},
		},
		{Name: explain.StageScore, Outcome: explain.Unreached, Words: "Not reached: no node is left."},
		{Name: explain.StageBind, Outcome: explain.Unreached, Words: "Not reached: no node is left."},
	})}
	return r
}

// beforeFilter are the stages before Filter, which everything passes.
func beforeFilter() []explain.Stage {
	queue := explain.Stage{
		Name: explain.StageQueue, Outcome: explain.Passed, From: 12, To: 12, Words: "Nothing keeps the pod out of the scheduling queue.",
	}
	for _, plugin := range []string{"SchedulingGates", "DynamicResources", "DefaultPreemption"} {
		queue.Steps = append(queue.Steps, aStep(explain.StageQueue, plugin, 12, 0))
	}
	pre := explain.Stage{
		Name: explain.StagePreFilter, Outcome: explain.Passed, From: 12, To: 12,
		Words: "Each plugin looks at the pod and all nodes once; some leave nodes out.",
	}
	for _, plugin := range filterPlugins {
		pre.Steps = append(pre.Steps, aStep(explain.StagePreFilter, plugin, 12, 0))
	}
	return []explain.Stage{queue, pre}
}

// rankedWay is the way of a pod that fits four nodes. Running is where it is.
func rankedWay(running string) *explain.Report {
	r := checkoutWay()
	r.Verdict = explain.Schedulable
	filter := aStep(explain.StageFilter, "NodeUnschedulable", 12, 8)
	filter.What, filter.Nodes = "8 cordoned", []string{"spot-a-01"}
	score := explain.Stage{
		Name: explain.StageScore, Outcome: explain.Passed, From: 4, To: 4,
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
	for _, stage := range []string{explain.StagePreScore, explain.StageScore} {
		for _, name := range []string{"NodeAffinity", "InterPodAffinity"} {
			score.Steps = append(score.Steps, quiet(stage, name, 4, explain.Skipped, "skipped: no preferred affinity"))
		}
	}
	for i, name := range []string{"std-c-01", "std-a-01", "std-a-02", "std-c-02"} {
		node := explain.RankedNode{Node: name, First: i == 0}
		for _, s := range scorers {
			node.Scores = append(node.Scores, explain.NodeScore{Node: name, Score: s.scores[i], Weight: s.weight, Plugin: s.plugin})
			node.Total += s.scores[i] * s.weight
		}
		r.Way.Ranked = append(r.Way.Ranked, node)
	}
	r.Way.Sample, r.Way.Running = 4, running
	r.Way.Where = "It would go to std-c-01: it scores 412, next std-a-01 398."
	if running != "" {
		r.Verdict = explain.Scheduled
		r.Way.Where = "Why there: std-c-01 scores 412, next std-a-01 398. As of now, without this pod."
	}
	r.Way.Stages = slices.Concat(beforeFilter(), []explain.Stage{
		{
			Name: explain.StageFilter, Outcome: explain.Passed, From: 12, To: 4, Steps: []explain.Step{filter},
			Words: "Each node is asked plugin after plugin and drops out at the first refusal.",
		},
		{Name: explain.StagePostFilter, Outcome: explain.Unreached, Words: "Not reached: a node is left, so nothing is preempted."},
		score,
		{Name: explain.StageBind, Outcome: explain.Passed, From: 4, To: 1, Words: "It would be bound to std-c-01."},
	})
	return r
}
