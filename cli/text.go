package cli

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// reportText is a report for reading: the answer, then what it rests on.
func reportText(r *explain.Report, nodes bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%s\n%s\n", model.Clean(r.Pod.Title()), r.Verdict, model.Clean(r.Summary), model.Clean(r.Pod.Line()))
	for _, fact := range r.Facts {
		fmt.Fprintf(&b, "  %s\n", model.Clean(fact))
	}
	if len(r.Groups) > 0 {
		b.WriteString("\n")
		b.WriteString(groupTable(r.Groups))
	}
	if refusing := r.Refusing(); len(refusing) > 0 {
		b.WriteString("\n")
		b.WriteString(pluginTable(refusing))
	}
	if nodes && len(r.Nodes) > 0 {
		b.WriteString("\n")
		b.WriteString(nodeTable(r.Nodes))
	}
	b.WriteString(remarks(r))
	return b.String()
}

// groupTable tells the groups of nodes, nearest first.
func groupTable(groups []explain.Group) string {
	rows := [][]string{{"NODES", "REFUSED BY", "WHAT STANDS IN THE WAY, NEAREST FIRST"}}
	for _, group := range groups {
		rows = append(rows, []string{strconv.Itoa(group.Count), group.RefusedBy(), group.Words})
	}
	return table(rows)
}

// pluginTable tells what each plugin keeps away.
func pluginTable(plugins []explain.PluginResult) string {
	rows := [][]string{{"PLUGIN", "REFUSES", "ALONE"}}
	for _, plugin := range plugins {
		rows = append(rows, []string{plugin.Name, strconv.Itoa(plugin.Refuses), strconv.Itoa(plugin.Alone)})
	}
	return table(rows)
}

// nodeTable tells each node's answer, a line per refusal.
func nodeTable(nodes []explain.NodeResult) string {
	rows := [][]string{{"NODE", "FITS", "REFUSED BY", "WHY"}}
	for _, node := range nodes {
		fits := "?"
		if node.Fits != nil {
			fits = map[bool]string{true: "yes", false: "no"}[*node.Fits]
		}
		if len(node.Refusals) == 0 {
			rows = append(rows, []string{node.Name, fits, "", ""})
		}
		for _, refusal := range node.Refusals {
			rows = append(rows, []string{node.Name, fits, refusal.Plugin, refusal.What})
		}
	}
	return table(rows)
}

// remarks tell what belongs to no table.
func remarks(r *explain.Report) string {
	var b strings.Builder
	remark := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s: %s\n", label, model.Clean(text))
		}
	}
	if r.Preemption != nil {
		remark("Preemption", r.Preemption.Why)
	}
	remark("kube-scheduler would write now", r.SchedulerMessage)
	if r.Observed.Message != r.SchedulerMessage {
		remark("kube-scheduler wrote", r.Observed.Message)
	}
	for _, part := range r.Unknown {
		remark("Unknown", part.Why+"; it leaves open: "+strings.Join(part.Plugins, ", "))
	}
	for _, caveat := range r.Scheduler.Caveats {
		remark("Note", caveat)
	}
	return b.String()
}

// table aligns rows as kubectl does.
func table(rows [][]string) string {
	var b strings.Builder
	w := printers.GetNewTabWriter(&b)
	for _, row := range rows {
		for i, text := range row {
			row[i] = model.Clean(text)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush() // a strings.Builder takes everything
	return trimLines(b.String())
}

// trimLines takes the padding off the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}
