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
func (p *drainPage) state(pod plan.PodProgress) cell {
	made := cell{text: string(pod.State)}
	switch pod.State {
	case plan.PodRefused:
		made.tone = tone.Warning
	case plan.PodFailed:
		made.tone = tone.Bad
	case plan.PodGone:
		made.tone = tone.Dim
	}
	if !pod.Again.IsZero() && p.job.State == plan.JobRuns {
		made.text += ", again in " + clock(max(pod.Again.Sub(p.app.at), 0))
	}
	return made
}

// now says what is going on with a pod.
func (p *drainPage) now(pod plan.PodProgress) cell {
	switch pod.State {
	case plan.PodRefused:
		if pod.Budget != "" {
			return cell{text: "PDB " + pod.Budget + " allows 0"}
		}
		return cell{text: pod.Said}
	case plan.PodLeft:
		if pod.Budget != "" {
			return cell{text: "PDB " + pod.Budget + " refused it"}
		}
	case plan.PodTerminating:
		return p.ending(pod)
	case plan.PodGone:
		return p.back(pod)
	}
	return cell{text: cmp.Or(pod.Help, pod.Said)}
}

// ending is how far a pod is that ends.
func (p *drainPage) ending(pod plan.PodProgress) cell {
	if pod.Help != "" {
		return cell{text: pod.Help, tone: tone.Warning}
	}
	words := fmt.Sprintf("of %ds grace", pod.Grace/time.Second)
	if p.app.at.Sub(pod.Since) > pod.Grace {
		return cell{text: "longer than its " + fmt.Sprintf("%ds grace", pod.Grace/time.Second), tone: tone.Warning}
	}
	return cell{text: words}
}

// back is where the pod is that was made in its place.
func (p *drainPage) back(pod plan.PodProgress) cell {
	switch {
	case pod.Back.Name == "" && p.lost(pod):
		return cell{text: "lost: no controller owns it"}
	case pod.Back.Name == "":
		return cell{}
	case pod.BackNode == "":
		return cell{text: "back, Pending (x why)", tone: tone.Warning}
	}
	return cell{text: "back on " + p.app.nodeName(pod.BackNode)}
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
		lines[saidMost-1] = cutWords(lines[saidMost-1]+" …", p.width-3)
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
	row, ok := p.table.selected()
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
	if row, ok := p.table.selected(); ok {
		if said := p.said(row); len(said) > 0 {
			return said[len(said)-1]
		}
	}
	return p.rows.note()
}
