package nodemap

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// measure is what the cells of a map show.
type measure interface {
	// title is its name after "map of".
	title() string
	// word is its name in the footer.
	word() string
	// cell is the cell of a node.
	cell(n *model.Node) cell
	// scale is the part of the legend that is always there; nil is none.
	scale() []entry
	// answer says what the map shows of some nodes: in several lengths, the longest first.
	answer(of *summary) []string
}

// cell is one cell: a sign, its tone, and what it means, for the legend. No meaning is a
// level of the scale.
type cell struct {
	sign  string
	tone  tone.Tone
	means string
}

// entry is a sign with its meaning in the legend.
type entry struct {
	sign, means string
	tone        tone.Tone
}

// unknown is the cell of a node of which a figure is not known.
var unknown = cell{model.UnknownFigure, tone.Unknown, "unknown"}

// measuresOf are those that there are for some nodes, in the order of tab; why is nil where
// the map is not about a pod.
func measuresOf(h page.Display, why Why, nodes []*model.Node) []measure {
	seen := h.Observed()
	var all []measure
	if why != nil {
		all = append(all, reasons{why})
	}
	whole, tainted := model.CapacityOf(nodes), taintedPools(seen.Snapshot.Nodes)
	measured := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}
	resources := append(slices.Clone(measured), whole.Extended()...)
	for _, name := range resources {
		alike := func(other corev1.ResourceName) bool {
			return other != name && model.ResourceWord(other) == model.ResourceWord(name)
		}
		all = append(all, level{name: name, domain: slices.ContainsFunc(resources, alike), levels: h.Levels(), open: seen.PodsUnknown(), pools: tainted})
	}
	all = append(all, age{seen.AsOf()}, states{})
	if usage := seen.Snapshot.Usage; usage != nil { // it comes later: what is named before stays where it is
		for _, name := range measured {
			all = append(all, level{name: name, levels: h.Levels(), usage: usage, pools: tainted})
		}
	}
	return all
}

// level is how much of a resource is requested, or used, of what is allocatable.
type level struct {
	name   corev1.ResourceName
	domain bool         // it is named with its domain: another resource has the same word
	usage  *model.Usage // nil: what is requested
	levels gauge.Levels
	open   string          // why requests are not known; "" if they are
	pools  map[string]bool // those of which all nodes are tainted
}

func (l level) title() string {
	if l.usage != nil {
		return l.resource() + " used"
	}
	return l.resource() + " requested"
}

// resource is the name of the resource.
func (l level) resource() string {
	if l.domain {
		return model.Clean(string(l.name))
	}
	return model.Clean(model.ResourceWord(l.name))
}

func (l level) word() string {
	word := l.resource()
	if l.name == corev1.ResourceMemory {
		word = "mem"
	}
	if l.usage != nil {
		word += " used"
	}
	return word
}

// part is what is requested or used of a node; it is not known where the node was not
// measured, or does not say how much is allocatable.
func (l level) part(n *model.Node) (part, whole int64, known bool) {
	whole = n.Allocatable.Of(l.name)
	if l.usage == nil {
		return n.Requested.Of(l.name), whole, whole > 0
	}
	part, known = figures.UsedOn(n, l.name, l.usage)
	return part, whole, known && whole > 0
}

// heights are the levels below tight. The last two signs are tight and full: so the shape
// tells the level too.
var heights = []string{"▁", "▂", "▃", "▄", "▅", "▆"}

const (
	tightSign = "▇"
	fullSign  = "█"
	noneSign  = "'" // the node has nothing of an extended resource
	readySign = "·"
)

// cell is a letter where the node takes no pods, or fewer than others of its pool; else
// the level. A pool that is tainted as a whole is shown by its levels.
func (l level) cell(n *model.Node) cell {
	state := stateOf(n)
	part, whole, known := l.part(n)
	percent := model.Percent(part, whole)
	switch {
	case !known && l.isExtended():
		return cell{noneSign, tone.Dim, "no " + l.resource()}
	case state.stops:
		return state.cell
	case !known || l.open != "":
		return unknown
	case percent >= l.levels.Full:
		return cell{sign: fullSign, tone: l.levels.Tone(percent)}
	case state.means == pressureWord:
		return state.cell
	case state.means == taintedWord && !l.pools[n.Pool]:
		return cell{state.sign, l.levels.Tone(percent), state.means}
	case percent >= l.levels.Tight:
		return cell{sign: tightSign, tone: l.levels.Tone(percent)}
	}
	step := min(percent*len(heights)/max(l.levels.Tight, 1), len(heights)-1)
	return cell{sign: heights[step], tone: l.levels.Tone(percent)}
}

