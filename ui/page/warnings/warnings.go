// Package warnings says what limits a cluster although no pod may be pending for it yet:
// kube-controller-manager that is not running, nodes that failed or are under pressure, cordoned and full pools, DaemonSets that fail, pods that have failed, full quotas, taints that evict
// pods, and budgets that block drains.
package warnings

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Warning is one thing that limits the cluster.
type Warning struct {
	Short, Long string // clauses without a period; Long names more
	Middle      string // between them, where Long has no room; "" is Short
	Key, View   string // of the view that shows more, and its name

	Counted bool // by the answer of Nodes
	Urgent  bool // it comes before the answer: nothing else matters as long as it is so
	Soon    bool // the answer of Nodes makes room for it
}

// Leads says in a sentence which key, or what typed, shows more.
func (w *Warning) Leads() string {
	verb := "Press "
	if strings.HasPrefix(w.Key, ":") {
		verb = "Type "
	}
	return verb + w.Key + " for " + w.View + "."
}

// Nodes is the view of which the answer counts nodes by their state.
const Nodes = "Nodes"

// Watch computes the warnings off the event loop while a page is on top: when it is shown,
// and again after a while.
type Watch struct {
	Host page.Host
	Self page.View
	On   string // the name of the view: no warning sends a user there

	shown     int // how often the page was
	namespace string
	asked     time.Time
	asks      page.Poll[answer]
}

// answer is what was found out.
type answer struct {
	namespace string // that was shown
	warnings  []Warning
	hard      inventory.Hard // of that namespace
}

const (
	// again is after how long the warnings are computed again, and sooner where a namespace is shown:
	// its quotas are in view.
	again, sooner = 2 * time.Minute, 30 * time.Second
	// soon is after how long at the earliest: a user comes back to the page again and again.
	soon = 5 * time.Second
	// budgets, quotas and classes are what they need beside a snapshot, as RBAC names it. Of what may
	// not be listed there is no warning; its view says so.
	budgets, quotas, classes, leases = "poddisruptionbudgets", "resourcequotas", "priorityclasses", "leases"
)

// againMsg computes the warnings again, unless the page was shown anew since.
type againMsg struct{ shown int }

// Update takes the messages of the page.
func (w *Watch) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		if msg.Shown {
			w.shown++
			if left := soon - w.Host.Observed().At.Sub(w.asked); left > 0 && w.asks.Revision() != 0 && w.namespace == w.Host.Namespace() {
				return w.Host.Later(w.Self, left, againMsg{w.shown})
			}
			return w.ask()
		}
		if w.asks.Revision() == 0 {
			return w.ask()
		}
		return nil
	case againMsg:
		if msg.shown == w.shown && w.Host.Shown(w.Self) {
			return w.ask()
		}
		return nil
	}
	news, cmd := w.asks.Update(w.Host, w.Self, msg)
	if news == page.Answered {
		after := again
		if w.Host.Namespace() != "" {
			after = sooner
		}
		return tea.Batch(cmd, w.Host.Later(w.Self, after, againMsg{w.shown}))
	}
	return cmd
}

func (w *Watch) ask() tea.Cmd {
	o := w.Host.Observed()
	if o.NotRead("nodes") != "" || w.Host.Hides() {
		return nil
	}
	at := At{Namespace: w.Host.Namespace(), Full: w.Host.Levels().Full, Now: o.AsOf(), Pods: w.On == ""}
	snapshot := o.Snapshot
	w.namespace, w.asked = at.Namespace, o.At
	return w.asks.AskNow(w.Host, w.Self, func(ctx context.Context, cluster page.Cluster) (answer, error) {
		objects, err := cluster.Objects(ctx, budgets, quotas, classes, leases)
		if err != nil {
			return answer{}, err
		}
		list, _ := model.ListOf[*corev1.ResourceQuota](objects, quotas)
		return answer{at.Namespace, Of(snapshot, objects, at), inventory.HardOf(list, at.Namespace)}, nil
	})
}

// more is the key that shows more, " (5)"; "" in that very view.
func (w *Watch) more(warning Warning) string {
	if warning.View == w.On {
		return ""
	}
	return " (" + warning.Key + ")"
}

// All are the warnings; none while they are not known, or hidden by a lesson.
func (w *Watch) All() []Warning {
	if w.Host.Hides() || w.asks.Value.namespace != w.Host.Namespace() {
		return nil
	}
	return w.asks.Value.warnings
}

// Hard is what the quotas of the namespace that is shown allow; nothing while that is not known.
func (w *Watch) Hard() inventory.Hard {
	if w.asks.Value.namespace != w.Host.Namespace() {
		return inventory.Hard{}
	}
	return w.asks.Value.hard
}

// Lead is what comes before an answer, with a blank after it; "" is nothing.
func (w *Watch) Lead() string {
	for _, warning := range w.All() {
		if warning.Urgent {
			return warning.Short + ". "
		}
	}
	return ""
}

// Soon is a sentence that an answer makes room for; "" is none.
func (w *Watch) Soon() string {
	for _, warning := range w.All() {
		if warning.Soon {
			return warning.Short + "."
		}
	}
	return ""
}

