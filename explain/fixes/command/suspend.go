package command

import (
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// suspendCommand suspends a Job, with what that means for its pods.
func suspendCommand(r remedy.Suspend, c *Command) (line, undo string) {
	set := func(to bool) string {
		patch := map[string]any{"spec": map[string]any{"suspend": to}}
		return shell.Line("kubectl", "-n", r.Namespace, "patch", "job", r.Name, "--type=merge", "-p", shell.OneLine(patch))
	}
	pods := len(r.Pods)
	how := fmt.Sprintf("%s of it %s again from the beginning when it is resumed", grammar.Plural(pods, "pod"), grammar.Agree(pods, "is deleted and starts", "are deleted and start"))
	if r.CronJob != "" {
		how += "; cronjob/" + r.CronJob + " may create another Job"
	}
	c.Affects = append(c.Affects, report.Affected{Kind: "Job", Namespace: r.Namespace, Name: r.Name, How: how})
	c.Brief = fmt.Sprintf("deletes %s of the Job", grammar.Plural(pods, "pod"))
	if r.Unread != "" {
		c.Open = fmt.Sprintf("whether a controller would resume job %s/%s: %s", r.Namespace, r.Name, r.Unread)
	}
	return set(true), set(false)
}
