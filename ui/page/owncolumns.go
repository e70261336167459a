package page

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/column"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// mostOwn is how wide a column of the user's own is at most.
const mostOwn = 30

// OwnColumns are columns of the user's own: on terminals that are wide enough for more
// columns, and where all are shown.
func OwnColumns[R any](h Host, own []*column.Column, object func(R) metav1.Object) []table.Column[R] {
	columns := make([]table.Column[R], 0, len(own))
	for _, c := range own {
		columns = append(columns, table.Column[R]{Head: c.Head, From: 100, Max: mostOwn, Text: func(row R) table.Cell {
			text := c.Value(object(row), h.Observed().Columns.Whole)
			if text == model.UnknownFigure {
				return table.Cell{Text: text, Tone: tone.Unknown}
			}
			return table.Cell{Text: text}
		}})
	}
	return columns
}
