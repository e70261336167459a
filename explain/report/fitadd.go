package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// NewNodes are further nodes like one that exists; none where Count is 0.
type NewNodes struct {
	Like  string
	Count int
}

// AddedNodes are nodes that do not exist and were added in the simulation.
type AddedNodes struct {
	Like       string   `json:"like"`
	Nodes      []string `json:"nodes"`
	Zone       string   `json:"zone"`       // "" where Like has none
	DaemonPods int      `json:"daemonPods"` // pods of DaemonSets on each of them
	Without    *int     `json:"without"`    // how many fit without them; null: not known
}

// PendingFit is what becomes of the pending pods of one workload.
type PendingFit struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"` // of the controller; of the pod where it has none
	Pods      int      `json:"pods"`
	Fits      *int     `json:"fits"`           // how many are scheduled, in whatever order they come; null: not known
	Most      int      `json:"most,omitempty"` // how many are in the best order, where that is more
	Nodes     []string `json:"nodes"`          // where, if they come in the order of the queue
	Why       string   `json:"why"`            // what stops the others; "" where all fit
}

// words count the nodes: "1 more node like std-a-01".
func (a *AddedNodes) words() string {
	return grammar.Count(len(a.Nodes), "more node", "more nodes") + " like " + a.Like
}

// begin puts the nodes before what fits with them, and what fits without them behind it;
// nil leaves the sentence as it is.
func (a *AddedNodes) begin(said string, fits *int) string {
	if a == nil {
		return said
	}
	said = "With " + a.words() + ", " + grammar.Small(said)
	without := "Without " + grammar.Agree(len(a.Nodes), "it", "them")
	switch {
	case a.Without == nil || fits == nil:
		return said
	case *a.Without == *fits:
		return said + " " + without + " the same number fits."
	case *a.Without == 0:
		return said + " " + without + " none fits."
	}
	return said + fmt.Sprintf(" %s %d %s.", without, *a.Without, grammar.Agree(*a.Without, "fits", "fit"))
}

// pool is the function with the pools of the added nodes; nil adds none.
func (a *AddedNodes) pool(of func(node string) string) func(node string) string {
	if a == nil {
		return of
	}
	return func(node string) string {
		if slices.Contains(a.Nodes, node) {
			return of(a.Like)
		}
		return of(node)
	}
}

// section says what was added.
func (a *AddedNodes) section(pool func(node string) string) Section {
	if a == nil {
		return Section{}
	}
	var where []string
	if name := pool(a.Like); name != "" {
		where = append(where, "pool "+name)
	}
	if a.Zone != "" {
		where = append(where, "zone "+a.Zone)
	}
	line := fmt.Sprintf("Added: %s, like %s", grammar.List(a.Nodes, grammar.Few), a.Like)
	if len(where) > 0 {
		line += " (" + strings.Join(where, ", ") + ")"
	}
	with := "without pods"
	if a.DaemonPods > 0 {
		with = "with " + grammar.Count(a.DaemonPods, "DaemonSet pod", "DaemonSet pods")
		if len(a.Nodes) > 1 {
			with += " each"
		}
	}
	return Section{Lines: []string{line + ", " + with + "."}}
}

// CountPending notes how many of the pending pods fit, unless something is not known.
func (f *Fit) CountPending(fits int) {
	open := len(f.Unknown) > 0
	for i := range f.Pending {
		f.Asked += f.Pending[i].Pods
		open = open || f.Pending[i].Fits == nil
	}
	if !open {
		f.Fits = &fits
	}
}

// pendingSentence is the answer about pending pods.
func (f *Fit) pendingSentence() string {
	pods := grammar.Plural(f.Asked, "pending pod")
	switch {
	case f.Asked == 0:
		return "No pod is waiting for a node."
	case f.Fits == nil && f.Asked == 1:
		return f.Added.begin("Whether the 1 pending pod fits is unknown"+f.whyPending()+".", nil)
	case f.Fits == nil:
		return f.Added.begin(fmt.Sprintf("How many of %s fit is unknown", pods)+f.whyPending()+".", nil)
	}
	return f.Added.begin(fmt.Sprintf("%d of %s %s.", *f.Fits, pods, grammar.Agree(f.Asked, "fits", "fit")), f.Fits)
}

// whyPending is why it is not known how many of the pending pods fit, behind a colon.
func (f *Fit) whyPending() string {
	if len(f.Unknown) > 0 {
		return ": " + f.Unknown[0].Why
	}
	for i := range f.Pending {
		if p := &f.Pending[i]; p.Fits == nil && p.Why != "" {
			return ": " + p.Why
		}
	}
	return ""
}

// pendingTable is the pending pods by workload.
func (f *Fit) pendingTable() Section {
	t := &Table{Columns: []Column{{Head: "WORKLOAD"}, {"PODS", Right}, {FitsHead, Right}, {Head: "NODES, OR REASON"}}}
	vary := false // how many of a workload fit depends on the others
	for i := range f.Pending {
		p := &f.Pending[i]
		fits := "?"
		if p.Fits != nil {
			fits = strconv.Itoa(*p.Fits)
			if p.Most > *p.Fits {
				fits, vary = fits+"–"+strconv.Itoa(p.Most), true
			}
		}
		var where []string
		if len(p.Nodes) > 0 && (p.Fits == nil || *p.Fits > 0 || p.Most > 0) {
			where = append(where, grammar.List(p.Nodes, grammar.Few))
		}
		if p.Why != "" {
			where = append(where, p.Why)
		}
		t.Rows = append(t.Rows, Row{Cells: []string{p.Namespace + "/" + p.Name, strconv.Itoa(p.Pods), fits, strings.Join(where, "; ")}})
	}
	if len(t.Rows) == 0 {
		return Section{}
	}
	s := Section{Table: t}
	if vary {
		s.Notes = append(s.Notes, "They compete: how many of a workload fit depends on which pods come first.")
	}
	if f.Held > 0 {
		s.Notes = append(s.Notes, grammar.Count(f.Held, "more pending pod is", "more pending pods are")+" not waiting for a node: gated, or of a scheduler that fathom does not simulate.")
	}
	return s
}
