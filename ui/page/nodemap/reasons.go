package nodemap

import (
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// reasons are why a pod does not fit the nodes.
type reasons struct{ why Why }

func (reasons) title() string { return "reasons" }

func (reasons) word() string { return "reason" }

func (reasons) scale() []entry { return nil }

// family is reasons with one sign: its word stands for them where there are several.
type family struct {
	sign, word string
	tone       tone.Tone
	causes     []string // as BLOCKED BY and report.Name have them
}

// families are the reasons that have a sign of their own. States of the node are in
// capitals.
var families = []family{
	{fitsSign, Fits, tone.Good, []string{Fits}},
	{"c", "cpu", tone.Warning, []string{"cpu"}},
	{"m", "memory", tone.Warning, []string{"memory"}},
	{"g", "gpu", tone.Warning, []string{"gpu"}},
	{"p", "pods", tone.Warning, []string{"pods"}},
	{"r", "resources", tone.Warning, []string{"resources", "storage", "hugepages"}},
	{"t", "taint", tone.Marked, []string{"taint"}},
	{"a", "affinity", tone.Strong, []string{"node selector", "node affinity", "pod affinity", "anti-affinity"}},
	{"s", "spread", tone.Plain, []string{"spread", "topology spread"}},
	{"h", "host port", tone.Plain, []string{"host port"}},
	{"v", "volume", tone.Unknown, []string{"volume", "claim", "volume limit", "volume in use", "volume binding", "volume zone"}},
	{"d", "device", tone.Unknown, []string{"device", "device claim"}},
	{"n", "node name", tone.Plain, []string{"node name"}},
	{"C", report.CordonWord, tone.Dim, []string{report.CordonWord, "cordon"}},
	{"N", "NotReady", tone.Bad, []string{"NotReady"}},
	{"P", "pressure", tone.Bad, []string{"pressure"}},
}

// fitsSign is the sign of nodes that fit.
const fitsSign = "✓"

// others is the sign of reasons of other plugins.
const others = "*"

// byCause finds the family of a reason.
var byCause = func() map[string]family {
	index := map[string]family{}
	for _, f := range families {
		for _, cause := range f.causes {
			index[cause] = f
		}
	}
	return index
}()

func (r reasons) cell(n *model.Node) cell {
	cause := r.why.Reason(n.Name)
	if cause == "" {
		return unknown
	}
	if f, ok := byCause[cause]; ok {
		return cell{f.sign, f.tone, cause}
	}
	return cell{others, tone.Plain, cause}
}

// answer counts the nodes by their reason, the most first, and names, where there is room after all counts, the pools
// and zones in which it is the same everywhere.
func (r reasons) answer(of *summary) []string {
	verdict, ok := r.why.Verdict()
	if !ok {
		return []string{verdict}
	}
	counted := slices.Clone(of.found)
	slices.SortStableFunc(counted, func(a, b tally) int { return b.nodes - a.nodes })
	var words []string
	for _, t := range counted {
		if t.sign != fitsSign {
			words = append(words, model.Clean(t.means)+" "+model.FormatCount(t.nodes))
		}
	}
	if len(words) == 0 {
		return []string{verdict + "."}
	}
	same := ""
	if len(counted) > 1 {
		same = r.sameWords(of)
	}
	counts := verdict + ": " + strings.Join(words, ", ") + "."
	answers := []string{counts + same, counts}
	for n := len(words) - 1; n > 0; n-- {
		answers = append(answers, verdict+": "+strings.Join(words[:n], ", ")+", …")
	}
	return append(answers, verdict+".")
}

// sameWords name the zones, else the pools, else the pools of a zone, in which the reason
// is the same everywhere.
func (r reasons) sameWords(of *summary) string {
	for _, by := range of.grid.divisions() {
		if all := r.uniform(of.split(by)); len(all) > 0 {
			return " All of " + grammar.List(all, mostNamed) + "."
		}
	}
	return ""
}

// uniform are the parts in which the reason is the same on all nodes: "eu-1b: volume".
func (r reasons) uniform(parts []part) []string {
	var found []string
	for _, p := range parts {
		if len(p.nodes) < 2 {
			continue
		}
		first := r.cell(p.nodes[0])
		if first.means != Fits && !slices.ContainsFunc(p.nodes, func(n *model.Node) bool { return r.cell(n).means != first.means }) {
			found = append(found, p.name+": "+first.means)
		}
	}
	return found
}
