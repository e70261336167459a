package pending

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/warnings"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// capacity is that of some nodes of a snapshot, summed up once.
type capacity struct {
	model.Capacity
	revision int64
}

// of sums the nodes up, unless they are those of the snapshot that were summed up last.
func (c *capacity) of(snapshot *model.Snapshot, nodes []*model.Node) {
	if c.revision != snapshot.Revision || c.Nodes != len(nodes) {
		c.Capacity, c.revision = model.CapacityOf(nodes), snapshot.Revision
	}
}

// nodeWords count the nodes that are Ready, and those under pressure, new, cordoned or being removed: what
// there is to say, in several ways, the longest first.
func (c *capacity) nodeWords() []gauge.Ending {
	ready := gauge.Word{Text: fmt.Sprintf("%s/%s nodes Ready", model.FormatCount(c.Ready), model.FormatCount(c.Nodes)), Tone: tone.Dim}
	if c.Ready < c.Nodes {
		ready.Tone = tone.Warning
	}
	var more []gauge.Word
	if c.Pressed > 0 {
		more = append(more, gauge.Word{Text: model.FormatCount(c.Pressed) + " under pressure", Tone: tone.Warning})
	}
	if c.New > 0 {
		more = append(more, gauge.Word{Text: model.FormatCount(c.New) + " not initialized", Tone: tone.Warning})
	}
	trouble := len(more) > 0
	if c.Cordoned > 0 {
		more = append(more, gauge.Word{Text: model.FormatCount(c.Cordoned) + " cordoned", Tone: tone.Dim})
	}
	if c.Removing > 0 {
		more = append(more, gauge.Word{Text: model.FormatCount(c.Removing) + " removing", Tone: tone.Dim})
	}
	short := ready
	short.Text = strings.Replace(ready.Text, "nodes ", "", 1)
	ways := []gauge.Ending{{Words: append([]gauge.Word{ready}, more...)}, {Words: append([]gauge.Word{short}, more...), Narrow: trouble}}
	if len(more) > 1 {
		ways = append(ways, gauge.Ending{Words: []gauge.Word{short, more[0]}, Narrow: trouble})
	}
	if trouble && c.Ready == c.Nodes {
		ways = append(ways, gauge.Ending{Words: more[:1], Narrow: true})
	}
	return append(ways, gauge.Ending{Words: []gauge.Word{ready}}, gauge.Ending{Words: []gauge.Word{short}, Narrow: true})
}

// overview is the state of the cluster in short: what is requested of it, and how the
// number of pending pods has changed.
type overview struct {
	list     *list.Page[query.PendingRow, *Row]
	verdicts *Verdicts
	capacity capacity
	own      model.Resources        // what the pods of the namespace request that is shown
	placed   model.Resources        // of it, what those request that have a node
	answer   func(width int) string // row 2, but for the age of the oldest pod, warnings and the trend
	steps    steps                  // of a recording
	warns    *warnings.Watch
}

// take takes in a snapshot.
func (v *overview) take(s *model.Snapshot) {
	v.capacity.of(s, s.Nodes)
	if namespace := v.list.Host.Namespace(); namespace != "" {
		v.own, v.placed = model.RequestedBy(page.InNamespace(s.Pods, namespace))
	}
}

// gauges are what is requested of the cluster's nodes; where a namespace is shown, by its pods, of
// what its quotas allow, if it has any.
func (v *overview) gauges() string {
	h := v.list.Host
	if o := h.Observed(); o.NotRead("nodes") != "" || o.IsReading() {
		return ""
	}
	width := v.list.Width
	if namespace := h.Namespace(); namespace != "" {
		return v.gaugesOf(namespace)
	}
	return gauge.Capacity(h.Styles(), h.Levels(), &v.capacity.Capacity, width, v.withLeft(v.capacity.nodeWords())...)
}

// gaugesOf are the gauges where a namespace is shown.
func (v *overview) gaugesOf(namespace string) string {
	s, levels, width, hard := v.list.Host.Styles(), v.list.Host.Levels(), v.list.Width, v.warns.Hard()
	var endings []gauge.Ending
	end := func(texts ...string) { // with the state of nodes that have something to say, where there is room
		of := &v.capacity
		if of.Ready < of.Nodes || of.Pressed+of.New+of.Cordoned+of.Removing > 0 {
			for _, text := range texts {
				for _, words := range of.nodeWords() {
					endings = append(endings, gauge.Ending{Words: append([]gauge.Word{{Text: model.Clean(text), Tone: tone.Dim}}, words.Words...)})
				}
			}
		}
		for _, text := range texts {
			endings = append(endings, gauge.Ending{Words: []gauge.Word{{Text: model.Clean(text), Tone: tone.Dim}}})
		}
	}
	switch n := len(hard.Quotas); n {
	case 0:
		of := v.capacity.Capacity
		of.Requested = v.placed
		end("requested by "+namespace, "by "+namespace)
		return gauge.Capacity(s, levels, &of, width, v.withLeft(endings)...)
	case 1:
		end("requested of quota "+hard.Quotas[0], "of quota "+hard.Quotas[0], "of quota")
	default:
		end(fmt.Sprintf("requested of %d quotas: %s", n, strings.Join(hard.Quotas, ", ")), fmt.Sprintf("of %d quotas", n))
	}
	return gauge.Quota(s, levels, &v.own, &hard.Resources, width, v.withLeft(endings)...)
}

