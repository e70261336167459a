package why

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/messages"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/rejectiongroup"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/trace"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// Crumbs are the list that one came from, and the pod.
func (w *Page) Crumbs() []string {
	view := "pending"
	if !w.pod.Waits {
		view = "pods"
	}
	return []string{view, page.PodName(w.Host, w.pod)}
}

// Answer is the verdict in one sentence.
func (w *Page) Answer(int) string {
	r := w.draw.Report
	switch {
	case w.asks.explains.Trouble != nil:
		return "Not available: " + model.Clean(w.asks.explains.Trouble.Error())
	case r == nil && w.draw.Gone:
		return page.Deleted(w.Host.Observed(), w.pod, "")
	case r == nil:
		return waiting(w.Host, w.pod)
	case w.draw.Gone:
		return page.Deleted(w.Host.Observed(), w.pod, w.draw.Brief(r.Summary))
	}
	if awaited := page.Awaited(w.Host.Observed(), w.pod); awaited != "" {
		return awaited
	}
	if outdated(w) {
		return model.Clean(page.PodName(w.Host, w.pod) + " is on " + w.Host.Observed().NodeName(w.pod.Object.Spec.NodeName) + " now.")
	}
	return w.draw.Verdict()
}

// outdated reports whether the pod has a node that the newest explanation does not know of.
func outdated(w *Page) bool {
	r := w.draw.Report
	if r == nil || w.draw.Gone || w.pod.Object.Spec.NodeName == "" {
		return false
	}
	switch r.Verdict {
	case report.Unschedulable, report.Schedulable, report.Preempting, report.Gated:
		return true
	case report.Scheduled, report.Unknown, report.NotConsidered, report.NotCreated:
	}
	return false
}

// dressed is the page as it is drawn now.
func (w *Page) dressed() *explanation.Drawing {
	d := &w.draw
	d.Now, d.Styles, d.Levels = w.Host.Observed().AsOf(), w.Host.Styles(), w.Host.Levels()
	d.PodsUnknown = w.Host.Observed().PodsUnknown()
	d.Width, d.Height = w.Width, w.Height
	d.Fixes, d.Unfixed = w.asks.tries.Value, w.asks.tries.Trouble
	d.Explaining = w.asks.explains.Slow || outdated(w)
	if d.InPlace = ""; d.Gone {
		d.InPlace = page.InPlaceOf(w.Host.Observed(), w.pod)
	}
	d.Snapshot, d.Pod, d.Domain = w.Host.Observed().Snapshot, w.pod, w.Host.Observed().Domain
	return d
}

// Body implements page.View.
func (w *Page) Body() []string {
	lines := linesOf(w.dressed())
	drawn := make([]string, len(lines))
	for i, line := range lines {
		drawn[i] = line.Text
	}
	return drawn
}

// Note is the selected row's text if it was cut, else the answer if that was.
func (w *Page) Note() string {
	d := w.dressed()
	if d.Report == nil {
		return ""
	}
	if text, room := d.ChosenText(); cells.Width(text) > room {
		return text
	}
	if d.AboutNodes() && !explanation.ShowsRest(d) {
		return explanation.RestOfVerdict(d)
	}
	return ""
}

// Selected is the pod; on a row of a node it is that node.
func (w *Page) Selected() page.Selection {
	if w.draw.Cursor.Part == explanation.PartNodes && w.draw.Report != nil {
		if g, ok := w.draw.Group(); ok && w.draw.Cursor.Row < len(g.Nodes) {
			name := g.Nodes[w.draw.Cursor.Row]
			node, _ := w.Host.Observed().Snapshot.Node(name)
			return page.Selection{Ref: model.Ref{Resource: "nodes", Name: name}, Node: node, Copy: name}
		}
	}
	return page.Selection{Ref: page.SelectPod(w.pod).Ref, Pod: w.pod, Copy: w.pod.FullName()}
}

