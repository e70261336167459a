package pending

import (
	"fmt"
	"strings"
	"time"

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

// nodeWords count the nodes that are Ready, those under pressure and those that are cordoned: what
// there is to say, in several ways, the longest first.
func (c *capacity) nodeWords() [][]gauge.Word {
	ready := gauge.Word{Text: fmt.Sprintf("%s/%s nodes Ready", model.FormatCount(c.Ready), model.FormatCount(c.Nodes)), Tone: tone.Dim}
	if c.Ready < c.Nodes {
		ready.Tone = tone.Warning
	}
	var more []gauge.Word
	if c.Pressed > 0 {
		more = append(more, gauge.Word{Text: model.FormatCount(c.Pressed) + " under pressure", Tone: tone.Warning})
	}
	if c.Uninitialized > 0 {
		more = append(more, gauge.Word{Text: model.FormatCount(c.Uninitialized) + " not initialized", Tone: tone.Warning})
	}
	if c.Cordoned > 0 {
		more = append(more, gauge.Word{Text: model.FormatCount(c.Cordoned) + " cordoned", Tone: tone.Dim})
	}
	short := ready
	short.Text = strings.Replace(ready.Text, "nodes ", "", 1)
	ways := [][]gauge.Word{append([]gauge.Word{ready}, more...), append([]gauge.Word{short}, more...)}
	if len(more) > 1 {
		ways = append(ways, []gauge.Word{short, more[0]})
	}
	return append(ways, []gauge.Word{ready})
}

// overview is the state of the cluster in short: what is requested of it, and how the
// number of pending pods has changed.
type overview struct {
	list     *list.Page[query.PendingRow, *Row]
	verdicts *Verdicts
	capacity capacity
	own      model.Resources // what the pods of the namespace request that is shown
	placed   model.Resources // of it, what those request that have a node
	trend    trend
	steps    steps // of a recording
	warns    *warnings.Watch
}

// take takes in a snapshot.
func (v *overview) take(s *model.Snapshot) {
	v.capacity.of(s, s.Nodes)
	if namespace := v.list.Host.Namespace(); namespace != "" {
		v.own, v.placed = model.RequestedBy(page.InNamespace(s.Pods, namespace))
	}
	v.trend.add(v.list.Host, v.verdicts)
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
	return gauge.Capacity(h.Styles(), h.Levels(), &v.capacity.Capacity, width, v.capacity.nodeWords()...)
}

// gaugesOf are the gauges where a namespace is shown.
func (v *overview) gaugesOf(namespace string) string {
	s, levels, width, hard := v.list.Host.Styles(), v.list.Host.Levels(), v.list.Width, v.warns.Hard()
	var endings [][]gauge.Word
	end := func(texts ...string) { // with the state of nodes that have something to say, where there is room
		of := &v.capacity
		if of.Ready < of.Nodes || of.Pressed+of.Uninitialized+of.Cordoned > 0 {
			for _, text := range texts {
				for _, words := range of.nodeWords() {
					endings = append(endings, append([]gauge.Word{{Text: model.Clean(text), Tone: tone.Dim}}, words...))
				}
			}
		}
		for _, text := range texts {
			endings = append(endings, []gauge.Word{{Text: model.Clean(text), Tone: tone.Dim}})
		}
	}
	switch n := len(hard.Quotas); n {
	case 0:
		of := v.capacity.Capacity
		of.Requested = v.placed
		end("requested by "+namespace, "by "+namespace)
		return gauge.Capacity(s, levels, &of, width, endings...)
	case 1:
		end("requested of quota "+hard.Quotas[0], "of quota "+hard.Quotas[0], "of quota")
	default:
		end(fmt.Sprintf("requested of %d quotas: %s", n, strings.Join(hard.Quotas, ", ")), fmt.Sprintf("of %d quotas", n))
	}
	return gauge.Quota(s, levels, &v.own, &hard.Resources, width, endings...)
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

// trend is how many pods of a namespace have been pending.
type trend struct {
	gauge.Trend
	namespace string
}

// add notes how many are pending now; a snapshot and a recording are not lived through.
func (t *trend) add(h page.Host, v *Verdicts) {
	o := h.Observed()
	if o.IsReading() || o.IsSnapshot() {
		return
	}
	if t.namespace != h.Namespace() {
		*t = trend{namespace: h.Namespace()}
	}
	t.Add(o.At, count(h, v).pods)
}

// sparkWidth is the cells of the sparkline of pending pods.
const sparkWidth = 8

// words are the change and the sparkline, "+3 in 5m ▁▁▂▂▄▅█", on a wide screen. An
// answer is given one cell less than the screen has.
func (t *trend) words(o *page.Observed, width int) string {
	words := t.Words(o.At)
	if width+1 < cells.WideFrom || words == "" || o.IsSnapshot() {
		return ""
	}
	return words + " " + t.Spark(sparkWidth, o.At)
}

// around adds to an answer the age of the oldest pending pod and the trend, where there
// is room for them.
func (v *overview) around(answer string, width int) string {
	h := v.list.Host
	o := h.Observed()
	room := width - 2 // to the trend, and at the right end
	trend := v.trend.words(o, width)
	if trend == "" && width+1 >= cells.WideFrom {
		trend = v.steps.words(room - cells.Width(answer))
	}
	if oldest := oldest(o, h.Namespace()); !oldest.IsZero() && v.list.InForce == "" {
		words := " Oldest pending " + o.Since(oldest) + "."
		if cells.Width(answer+words)+cells.Width(trend) <= room {
			answer += words
		}
	}
	if v.list.InForce == "" && !v.warned() {
		answer = v.warns.After(answer, room-cells.Width(trend)+1)
	}
	if trend == "" || cells.Width(answer)+cells.Width(trend) > room {
		return answer
	}
	return cells.Spread(answer, trend, width-1)
}

// oldest is since when the pod of a namespace is pending that has been pending longest.
func oldest(o *page.Observed, namespace string) time.Time {
	var oldest time.Time
	for _, kind := range o.Snapshot.Pending {
		if namespace != "" && kind.Namespace() != namespace || kind.NotCreated != nil {
			continue
		}
		if since := kind.Since(); oldest.IsZero() || since.Before(oldest) {
			oldest = since
		}
	}
	return oldest
}
