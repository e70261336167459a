package foreignpodgroups

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quoted"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Judge quotes what the scheduler of a PodGroup says. Nil without a state.
func Judge(s *State, now time.Time) *report.Gang {
	if s == nil || s.kind() == nil {
		return nil
	}
	g := &report.Gang{
		Kind: "PodGroup", Name: s.Name, Scheduler: s.kind().Scheduler, MinCount: s.Needs, Queue: s.Queue, Phase: s.Phase,
		Conditions: []report.GroupCondition{}, Status: lines(s, now), Reason: lead(s, now),
	}
	if s.Needs != nil || s.NeedsParts != nil {
		g.Policy = "gang"
	}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		g.Conditions = append(g.Conditions, report.GroupCondition{Condition: quoted.Condition(&c.Condition), NodePool: c.NodePool})
	}
	return g
}

// Decides says who decides about the pod, and what that scheduler says: "Volcano decides about PodGroup
// train as a whole: …".
func Decides(s *State, g *report.Gang) string {
	who := g.Scheduler
	if s.kind().Plugin != "" {
		who = "the plugin " + s.kind().Plugin + " of its scheduler"
	}
	return fmt.Sprintf("%s decides about PodGroup %s as a whole: %s", who, g.Name, g.Reason)
}

// lead is what the scheduler says first of the group, as a clause.
func lead(s *State, now time.Time) string {
	newest := s.newest()
	switch {
	case s.Unread != "":
		return "unknown: " + s.Unread
	case s.Gone:
		return "it does not exist"
	case s.Phase == "" && newest == nil && len(s.Conditions) == 0:
		return "its status is empty"
	}
	var parts []string
	if s.Phase != "" {
		parts = append(parts, "its phase is "+s.Phase)
	}
	if newest != nil {
		parts = append(parts, newest.words(now))
	}
	if len(parts) == 0 {
		return "none of its conditions is True"
	}
	return strings.Join(parts, "; ")
}

// words are a condition that holds: "Unschedulable for 3m (NotEnoughResources): 3/8 tasks are ready".
func (c *Condition) words(now time.Time) string {
	what := c.Type
	if c.NodePool != "" {
		what += " " + c.NodePool
	}
	return quoted.Lasting(what, &c.Condition, now)
}

// lines are what its status says beside the lead.
func lines(s *State, now time.Time) []string {
	all := []string{}
	if s.Queue != "" {
		all = append(all, "queue "+s.Queue)
	}
	if s.NeedsParts != nil {
		all = append(all, "it needs "+grammar.Plural(*s.NeedsParts, "subgroup"))
	}
	if len(s.ByTask) > 0 {
		var tasks []string
		for _, task := range slices.Sorted(maps.Keys(s.ByTask)) {
			tasks = append(tasks, model.FormatCount(s.ByTask[task])+" of task "+task)
		}
		all = append(all, "it needs "+strings.Join(tasks, ", "))
	}
	if len(s.Counts) > 0 {
		var counts []string
		for _, c := range s.Counts {
			counts = append(counts, model.FormatCount(c.Pods)+" "+c.Of)
		}
		all = append(all, "pods by its status: "+strings.Join(counts, ", "))
	}
	newest := s.newest()
	for i := range s.Conditions {
		switch c := &s.Conditions[i]; {
		case c == newest:
		case c.Status == "True" || c.Status == "":
			all = append(all, c.words(now))
		default:
			all = append(all, quoted.Lasting(c.Type+" is "+string(c.Status), &c.Condition, now))
		}
	}
	if s.Group == KAI.Group && newest != nil {
		all = append(all, "this may be of an earlier attempt: some versions of KAI Scheduler leave a condition once it no longer holds")
	}
	return all
}
