package settings

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/model/column"
)

// Columns are more columns of Nodes and of Pods.
type Columns struct {
	Nodes []column.Spec `json:"nodes"`
	Pods  []column.Spec `json:"pods"`
}

// mostColumns is how many more columns a view has at most.
const mostColumns = 20

// ownView is a view that has columns of a user's own.
type ownView struct {
	name   Name
	object metav1.Object // what it lists
	what   string        // the same in words
	heads  []string      // of its built-in columns, those of get -o wide too
}

var (
	viewOfNodes = ownView{NodesColumns, &corev1.Node{}, "a node", []string{
		"NAME", "STATUS", "CPU FREE", "MEM FREE", "PODS", "AGE", "ZONE", "VERSION", "TAINTS", "ROLES", "POOL", "INSTANCE TYPE", "REQUESTED",
		"CPU", "MEM", "FREE", "CAPACITY", "INSTANCE", "LIMITS",
	}}
	viewOfPods = ownView{PodsColumns, &corev1.Pod{}, "a pod", []string{
		"NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "QOS", "PRIO", "NODE", "AGE", "OWNER", "PRIORITY CLASS", "SCHEDULER", "REQUESTS",
		"NAMESPACE/NAME", "CPU", "USED", "MEM", "LIMITS", "IP",
	}}
)

// judge notes what is wrong with columns.
func (c Columns) judge(d *document) {
	viewOfNodes.judge(d, c.Nodes)
	viewOfPods.judge(d, c.Pods)
}

func (v *ownView) judge(d *document, specs []column.Spec) {
	path := string(v.name)
	if len(specs) > mostColumns {
		d.wrong(path, fmt.Sprintf("%d columns: at most %d", len(specs), mostColumns))
	}
	taken := map[string]string{}
	for _, head := range v.heads {
		taken[head] = "a built-in column"
	}
	for i, spec := range specs {
		at := item(path, i)
		if d.hasFault(at) {
			continue // what else is wrong follows from it
		}
		made, field, err := column.New(spec)
		if err != nil {
			if field != "" {
				at = join(at, field)
			}
			d.wrong(at, err.Error())
			continue
		}
		if of := taken[made.Head]; of != "" {
			d.wrong(join(at, "head"), fmt.Sprintf("%s is the head of %s: set another head", made.Head, of))
			continue
		}
		taken[made.Head] = at
		if wrong := spec.UnknownField(v.object); wrong != nil {
			d.wrong(join(at, "cel"), fmt.Sprintf("%s: %s has no such field: choose one of %s%s",
				wrong.Path, v.what, strings.Join(wrong.Names, ", "), suggest.DidYouMean(wrong.Name, wrong.Names...)))
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
