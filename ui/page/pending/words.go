package pending

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/warnings"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	warned "github.com/kubectl-fathom/kubectl-fathom/ui/page/warnings"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// tally counts the pending pods by their verdict.
type tally struct {
	pods      int            // that exist
	explained map[string]int // by the STATE cell of their row
	open      int            // not explained yet
	suspended int            // pods of Jobs that a queue keeps suspended: they do not exist
	rejected  int            // pods that do not exist: admission rejected them
	byQuota   int            // of these, the ones that a ResourceQuota rejected
	said      string         // what kube-apiserver said of all of them, where nothing else explains it; "" where that differs
	resizes   int            // running pods whose resize in place is not done
}

// count counts the pods of the namespace's kinds.
func count(h page.Host, v *Verdicts) tally {
	t := tally{explained: map[string]int{}}
	namespace := h.Namespace()
	for kind := range rowed(h.Observed().Snapshot) {
		if namespace != "" && kind.Namespace() != namespace {
			continue
		}
		n := kind.Count()
		r := v.Of(kind)
		switch {
		case kind.Resize != nil:
			t.resizes++
			continue
		case kind.NotCreated != nil && kind.NotCreated.Queue != "":
			t.suspended += n
			continue
		case kind.NotCreated != nil:
			t.addRejected(n, r)
			continue
		case r == nil:
			t.open += n
		default:
			t.explained[r.State] += n
		}
		t.pods += n
	}
	return t
}

// addRejected counts pods that were not created; r is nil where they are not explained yet.
func (t *tally) addRejected(pods int, r *report.Report) {
	said := ""
	if r != nil && r.Admission != nil && len(r.Admission.Rejections) == 0 && len(r.Unknown) == 0 {
		said = r.Why
	}
	if t.rejected > 0 && said != t.said {
		said = ""
	}
	t.said = said
	t.rejected += pods
	if r != nil && isByQuota(r.Admission) {
		t.byQuota += pods
	}
}

// isByQuota reports whether a ResourceQuota, and nothing else, rejects pods.
func isByQuota(a *report.Admission) bool {
	return a != nil && len(a.Rejections) > 0 && !slices.ContainsFunc(a.Rejections, func(r report.Rejection) bool { return r.Plugin != "ResourceQuota" })
}

// blockers are the states of pending pods, in the order of the answer; others come last.
var blockers = []string{"unschedulable", "preempting", "queued", "gated", "no scheduler", "image", "not started", "fits now", "unknown"}

// Answer counts the pending pods, by what blocks them.
func (p *Page) Answer(width int) string {
	words, counts := counted(p, width)
	if !counts {
		return words
	}
	return p.cluster.around(words, width)
}

// counted is the answer but for what stands beside it; counts is false where nothing does.
func counted(p *Page, width int) (words string, counts bool) {
	o := p.Host.Observed()
	if o.IsReading() {
		return p.Host.ReadingWords(), false
	}
	if words := p.Query().NothingKept(); words != "" {
		return words, false
	}
	t := count(p.Host, p.verdicts)
	if t.pods+t.rejected+t.suspended+t.resizes == 0 {
		return p.warns.Lead() + p.idle.words(o), false
	}
	words = model.FormatCount(t.pods) + " pending" + o.AsOfWords()
	switch {
	case t.pods == 0:
		return p.Query().Filtered(p.warns.Lead()+t.nonePending(width), width), false
	case p.columns.limited:
		return p.Query().Filtered(words+". Reasons are unknown: "+o.NotRead("nodes")+".", width), false
	case p.verdicts.Hidden:
		return p.Query().Filtered(words+". Reasons are "+page.HiddenWords+"."+t.besides(), width), false
	}
	lead := warnings.Failing(o.Snapshot, o.AsOf(), o.NodeName)
	if lead != "" {
		lead += " "
	}
	lead = p.warns.Lead() + lead
	room := width - cells.Width(p.Query().Keeps()) - cells.Width(lead)
	return p.Query().Filtered(lead+t.fitting(words, room), width), true
}

// nonePending is the answer where no pod is pending, but something else is to be told. What kube-apiserver said of all
// pods that it rejected comes first.
func (t tally) nonePending(width int) string {
	if t.said == "" {
		return "No pending pods." + t.besides()
	}
	words := figures.Count(t.rejected, "pod", "pods") + " could not be created: " + model.Clean(t.said)
	t.rejected = 0
	if whole := words + ". No pending pods." + t.besides(); cells.Width(whole) <= width {
		return whole
	}
	return cells.Cut(words, width)
}

// fitting is the count with as many of its parts as fit width cells.
func (t tally) fitting(words string, width int) string {
	parts := t.parts()
	whole := words + joinedParts(parts) + "."
	if cells.Width(whole+t.besides()) <= width {
		return whole + t.besides()
	}
	for left := len(parts); cells.Width(whole+t.besidesShort()) > width && left > 2; {
		left--
		other := 0
		for _, part := range parts[left-1:] {
			other += part.pods
		}
		whole = words + joinedParts(append(slices.Clone(parts[:left-1]), blockedPods{other, "other"})) + "."
	}
	for _, short := range []string{whole + t.besidesShort(), whole, words + "." + t.besidesShort()} {
		if cells.Width(short) <= width {
			return short
		}
	}
	return words + "."
}

// blockedPods is how many pods something blocks.
type blockedPods struct {
	pods int
	by   string
}

