package provisioning

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Scale-up states of a node group (clusterstate/api/types.go of Cluster Autoscaler).
const (
	inProgress = "InProgress"
	backoff    = "Backoff"
)

// staleStatus is after how long what it wrote is no longer its state: it writes in each of its
// loops, and is restarted when none has ended for so long (--max-inactivity).
const staleStatus = 10 * time.Minute

// clusterAutoscaler takes over the node groups, and says what they come to, beside the newest
// message about the pod.
func clusterAutoscaler(c *ClusterAutoscaler, q *Question, p *report.Provisioning) string {
	name := "Cluster Autoscaler"
	c = c.at(q.Now)
	word := wordOf(q.Words, func(component string) bool { return component == ClusterName })
	var quoted string
	if word != nil {
		if !q.Now.IsZero() {
			name += ", " + model.FormatAge(word.LastSeen.Time, q.Now) + " ago"
		}
		quoted = strings.TrimSuffix(word.Message, ".")
		if word.Reason == notTriggered {
			p.NotScaled = append(p.NotScaled, Reasons(word.Message)...)
		}
	}
	for i := range c.NodeGroups {
		g := &c.NodeGroups[i]
		p.NodeGroups = append(p.NodeGroups, report.NodeGroup{
			Name: g.Name, Ready: g.Ready, Target: g.Target, Min: g.Min, Max: g.Max, Health: g.Health, ScaleUp: g.ScaleUp, Backoff: backoffOf(g),
		})
	}
	state := groupSentence(c.NodeGroups)
	if c.Unread != "" {
		p.Unknown = append(p.Unknown, report.UnknownScale{Resource: "configmaps", Why: c.Unread})
		if quoted == "" {
			state = "unknown: " + c.Unread
		}
	}
	if c.Unread == "" && c.Status != "" && c.Status != "Running" {
		state = "it is " + c.Status
	}
	switch {
	case quoted != "" && state != "":
		return name + ": " + quoted + "; " + state
	case quoted == "" && state == "":
		return name + ": it says nothing about the pod"
	}
	return name + ": " + quoted + state
}

// at is what is known of it at a time: nothing, where it has not written for long.
func (c *ClusterAutoscaler) at(now time.Time) *ClusterAutoscaler {
	if c.Written.IsZero() || now.Sub(c.Written) <= staleStatus {
		return c
	}
	return &ClusterAutoscaler{Unread: "its status was last written " + model.FormatAge(c.Written, now) + " ago"}
}

// groupSentence says that no group can get a node now, or which are being scaled up.
func groupSentence(groups []NodeGroup) string {
	if len(groups) == 0 {
		return ""
	}
	var out, scaling, waiting []string
	for i := range groups {
		g := &groups[i]
		switch {
		case g.ScaleUp == backoff:
			waiting = append(waiting, g.Name+" is in back-off: "+backoffOf(g))
			out = append(out, waiting[len(waiting)-1])
		case g.Target != nil && g.Max != nil && *g.Target >= *g.Max:
			out = append(out, fmt.Sprintf("%s is at its maximum of %s", g.Name, model.FormatCount(*g.Max)))
		}
		if g.ScaleUp == inProgress {
			scaling = append(scaling, g.Name)
		}
	}
	switch {
	case len(scaling) > 0:
		words := "a scale-up of " + grammar.List(scaling, grammar.Few) + " is in progress"
		if len(waiting) > 0 {
			words += "; " + grammar.List(waiting, 1)
		}
		return words
	case len(out) == len(groups):
		return "no node group can get a node now: " + grammar.List(out, grammar.Few)
	case len(out) > 0:
		return fmt.Sprintf("%d of %s cannot get a node now: %s", len(out), grammar.Plural(len(groups), "node group"), grammar.List(out, grammar.Few))
	}
	return ""
}

// backoffOf is the error for which a group is in back-off; "" if it is not.
func backoffOf(g *NodeGroup) string {
	if g.ScaleUp != backoff {
		return ""
	}
	if g.Code != "" && g.Message != "" {
		return g.Code + ": " + g.Message
	}
	return cmp.Or(g.Code, g.Message, "no error is given")
}

// Reasons counts out what a message of NotTriggerScaleUp lists: "pod didn't trigger scale-up: 2
// Insufficient cpu, 1 max node group size reached". Nothing is decided by it. A message that
// lists nothing gives none.
func Reasons(message string) []report.ScaleReason {
	_, list, ok := strings.Cut(message, ": ")
	if !ok {
		return nil
	}
	var found []report.ScaleReason
	for clause := range strings.SplitSeq(list, ", ") {
		number, rest, counted := strings.Cut(clause, " ")
		count, err := strconv.Atoi(number)
		switch {
		case counted && err == nil:
			found = append(found, report.ScaleReason{Groups: count, Message: rest})
		case len(found) == 0:
			return nil
		default: // a comma within a reason
			found[len(found)-1].Message += ", " + clause
		}
	}
	return found
}
