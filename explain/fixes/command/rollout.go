package command

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// allowUnavailable sets maxUnavailable of a Deployment, with what that means for its pods. maxSurge stays: both
// may not be 0.
func allowUnavailable(r remedy.AllowUnavailable, facts *Facts, c *Command) (line, undo string) {
	set := func(to intstr.IntOrString) string {
		patch := map[string]any{"spec": map[string]any{"strategy": map[string]any{"rollingUpdate": map[string]any{"maxUnavailable": to}}}}
		return shell.Line("kubectl", "-n", r.Namespace, "patch", "deployment/"+r.Name, "-p", shell.OneLine(patch))
	}
	how := "stops one of its pods before a new one is ready"
	c.Brief = "one pod less meanwhile"
	switch {
	case facts == nil || facts.Unread != "":
		c.Open = fmt.Sprintf("whether maxUnavailable of deployment/%s is 0", r.Name)
		if facts != nil {
			c.Open += ": " + facts.Unread
		}
	case facts.Replicas == 1:
		how, c.Brief, c.Stops = "stops its only pod before the new one is ready", "stops its only pod first", true
	default:
		how = fmt.Sprintf("runs %d of %s until a new one is ready", facts.Replicas-1, grammar.Plural(facts.Replicas, "pod"))
		c.Brief = fmt.Sprintf("%d of %s meanwhile", facts.Replicas-1, grammar.Plural(facts.Replicas, "pod"))
	}
	c.Affects = append(c.Affects, report.Affected{Kind: "Deployment", Namespace: r.Namespace, Name: r.Name, How: how + ", in later rollouts too"})
	if facts != nil && facts.Unavailable != "" {
		undo = set(intstr.Parse(facts.Unavailable))
	}
	return set(intstr.FromInt32(1)), undo
}
