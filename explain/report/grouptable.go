package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// GroupTable is the groups of a report as a table: a row for each group, a column for each
// plugin that rejects nodes or could not decide.
type GroupTable struct {
	Rows    []Group
	Columns []string // plugins, in the scheduler's order; those that are not known come last
	report  *Report
	shared  map[string]string // plugins that reject for another one's reason → that one
}

// GroupTable lays the groups out. What a PreFilter plugin rejects holds for all nodes, so
// it is a row of its own over all of them; plugins that reject the pod for the same reason,
// such as a claim that does not exist, share a row and a column. Plugins in had keep their
// columns.
func (r *Report) GroupTable(had []string) GroupTable {
	t := GroupTable{report: r, shared: map[string]string{}}
	var rows []Group
	for _, group := range r.Groups {
		row := group
		row.Rejections = nil
		for _, rejection := range group.Rejections {
			if !rejection.PreFilter {
				row.Rejections = append(row.Rejections, rejection)
				continue
			}
			t.addOverAll(rejection)
			row.Words = withoutClause(row.Words, rejection.Short)
		}
		if len(row.Rejections) > 0 || len(group.Rejections) == 0 {
			rows = append(rows, row)
		}
	}
	t.Rows = append(t.Rows, rows...)
	t.addColumns(had)
	return t
}

// addOverAll adds a rejection that holds for all nodes, unless a row has its reason.
func (t *GroupTable) addOverAll(rejection Rejection) {
	for i := range t.Rows {
		first := t.Rows[i].Rejections[0]
		if first.Plugin == rejection.Plugin {
			return
		}
		if first.cause() == rejection.cause() {
			t.shared[rejection.Plugin] = first.Plugin
			return
		}
	}
	row := Group{Count: t.report.Total, Fits: new(false), Rejections: []Rejection{rejection}, Words: rejection.cause(), Nodes: make([]string, 0, t.report.Total)}
	for _, group := range t.report.Groups {
		row.Nodes = append(row.Nodes, group.Nodes...)
	}
	t.Rows = append(t.Rows, row)
}

// addColumns collects the columns.
func (t *GroupTable) addColumns(had []string) {
	t.Columns = slices.Clone(had)
	add := func(plugin string) {
		if _, shared := t.shared[plugin]; !shared && !slices.Contains(t.Columns, plugin) {
			t.Columns = append(t.Columns, plugin)
		}
	}
	for i := range t.Rows {
		for _, rejection := range t.Rows[i].Rejections {
			add(rejection.Plugin)
		}
	}
	for _, plugin := range t.report.undecided() {
		add(plugin)
	}
	headed := pluginnames.Headed()
	rank := func(plugin string) int {
		if at := slices.Index(headed, plugin); at >= 0 {
			return at
		}
		return len(headed)
	}
	slices.SortStableFunc(t.Columns, func(a, b string) int { return rank(a) - rank(b) })
}

// Mark is a group's cell under a plugin: rejected, not decided, or passed.
func (t *GroupTable) Mark(g *Group, plugin string) string {
	switch {
	case g.Rejects(plugin):
		return "✗"
	case slices.Contains(t.report.undecided(), plugin) && (g.Fits == nil || !*g.Fits):
		return "?"
	}
	return "·"
}

// counts are the nodes that a plugin rejects, and those that only it rejects: only it and
// those that share its reason.
func (t *GroupTable) counts(plugin string) (rejects, only int) {
	if slices.Contains(slices.Collect(maps.Values(t.shared)), plugin) {
		return t.sharedCounts(plugin)
	}
	for _, p := range t.report.Plugins {
		if p.Name == plugin {
			return p.Rejects, p.Alone
		}
	}
	return 0, 0
}

// CountCells are the nodes that a plugin rejects, and those that only it rejects. "?" is a figure that a plugin leaves open which was not
// evaluated for every node: its own, and which nodes only another one rejects.
func (t *GroupTable) CountCells(plugin string) (rejects, only string) {
	r, o := t.counts(plugin)
	rejects, only = strconv.Itoa(r), strconv.Itoa(o)
	open := t.report.undecided()
	if r == 0 && slices.Contains(open, plugin) {
		rejects = "?"
	}
	if len(open) > 0 && r > 0 || rejects == "?" {
		only = "?"
	}
	return rejects, only
}

