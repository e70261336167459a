package rejectiongroup

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Holders is the lower part of a group's page: the pods that request most of
// the lacking resource on the selected node, and what an eviction of each would do.
type Holders struct {
	host      page.Host
	Table     *table.Table[*holder]
	focused   bool // the cursor is here
	node      string
	about     corev1.ResourceName
	asks      page.Question[[]report.Eviction]
	asked     int64 // the revision that was asked for last
	askedOf   []types.UID
	evictions map[types.UID]report.Eviction
	failed    bool // the last question failed
}

// holder is one row: a pod, or all the others together.
type holder struct {
	pod    *model.Pod // nil for the others
	others int        // how many there are
	amount int64
	used   string
}

// Pods that have a row each: few on a small screen, more on a larger one.
const (
	holdersFew  = 3
	holdersMost = 10
)

func newHolders(host page.Host) *Holders {
	h := &Holders{host: host}
	h.Table = table.New(func(row *holder) string {
		if row.pod == nil {
			return "others"
		}
		return string(row.pod.Object.UID)
	}, h.columns("")...)
	h.Table.Blurred = true
	return h
}

func (h *Holders) columns(head string) []table.Column[*holder] {
	return []table.Column[*holder]{
		{Head: head, Min: 26, Max: 40, Names: true, Text: h.name},
		{Head: "PRIO", Gap: 1, Min: 6, Right: true, Text: func(row *holder) table.Cell {
			if row.pod == nil {
				return table.Cell{}
			}
			return table.Cell{Text: strconv.Itoa(int(row.pod.Priority()))}
		}},
		{Head: "REQUESTS", Gap: 1, Right: true, Text: func(row *holder) table.Cell {
			return table.Cell{Text: figures.ColumnText(h.about, row.amount, model.Nearest)}
		}},
		{Head: "USED", Gap: 1, Min: 5, Right: true, Text: func(row *holder) table.Cell { return table.Cell{Text: row.used} }},
		{Head: "IF EVICTED", Min: 27, Flex: true, Text: h.evicted},
	}
}

func (h *Holders) name(row *holder) table.Cell {
	if row.pod == nil {
		return table.Cell{Text: model.FormatCount(row.others) + " more"}
	}
	return table.Cell{Text: row.pod.FullName()}
}

// evicted is what an eviction of a pod would do, once that is known.
func (h *Holders) evicted(row *holder) table.Cell {
	if row.pod == nil {
		return table.Cell{}
	}
	eviction, ok := h.evictions[row.pod.Object.UID]
	switch {
	case ok && eviction.Fits == nil:
		return table.Cell{Text: h.host.Observed().Brief(eviction.Short), Tone: tone.Unknown}
	case ok && *eviction.Fits:
		return table.Cell{Text: h.host.Observed().Brief(eviction.Short), Tone: tone.Good}
	case ok:
		return table.Cell{Text: h.host.Observed().Brief(eviction.Short)}
	case h.failed:
		return table.Cell{Text: "not evaluated", Tone: tone.Unknown}
	case h.evictions != nil && !h.asks.Busy():
		return table.Cell{} // it is no longer on the node
	}
	return table.Cell{Text: "simulating", Tone: tone.Dim}
}

// note is the selected row's sentence in full.
func (h *Holders) note() string {
	row, ok := h.Table.Selected()
	if !ok || row.pod == nil {
		return ""
	}
	if eviction, ok := h.evictions[row.pod.Object.UID]; ok {
		return cells.CutWords(h.host.Observed().Brief(eviction.Sentence), h.Table.Width-1)
	}
	return h.Table.CutNote(h.Table.Width)
}

// follow shows which pods request most of a resource on a node, and asks what an
// eviction would do. It shows nothing where no resource is lacking.
func (h *Holders) follow(p *Page) tea.Cmd {
	row, ok := p.Table.Selected()
	if !ok || !p.content.group.Rejects(figures.FitPlugin) || p.content.resource() == "" {
		h.Table.Rows, h.focused = nil, false
		p.parts.lay()
		return nil
	}
	if row.node.Name != h.node || p.content.resource() != h.about {
		h.node, h.about, h.evictions, h.failed = row.node.Name, p.content.resource(), nil, false
		h.asks.Leave()
		h.asked = 0
		h.Table.Rows = nil
	}
	h.Table.Columns[0].Head = headOf(h.about) + " ON " + model.Clean(p.Host.Observed().NodeName(h.node))
	h.Table.Set(h.rows(row.node, p.parts.holdersRoom()))
	h.Table.Settle()
	p.parts.lay()
	return h.ask(p)
}

