package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// follow waits until what was begun is done, and tells what takes it back.
func (c *Command) follow(ctx context.Context, p *plan.Plan, ran *plan.Ran) error {
	c.warnOfLog()
	if ran.Job == 0 {
		return c.done(p, "")
	}
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	news := newNews()
	for revision := 0; ; {
		jobs, next, err := c.actor.NextJobs(ctx, revision)
		if err != nil {
			return c.leave(ctx, p, ran.Job, news)
		}
		revision = next
		job := jobs[slices.IndexFunc(jobs, func(p *plan.Progress) bool { return p.ID == ran.Job })]
		c.report(news.of(job))
		if !job.Over.IsZero() {
			return c.over(p, job)
		}
	}
}

// done says that a plan was run.
func (c *Command) done(plan *plan.Plan, how string) error {
	_, err := fmt.Fprintf(c.Out, "Done: %s%s. %s\n", model.Clean(plan.Action.Name()), model.Clean(how), model.Clean(plan.UndoSays))
	return err
}

// over says what came of a job that is over.
func (c *Command) over(p *plan.Plan, job *plan.Progress) error {
	gone := job.Count(plan.PodGone)
	if gone == len(job.Pods) && job.Why == "" {
		return c.done(p, fmt.Sprintf(", %d of %d gone", gone, len(job.Pods)))
	}
	return c.blockedf("%s: %d of %d gone. %s", job.Name, gone, len(job.Pods), p.UndoSays)
}

// leave ends a job before its end, and says what goes on.
func (c *Command) leave(ctx context.Context, p *plan.Plan, id int, news *news) error {
	c.actor.Close()
	jobs := c.actor.Jobs()
	job := jobs[slices.IndexFunc(jobs, func(p *plan.Progress) bool { return p.ID == id })]
	news.why = job.Why // that it was ended is told below
	c.report(news.of(job))
	if job.Count(plan.PodGone) == len(job.Pods) {
		return c.over(p, job)
	}
	why := "stopped"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		why = fmt.Sprintf("stopped after %s", c.timeout)
	}
	words := []string{fmt.Sprintf("%d of %d gone", job.Count(plan.PodGone), len(job.Pods))}
	for _, rest := range []struct {
		n         int
		one, many string
	}{
		{job.Count(plan.PodAsked) + job.Count(plan.PodTerminating), "1 was asked and goes on", "%d were asked and go on"},
		{job.Count(plan.PodLeft), "1 stays, for nothing more is asked", "%d stay, for nothing more is asked"},
		{job.Count(plan.PodFailed), "1 was refused", "%d were refused"},
	} {
		switch {
		case rest.n == 1:
			words = append(words, rest.one)
		case rest.n > 1:
			words = append(words, fmt.Sprintf(rest.many, rest.n))
		}
	}
	return c.blockedf("%s: %s: %s. %s", job.Name, why, strings.Join(words, "; "), p.UndoSays)
}

// report writes lines about the job; one that cannot be written is no loss.
func (c *Command) report(lines []string) {
	for _, line := range lines {
		_, _ = fmt.Fprintln(c.ErrOut, terminal.OneLine(line))
	}
}

// news tells of a job what was not told yet: a line for each step of a pod.
type news struct {
	why  string
	pods map[types.UID]told
}

// told is what the last line about a pod was about.
type told struct {
	state  plan.PodState
	help   string
	silent bool   // there was no answer
	node   string // where its successor is
	back   model.Ref
}

func newNews() *news { return &news{pods: map[types.UID]told{}} }

// of are the lines about how far the job is now.
func (n *news) of(job *plan.Progress) []string {
	var lines []string
	if job.Why != n.why && job.Why != "" {
		lines = append(lines, job.Name+": "+job.Why)
	}
	n.why = job.Why
	gone := fmt.Sprintf("%d of %d", job.Count(plan.PodGone), len(job.Pods))
	for i := range job.Pods {
		pod := &job.Pods[i]
		was := n.pods[pod.Pod.UID]
		is := told{state: pod.State, help: pod.Help, node: pod.BackNode, back: pod.Back, silent: pod.State == plan.PodWaits && pod.Said != ""}
		n.pods[pod.Pod.UID] = is
		if is.state != was.state || is.help != was.help || is.silent && !was.silent {
			if words := stateWords(pod, gone); words != "" {
				lines = append(lines, pod.Pod.Words()+": "+words)
			}
		}
		if is.back != was.back || is.node != was.node {
			lines = append(lines, pod.Pod.Words()+": "+backWords(pod))
		}
	}
	return lines
}

// stateWords say what a pod has come to; "" while nothing was asked of it.
func stateWords(pod *plan.PodProgress, gone string) string {
	switch pod.State {
	case plan.PodWaits:
		if pod.Said == "" {
			return ""
		}
		return pod.Said + "; it is asked again"
	case plan.PodRefused:
		by := ""
		if pod.Budget != "" {
			by = " by PodDisruptionBudget " + pod.Budget
		}
		return fmt.Sprintf("refused%s, it is asked again. kube-apiserver: %s", by, pod.Said)
	case plan.PodTerminating:
		if pod.Help != "" {
			return "terminating: " + pod.Help
		}
		return fmt.Sprintf("terminating, %ds of grace", int(pod.Grace.Seconds()))
	case plan.PodGone:
		return "gone, " + gone
	case plan.PodFailed:
		words := "not evicted. kube-apiserver: " + pod.Said
		if pod.Help != "" {
			words = strings.TrimSuffix(words, ".") + "; " + pod.Help
		}
		return words
	case plan.PodLeft:
		return "left where it is"
	}
	return string(pod.State)
}

// backWords say where the pod is that was made in place of one that went.
func backWords(pod *plan.PodProgress) string {
	if pod.BackNode == "" {
		return fmt.Sprintf("back as %s, Pending", pod.Back.Words())
	}
	return fmt.Sprintf("back as %s on %s", pod.Back.Words(), pod.BackNode)
}

// warnOfLog tells where the activity log could not be read or written.
func (c *Command) warnOfLog() {
	for _, entry := range c.actor.Activity() {
		if entry.ID != 0 && !entry.OK && strings.HasSuffix(entry.Did, " the activity log") {
			c.Say(errors.New(entry.Did + ": " + entry.Result))
		}
	}
}
