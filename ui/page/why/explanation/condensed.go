package explanation

import (
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
)

// Short draws the explanation in so many rows at most, or in one more where the second part needs
// two or an autoscaler has said something: the verdict, what a rollout changed or which pods were preempted, whether
// kube-scheduler agrees and what preemption could do, then the first fixes or, where the verdict is not about nodes,
// the first facts, and what the autoscaler said.
func Short(p *Drawing, rows int) []string {
	const indent = 3
	told := short{p}
	most, lines, wide := rows+1, told.verdictLines(rows), 2
	if len(told.scaling()) > 0 {
		rows, wide = rows+1, 1
	}
	if happened := told.happened(indent); len(happened) > 0 && p.AboutNodes() { // else they are among the facts
		lines, rows, wide = append(lines, happened...), rows+len(happened)-1, 1
	}
	if said := told.compared(); said != "" && !told.quotes() {
		wrapped := cells.First(cells.Wrap(said, p.Width-indent-1), wide, p.Width-indent)
		lines, rows = append(lines, cells.Indent(indent, wrapped)...), rows+len(wrapped)-1
	}
	rows = min(rows, most)
	if room := rows - len(lines); room > 0 {
		lines = append(lines, told.help(room)...)
	}
	lines = lines[:min(len(lines), rows)]
	for i, line := range lines {
		lines[i] = cells.Cut(line, p.Width)
		if p.old() {
			lines[i] = p.Styles.Dim.Render(lines[i])
		}
	}
	return lines
}

// short tells a page in a few lines.
type short struct{ page *Drawing }

// happened is which terminating pods the pod waits for and what a rollout changed, in a line each, and which pods
// named as this one were preempted, in what two lines leave.
func (t short) happened(indent int) (lines []string) {
	p := t.page
	for _, said := range []string{report.TerminatingSentence(p.Report, p.Now), report.RolloutSentence(p.Report, p.Now)} {
		if said != "" {
			lines = append(lines, strings.Repeat(" ", indent)+p.Brief(said))
		}
	}
	if preempted := report.PreemptedSentence(p.Report, p.Now); preempted != "" && len(lines) < 2 {
		wrapped := cells.Wrap(p.Brief(preempted), p.Width-indent-1)
		if len(wrapped) > 2-len(lines) {
			wrapped = cells.Wrap(p.Brief(report.PreemptedBriefly(p.Report)), p.Width-indent-1)
		}
		wrapped = cells.First(wrapped, 2-len(lines), p.Width-indent)
		lines = append(lines, cells.Indent(indent, wrapped)...)
	}
	return lines
}

// verdictLines are the verdict: of one that is not about nodes up to half of the room,
// as its end says what is wrong; where kube-apiserver's words are all that is known, all of it.
func (t short) verdictLines(room int) []string {
	if t.page.AboutNodes() {
		return []string{"   " + cells.CutNames(t.verdict(), t.page.Width-4)}
	}
	const indent = 3
	most := room / 2
	if t.quotes() {
		most = room
	}
	lines := cells.Wrap(t.verdict(), t.page.Width-indent-1)
	return cells.Indent(indent, cells.First(lines, max(1, most), t.page.Width-indent))
}

// quotes reports whether the verdict is what kube-apiserver said, and when, for nothing else explains it.
func (t short) quotes() bool {
	admission := t.page.Report.Admission
	return admission != nil && len(admission.Rejections) == 0
}

// verdict counts what rejects the nodes, most first; or it is the verdict's sentence, as where the pod is
// rejected before any node is looked at.
func (t short) verdict() string {
	r := t.page.Report
	before := func(rejection report.Rejection) bool { return rejection.PreFilter }
	if r.Verdict != report.Unschedulable || r.Total == 0 || len(r.Plugins) == 0 || len(r.Groups) > 0 && slices.ContainsFunc(r.Groups[0].Rejections, before) {
		return t.page.Verdict()
	}
	rejecting := slices.SortedStableFunc(slices.Values(r.Plugins), func(a, b report.PluginResult) int { return b.Rejects - a.Rejects })
	counts := make([]string, len(rejecting))
	for i, plugin := range rejecting {
		counts[i] = pluginnames.Name(plugin.Name) + " " + model.FormatCount(plugin.Rejects)
	}
	return r.FitCount() + ": " + strings.Join(counts, ", ")
}

