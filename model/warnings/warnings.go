// Package warnings says what limits a cluster although no pod may be pending for it yet:
// kube-controller-manager that is not running, nodes that failed or are under pressure, cordoned and full pools, DaemonSets that fail, pods that have failed, full quotas, taints that evict
// pods, and budgets that block drains.
package warnings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// Warning is one thing that limits the cluster.
type Warning struct {
	Short, Long string // clauses without a period; Long names more
	Middle      string // between them, where Long has no room; "" is Short
	View        string // that shows more

	Counted bool // by the answer of Nodes
	Urgent  bool // it comes before the answer: nothing else matters as long as it is so
	Soon    bool // the answer of Nodes makes room for it
}

// The views of the dashboard that show more.
const (
	Pods       = "Pods"
	Nodes      = "Nodes" // its answer counts nodes by their state
	Pools      = "Pools"
	Taints     = "Taints"
	Priorities = "Priorities"
	Quotas     = "Quotas"
	Budgets    = "Budgets"
	Schedulers = "Schedulers"
)

const budgets, quotas, classes, leases = "poddisruptionbudgets", "resourcequotas", "priorityclasses", "leases"

// Resources are what warnings need beside a snapshot, as RBAC names it. Of what may not be listed there is no
// warning.
var Resources = []string{budgets, quotas, classes, leases}

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

// UrgentResources are what Urgent needs beside a snapshot.
var UrgentResources = []string{leases}

// Urgent are sentences about what explains most of a cluster's trouble: kube-controller-manager that is not running,
// nodes that have just failed, and evictions from nodes that have. Of the objects it needs UrgentResources.
func Urgent(s *model.Snapshot, o *model.Objects, namespace string, now time.Time) (sentences []string) {
	if w := Controllers(o); w != "" {
		sentences = append(sentences, w)
	}
	if words := Failing(s, now, func(name string) string { return name }); words != "" {
		sentences = append(sentences, words)
	}
	if w := evictionWarning(s, inventory.Taints(s), At{Namespace: namespace, Now: now}); w.Long != "" {
		sentences = append(sentences, w.Long+".")
	}
	return sentences
}

// Controllers is a sentence about kube-controller-manager where it is not running: nothing is created or replaced; "" is
// none.
func Controllers(o *model.Objects) string {
	if w := controllerWarning(o); w.Long != "" {
		return w.Long + "."
	}
	return ""
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
	return Warning{Short: what + grammar.Plural(len(names), "node"), Long: what + grammar.List(names, grammar.Few), View: Nodes, Counted: true}
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
	return Warning{Short: "Cordoned: " + grammar.List(words, 1), Long: "Cordoned: " + grammar.List(words, grammar.Few), View: Nodes}
}

// wholeCluster is in place of a pool's name where no node is of one.
const wholeCluster = "the cluster"

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
		where := cmp.Or(pool.Pool, wholeCluster)
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
	lead := grammar.Agree(len(words), "Pool full: ", "Pools full: ")
	if strings.HasPrefix(words[0], wholeCluster) {
		lead = "Full: " // no node is of a pool
	}
	short := lead + grammar.List(words, 1)
	for i, holder := range holders {
		if holder != "" {
			words[i] = strings.TrimSuffix(words[i], ")") + ", " + holder + ")"
		}
	}
	return Warning{Short: short, Middle: lead + grammar.List(words, 1), Long: lead + grammar.List(words, grammar.Few), View: Pools}
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
	return Warning{Short: grammar.List(words, 1), Long: "Taints that evict pods: " + grammar.List(words, grammar.Few), View: Taints}
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
	lead := grammar.Agree(len(words), "Quota full: ", "Quotas full: ")
	return Warning{Short: lead + grammar.List(words, 1), Long: lead + grammar.List(words, grammar.Few), View: Quotas}
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
	w := Warning{Short: short, Long: named, View: Budgets}
	switch {
	case never != "" && len(words) == 1:
		w.Long, w.Middle = short+": "+never, named
	case never != "":
		w.Long, w.Middle = named+"; "+never, named
	}
	return w
}
