package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Nodes are the nodes that the job drains; nil where it drains none.
func (p *Progress) Nodes() []string {
	if p.Plan == nil {
		return nil
	}
	if drain, ok := p.Plan.Action.(Drains); ok {
		return drain.DrainedNodes()
	}
	return nil
}

// Draining are the jobs that drain the node and may still evict pods, in their
// order.
func Draining(jobs []*Progress, node string) []*Progress {
	var found []*Progress
	for _, job := range jobs {
		if job.Live() && slices.Contains(job.Nodes(), node) {
			found = append(found, job)
		}
	}
	return found
}

// stopDrains makes the plan stop every job that drains one of the nodes, which the
// plan makes schedulable: otherwise the job would evict new pods there. It returns
// the nodes that are being drained.
func (p *Plan) stopDrains(jobs []*Progress, nodes []string) (drained []string) {
	p.opens = nodes
	for _, node := range nodes {
		draining := Draining(jobs, node)
		if len(draining) > 0 {
			drained = append(drained, node)
		}
		for _, job := range draining {
			if !slices.Contains(p.Stops, job) {
				p.Stops = append(p.Stops, job)
			}
		}
	}
	return drained
}

// movedBack says what uncordoning a drained node does not do.
const movedBack = "Evicted pods do not move back."

// undoStopsDrain undoes an action that stopped a drain.
const undoStopsDrain = "Undo: cordon; the drain stays stopped."

// onlyStops makes it a plan that changes no object: the nodes are already
// schedulable, and are still being drained.
func (p *Plan) onlyStops() {
	p.Does, p.Undo, p.UndoSays = "stop the drain", nil, "A stopped drain cannot resume: start a new one."
	p.Verdict.Skipped = "nothing is sent"
	p.tell("", model.Clean(namesOf(p.opens))+grammar.Agree(len(p.opens), " is", " are")+" not cordoned.")
}

// Unstopped is a job that drains a node which the plan makes schedulable, and that
// the plan does not stop because it began later. nil without one.
func (p *Plan) Unstopped(jobs []*Progress) *Progress {
	for _, node := range p.opens {
		for _, job := range Draining(jobs, node) {
			if !slices.ContainsFunc(p.Stops, func(s *Progress) bool { return s.ID == job.ID }) {
				return job
			}
		}
	}
	return nil
}

// StopWords say of each job that the plan stops how far it is. jobs are the newest
// of the run.
func (p *Plan) StopWords(jobs []*Progress) []string {
	var sentences []string
	for _, job := range p.Stops {
		if at := slices.IndexFunc(jobs, func(newer *Progress) bool { return newer.ID == job.ID }); at >= 0 {
			job = jobs[at]
		}
		sentences = append(sentences, stopWords(job, p.opens))
	}
	if len(sentences) > 0 {
		sentences = append(sentences, movedBack)
	}
	return sentences
}

// stopWords say how far a job is that a plan stops to make the nodes schedulable,
// and which other nodes it no longer drains.
func stopWords(job *Progress, opens []string) string {
	var words strings.Builder
	switch {
	case !job.Live():
		_, _ = fmt.Fprintf(&words, "%s is %s", job.Name, job.State)
	case job.State == JobPaused:
		_, _ = fmt.Fprintf(&words, "First stops %q (paused)", job.Name)
	default:
		_, _ = fmt.Fprintf(&words, "First stops %q (running)", job.Name)
	}
	_, _ = fmt.Fprintf(&words, ": %d of %s evicted%s", job.Evicted(), CountPods(len(job.Pods)), job.AlreadyWords())
	for _, part := range []struct {
		n    int
		word string
	}{
		{job.Count(PodAsked) + job.Count(PodTerminating), "terminating"},
		{job.Count(PodFailed), "failed"},
		{job.Count(PodBlocked), "blocked by " + grammar.Agree(job.Count(PodBlocked), "PDB", "PDBs")},
		{job.Count(PodUnknown), string(PodUnknown)},
		{job.Count(PodWaits) + job.Count(PodLeft), "not evicted"},
	} {
		if part.n > 0 {
			_, _ = fmt.Fprintf(&words, ", %d %s", part.n, part.word)
		}
	}
	words.WriteString(".")
	others := slices.DeleteFunc(slices.Clone(job.Nodes()), func(node string) bool { return slices.Contains(opens, node) })
	if job.Live() && len(others) > 0 {
		words.WriteString(" This also stops draining " + model.Clean(namesOf(others)) + ".")
	}
	return words.String()
}
