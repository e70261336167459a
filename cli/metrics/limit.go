package metrics

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

const (
	// mostCauses is how many words of what blocks pods have a value of their own: some are
	// names of resources, which whoever creates pods may choose.
	mostCauses = 50
	// mostResources is the same of resources of nodes.
	mostResources = 50
	// mostRows is how many combinations of all labels have a value of their own.
	mostRows = 1000
	// other stands for the values of a label beyond a limit. No namespace has this name.
	other = "_other"
)

// tally adds up pods by cause.
type tally struct {
	rows []blocked
	at   map[cause]int
}

// add counts pods in.
func (t *tally) add(b blocked) {
	if at, ok := t.at[b.cause]; ok {
		t.rows[at].join(b)
		return
	}
	if t.at == nil {
		t.at = map[cause]int{}
	}
	t.at[b.cause] = len(t.rows)
	t.rows = append(t.rows, b)
}

// limited joins rows so that no label has too many values: those with the most pods keep
// theirs, the rest is other.
func limited(rows []blocked, namespaces int) []blocked {
	ofNamespace := func(b *blocked) *string { return &b.namespace }
	ofCause := func(b *blocked) *string { return &b.by }
	rows = joined(joined(rows, namespaces, ofNamespace), mostCauses, ofCause)
	slices.SortFunc(rows, func(a, b blocked) int {
		return cmp.Or(cmp.Compare(b.pods, a.pods), strings.Compare(a.namespace, b.namespace), strings.Compare(a.by, b.by),
			strings.Compare(string(a.verdict), string(b.verdict)), strings.Compare(a.plugin, b.plugin), strings.Compare(string(a.scaleUp), string(b.scaleUp)))
	})
	if len(rows) <= mostRows {
		return rows
	}
	var kept tally
	for i, row := range rows {
		if i >= mostRows {
			row.cause = cause{namespace: other, verdict: row.verdict, by: other, plugin: other, scaleUp: report.UnknownScaleUp}
		}
		kept.add(row)
	}
	return kept.rows
}

// joined keeps the values of one label that have the most pods.
func joined(rows []blocked, most int, label func(*blocked) *string) []blocked {
	pods := map[string]int{}
	for i := range rows {
		pods[*label(&rows[i])] += rows[i].pods
	}
	if len(pods) <= most {
		return rows
	}
	names := make([]string, 0, len(pods))
	for name := range pods {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(pods[b], pods[a]), strings.Compare(a, b)) })
	var kept tally
	for _, row := range rows {
		if name := label(&row); slices.Contains(names[most:], *name) {
			*name = other
		}
		kept.add(row)
	}
	return kept.rows
}