// Places implements page.View.
func (w *Page) Places() keymap.Place {
	if w.Selected().Ref.Resource == "nodes" {
		return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnGroup | keymap.OnPod | keymap.PodFacts
}

// Footer implements page.View.
func (w *Page) Footer() []page.Key {
	open := "open"
	if w.draw.Cursor.Part == explanation.PartGroups {
		open = "nodes"
	}
	if w.draw.Cursor.Part == explanation.PartNodes {
		return append([]page.Key{{Do: keymap.Open, Word: "pods"}}, page.Keys(keymap.Explain, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.NodeMap, keymap.Trace, keymap.Words, keymap.More, keymap.Close)...)
	}
	return append([]page.Key{{Do: keymap.Open, Word: open}, {Do: keymap.Fixes, Word: "all fixes"}}, page.Keys(keymap.Preempt, keymap.Trace, keymap.Words, keymap.Describe, keymap.YAML, keymap.Copy, keymap.NodeMap, keymap.More, keymap.Fit, keymap.Close)...)
}

// Off tells why a key can do nothing here.
func (w *Page) Off(do keymap.Action) string {
	switch do {
	case keymap.GoNode:
		return page.OffPod(w.Host.Observed(), do, w.draw.Gone, w.Selected())
	case keymap.Fixes, keymap.Preempt, keymap.Fit:
		return page.OffPod(w.Host.Observed(), do, w.draw.Gone, page.SelectPod(w.pod))
	case keymap.Open:
		if _, ok := w.draw.Openable(); !ok && w.draw.Cursor.Part != explanation.PartFixes {
			return "this row has no nodes."
		}
	case keymap.NodeMap:
		if w.draw.Report == nil || !w.draw.AboutNodes() {
			return "no nodes were evaluated for this pod."
		}
	case keymap.Explain:
		if w.Selected().Ref.Resource != "nodes" {
			return "this page explains the pod."
		}
	case keymap.Words, keymap.Copy, keymap.Trace:
		return offAnswer(w, do)
	case keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Wide:
		return "not available on this page."
	}
	return ""
}

// offAnswer tells why a key about the answer can do nothing.
func offAnswer(w *Page, do keymap.Action) string {
	switch {
	case do == keymap.Trace && !w.pod.Exists():
		return w.pod.FullName() + " has no pod yet."
	case do != keymap.Trace && w.draw.Report == nil:
		return "the pod is still being explained."
	}
	return ""
}

// ShowsUsage says that the figures behind a shortage tell what is used.
func (w *Page) ShowsUsage() bool { return w.draw.Report != nil && w.draw.AboutNodes() }

// ShowsYoung says whether an age on the page moves by the second.
func (w *Page) ShowsYoung() bool {
	d := w.dressed()
	if d.Now.Sub(w.pod.Since()) < page.Young {
		return true
	}
	if d.Report != nil {
		if seen := d.Report.Observed.AttemptSeen; seen != nil && d.Now.Sub(seen.Time) < page.Young {
			return true
		}
	}
	return len(d.Events) > 0 && d.Now.Sub(d.Events[0].Last) < page.Young
}

// Copies is the page as Markdown, on a fix its command; and what the message row
// calls it.
func (w *Page) Copies() (text, name string) {
	if w.draw.Report == nil {
		return "", ""
	}
	if f, ok := w.draw.ChosenFix(); ok && f.Command != "" {
		return fixes.Command(f, w.Host.Observed())
	}
	r := w.draw.Report
	if tried := w.asks.tries.Value; tried != nil && tried.Left == 0 {
		r = r.WithFixes(tried)
	}
	return r.Markdown(), fmt.Sprintf("the explanation of %s as Markdown", model.Clean(w.pod.FullName()))
}

// linesOf are the rows of the body, with what selects them.
func linesOf(d *explanation.Drawing) []explanation.Line {
	if d.Report == nil {
		return nil
	}
	return d.Lines()
}

// waiting says what the first answer waits for.
func waiting(h page.Host, pod *model.Pod) string {
	if len(h.Observed().Snapshot.Status.Reading) > 0 {
		return h.ReadingWords()
	}
	return "Explaining " + model.Clean(pod.FullName()) + "."
}

// Resize lays the page out anew.
func (w *Page) Resize(width, height int) {
	w.Base.Resize(width, height)
	arrange(w.dressed())
}

// Act does what a key asks for.
func (w *Page) Act(do keymap.Action) tea.Cmd {
	switch do {
	case keymap.Open:
		return w.open()
	case keymap.NodeMap:
		return w.openMap()
	case keymap.Trace:
		return w.Host.Open(trace.New(w.Host, w.pod))
	case keymap.Words:
		return w.Host.Open(messages.New(w.Host, w.pod, w.draw.Report))
	case keymap.Fixes:
		return w.Host.Open(fixes.NewOf(w.Host, w.pod, &w.asks.tries, nil))
	case keymap.Preempt, keymap.Fit:
		return w.Host.ActOn(do, page.SelectPod(w.pod))
	case keymap.Describe, keymap.YAML, keymap.GoNode, keymap.Explain:
		return w.Host.ActOn(do, w.Selected())
	}
	move(w.dressed(), do)
	return nil
}

// onMouse selects what is clicked, and opens it when it is selected already.
func (w *Page) onMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		walk(w.dressed(), keymap.Wheel(msg)/keymap.WheelRows)
	case tea.MouseClickMsg:
		lines := linesOf(w.dressed())
		if msg.Y >= len(lines) || lines[msg.Y].At.Part == explanation.Parts {
			return nil
		}
		if lines[msg.Y].At == w.draw.Cursor {
			return w.open()
		}
		w.draw.Cursor = lines[msg.Y].At
		arrange(w.dressed())
	}
	return nil
}

// open shows the page of the selected group, the pods of the selected node, or the
// selected fix.
func (w *Page) open() tea.Cmd {
	if w.draw.Cursor.Part == explanation.PartFixes {
		selected, _ := w.draw.ChosenFix()
		return w.Host.Open(fixes.NewOf(w.Host, w.pod, &w.asks.tries, selected))
	}
	g, ok := w.draw.Group()
	if !ok || w.Off(keymap.Open) != "" {
		return nil
	}
	if w.draw.Cursor.Part == explanation.PartNodes {
		return w.Host.OpenPods(g.Nodes[w.draw.Cursor.Row])
	}
	return w.Host.Open(rejectiongroup.New(w.Host, ofGroup{w}, g))
}

// Targets of Why are the nodes of the selected group, and the page's pod.
func (w *Page) Targets() page.Targets {
	var t page.Targets
	if w.pod.Exists() {
		t.Pods = []*model.Pod{w.pod}
	}
	if w.draw.Gone {
		t.Gone = page.AbsentPod(w.Host.Observed(), w.pod, w.pod.FullName())
	}
	on := w.Selected()
	if on.Node != nil {
		t.Nodes, t.Pods = []*model.Node{on.Node}, nil
		return t
	}
	g, ok := w.draw.Openable()
	if w.draw.Report == nil || !ok || g.OverAll() {
		return t
	}
	for _, name := range g.Nodes {
		if node, ok := w.Host.Observed().Snapshot.Node(name); ok {
			t.Nodes = append(t.Nodes, node)
		}
	}
	return t
}
