package nodes

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/warnings"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// counts are what the page says of many nodes, made whenever its rows are arranged.
type counts struct {
	states   string                // the nodes by their state, in a sentence
	calm     string                // the same without pressure
	brief    string                // the same without what is besides
	lost     string                // only those that are not Ready, where a zone is lost; "" is none
	full     []string              // how many are full: of cpu, of memory
	shown    model.Capacity        // of the nodes that the filter keeps
	extended []corev1.ResourceName // that a node has, whatever the filter
	types    bool                  // a node says its capacity type
	devices  []string              // the DeviceClasses of which a node has a device, by name
}

// arranged are the rows, which are what the filter keeps.
func (n *Page) arranged(rows []*model.Node) []*model.Node {
	all := n.Natural()
	whole := model.CapacityOf(all)
	words := func(of detail) string { return stateWords(all, of) }
	n.counts = counts{
		states: words(withPressure), calm: words(withoutPressure), brief: words(readyOnly), shown: whole, extended: whole.Extended(), devices: n.counts.devices,
	}
	n.counts.lost = lostWords(all)
	if n.Host.Observed().PodsUnknown() == "" {
		n.counts.full = fullWords(all, n.Host.Levels())
	}
	if len(rows) < len(all) {
		n.counts.shown = model.CapacityOf(rows)
	}
	for _, node := range all {
		n.counts.types = n.counts.types || node.CapacityType != ""
	}
	n.reshape()
	return rows
}

// gauges are what is requested of the nodes that the filter keeps, and how many pods are pending.
func (c *counts) gauges(h page.Host, width int) string {
	o := h.Observed()
	if o.NotRead("nodes") != "" || o.PodsUnknown() != "" || o.IsReading() {
		return ""
	}
	return gauge.Capacity(h.Styles(), h.Levels(), &c.shown, width, o.Waiting.Endings(o)...)
}

// uninitialized is what nodes are that are new, as Pending says it too.
const uninitialized = "not initialized"

// detail is what nodes are counted by besides whether they are Ready.
type detail int

const (
	readyOnly       detail = iota // only whether they are new
	withoutPressure               // whether they are cordoned or being removed
	withPressure                  // and whether they are under pressure
)

// tally counts the nodes that are Ready, the others by their state, and what else is counted of both.
func tally(all []*model.Node, of detail) (ready int, others, besides map[string]int) {
	others, besides = map[string]int{}, map[string]int{}
	for _, n := range all {
		switch {
		case n.IsReady():
			ready++
		case n.IsNew():
			others[uninitialized]++
		default:
			others[readyWord(n)]++
		}
		switch {
		case n.IsNew():
			if n.IsReady() {
				besides[uninitialized]++
			}
		case of == readyOnly:
		case n.Lifecycle != "":
			besides["removing"]++
		case n.Cordoned: // as the column STATUS: others take no pods anyway
			besides["cordoned"]++
		}
		if of == withPressure {
			for _, condition := range n.Pressure {
				besides[condition]++
			}
		}
	}
	return ready, others, besides
}

// stateWords count nodes by whether they are Ready, and by as much else. A zone that is lost is always named.
func stateWords(all []*model.Node, of detail) string {
	ready, others, besides := tally(all, of)
	states := []string{fmt.Sprintf("%s: %s Ready", figures.Count(len(all), "node", "nodes"), model.FormatCount(ready))}
	var marks []string
	for _, word := range []corev1.NodeConditionType{
		"cordoned", "removing", uninitialized, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeNetworkUnavailable,
	} {
		if k := besides[string(word)]; k > 0 {
			marks = append(marks, model.FormatCount(k)+" "+string(word))
		}
	}
	if len(marks) > 0 {
		states[0] += " (" + strings.Join(marks, ", ") + ")"
	}
	for _, word := range []string{"NotReady", "Unknown", uninitialized} {
		k := others[word]
		if k == 0 {
			continue
		}
		states = append(states, model.FormatCount(k)+" "+word)
		if lost := warnings.LostZones(all, k); lost != "" && word == "NotReady" {
			states[len(states)-1] += " (" + lost + ")"
		}
	}
	return strings.Join(states, ", ") + "."
}

// lostWords count the nodes that are not Ready, in a sentence, where a zone has no other; "" where none has.
func lostWords(all []*model.Node) string {
	_, others, _ := tally(all, readyOnly)
	k := others["NotReady"]
	lost := warnings.LostZones(all, k)
	if lost == "" {
		return ""
	}
	return fmt.Sprintf("%s of %s NotReady (%s).", model.FormatCount(k), figures.Count(len(all), "node", "nodes"), lost)
}

// words are the nodes by their state in as much detail as fits, and how many are full where there is room
// for it too: of cpu alone where both do not fit.
func (c *counts) words(width int) string {
	states := c.brief
	for _, more := range []string{c.calm, c.states} {
		if cells.Width(more) <= width {
			states = more
		}
	}
	for n := len(c.full); n > 0; n-- {
		if words := states + " " + strings.Join(c.full[:n], ", ") + "."; cells.Width(words) <= width {
			return words
		}
	}
	return states
}

// wordsWith are words, in less detail where a sentence has room after them only so.
func (c *counts) wordsWith(sentence string, width int) string {
	if sentence == "" {
		return c.words(width)
	}
	for _, states := range []string{c.states, c.calm, c.brief, c.lost} {
		if words := states + " " + sentence; states != "" && cells.Width(words) <= width {
			return words
		}
	}
	return c.words(width)
}

// fullWords count the nodes that are full: "3 are at 95%+ cpu", "1 memory".
func fullWords(all []*model.Node, levels gauge.Levels) []string {
	var words []string
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		full := 0
		for _, n := range all {
			if percent, known := n.Percent(resource); known && percent >= levels.Full {
				full++
			}
		}
		if full == 0 {
			continue
		}
		over := ""
		if len(words) == 0 {
			over = grammar.Agree(full, " is", " are") + fmt.Sprintf(" at %d%%+", levels.Full)
		}
		words = append(words, model.FormatCount(full)+over+" "+string(resource))
	}
	return words
}