// After adds to an answer as many warnings as fit width cells; what Lead and Soon say is in it already.
func (w *Watch) After(answer string, width int) string {
	for _, warning := range w.All() {
		if warning.Urgent || (warning.Counted || warning.Soon) && w.On == Nodes {
			continue // the answer has it
		}
		if longer := answer + " " + w.Host.Observed().Brief(warning.Short) + w.more(warning) + "."; cells.Width(longer) < width {
			answer = longer
		}
	}
	return answer
}

// Lines are the warnings in full, as many as fit so many rows of a page of a width.
func (w *Watch) Lines(width, rows int) []string {
	const mark = "! "
	s, o := w.Host.Styles(), w.Host.Observed()
	var lines []string
	for _, warning := range w.All() {
		press, key := ".", w.more(warning)+"."
		if warning.View != w.On {
			press += " " + warning.Leads()
		}
		middle := o.Brief(cmp.Or(warning.Middle, warning.Short))
		wrapped := wrappedIn(rows-len(lines), width-table.Gutter-len(mark)-1, o.Brief(warning.Long)+press, middle+press, middle+key, o.Brief(warning.Short)+press)
		for i, line := range wrapped {
			lead := s.Warn.Render(mark)
			if i > 0 {
				lead = cells.Blank(len(mark))
			}
			lines = append(lines, cells.Blank(table.Gutter)+lead+s.Text.Render(line))
		}
	}
	return lines
}

// wrappedIn is the first of some sentences that has room in so many rows of a width; nothing where none has.
func wrappedIn(rows, width int, sentences ...string) []string {
	for _, sentence := range sentences {
		if wrapped := cells.Wrap(sentence, width); len(wrapped) <= rows {
			return wrapped
		}
	}
	return nil
}

// At is what warnings depend on beside the cluster.
type At struct {
	Namespace string // that those about quotas and budgets are of; "" is all
	Full      int    // the percentage from which a pool or a quota is full
	Pods      bool   // they are beside pending pods: what is full, which is why most are pending, comes first
	Now       time.Time
}

// Of are the warnings about a cluster.
func Of(s *model.Snapshot, o *model.Objects, at At) []Warning {
	var all []Warning
	taints := inventory.Taints(s)
	first, later, budget := Warning{}, poolWarning(s, at.Full), budgetWarning(s, o, at.Namespace)
	if at.Pods && len(s.Pending) > 0 {
		first, later = later, first
		budget = Warning{} // no pod is pending for a budget
	}
	for _, w := range []Warning{
		controllerWarning(o), evictionWarning(s, taints, at), first, pressureWarning(s), newNodeWarning(s, at.Now), cordonWarning(s), daemonSetWarning(s, at.Now), failedWarning(s, at), classWarning(s, o), later, taintWarning(taints),
		quotaWarning(s, o, at.Namespace, at.Full), budget,
	} {
		if w.Long != "" {
			all = append(all, w)
		}
	}
	return all
}

// pressureWarning counts the nodes that report pressure.
func pressureWarning(s *model.Snapshot) Warning {
	var names, conditions []string
	for _, node := range s.Nodes {
		if len(node.Pressure) == 0 {
			continue
		}
		names = append(names, node.Name)
		for _, condition := range node.Pressure {
			if !slices.Contains(conditions, condition) {
				conditions = append(conditions, condition)
			}
		}
	}
	if len(names) == 0 {
		return Warning{}
	}
	slices.Sort(conditions)
	what := strings.Join(conditions, ", ") + " on "
	return Warning{Short: what + grammar.Plural(len(names), "node"), Long: what + grammar.List(names, grammar.Few), Key: "3", View: Nodes, Counted: true}
}

// cordonWarning names the pools of which all nodes in a zone are cordoned.
func cordonWarning(s *model.Snapshot) Warning {
	type part struct{ pool, zone string }
	nodes, cordoned := map[part]int{}, map[part]int{}
	for _, node := range s.Nodes {
		at := part{node.Pool, node.Zone}
		nodes[at]++
		if node.Cordoned {
			cordoned[at]++
		}
	}
	var words []string
	for at, n := range nodes {
		if n > 1 && cordoned[at] == n && at != (part{}) {
			words = append(words, fmt.Sprintf("all %d nodes of %s", n, strings.Join(slices.DeleteFunc([]string{at.pool, at.zone}, func(name string) bool { return name == "" }), " in ")))
		}
	}
	if len(words) == 0 {
		return Warning{}
	}
	slices.Sort(words)
	return Warning{Short: "Cordoned: " + grammar.List(words, 1), Long: "Cordoned: " + grammar.List(words, grammar.Few), Key: "3", View: Nodes}
}