func (l level) isExtended() bool {
	return l.name != corev1.ResourceCPU && l.name != corev1.ResourceMemory
}

func (l level) scale() []entry {
	if l.open != "" {
		return nil
	}
	return []entry{{heights[0], "empty …", tone.Good}, {fullSign, "full", tone.Bad}}
}

// age is how long ago the node was created.
type age struct{ asOf time.Time }

func (age) title() string { return "age" }

func (age) word() string { return "age" }

const day = 24 * time.Hour

// young is the age up to which a node is counted as new.
const young = time.Hour

// old is the age from which a node is counted as old.
const old = 90 * day

// ages are the shapes of ages: each up to the one that follows, the last one older.
var ages = []struct {
	sign  string
	below time.Duration
	words string
}{
	{"▁", 10 * time.Minute, "10m"},
	{"▂", young, "1h"},
	{"▃", 6 * time.Hour, "6h"},
	{"▄", day, "1d"},
	{"▅", 7 * day, "7d"},
	{"▆", 30 * day, "30d"},
	{"▇", old, "90d"},
	{"█", 0, "older"},
}

func (a age) cell(n *model.Node) cell {
	created := n.Object.CreationTimestamp.Time
	if created.IsZero() {
		return unknown
	}
	is := a.asOf.Sub(created)
	at := 0
	for at < len(ages)-1 && is >= ages[at].below {
		at++
	}
	made := cell{sign: ages[at].sign, tone: tone.Plain}
	if is < young {
		made.tone = tone.Marked
	}
	return made
}

func (age) scale() []entry {
	made := make([]entry, len(ages))
	for i, a := range ages {
		made[i] = entry{sign: a.sign, means: a.words}
		if i < len(ages)-1 {
			made[i].means = "<" + a.words
		}
		if i < len(ages)-1 && a.below <= young {
			made[i].tone = tone.Marked
		}
	}
	return made
}

// states is whether nodes are ready, and what else keeps pods away.
type states struct{}

func (states) title() string { return "state" }

func (states) word() string { return "state" }

func (states) cell(n *model.Node) cell { return stateOf(n).cell }

func (states) scale() []entry { return nil }

// state is that of a node, the one that matters most where there are several.
type state struct {
	cell
	stops bool // the node takes no pods, whatever is free
}

// pressureWord is the state of a node that lacks memory, disk or process IDs, which taints it.
const pressureWord = "pressure"

// taintedWord is the state of a node that takes only pods that tolerate its taint, and taintedSign
// its cell.
const (
	taintedWord = "tainted"
	taintedSign = "t"
)

// stateOf is the state of a node.
func stateOf(n *model.Node) state {
	switch {
	case n.IsNew():
		return state{cell{"n", tone.Warning, "new"}, true}
	case !n.IsReady():
		return state{cell{"N", tone.Bad, "NotReady"}, true}
	case n.Lifecycle != "":
		return state{cell{"r", tone.Warning, "removing"}, true}
	case n.Cordoned:
		return state{cell{"C", tone.Warning, "cordoned"}, true}
	case len(n.Pressure) > 0:
		return state{cell{"P", tone.Warning, pressureWord}, false}
	case isTainted(n):
		return state{cell{taintedSign, tone.Plain, taintedWord}, false}
	}
	return state{cell{readySign, tone.Good, "Ready"}, false}
}

// isTainted reports whether a taint that Kubernetes did not set itself rejects pods.
func isTainted(n *model.Node) bool {
	for _, t := range n.Object.Spec.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !strings.HasPrefix(t.Key, model.TaintDomain) {
			return true
		}
	}
	return false
}

// taintedPools are the pools with several nodes of which all are tainted: the taint is the
// pool's, as that of GPU nodes.
func taintedPools(nodes []*model.Node) map[string]bool {
	all, tainted := map[string]int{}, map[string]int{}
	for _, n := range nodes {
		all[n.Pool]++
		if isTainted(n) {
			tainted[n.Pool]++
		}
	}
	found := map[string]bool{}
	for pool, n := range tainted {
		found[pool] = pool != "" && n > 1 && n == all[pool]
	}
	return found
}
