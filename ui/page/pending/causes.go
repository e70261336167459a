package pending

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

const (
	// mostCauses is of how many causes the answer is told in full after the last row.
	mostCauses = 2
	// causeRows is how many rows one of them has at most.
	causeRows = 5
	// causeMark leads it.
	causeMark = "✗ "
)

// toldInFull are the verdicts of pods that something blocks that may be mended.
var toldInFull = []report.Verdict{report.Unschedulable, report.NotCreated, report.NotConsidered}

// cause is what blocks some of the pending pods.
type cause struct {
	pods  int
	row   *Row // the workload with the most of them
	whole *report.Report
	same  bool // the answer is that of all of them
}

// blockedWords say in a sentence what some pods are blocked by: "need a free slot" for pods, else by the word that
// the column has. part is that other pods are pending too.
func blockedWords(pods int, by string, part bool) string {
	switch by {
	case string(corev1.ResourcePods):
		return grammar.Agree(pods, "needs a free slot", "need a free slot")
	case "too large":
		return grammar.Agree(pods, "is too large", "are too large")
	case "no scheduler":
		return grammar.Agree(pods, "needs its scheduler", "need their scheduler")
	}
	if part {
		return grammar.Agree(pods, "is", "are") + " blocked by " + by
	}
	return "blocked by " + by
}

// words say what blocks how many pods, of how many that are pending where these are not all: what is told of a few is
// not taken for what blocks the others too.
func (c *cause) words(pending int) string {
	of, part := figures.Count(c.pods, "pod", "pods"), c.pods < pending && c.whole.Verdict != report.NotCreated
	if part {
		of = model.FormatCount(c.pods) + " of " + model.FormatCount(pending) + " pending pods"
	}
	said := of + " " + blockedWords(c.pods, c.whole.BlockedBy, part)
	if !c.same {
		said += ", such as " + c.row.Pod.Object.Namespace + "/" + cmp.Or(c.row.Pod.Owner.Name, c.row.Pod.Name())
	}
	return said
}

// pending counts the pods of the rows that exist and are pending: those that are resized run.
func (v *overview) pending() (pods int) {
	for _, row := range v.list.Table.Rows {
		if !row.Leaf && !v.list.Table.Gone[row.ID] && row.Kind.NotCreated == nil && row.Kind.Resize == nil {
			pods += row.Of
		}
	}
	return pods
}

// outranks is how many pods rank higher, where that is why preemption cannot help; "" otherwise.
func (c *cause) outranks() string {
	if c.whole.Preemption == nil {
		return ""
	}
	return c.whole.Preemption.Outranks
}

// causes tell in full what blocks most pods, where their rows cut it or leave out what is said of
// other nodes than the closest, or of pods that rank higher.
func (v *overview) causes(rows int) []string {
	s, width := v.list.Host.Styles(), v.list.Table.Width-table.Gutter-cells.Width(causeMark)-1
	var lines []string
	pending := v.pending()
	for _, c := range v.blocking() {
		whole := strings.TrimPrefix(c.whole.Summary, c.whole.FitCount()+". ")
		if outranks := c.outranks(); outranks != "" {
			whole += " " + grammar.Capital(outranks) + "."
		}
		told := cells.First(cells.Wrap(v.list.Host.Observed().Brief(report.ShortLabels(c.words(pending)+". "+whole)), width), causeRows, width)
		if len(lines)+len(told) > rows {
			return lines
		}
		for i, line := range told {
			lead := s.Bad.Render(causeMark)
			if i > 0 {
				lead = cells.Blank(cells.Width(causeMark))
			}
			lines = append(lines, cells.Blank(table.Gutter)+lead+s.Text.Render(line))
		}
	}
	return lines
}

// blocking are the causes whose rows do not say all, those of the most pods first.
func (v *overview) blocking() []cause {
	var all []cause
	for _, row := range v.list.Table.Rows {
		told := v.verdicts.Of(row.Kind)
		if row.Leaf || v.list.Table.Gone[row.ID] || told == nil || !slices.Contains(toldInFull, told.Verdict) {
			continue
		}
		at := slices.IndexFunc(all, func(c cause) bool { return c.whole.BlockedBy == told.BlockedBy })
		if at < 0 {
			at = len(all)
			all = append(all, cause{row: row, whole: told, same: true})
		}
		c := &all[at]
		c.same = c.same && c.whole.Summary == told.Summary
		if row.Of > c.row.Of {
			c.row, c.whole = row, told
		}
		c.pods += row.Of
	}
	blocked := 0
	for _, c := range all {
		blocked += c.pods
	}
	all = slices.DeleteFunc(all, func(c cause) bool {
		if c.whole.Verdict == report.NotConsidered && 2*c.pods < blocked {
			return true // its row says enough where other things block more
		}
		return c.whole.Further == "" && c.outranks() == "" && !table.Cuts(v.list.Table, whyHead, c.row)
	})
	slices.SortStableFunc(all, func(a, b cause) int { return cmp.Compare(b.pods, a.pods) })
	return all[:min(len(all), mostCauses)]
}