// after is what follows the last row of the list: what blocks most pods, then what limits the
// cluster, in full.
func (v *overview) after(rows int) []string {
	if v.list.InForce != "" || rows == 0 {
		return nil
	}
	lines := v.causes(rows)
	return append(lines, v.warns.Lines(v.list.Table.Width, rows-len(lines))...)
}

// warned reports whether warnings have rows after the last one of the list.
func (v *overview) warned() bool {
	rows := v.list.Around.Free(1+len(v.list.Table.InView()), v.list.Table.Height)
	return rows > 0 && len(v.after(rows)) > len(v.causes(rows))
}

// beside is what stands beside an answer: the age of the oldest pending pod, and at the right how their number has
// changed; "" where there is no room for one of them.
type beside struct{ oldest, trend string }

// besideIn is what of both the answer has room for.
func (v *overview) besideIn(answer string, width int) beside {
	return besideOf(cells.Width(answer), width, v.oldest(), v.trends())
}

// besideOf is what has room beside an answer of so many cells: both rather than one of them, and the age rather than the
// trend. Trends stand there on a wide screen, and are given the longest first. An answer is given one cell less than the
// screen has.
func besideOf(answer, width int, oldest string, trends []string) beside {
	room := width - 2 - answer // to the trend, and at the right end
	if width+1 < cells.WideFrom {
		trends = nil
	}
	var ages []string
	if oldest != "" {
		ages = []string{" Oldest pending " + oldest + ".", " Oldest " + oldest + "."}
	}
	var ways []beside
	for _, trend := range trends {
		for _, age := range ages {
			ways = append(ways, beside{age, trend})
		}
	}
	for _, age := range ages {
		ways = append(ways, beside{oldest: age})
	}
	for _, trend := range trends {
		ways = append(ways, beside{trend: trend})
	}
	for _, way := range ways {
		if cells.Width(way.oldest)+cells.Width(way.trend) <= room {
			return way
		}
	}
	return beside{}
}

// oldest is the age of the oldest pending pod; "" where the list has a filter, or there is none.
func (v *overview) oldest() string {
	o := v.list.Host.Observed()
	if o.Waiting.Oldest.IsZero() || v.list.InForce != "" {
		return ""
	}
	return o.Since(o.Waiting.Oldest)
}

// trends are how the number of pending pods has changed, the longest first.
func (v *overview) trends() []string {
	o := v.list.Host.Observed()
	return o.Waiting.Trends(o)
}

// around adds to an answer the age of the oldest pending pod and the trend, where there is room for them.
func (v *overview) around(answer string, width int) string {
	fits := v.besideIn(answer, width)
	answer += fits.oldest
	if v.list.InForce == "" && !v.warned() {
		answer = v.warns.After(answer, width-1-cells.Width(fits.trend))
	}
	if fits.trend == "" {
		return answer
	}
	return cells.Spread(answer, fits.trend, width-1)
}

// withLeft puts before the endings of the gauges the same with what the row of the answer had no room for.
func (v *overview) withLeft(endings []gauge.Ending) []gauge.Ending {
	answer := v.answer(v.list.Width - 1)
	if answer == "" {
		return endings
	}
	var oldest []gauge.Word
	fits := v.besideIn(answer, v.list.Width-1)
	if age := v.oldest(); age != "" && fits.oldest == "" {
		oldest = []gauge.Word{{Text: "oldest " + age, Tone: tone.Dim}}
	}
	var left [][]gauge.Word
	if fits.trend == "" {
		for _, trend := range v.trends() {
			left = append(left, slices.Concat(oldest, []gauge.Word{{Text: trend, Tone: tone.Dim}}))
		}
	}
	if oldest != nil {
		left = append(left, oldest)
	}
	var all []gauge.Ending
	for i, words := range left {
		for _, ending := range endings[:min(len(endings), 2)] { // the others lack something
			all = append(all, gauge.Ending{Words: slices.Concat(ending.Words, words), Narrow: oldest != nil && i == len(left)-1})
		}
	}
	return append(all, endings...)
}
