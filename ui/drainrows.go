package ui

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
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// saidMost is how many rows the API server's words take at most.
const saidMost = 4

// podOrder is how pods of a job are listed: those first that need somebody.
var podOrder = []plan.PodState{
	plan.PodFailed, plan.PodRefused, plan.PodTerminating, plan.PodAsked, plan.PodWaits, plan.PodLeft, plan.PodGone,
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

// state is what a pod is at, and when it is asked again.
func (p *drainPage) state(pod plan.PodProgress) table.Cell {
	made := table.Cell{Text: string(pod.State)}
	switch pod.State {
	case plan.PodRefused:
		made.Tone = tone.Warning
	case plan.PodFailed:
		made.Tone = tone.Bad
	case plan.PodGone:
		made.Tone = tone.Dim
	}
	if !pod.Again.IsZero() && p.job.State == plan.JobRuns {
		made.Text += ", again in " + figures.Clock(max(pod.Again.Sub(p.app.observed.at), 0))
	}
	return made
}

// now says what is going on with a pod.
func (p *drainPage) now(pod plan.PodProgress) table.Cell {
	switch pod.State {
	case plan.PodRefused:
		if pod.Budget != "" {
			return table.Cell{Text: "PDB " + pod.Budget + " allows 0"}
		}
		return table.Cell{Text: pod.Said}
	case plan.PodLeft:
		if pod.Budget != "" {
			return table.Cell{Text: "PDB " + pod.Budget + " refused it"}
		}
	case plan.PodTerminating:
		return p.ending(pod)
	case plan.PodGone:
		return p.back(pod)
	}
	return table.Cell{Text: cmp.Or(pod.Help, pod.Said)}
}

// ending is how far a pod is that ends.
func (p *drainPage) ending(pod plan.PodProgress) table.Cell {
	if pod.Help != "" {
		return table.Cell{Text: pod.Help, Tone: tone.Warning}
	}
	words := fmt.Sprintf("of %ds grace", pod.Grace/time.Second)
	if p.app.observed.at.Sub(pod.Since) > pod.Grace {
		return table.Cell{Text: "longer than its " + fmt.Sprintf("%ds grace", pod.Grace/time.Second), Tone: tone.Warning}
	}
	return table.Cell{Text: words}
}

// back is where the pod is that was made in its place.
func (p *drainPage) back(pod plan.PodProgress) table.Cell {
	switch {
	case pod.Back.Name == "" && p.lost(pod):
		return table.Cell{Text: "lost: no controller owns it"}
	case pod.Back.Name == "":
		return table.Cell{}
	case pod.BackNode == "":
		return table.Cell{Text: "back, Pending (x why)", Tone: tone.Warning}
	}
	return table.Cell{Text: "back on " + p.app.observed.nodeName(pod.BackNode)}
}

// lost says whether nobody makes the pod anew.
func (p *drainPage) lost(pod plan.PodProgress) bool {
	return p.job.Plan != nil && slices.ContainsFunc(p.job.Plan.Ends, func(end plan.End) bool {
		return end.Lost && end.Pod.Object.UID == pod.Pod.UID
	})
}

// said are the API server's words about a pod, in lines; none where all is well.
func (p *drainPage) said(pod plan.PodProgress) []string {
	if pod.Said == "" {
		return nil
	}
	words := "kube-apiserver: " + model.Clean(pod.Said)
	if pod.Help != "" {
		words = strings.TrimSuffix(words, ".") + "; " + model.Clean(pod.Help)
	}
	lines := cells.Wrap(words, p.width-2)
	if len(lines) > saidMost {
		lines = lines[:saidMost]
		lines[saidMost-1] = cells.CutWords(lines[saidMost-1]+" …", p.width-3)
	}
	return lines
}

// saidRows is how many rows the longest of these words take: the last one is the
// message row, the others stay free under the table whichever pod is selected.
func (p *drainPage) saidRows() int {
	most := 1
	for _, pod := range p.job.Pods {
		most = max(most, len(p.said(pod)))
	}
	return most
}

// body is the table, and the words of the selected pod but their last line.
func (p *drainPage) body() []string {
	lines := p.rows.body()
	row, ok := p.table.Selected()
	if !ok {
		return lines
	}
	said := p.said(row)
	if len(said) < 2 {
		return lines
	}
	lines = append(lines, make([]string, max(p.height-len(said)+1-len(lines), 0))...)
	for _, line := range said[:len(said)-1] {
		lines = append(lines, p.app.styles().Text.Render(" "+line))
	}
	return lines
}

// note is the last line of those words, else what of the row was cut.
func (p *drainPage) note() string {
	if row, ok := p.table.Selected(); ok {
		if said := p.said(row); len(said) > 0 {
			return said[len(said)-1]
		}
	}
	return p.rows.note()
}