// parts are the counts of the answer, in its order.
func (t tally) parts() []blockedPods {
	var parts []blockedPods
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(t.explained)), func(by string) bool { return slices.Contains(blockers, by) })
	for _, by := range slices.Concat(blockers, others) {
		if n := t.explained[by]; n > 0 {
			parts = append(parts, blockedPods{n, by})
		}
	}
	if t.open > 0 {
		parts = append(parts, blockedPods{t.open, "being explained"})
	}
	return parts
}

func joinedParts(parts []blockedPods) string {
	words := make([]string, len(parts))
	for i, part := range parts {
		words[i] = model.FormatCount(part.pods) + " " + part.by
	}
	return ": " + strings.Join(words, ", ")
}

// besides is what there is besides pending pods: pods that do not exist, and resizes.
func (t tally) besides() string {
	return t.suspensions() + t.admissions() + t.resizing()
}

// resizing says how many running pods are not resized yet; "" if none is.
func (t tally) resizing() string {
	if t.resizes == 0 {
		return ""
	}
	return " " + figures.Count(t.resizes, "resize", "resizes") + " not done."
}

// suspensions say how many pods of suspended Jobs wait in a queue; "" without any.
func (t tally) suspensions() string {
	if t.suspended == 0 {
		return ""
	}
	return " " + model.FormatCount(t.suspended) + " queued in suspended Jobs."
}

// admissions say how many pods were rejected; "" if none was.
func (t tally) admissions() string {
	switch t.rejected {
	case 0:
		return ""
	case t.byQuota:
		return " " + model.FormatCount(t.rejected) + " rejected by quota."
	}
	return " " + model.FormatCount(t.rejected) + " could not be created."
}

// besidesShort is besides where there is less room.
func (t tally) besidesShort() string {
	var counts []string
	if t.rejected > 0 {
		counts = append(counts, model.FormatCount(t.rejected)+" not created")
	}
	if t.suspended > 0 {
		counts = append(counts, model.FormatCount(t.suspended)+" queued")
	}
	if t.resizes > 0 {
		counts = append(counts, figures.Count(t.resizes, "resize", "resizes"))
	}
	if len(counts) == 0 {
		return ""
	}
	return " " + strings.Join(counts, ", ") + "."
}

// idle is what is shown where no pods are pending.
type idle struct {
	scheduled int
	last      time.Time // when a pod was scheduled last
}

// newIdle counts the scheduled pods of the namespace.
func newIdle(h page.Host) idle {
	var i idle
	for _, pod := range page.InNamespace(h.Observed().Snapshot.Pods, h.Namespace()) {
		if pod.Object.Spec.NodeName == "" {
			continue
		}
		i.scheduled++
		for at := range pod.Object.Status.Conditions {
			c := &pod.Object.Status.Conditions[at]
			if c.Type == corev1.PodScheduled && c.LastTransitionTime.After(i.last) {
				i.last = c.LastTransitionTime.Time
			}
		}
	}
	return i
}

// words are the answer where no pods are pending.
func (i idle) words(o *page.Observed) string {
	words := fmt.Sprintf("No pending pods. %s scheduled", figures.Count(i.scheduled, "pod is", "pods are"))
	if !i.last.IsZero() {
		words += "; the last one was scheduled " + o.Since(i.last) + " ago"
	}
	return words + "."
}

// idleLines are the body where no pods are pending: nodes that are not ready or
// cordoned, warnings, and the node with the most free cpu.
func idleLines(o *page.Observed, warns []warnings.Warning) []string {
	if o.NotRead("nodes") != "" {
		return []string{cells.Blank(table.Gutter) + "Nodes are unknown: " + o.NotRead("nodes") + "."}
	}
	var unready, cordoned []string
	var best *model.Node
	for _, n := range o.Snapshot.Nodes {
		switch {
		case n.Ready != corev1.ConditionTrue:
			unready = append(unready, o.NodeName(n.Name)+forAge(o, n.ReadySince))
		case n.Cordoned:
			cordoned = append(cordoned, o.NodeName(n.Name)+forAge(o, n.CordonedSince()))
		case len(n.Object.Spec.Taints) == 0 && (best == nil || figures.FreeCPU(n) > figures.FreeCPU(best)):
			best = n
		}
	}
	var parts, lines []string
	if len(unready) > 0 {
		parts = append(parts, "NotReady: "+grammar.List(unready, grammar.Few)+".")
	}
	if len(cordoned) > 0 {
		parts = append(parts, "Cordoned: "+grammar.List(cordoned, grammar.Few)+".")
	}
	if len(parts) > 0 {
		lines = append(lines, strings.Join(append(parts, "Press 3 for Nodes."), " "))
	}
	for _, w := range warns {
		lines = append(lines, o.Brief(w.Long)+". "+warned.Leads(&w))
	}
	if best != nil {
		lines = append(lines, fmt.Sprintf("Most free cpu on a node without taints: %s, cpu %s, memory %s.", o.NodeName(best.Name),
			model.FormatCores(figures.FreeCPU(best), model.Down), model.FormatMemory(figures.FreeMemory(best), model.Down)))
	}
	for i, line := range lines {
		lines[i] = cells.Blank(table.Gutter) + model.Clean(line)
	}
	return lines
}

// forAge is " (4m)"; nothing where the time is unknown.
func forAge(o *page.Observed, since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return " (" + o.Since(since) + ")"
}
