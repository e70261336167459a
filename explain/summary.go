package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// summarize fills in the words about the whole once verdict, groups, plugins and
// figures of the report stand: Summary, State, Why, Facts, and the Words of each
// group. Refusals of a group have their words already.
func summarize(q *podQuestion, r *report.Report) {
	for i := range r.Groups {
		r.Groups[i].Words = r.Groups[i].JoinClauses()
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
	r.Summary, r.State, r.Why, r.Facts = told.summary, told.state, told.why, told.facts
}

// overall is what a verdict comes to.
type overall struct {
	summary string   // the answer in a sentence or two
	state   string   // at most 13 cells
	why     string   // the point first
	facts   []string // for verdicts that are not about nodes
}

// tellPreempting tells what a nominated pod waits for.
func tellPreempting(q *podQuestion, r *report.Report) overall {
	node, victims := q.Pod.Status.NominatedNodeName, q.found.victims
	var last time.Time
	told := overall{state: "preempting"}
	for _, victim := range victims {
		if victim.DeletionTimestamp.After(last) {
			last = victim.DeletionTimestamp.Time
		}
		told.facts = append(told.facts, fmt.Sprintf("%s ends on %s, %s", plugins.FullName(victim), node, graceLeft(victim.DeletionTimestamp.Time, q.Now)))
	}
	pods, verb := grammar.Plural(len(victims), "pod"), "end"
	if len(victims) == 1 {
		verb = "ends"
	}
	told.summary = fmt.Sprintf("Preempting: nominated to %s, waits for %s to end, %s.", node, pods, graceLeft(last, q.Now))
	told.why = fmt.Sprintf("%s: %s %s now", node, pods, verb)
	if last.After(q.Now) {
		told.why = fmt.Sprintf("%s: %s %s in %s", node, pods, verb, model.FormatAge(q.Now, last))
	}
	return told
}

// graceLeft is the time that a pod has to end by itself.
func graceLeft(end, now time.Time) string {
	if end.After(now) {
		return model.FormatAge(now, end) + " of grace left"
	}
	return "grace has been over for " + model.FormatAge(end, now)
}

// tellGated tells what keeps the pod out of the scheduler's queue.
func tellGated(q *podQuestion, _ *report.Report) overall {
	first, told := q.found.gates[0], overall{state: "gated"}
	told.summary = fmt.Sprintf("%s: kube-scheduler does not look at it until %s.", first.what, first.until)
	var shorts []string
	for i, h := range q.found.gates {
		if i > 0 {
			told.summary += fmt.Sprintf(" %s, too.", h.what)
		}
		shorts = append(shorts, h.short)
		told.facts = append(told.facts, h.plugin+": "+h.reason)
		if h.owner != "" {
			told.facts = append(told.facts, h.owner)
		}
	}
	told.why = strings.Join(shorts, ", ")
	return told
}

// tellNotConsidered tells why no scheduler takes care of the pod.
func tellNotConsidered(q *podQuestion, r *report.Report) overall {
	why := q.found.scheduler.why
	if q.Pod.DeletionTimestamp != nil {
		return overall{summary: "Not considered: " + why + ".", state: "being deleted", why: why, facts: []string{why}}
	}
	name := r.Pod.SchedulerName
	told := overall{
		summary: fmt.Sprintf("No scheduler named %s is alive: %s.", name, why),
		state:   "no scheduler",
		why:     why,
		facts:   []string{"spec.schedulerName is " + name, why},
	}
	if rest, ok := strings.CutPrefix(why, "it "); ok {
		told.why = name + " " + rest
	}
	return told
}

// tellSchedulable names the nodes that fit, or the first of them, and says when
// the scheduler was seen.
func tellSchedulable(q *podQuestion, r *report.Report) overall {
	summary := "It fits " + grammar.Plural(r.Fits, "node") + " now" + firstWords(q) + "."
	why := grammar.Plural(r.Fits, "node")
	tried := attemptOf(q, r)
	r.Observed.Quiet = tried.quiet
	told := overall{summary: summary, state: "fits now", why: why}
	if tried.sentence != "" {
		told.summary, told.why = summary+" "+tried.sentence, why+"; "+tried.clause
	}
	return told
}

// tellUnknown tells what could not be read and what that leaves open.
func tellUnknown(q *podQuestion, r *report.Report) overall {
	told := overall{state: "unknown", summary: "Unknown."}
	for _, part := range r.Unknown {
		said := part.Why
		if len(part.Plugins) > 0 {
			said += ". " + listWord(part.Plugins) + " could not be run"
		}
		told.facts = append(told.facts, said+".")
	}
	if len(told.facts) > 0 {
		told.summary, told.why = "Unknown: "+told.facts[0], r.Unknown[0].Why
		told.facts = told.facts[1:]
	}
	told.facts = append(told.facts, asideFacts(q)...)
	return told
}

// listWord names two plugins and counts the rest: "A, B and 8 more".
func listWord(plugins []string) string {
	if len(plugins) == 2 {
		return strings.Join(plugins, " and ")
	}
	return grammar.List(plugins, 2)
}
