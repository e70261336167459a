package drains

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// saidMost is how many rows the API server's message takes at most.
const saidMost = 4

// podOrder is the order in which a job's pods are listed: those first that need
// attention.
var podOrder = []plan.PodState{
	plan.PodFailed, plan.PodUnknown, plan.PodBlocked, plan.PodTerminating, plan.PodAsked, plan.PodWaits, plan.PodLeft, plan.PodGone,
}

// inOrder are the pods of a job as the page lists them, the newest first of each state.
func inOrder(pods []plan.PodProgress) []plan.PodProgress {
	return slices.SortedStableFunc(slices.Values(pods), func(a, b plan.PodProgress) int {
		return cmp.Or(
			cmp.Compare(slices.Index(podOrder, a.State), slices.Index(podOrder, b.State)),
			b.Since.Compare(a.Since),
		)
	})
}

// state is a pod's state, and when its eviction is tried again.
func (p *Page) state(pod plan.PodProgress) table.Cell {
	made := table.Cell{Text: p.job.Word(pod.State)}
	switch pod.State {
	case plan.PodBlocked, plan.PodUnknown:
		made.Tone = tone.Warning
	case plan.PodFailed:
		made.Tone = tone.Bad
	case plan.PodGone:
		made.Tone = tone.Dim
		if pod.GoneAlready() {
			made.Text = "gone"
		}
	}
	if !pod.Again.IsZero() && p.job.State == plan.JobRuns {
		made.Text += ", retry in " + figures.Clock(max(pod.Again.Sub(p.Host.Observed().At), 0))
	}
	return made
}

// now is the detail of a pod's state.
func (p *Page) now(pod plan.PodProgress) table.Cell {
	switch pod.State {
	case plan.PodBlocked:
		if pod.Budget != "" {
			return table.Cell{Text: "PDB " + pod.Budget + " allows none"}
		}
		return table.Cell{Text: pod.Said}
	case plan.PodLeft:
		if pod.Budget != "" {
			return table.Cell{Text: "blocked by PDB " + pod.Budget}
		}
	case plan.PodTerminating:
		return p.terminating(pod)
	case plan.PodGone:
		if pod.GoneAlready() {
			return table.Cell{Text: pod.Help}
		}
		return p.back(pod)
	}
	return table.Cell{Text: cmp.Or(pod.Help, pod.Said)}
}

// terminating is the detail of a pod that is terminating: its grace period.
func (p *Page) terminating(pod plan.PodProgress) table.Cell {
	if pod.Help != "" {
		return table.Cell{Text: pod.Help, Tone: tone.Warning}
	}
	grace := fmt.Sprintf("%ds grace", pod.Grace/time.Second)
	if p.Host.Observed().At.Sub(pod.Since) > pod.Grace {
		return table.Cell{Text: grace + " exceeded", Tone: tone.Warning}
	}
	return table.Cell{Text: grace + " period"}
}

// back says where the pod's replacement is.
func (p *Page) back(pod plan.PodProgress) table.Cell {
	switch {
	case pod.Back.Name == "" && p.lost(pod):
		return table.Cell{Text: plan.NotRecreated}
	case pod.Back.Name == "":
		return table.Cell{}
	case pod.BackNode == "":
		return table.Cell{Text: "recreated, Pending", Tone: tone.Warning}
	}
	return table.Cell{Text: "recreated on " + p.Host.Observed().NodeName(pod.BackNode)}
}

// lost says whether no controller recreates the pod.
func (p *Page) lost(pod plan.PodProgress) bool {
	return p.job.Plan != nil && slices.ContainsFunc(p.job.Plan.Ends, func(end plan.End) bool {
		return end.Lost && end.Pod.Object.UID == pod.Pod.UID
	})
}

// said is the API server's message about a pod, in lines; none where all is well.
func (p *Page) said(pod plan.PodProgress) []string {
	if pod.Said == "" {
		return nil
	}
	words := "kube-apiserver: " + model.Clean(pod.Said)
	if pod.Help != "" {
		words = strings.TrimSuffix(words, ".") + "; " + model.Clean(pod.Help)
	}
	lines := cells.Wrap(words, p.Width-2)
	if len(lines) > saidMost {
		lines = lines[:saidMost]
		lines[saidMost-1] = cells.CutWords(lines[saidMost-1]+" …", p.Width-3)
	}
	return lines
}

// saidRows is how many rows the longest of these messages takes: the last one is the
// message row, the others stay free under the table whichever pod is selected.
func (p *Page) saidRows() int {
	most := 1
	for _, pod := range p.job.Pods {
		most = max(most, len(p.said(pod)))
	}
	return most
}

// Body is the table, and the message about the selected pod without its last line.
func (p *Page) Body() []string {
	lines := p.Rows.Body()
	row, ok := p.Table.Selected()
	if !ok {
		return lines
	}
	said := p.said(row)
	if len(said) < 2 {
		return lines
	}
	lines = append(lines, make([]string, max(p.Height-len(said)+1-len(lines), 0))...)
	for _, line := range said[:len(said)-1] {
		lines = append(lines, p.Host.Styles().Text.Render(" "+line))
	}
	return lines
}

// Note is the last line of that message, else the cut text of the row.
func (p *Page) Note() string {
	if row, ok := p.Table.Selected(); ok {
		if said := p.said(row); len(said) > 0 {
			last, hidden := said[len(said)-1], table.Hidden(p.Table)
			if cells.Width(last) >= page.NoteWidth(p.Width, hidden) {
				return last // the message is wrapped to the width
			}
			return page.WithHidden(last, hidden, p.Width)
		}
	}
	return p.Rows.Note()
}