// headOf is a resource in the head of a column, without the domain of an extended one.
func headOf(resource corev1.ResourceName) string {
	return strings.ToUpper(model.Clean(string(resource[strings.LastIndexByte(string(resource), '/')+1:])))
}

// rows are the pods that request most, low priority first among equals, and one
// row for all others.
func (h *Holders) rows(node *model.Node, most int) []*holder {
	pods := slices.Clone(node.Pods)
	slices.SortStableFunc(pods, func(a, b *model.Pod) int {
		return cmp.Or(cmp.Compare(h.held(b), h.held(a)), cmp.Compare(a.Priority(), b.Priority()))
	})
	var rows []*holder
	for len(pods) > 0 && len(rows) < most && h.held(pods[0]) > 0 {
		rows = append(rows, &holder{pod: pods[0], amount: h.held(pods[0]), used: h.usedBy(pods[:1])})
		pods = pods[1:]
	}
	if len(pods) == 0 {
		return rows
	}
	rest := &holder{others: len(pods), used: h.usedBy(pods)}
	for _, pod := range pods {
		rest.amount = model.Sum(rest.amount, h.held(pod))
	}
	return append(rows, rest)
}

// held is what a pod requests of the resource.
func (h *Holders) held(pod *model.Pod) int64 {
	if h.about == corev1.ResourcePods {
		return 1
	}
	return figures.AmountIn(*pod.Requests, h.about)
}

// usedBy is what the pods use together, by metrics; ? where one of them is missing.
func (h *Holders) usedBy(pods []*model.Pod) string {
	if h.about != corev1.ResourceCPU && h.about != corev1.ResourceMemory {
		return "–"
	}
	usage := h.host.Observed().Snapshot.Usage
	if usage == nil {
		return "?"
	}
	var sum int64
	for _, pod := range pods {
		amount, ok := usage.Pods[types.NamespacedName{Namespace: pod.Object.Namespace, Name: pod.Object.Name}]
		if !ok {
			return "?"
		}
		if h.about == corev1.ResourceCPU {
			sum += amount.MilliCPU
		} else {
			sum += amount.Memory
		}
	}
	return figures.ColumnText(h.about, sum, model.Nearest)
}

// ask asks what evictions of the pods would do, unless that is known, asked for
// already, or too soon after the last answer.
func (h *Holders) ask(p *Page) tea.Cmd {
	var pods []types.UID
	for _, row := range h.Table.Rows {
		if row.pod != nil {
			pods = append(pods, row.pod.Object.UID)
		}
	}
	revision := p.Host.Observed().Snapshot.Revision
	other := !slices.Equal(pods, h.askedOf)
	if len(pods) == 0 || p.Host.Cluster() == nil || p.Host.Observed().IsReading() || !p.Host.Shown(p) || p.over {
		return nil
	}
	if !other && (h.asks.Busy() || h.asks.Resting() || h.asked >= revision) {
		return nil
	}
	h.asked, h.askedOf = revision, pods
	cluster, uid, node := p.Host.Cluster(), p.content.why.UID(), h.node
	return h.asks.Put(p.Host, p, func(ctx context.Context) ([]report.Eviction, error) {
		return cluster.Evictions(ctx, uid, node, pods)
	})
}

// onEvictions shows an answer, unless it is stale, and rests before the next.
func (h *Holders) onEvictions(msg page.Answer[[]report.Eviction], p *Page) tea.Cmd {
	if !h.asks.Takes(msg) {
		return nil
	}
	h.failed = msg.Err != nil
	if msg.Err == nil {
		h.evictions = make(map[types.UID]report.Eviction, len(msg.Value))
		for _, eviction := range msg.Value {
			h.evictions[eviction.UID] = eviction
		}
		h.Table.Grow()
	}
	return h.asks.Rest(p.Host, p, msg.Took)
}

// leave cancels what is no longer shown.
func (h *Holders) leave() {
	h.asks.Leave()
	h.asked, h.askedOf = 0, nil
}
