package output

import (
	"fmt"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Table aligns rows as kubectl does.
func Table(rows [][]string) string {
	var b strings.Builder
	w := printers.GetNewTabWriter(&b)
	for _, row := range rows {
		for i, text := range row {
			row[i] = model.Clean(text)
		}
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t")) // a strings.Builder takes everything
	}
	_ = w.Flush()
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