// sharedCounts are counts of a plugin whose reason others share.
func (t *GroupTable) sharedCounts(plugin string) (rejects, only int) {
	for i := range t.report.Groups {
		g := &t.report.Groups[i]
		mine := 0
		for _, rejection := range g.Rejections {
			if rejection.Plugin == plugin || t.shared[rejection.Plugin] == plugin {
				mine++
			}
		}
		if mine > 0 {
			rejects += g.Count
		}
		if mine > 0 && mine == len(g.Rejections) {
			only += g.Count
		}
	}
	return rejects, only
}

// Count is how many nodes a group has: "all" of one that is over all other groups.
func (t *GroupTable) Count(g *Group) string {
	if t.overAll(g) {
		return "all"
	}
	return strconv.Itoa(g.Count)
}

func (t *GroupTable) overAll(g *Group) bool { return g.OverAll() && len(t.Rows) > 1 }

// FitCount is how many nodes fit, of how many: "0 of 12 nodes fit".
func (r *Report) FitCount() string {
	return fmt.Sprintf("%s of %s %s", model.FormatCount(r.Fits), model.FormatCount(r.Total), grammar.Agree(r.Total, "node fits", "nodes fit"))
}

// The heads and labels of a table of groups.
const (
	NodesHead   = "NODES"
	ReasonHead  = "REASON (closest first)"
	RejectLabel = "rejects"
	OnlyLabel   = "only"
	OnlyNote    = "nodes that only this plugin rejects"
)

// RejectNoteShort is RejectNote where there is little room.
func (t *GroupTable) RejectNoteShort() string {
	note := "of " + strconv.Itoa(t.report.Total)
	if t.report.Others > 0 {
		note += "; " + grammar.Count(t.report.Others, "other plugin passes", "other plugins pass")
	}
	return note
}

// RejectNote stands after the counts of nodes that plugins reject: of how many nodes, and
// what the other plugins do.
func (t *GroupTable) RejectNote() string {
	note := "of " + strconv.Itoa(t.report.Total)
	if t.report.Others > 0 {
		note += "; " + grammar.Count(t.report.Others, "other plugin passes", "other plugins pass") + " all nodes"
	}
	return note
}

// cause is the rejection in as few words as there are.
func (r Rejection) cause() string {
	switch {
	case r.Short != "":
		return r.Short
	case r.What != "":
		return r.What
	}
	return r.Reason
}

// withoutClause leaves one clause out of the words of a group.
func withoutClause(words, clause string) string {
	for _, joined := range []string{"; " + clause, clause + "; "} {
		if before, after, found := strings.Cut(words, joined); found {
			return before + after
		}
	}
	return words
}

// OverAll says whether the group stands for one rejection that holds for every node.
func (g *Group) OverAll() bool { return len(g.Rejections) == 1 && g.Rejections[0].PreFilter }

// Rejects says whether the plugin rejects the nodes of the group.
func (g *Group) Rejects(plugin string) bool {
	return slices.ContainsFunc(g.Rejections, func(r Rejection) bool { return r.Plugin == plugin })
}

// Plugins are the column heads of the plugins that reject the group's nodes.
func (g *Group) Plugins() []string {
	var names []string
	for _, rejection := range g.Rejections {
		names = append(names, pluginnames.Name(rejection.Plugin))
	}
	return names
}

// postFilter is the plugin that preempts; it rejects no node.
const postFilter = "DefaultPreemption"

// undecided are the plugins that could not decide for every node. Those of kube-apiserver decide
// whether the pod is created, and about no node.
func (r *Report) undecided() []string {
	var plugins []string
	for _, part := range r.Unknown {
		plugins = append(plugins, part.Plugins...)
	}
	return slices.DeleteFunc(plugins, func(plugin string) bool {
		return plugin == postFilter || slices.Contains(admissionPlugins, plugin)
	})
}

// Rest counts the groups from one on, and their nodes: "3 more groups, 5 nodes"; "" for
// none.
func (t *GroupTable) Rest(from int) string {
	groups, nodes := t.After(from)
	if groups == "" {
		return ""
	}
	return groups + ", " + grammar.Plural(nodes, "node")
}

// After counts the groups from one on, in words, and their nodes; "" where there is none.
func (t *GroupTable) After(from int) (groups string, nodes int) {
	rest := len(t.Rows) - from
	if rest <= 0 {
		return "", 0
	}
	for _, g := range t.Rows[from:] {
		nodes += g.Count
	}
	return grammar.Count(rest, "more group", "more groups"), nodes
}
