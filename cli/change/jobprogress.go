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

// follow waits until the change is complete, and says how to undo it.
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

// done says that a plan was carried out.
func (c *Command) done(plan *plan.Plan, how string) error {
	_, err := fmt.Fprintf(c.Out, "Done: %s%s. %s\n", model.Clean(plan.Action.Name()), model.Clean(how), model.Clean(plan.UndoSays))
	return err
}

// over reports the result of a job.
func (c *Command) over(p *plan.Plan, job *plan.Progress) error {
	gone := job.Count(plan.PodGone)
	if gone == len(job.Pods) && job.Why == "" {
		return c.done(p, fmt.Sprintf(", %d of %s evicted%s", job.Evicted(), plan.CountPods(len(job.Pods)), job.AlreadyWords()))
	}
	return c.blockedf("%s: %d of %s evicted%s. %s", job.Name, job.Evicted(), plan.CountPods(len(job.Pods)), job.AlreadyWords(), p.UndoSays)
}

// leave stops a job before its end, and says what is still under way.
func (c *Command) leave(ctx context.Context, p *plan.Plan, id int, news *news) error {
	c.actor.Close()
	jobs := c.actor.Jobs()
	job := jobs[slices.IndexFunc(jobs, func(p *plan.Progress) bool { return p.ID == id })]
	news.why = job.Why // that it was stopped is reported below
	c.report(news.of(job))
	if job.Count(plan.PodGone) == len(job.Pods) {
		return c.over(p, job)
	}
	why := "stopped"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		why = fmt.Sprintf("stopped after %s", c.timeout)
	}
	words := []string{fmt.Sprintf("%d of %s evicted%s", job.Evicted(), plan.CountPods(len(job.Pods)), job.AlreadyWords())}
	for _, rest := range []struct {
		n    int
		word string
	}{
		{job.Count(plan.PodAsked) + job.Count(plan.PodTerminating), "terminating"},
		{job.Count(plan.PodUnknown), "unknown"},
		{job.Count(plan.PodLeft), "not evicted"},
		{job.Count(plan.PodFailed), "rejected"},
	} {
		if rest.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", rest.n, rest.word))
		}
	}
	return c.blockedf("%s: %s: %s. %s", job.Name, why, strings.Join(words, ", "), p.UndoSays)
}

// report writes lines about the job; one that cannot be written is no loss.
func (c *Command) report(lines []string) {
	for _, line := range lines {
		_, _ = fmt.Fprintln(c.ErrOut, terminal.OneLine(line))
	}
}

// news reports what is new about a job: a line for each step of a pod.
type news struct {
	why  string
	pods map[types.UID]told
}

// told is the content of the last line about a pod.
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
	gone := fmt.Sprintf("%d of %d", job.Evicted(), len(job.Pods))
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

// stateWords are the state of a pod; "" until its eviction is requested.
func stateWords(pod *plan.PodProgress, gone string) string {
	switch pod.State {
	case plan.PodWaits:
		if pod.Said == "" {
			return ""
		}
		return pod.Said + "; trying again"
	case plan.PodBlocked:
		by := ""
		if pod.Budget != "" {
			by = " by PodDisruptionBudget " + pod.Budget
		}
		return fmt.Sprintf("rejected%s, trying again. kube-apiserver: %s", by, pod.Said)
	case plan.PodAsked:
		return "eviction accepted"
	case plan.PodTerminating:
		if pod.Help != "" {
			return "terminating: " + pod.Help
		}
		return fmt.Sprintf("terminating, grace period %ds", int(pod.Grace.Seconds()))
	case plan.PodGone:
		if pod.GoneAlready() {
			return pod.Help
		}
		return "evicted, " + gone
	case plan.PodFailed:
		words := "not evicted. kube-apiserver: " + pod.Said
		if pod.Help != "" {
			words = strings.TrimSuffix(words, ".") + "; " + pod.Help
		}
		return words
	case plan.PodUnknown:
		return "unknown whether it is evicted: " + pod.Said
	case plan.PodLeft:
		return "not evicted"
	}
	return string(pod.State)
}

// backWords say where the replacement of a pod is.
func backWords(pod *plan.PodProgress) string {
	if pod.BackNode == "" {
		return fmt.Sprintf("replaced by %s, Pending", pod.Back.Words())
	}
	return fmt.Sprintf("replaced by %s on %s", pod.Back.Words(), pod.BackNode)
}

// warnOfLog reports that the activity log could not be read or written.
func (c *Command) warnOfLog() {
	for _, entry := range c.actor.Activity() {
		if entry.ID != 0 && !entry.OK && strings.HasSuffix(entry.Did, " the activity log") {
			c.Say(errors.New(entry.Did + ": " + entry.Result))
		}
	}
}