// poolWarning names the pools of which nearly all is requested.
func poolWarning(s *model.Snapshot, full int) Warning {
	pools := inventory.Pools(s, "", full)
	zones, fullZones := map[string]int{}, map[string]int{}
	for i := range pools {
		zones[pools[i].Pool]++
		if word, _ := fullOf(&pools[i], full); word != "" {
			fullZones[pools[i].Pool]++
		}
	}
	var words, holders []string
	for i := range pools {
		pool := &pools[i]
		word, percent := fullOf(pool, full)
		if word == "" || pool.Pool == "" && len(pools) > 1 {
			continue
		}
		where := cmp.Or(pool.Pool, "the cluster")
		if fullZones[pool.Pool] < zones[pool.Pool] {
			where += " in " + cmp.Or(pool.Zone, "no zone")
		} else if last := len(words) - 1; last >= 0 && strings.HasPrefix(words[last], where+" (") {
			continue // all its zones are full
		}
		words = append(words, fmt.Sprintf("%s (%s %d%%)", where, word, percent))
		holders = append(holders, holderOf(s, pool, fullZones[pool.Pool] < zones[pool.Pool], word))
	}
	if len(words) == 0 {
		return Warning{}
	}
	short := "Full: " + grammar.List(words, 1)
	for i, holder := range holders {
		if holder != "" {
			words[i] = strings.TrimSuffix(words[i], ")") + ", " + holder + ")"
		}
	}
	return Warning{Short: short, Middle: "Full: " + grammar.List(words, 1), Long: "Full: " + grammar.List(words, grammar.Few), Key: "4", View: "Pools"}
}

// fullOf is the first resource of which nearly all is requested in a pool; "" is none.
func fullOf(pool *inventory.Pool, full int) (name corev1.ResourceName, percent int) {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods} {
		whole := pool.Allocatable.Of(name)
		if pool.Requested == nil || whole <= 0 {
			continue
		}
		if percent := model.Percent(pool.Requested.Of(name), whole); percent >= full {
			return name, percent
		}
	}
	return "", 0
}

// taintWarning names the taints that evict pods, but for those that say what state a node is
// in, and those that reserve nodes for pods that select them.
func taintWarning(taints []inventory.Taint) Warning {
	var words []string
	for i := range taints {
		taint := &taints[i]
		if taint.Effect != corev1.TaintEffectNoExecute || model.IsStateTaint(taint.Key) || taint.Reserved != nil || taint.Running == nil {
			continue
		}
		nodes := taint.Nodes[0]
		if len(taint.Nodes) > 1 {
			nodes = grammar.Plural(len(taint.Nodes), "node")
		}
		words = append(words, (&corev1.Taint{Key: taint.Key, Value: taint.Value, Effect: taint.Effect}).ToString()+" on "+nodes)
	}
	if len(words) == 0 {
		return Warning{}
	}
	return Warning{Short: grammar.List(words, 1), Long: "Taints that evict pods: " + grammar.List(words, grammar.Few), Key: "5", View: "Taints"}
}

// quotaWarning names the quotas that are full.
func quotaWarning(s *model.Snapshot, o *model.Objects, namespace string, full int) Warning {
	list, _ := model.ListOf[*corev1.ResourceQuota](o, quotas)
	var words []string
	all := inventory.Quotas(s, list, nil, false)
	for i := range all {
		quota := &all[i]
		if quota.Percent == nil || *quota.Percent < full || namespace != "" && quota.Namespace != namespace {
			continue
		}
		words = append(words, fmt.Sprintf("%s/%s (%s %d%%)", quota.Namespace, quota.Name, quota.Fullest, *quota.Percent))
	}
	if len(words) == 0 {
		return Warning{}
	}
	return Warning{Short: "Quota full: " + grammar.List(words, 1), Long: "Full quotas: " + grammar.List(words, grammar.Few), Key: "8", View: "Quotas"}
}

// budgetWarning names the budgets that allow no eviction of a pod, and counts the nodes whose
// drain they block.
func budgetWarning(s *model.Snapshot, o *model.Objects, namespace string) Warning {
	list, _ := model.ListOf[*policyv1.PodDisruptionBudget](o, budgets)
	all, _ := inventory.Budgets(s, list)
	var words []string
	blocked, never := map[string]bool{}, ""
	for i := range all {
		budget := &all[i]
		if len(budget.Nodes) == 0 || namespace != "" && budget.Namespace != namespace {
			continue
		}
		words = append(words, budget.Namespace+"/"+budget.Name)
		if never == "" && budget.AllowsNone != "" {
			never = words[len(words)-1] + ": " + budget.AllowsNone
		}
		for _, node := range budget.Nodes {
			blocked[node] = true
		}
	}
	if len(words) == 0 {
		return Warning{}
	}
	short := grammar.Count(len(words), "PDB blocks", "PDBs block") + fmt.Sprintf(" drains of %d of %s", len(blocked), grammar.Plural(len(s.Nodes), "node"))
	named := short + ": " + grammar.List(words, grammar.Few)
	w := Warning{Short: short, Long: named, Key: "9", View: "Budgets"}
	switch {
	case never != "" && len(words) == 1:
		w.Long, w.Middle = short+": "+never, named
	case never != "":
		w.Long, w.Middle = named+"; "+never, named
	}
	return w
}
