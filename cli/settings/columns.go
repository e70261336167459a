package settings

import (
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/model/column"
)

// Columns are more columns of Nodes and of Pods.
type Columns struct {
	Nodes []column.Spec `json:"nodes"`
	Pods  []column.Spec `json:"pods"`
}

// mostColumns is how many more columns a view has at most.
const mostColumns = 20

// judge notes what is wrong with columns.
func (c Columns) judge(d *document) {
	for view, specs := range map[string][]column.Spec{"nodes": c.Nodes, "pods": c.Pods} {
		path := join("columns", view)
		if len(specs) > mostColumns {
			d.wrong(path, fmt.Sprintf("%d columns: at most %d", len(specs), mostColumns))
		}
		for i, spec := range specs {
			at := fmt.Sprintf("%s[%d]", path, i)
			if d.hasFault(at) {
				continue // a field that it does not have: what is missing follows from it
			}
			if _, field, err := column.New(spec); err != nil {
				if field != "" {
					at = join(at, field)
				}
				d.wrong(at, err.Error())
			}
		}
	}
}

// made makes columns; one with a fault was rejected before.
func made(specs []column.Spec) []*column.Column {
	var all []*column.Column
	for _, spec := range specs {
		if c, _, err := column.New(spec); err == nil {
			all = append(all, c)
		}
	}
	return all
}

// OfNodes are the columns of nodes.
func (c Columns) OfNodes() []*column.Column { return made(c.Nodes) }

// OfPods are the columns of pods.
func (c Columns) OfPods() []*column.Column { return made(c.Pods) }

// NeedWhole reports whether a column is about more of an object than its labels.
func (c Columns) NeedWhole() bool {
	for _, specs := range [][]column.Spec{c.Nodes, c.Pods} {
		for _, spec := range specs {
			if spec.Label == "" {
				return true
			}
		}
	}
	return false
}
