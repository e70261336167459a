package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Markdown is the report for a ticket or a chat: the answer first, then what it
// rests on.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n%s\n\n%s\n", code(r.Pod.Title()), r.Verdict, prose(r.Summary), prose(r.Pod.Line()))
	r.markdownFacts(&b)
	r.markdownGroups(&b)
	r.markdownPlugins(&b)
	if r.Preemption != nil && r.Preemption.Why != "" {
		fmt.Fprintf(&b, "\nPreemption: %s\n", prose(r.Preemption.Why))
	}
	r.markdownMessages(&b)
	for _, part := range r.Unknown {
		fmt.Fprintf(&b, "\nUnknown: %s. It leaves open: %s.\n", prose(part.Why), prose(strings.Join(part.Plugins, ", ")))
	}
	for _, caveat := range r.Scheduler.Caveats {
		fmt.Fprintf(&b, "\nNote: %s.\n", strings.TrimSuffix(prose(caveat), "."))
	}
	return b.String()
}

// markdownFacts lists what is known about verdicts that are not about nodes.
func (r *Report) markdownFacts(b *strings.Builder) {
	if len(r.Facts) == 0 {
		return
	}
	b.WriteString("\n")
	for _, fact := range r.Facts {
		fmt.Fprintf(b, "- %s\n", prose(fact))
	}
}

// markdownGroups tabulates the nodes, nearest first.
func (r *Report) markdownGroups(b *strings.Builder) {
	if len(r.Groups) == 0 {
		return
	}
	b.WriteString("\n| nodes | refused by | what stands in the way, nearest first |\n|--:|--|--|\n")
	for _, group := range r.Groups {
		fmt.Fprintf(b, "| %d | %s | %s |\n", group.Count, cell(group.RefusedBy()), cell(group.Words))
	}
}

// markdownPlugins tabulates the plugins that refuse.
func (r *Report) markdownPlugins(b *strings.Builder) {
	refusing := r.Refusing()
	if len(refusing) == 0 {
		return
	}
	b.WriteString("\n| plugin | refuses | alone |\n|--|--:|--:|\n")
	for _, plugin := range refusing {
		fmt.Fprintf(b, "| %s | %d | %d |\n", cell(plugin.Name), plugin.Refuses, plugin.Alone)
	}
}

// markdownMessages quotes what the scheduler would write and, where that is
// something else, what it wrote.
func (r *Report) markdownMessages(b *strings.Builder) {
	if r.SchedulerMessage != "" {
		fmt.Fprintf(b, "\nkube-scheduler would write now:\n\n> %s\n", prose(r.SchedulerMessage))
	}
	if r.Observed.Message != "" && r.Observed.Message != r.SchedulerMessage {
		fmt.Fprintf(b, "\nkube-scheduler wrote:\n\n> %s\n", prose(r.Observed.Message))
	}
}

// Refusing are the plugins that refuse at least one node.
func (r *Report) Refusing() []PluginResult {
	return slices.DeleteFunc(slices.Clone(r.Plugins), func(p PluginResult) bool { return p.Refuses == 0 })
}

// RefusedBy names the plugins that refuse the nodes of a group: "fits" where none
// does, "?" where that is not known.
func (g *Group) RefusedBy() string {
	var names []string
	for _, refusal := range g.Refusals {
		if !slices.Contains(names, refusal.Plugin) {
			names = append(names, refusal.Plugin)
		}
	}
	switch {
	case len(names) > 0:
		return strings.Join(names, ", ")
	case g.Fits == nil:
		return "?"
	default:
		return "fits"
	}
}

// Title names the pod; one that was not created goes by its owner.
func (p *PodRef) Title() string {
	switch {
	case p.Name != "":
		return p.Namespace + "/" + p.Name
	case p.Owner != nil:
		return fmt.Sprintf("%s/%s (%s)", p.Namespace, p.Owner.Name, p.Owner.Kind)
	default:
		return p.Namespace
	}
}

// Line is what the pod asks for, in one line.
func (p *PodRef) Line() string {
	parts := []string{"requests nothing"}
	if len(p.Requests) > 0 {
		var requests []string
		for _, name := range slices.Sorted(maps.Keys(p.Requests)) {
			requests = append(requests, name+" "+p.Requests[name])
		}
		parts = []string{"requests " + strings.Join(requests, ", ")}
	}
	parts = append(parts, p.QOSClass, fmt.Sprintf("priority %d", p.Priority))
	if p.Owner != nil && p.Name != "" {
		parts = append(parts, p.Owner.Kind+" "+p.Owner.Name)
	}
	return strings.Join(parts, " · ")
}

// code sets text as code.
func code(text string) string { return "`" + strings.ReplaceAll(model.Clean(text), "`", "'") + "`" }

// prose keeps text from being read as markup.
func prose(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`").Replace(model.Clean(text))
}

// cell is prose in a table.
func cell(text string) string { return strings.ReplaceAll(prose(text), "|", `\|`) }
