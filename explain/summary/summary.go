// Package summary makes the sentences of a verdict: why a pod is pending, where it would
// be scheduled, what it waits for. The verdict and its figures stand already; nothing is
// decided here.
package summary

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Fill fills in the words about the whole once verdict, groups, plugins and figures of
// the report stand: Summary, State, Why, Facts, and the Words of each group. Rejections
// of a group have their words already.
func Fill(question *plugins.Question, facts *Facts, r *report.Report) {
	q := &podQuestion{Question: question, found: facts}
	for i := range r.Groups {
		r.Groups[i].Words = r.Groups[i].JoinClauses()
		if fits := r.Groups[i].Fits; facts.GangRejects && fits != nil && *fits {
			r.Groups[i].Words = "fits alone: " + grammar.List(r.Groups[i].Nodes, grammar.Few)
		}
	}
	tell := map[report.Verdict]func(*podQuestion, *report.Report) overall{
		report.Scheduled:     tellScheduled,
		report.Preempting:    tellPreempting,
		report.Gated:         tellGated,
		report.NotConsidered: tellNotConsidered,
		report.Schedulable:   tellSchedulable,
		report.Unschedulable: tellUnschedulable,
		report.Unknown:       tellUnknown,
	}[r.Verdict]
	told := withLanes(q, r, tell(q, r))
	if told.cause == "" {
		told.cause = told.state
	}
	if told.further != "" {
		told.summary += " " + told.further
	}
	r.Further = told.further
	r.Summary, r.State, r.BlockedBy, r.Facts = told.summary, told.state, told.cause, told.facts
	r.Why = report.Beside(told.cause, told.why)
}

// overall is the texts of a verdict.
type overall struct {
	summary string              // the answer in a sentence or two
	further string              // what follows the summary where there is room: about other nodes, or where a request is from
	over    corev1.ResourceName // of which more is requested than there is; "" where the pod is not too large
	state   string              // at most 13 cells
	cause   string              // what blocks the pod, at most 14 cells; "" where state says it
	why     string              // the point first, beside cause
	facts   []string            // for verdicts that are not about nodes
	lacks   string              // why without the node's name; "" where it names none
}

// tellPreempting says which pods a nominated pod is waiting for.
func tellPreempting(q *podQuestion, r *report.Report) overall {
	node, victims := q.Pod.Status.NominatedNodeName, q.found.Victims
	var last time.Time
	told := overall{state: "preempting"}
	for _, victim := range victims {
		if victim.DeletionTimestamp.After(last) {
			last = victim.DeletionTimestamp.Time
		}
		told.facts = append(told.facts, fmt.Sprintf("%s is terminating on %s, %s", plugins.FullName(victim), node, report.GraceLeft(victim.DeletionTimestamp.Time, q.Now)))
	}
	if sooner := endSooner(q.Question, victims); sooner != "" {
		told.facts = append(told.facts, sooner)
	}
	pods := grammar.Plural(len(victims), "pod")
	told.summary = fmt.Sprintf("Preempting: nominated to %s; %s terminating, %s.", node, pods, report.GraceLeft(last, q.Now))
	told.why = fmt.Sprintf("%s: %s terminating", node, pods)
	if last.After(q.Now) {
		told.why = fmt.Sprintf("%s: %s, %s left", node, pods, model.FormatAge(q.Now, last))
	}
	return told
}

// tellGated says why the pod does not enter the scheduler's queue.
func tellGated(q *podQuestion, _ *report.Report) overall {
	first, told := q.found.Gates[0], overall{state: "gated"}
	told.summary = fmt.Sprintf("%s: kube-scheduler does not consider it until %s.", first.What, first.Until)
	if first.Plugin == names.SchedulingGates {
		told.summary = fmt.Sprintf("%s until %s.", first.What, first.Until)
	}
	var shorts []string
	for i, h := range q.found.Gates {
		if i > 0 {
			told.summary += fmt.Sprintf(" Also: %s.", h.What)
		}
		shorts = append(shorts, h.Short)
		if h.Plugin != names.SchedulingGates { // whose reason only repeats the names of the gates
			told.facts = append(told.facts, h.Plugin+": "+h.Reason)
		}
		if h.Owner != "" {
			told.facts = append(told.facts, h.Owner)
		}
		if event := claimTrouble(q); h.Plugin == names.DynamicResources && event != nil {
			told.summary += fmt.Sprintf(" kube-controller-manager could not create it: %s.", strings.TrimSuffix(event.Message, "."))
		}
	}
	told.cause, told.why = first.Cause(q.Question), strings.Join(shorts, ", ")
	if told.cause == "queue" {
		told.state = "queued"
	}
	return told
}

