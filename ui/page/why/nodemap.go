package why

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodemap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/rejectiongroup"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// ofMap is the page about a pod as its node map needs it. It implements nodemap.Why.
type ofMap struct {
	page   *Page
	of     *report.Report           // that groups are of
	groups map[string]*report.Group // by the names of their nodes
}

// openMap opens the map of the reasons, at the closest node of the selected group.
func (w *Page) openMap() tea.Cmd {
	source := nodemap.Of(w.Host, "")
	source.Crumbs = w.Crumbs()
	if g, ok := w.draw.Group(); ok && len(g.Nodes) > 0 {
		source.At = g.Nodes[0]
	}
	if on := w.Selected(); on.Node != nil {
		source.At = on.Node.Name
	}
	return w.Host.Open(nodemap.NewWhy(w.Host, source, &ofMap{page: w}))
}

// answer is what the plugins answer for a node; ok is false where there is none.
func (o *ofMap) answer(node string) (fits *bool, rejections []report.Rejection, ok bool) {
	d := &o.page.draw
	if d.Report == nil {
		return nil, nil, false
	}
	if result, known := d.Nodes[node]; known {
		return result.Fits, result.Rejections, true
	}
	if o.of != d.Report {
		o.of, o.groups = d.Report, map[string]*report.Group{}
		for i := range d.Report.Groups {
			for _, name := range d.Report.Groups[i].Nodes {
				o.groups[name] = &d.Report.Groups[i]
			}
		}
	}
	g, known := o.groups[node]
	if !known {
		return nil, nil, false
	}
	return g.Fits, g.Rejections, true
}

// Reason implements nodemap.Why: that of the first plugin which rejects the node, as
// BLOCKED BY names it. What is rejected before any node was looked at comes last.
func (o *ofMap) Reason(node string) string {
	fits, rejections, ok := o.answer(node)
	switch {
	case !ok || fits == nil:
		return ""
	case *fits:
		return nodemap.Fits
	case len(rejections) == 0:
		return ""
	}
	first := rejections[max(slices.IndexFunc(rejections, func(r report.Rejection) bool { return !r.PreFilter }), 0)]
	return cmp.Or(first.Cause, pluginnames.Name(first.Plugin))
}

// Words implements nodemap.Why.
func (o *ofMap) Words(node string) string {
	fits, rejections, ok := o.answer(node)
	switch {
	case !ok:
		return "not evaluated yet"
	case fits == nil:
		return "not evaluated"
	case *fits:
		return "fits"
	}
	words := make([]string, len(rejections))
	for i, r := range rejections {
		words[i] = strings.TrimPrefix(explanation.SentenceOn(node, r), node+" ")
	}
	return o.page.Host.Observed().Brief(strings.Join(words, "; "))
}

// Verdict implements nodemap.Why.
func (o *ofMap) Verdict() (words string, ok bool) {
	r := o.page.draw.Report
	if r == nil || o.page.draw.Gone || o.page.asks.explains.Trouble != nil || !o.page.draw.AboutNodes() {
		return o.page.Answer(0), false
	}
	return r.FitCount(), true
}

// OpenGroup implements nodemap.Why: the first group that the node is in.
func (o *ofMap) OpenGroup(node string) tea.Cmd {
	rows := o.page.draw.Table.Rows
	at := slices.IndexFunc(rows, func(g report.Group) bool { return slices.Contains(g.Nodes, node) })
	if at < 0 {
		return nil
	}
	return o.page.Host.Open(rejectiongroup.NewAt(o.page.Host, ofGroup{o.page}, &rows[at], node))
}

// Lend implements nodemap.Why.
func (o *ofMap) Lend(to *nodemap.Page, s *model.Snapshot) tea.Cmd {
	o.page.lent = to
	return o.page.onSnapshot(s)
}

// Leave implements nodemap.Why.
func (o *ofMap) Leave() { ofGroup{o.page}.Leave() }