// compared is whether kube-scheduler agrees, and what preemption could do.
func (t short) compared() string {
	p := t.page
	var said []string
	if quiet := p.Report.Observed.Quiet; quiet != "" {
		said = append(said, "! "+model.Clean(quiet))
	} else if agreement := p.Report.Agreement(p.Now); agreement.Text != "" {
		said = append(said, model.Clean(agreement.Text))
	}
	if sentence := p.Report.PreemptionClause(); sentence != "" {
		said = append(said, p.Brief(sentence))
	}
	return strings.Join(said, "; ")
}

// scaling is what autoscalers said or would do.
func (t short) scaling() (lines []string) {
	if scale := t.page.Report.Provisioning; scale != nil {
		return []string{"   " + model.Clean("AUTOSCALER "+scale.Summary)}
	}
	for _, word := range t.page.Report.Autoscaler {
		lines = append(lines, "   "+model.Clean("AUTOSCALER "+model.FormatAge(word.LastSeen.Time, t.page.Now)+" ago: "+word.Message))
	}
	return lines
}

// help is the first fixes, or the facts of a verdict that is not about nodes, and
// what an autoscaler said, which has a row of its own if there are two: two where it is too long for one and the second
// fix is not known to work.
func (t short) help(room int) []string {
	scaling := t.scaling()
	kept := min(len(scaling), max(room-1, 0), 1)
	if kept > 0 && room > 2 && t.spares() && cells.Width(scaling[0]) > t.page.Width {
		const indent = 3
		wrapped := cells.Indent(indent, cells.Wrap(strings.TrimSpace(scaling[0]), t.page.Width-indent-1))
		scaling = append(cells.First(wrapped, 2, t.page.Width), scaling[1:]...)
		kept = 2
	}
	lines := t.ways(room - kept)
	lines = append(lines[:min(len(lines), room-kept)], scaling...)
	return lines[:min(len(lines), room)]
}

// spares says whether the second fix is not known to work, and nothing but fixes and an autoscaler has rows below the
// verdict.
func (t short) spares() bool {
	p := t.page
	if !p.AboutNodes() || p.Report.Queue != nil || p.Report.Gang != nil {
		return false
	}
	return p.Fixes == nil || len(p.Fixes.Tried) < 2 || !p.Fixes.Tried[1].Verified
}

// firstFixes are as many fixes as have room, and how far their simulation is: better ones may come.
func (t short) firstFixes(room int) (lines []string) {
	p := t.page
	simulating := p.Fixes.Left > 0 && room > 1
	if simulating {
		room--
	}
	first := p.Fixes.Tried[:min(len(p.Fixes.Tried), room)]
	table := fixes.NewTable(first, p.Width, p.Domain, p.Styles)
	for i := range first {
		lines = append(lines, table.Row(&first[i]))
	}
	if simulating {
		lines = append(lines, p.Styles.Dim.Render("   simulating fixes: "+p.Fixes.Progress()))
	}
	return lines
}

// ways are the first fixes, or the facts of a verdict that is not about nodes, then what a queue and a
// gang wait for.
func (t short) ways(room int) []string {
	p := t.page
	var lines []string
	switch {
	case !report.IsFixable(p.Report) || !p.AboutNodes() && p.Fixes == nil:
		for _, fact := range p.facts() {
			if fact == lead(p) { // the verdict is above
				continue
			}
			lines = append(lines, "   "+p.Brief(fact))
		}
	case p.Unfixed != nil:
		lines = []string{"   fixes: not available: " + model.Clean(p.Unfixed.Error())}
	case p.Fixes == nil:
		lines = []string{p.Styles.Dim.Render("   simulating fixes")}
	case len(p.Fixes.Tried) == 0:
		const indent = 3
		lines = cells.First(cells.Indent(indent, cells.Wrap(p.Brief(p.Fixes.Sentence()), p.Width-indent-1)), room, p.Width)
	default:
		lines = t.firstFixes(room)
	}
	if q := p.Report.Queue; q != nil {
		for _, line := range q.Lines(p.Now) {
			lines = append(lines, "   "+model.Clean("QUEUE "+line))
		}
	}
	if p.Report.Gang != nil {
		lines = append(lines, "   "+model.Clean("GANG "+p.Report.GangSentence()))
	}
	return lines
}