// claimTrouble is the newest event that a ResourceClaim of the pod could not be created from its
// template (pkg/controller/resourceclaim); nil without one.
func claimTrouble(q *podQuestion) (newest *model.Event) {
	for i := range q.found.Events {
		event := &q.found.Events[i]
		if event.Reason == "FailedResourceClaimCreation" && (newest == nil || event.Last.After(newest.Last)) {
			newest = event
		}
	}
	return newest
}

// tellNotConsidered says why no scheduler handles the pod.
func tellNotConsidered(q *podQuestion, r *report.Report) overall {
	why := q.found.Scheduler.Why
	if q.Pod.DeletionTimestamp != nil {
		return overall{summary: "Not considered: " + why + ".", state: "being deleted", why: why, facts: []string{why}}
	}
	name := r.Pod.SchedulerName
	return overall{
		summary: fmt.Sprintf("Scheduler %q is not running: %s.", name, why),
		state:   "no scheduler",
		why:     fmt.Sprintf("%q is not running: %s", name, why),
		facts:   []string{"spec.schedulerName is " + name, why},
	}
}

// tellSchedulable names the nodes that fit, or the first of them, and says when
// the scheduler was seen.
func tellSchedulable(q *podQuestion, r *report.Report) overall {
	summary := "It fits " + grammar.Plural(r.Fits, "node") + " now" + firstWords(q) + "."
	why := "fits " + grammar.Plural(r.Fits, "node")
	down := r.Observed.Quiet != ""
	tried := attemptOf(q, r)
	r.Observed.Quiet = tried.quiet
	told := overall{summary: summary, state: "fits now", cause: "nothing", why: why}
	if tried.sentence != "" {
		told.summary, told.why = summary+" "+tried.sentence, why+"; "+tried.clause
	}
	if down {
		told.state, told.cause, told.why = "no scheduler", "no scheduler", tried.clause+"; "+why
	}
	return withGang(r, told)
}

// firstWords names the node that would be taken, after "It fits 4 nodes now".
func firstWords(q *podQuestion) string {
	var fit []string
	for _, node := range q.found.Free {
		fit = append(fit, node.Node().Name)
	}
	first := q.found.First
	likely := ""
	if q.found.Likely {
		likely = "likely "
	}
	switch {
	case len(fit) == 1 || len(first) == 0:
		return ": " + grammar.List(fit, grammar.Few)
	case len(first) == len(fit):
		return ", all equal: " + grammar.List(fit, grammar.Few)
	case len(first) > 1:
		return fmt.Sprintf(", %shighest-scoring are %s", likely, grammar.List(first, grammar.Few))
	}
	return ", " + likely + "highest-scoring is " + first[0]
}

// tellUnknown says what could not be read and what is unknown because of it.
func tellUnknown(q *podQuestion, r *report.Report) overall {
	told := overall{state: "unknown", summary: "Unknown."}
	for i, part := range r.Unknown {
		if i > 0 && len(part.Plugins) == 0 {
			continue // of no node
		}
		said := part.Why
		if len(part.Plugins) > 0 {
			said += ". " + listWord(part.Plugins) + " could not be evaluated"
		}
		told.facts = append(told.facts, said+".")
	}
	if len(told.facts) > 0 {
		told.summary, told.why = "Unknown: "+told.facts[0], r.Unknown[0].Why
		told.facts = told.facts[1:]
	}
	if r.Fits > 0 && slices.ContainsFunc(r.Unknown, func(part report.UnknownPart) bool { return part.Resource == scheduler.PluginError }) {
		told.facts = append(told.facts, fmt.Sprintf("It fits %s, but kube-scheduler gives up where a plugin fails on a node that it looks at.", grammar.Plural(r.Fits, "node")))
	}
	told.facts = append(told.facts, whatIsKnown(q)...)
	if g := r.Gang; g != nil && g.Scheduler != report.KubeScheduler {
		told.cause = "gang"
	}
	return told
}

// listWord names two plugins and counts the rest: "A, B and 8 more".
func listWord(plugins []string) string {
	if len(plugins) == 2 {
		return strings.Join(plugins, " and ")
	}
	return grammar.List(plugins, 2)
}
