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

// Draining are those of the jobs that drain the node and may still evict pods, in
// their order.
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
// plan makes schedulable: a job that goes on would evict what is scheduled there. It
// gives those of the nodes that are drained.
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

// onlyStops makes it a plan that changes no object: the nodes are schedulable
// already, and their drains go on.
func (p *Plan) onlyStops() {
	p.Does, p.Undo, p.UndoSays = "stop the drain", nil, "A stopped drain does not go on: plan another."
	p.Verdict.Skipped = "it sends nothing"
	p.tell("", model.Clean(namesOf(p.opens))+grammar.Agree(len(p.opens), " is", " are")+" not cordoned.")
}

// Unstopped is a job that drains a node which the plan makes schedulable, and that
// the plan does not stop: it began after the plan was made. nil without one.
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
		sentences = append(sentences, "Evicted pods do not move back.")
	}
	return sentences
}

// stopWords say how far a job is that a plan stops to make the nodes schedulable,
// and for which other nodes it stops too.
func stopWords(job *Progress, opens []string) string {
	var words strings.Builder
	switch {
	case !job.Live():
		_, _ = fmt.Fprintf(&words, "%s is %s", job.Name, job.State)
	case job.State == JobPaused:
		_, _ = fmt.Fprintf(&words, "Stops %s first, which is paused", job.Name)
	default:
		_, _ = fmt.Fprintf(&words, "Stops %s first, which still runs", job.Name)
	}
	_, _ = fmt.Fprintf(&words, ": %d of %s evicted", job.Count(PodGone), CountPods(len(job.Pods)))
	for _, part := range []struct {
		n    int
		word string
	}{
		{job.Count(PodAsked) + job.Count(PodTerminating), "terminating"},
		{job.Count(PodFailed), "could not be evicted"},
		{job.Count(PodWaits) + job.Count(PodRefused) + job.Count(PodLeft), "left where " + grammar.Agree(job.Count(PodWaits)+job.Count(PodRefused)+job.Count(PodLeft), "it is", "they are")},
	} {
		if part.n > 0 {
			_, _ = fmt.Fprintf(&words, ", %d %s", part.n, part.word)
		}
	}
	words.WriteString(".")
	others := slices.DeleteFunc(slices.Clone(job.Nodes()), func(node string) bool { return slices.Contains(opens, node) })
	if job.Live() && len(others) > 0 {
		words.WriteString(" It stops for " + model.Clean(namesOf(others)) + " too.")
	}
	return words.String()
}
