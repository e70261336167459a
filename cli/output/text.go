package output

import (
	"fmt"
	"io"
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

// Rows writes rows of one table as they come, each as wide as those before.
type Rows struct {
	to    io.Writer
	text  strings.Builder
	align interface {
		io.Writer
		Flush() error
	}
}

// NewRows makes a table that is written to w row by row.
func NewRows(w io.Writer) *Rows {
	r := &Rows{to: w}
	r.align = printers.GetNewTabWriter(&r.text) // it remembers the widths
	return r
}

// Write writes some rows.
func (r *Rows) Write(rows [][]string) error {
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, text := range row {
			cells[i] = model.Clean(text)
		}
		_, _ = fmt.Fprintln(r.align, strings.Join(cells, "\t")) // a strings.Builder takes everything
	}
	_ = r.align.Flush()
	text := trimLines(r.text.String())
	r.text.Reset()
	_, err := io.WriteString(r.to, text)
	return err
}

// trimLines takes the padding off the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}
