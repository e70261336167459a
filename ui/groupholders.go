package ui

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// holdersPart is the lower part of a group's page: the pods that hold the most
// of what is short on the selected node, and what an eviction of each would do.
type holdersPart struct {
	app     *App
	table   *table.Table[*holder]
	focused bool // the cursor is here
	node    string
	about   corev1.ResourceName
	asks    asking
	resting bool  // none is asked for until evictAgainMsg
	asked   int64 // the revision that was asked for last
	askedOf []types.UID
	told    map[types.UID]report.Eviction
	failed  bool // the last question had no answer
}

// holder is one row: a pod, or all the others together.
type holder struct {
	pod    *model.Pod // nil for the others
	others int        // how many there are
	amount int64
	used   string
}

type (
	// evictionsMsg brings what would become of the pods.
	evictionsMsg struct {
		nth  int
		told []report.Eviction
		err  error
		took time.Duration
	}
	// evictAgainMsg says that the next answer may be asked for.
	evictAgainMsg struct{ nth int }
)

// Pods that are told one by one: few on a small screen, more where there is room.
const (
	holdersFew  = 3
	holdersMost = 10
)

func newHoldersPart(a *App) *holdersPart {
	h := &holdersPart{app: a}
	h.table = table.New(func(row *holder) string {
		if row.pod == nil {
			return "others"
		}
		return podID(row.pod)
	}, h.columns("")...)
	h.table.Blurred = true
	return h
}

func (h *holdersPart) columns(head string) []table.Column[*holder] {
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

func (h *holdersPart) name(row *holder) table.Cell {
	if row.pod == nil {
		return table.Cell{Text: model.FormatCount(row.others) + " more"}
	}
	return table.Cell{Text: row.pod.FullName()}
}

// evicted is what would become of a pod, once that is known.
func (h *holdersPart) evicted(row *holder) table.Cell {
	if row.pod == nil {
		return table.Cell{}
	}
	told, ok := h.told[row.pod.Object.UID]
	switch {
	case ok && told.Fits == nil:
		return table.Cell{Text: h.app.observed.brief(told.Short), Tone: tone.Unknown}
	case ok && *told.Fits:
		return table.Cell{Text: h.app.observed.brief(told.Short), Tone: tone.Good}
	case ok:
		return table.Cell{Text: h.app.observed.brief(told.Short)}
	case h.failed:
		return table.Cell{Text: "not evaluated", Tone: tone.Unknown}
	case h.told != nil && !h.asks.busy:
		return table.Cell{} // it has left the node meanwhile
	}
	return table.Cell{Text: "trying", Tone: tone.Dim}
}

// note is what the selected row has no room for, told whole.
func (h *holdersPart) note() string {
	row, ok := h.table.Selected()
	if !ok || row.pod == nil {
		return ""
	}
	if told, ok := h.told[row.pod.Object.UID]; ok {
		return cells.CutWords(h.app.observed.brief(told.Sentence), h.table.Width-1)
	}
	return h.table.CutNote(h.table.Width)
}

// hold shows who holds the most of a resource on a node, and asks for what an
// eviction would do. Nothing is shown where no resource is short.
func (p *groupPage) hold() tea.Cmd {
	h := p.holders
	row, ok := p.table.Selected()
	if !ok || !p.group.Refuses(figures.FitPlugin) || p.resource() == "" {
		h.table.Rows, h.focused = nil, false
		p.lay()
		return nil
	}
	if row.node.Name != h.node || p.resource() != h.about {
		h.node, h.about, h.told, h.resting, h.failed = row.node.Name, p.resource(), nil, false, false
		h.asked = 0
		h.table.Rows = nil
	}
	h.table.Columns[0].Head = "HOLDS " + strings.ToUpper(model.Clean(string(h.about))) + " ON " + model.Clean(p.app.observed.nodeName(h.node))
	h.table.Set(h.rows(row.node, p.holdersRoom()))
	h.table.Settle()
	p.lay()
	return h.ask(p)
}

// rows are the pods that hold the most, those of low priority first among equals,
// and one row for all others.
func (h *holdersPart) rows(node *model.Node, most int) []*holder {
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

// held is what a pod takes of the resource.
func (h *holdersPart) held(pod *model.Pod) int64 {
	if h.about == corev1.ResourcePods {
		return 1
	}
	return figures.AmountIn(pod.Requests, h.about)
}

// usedBy is what metrics say that pods use together; ? where they do not know all.
func (h *holdersPart) usedBy(pods []*model.Pod) string {
	if h.about != corev1.ResourceCPU && h.about != corev1.ResourceMemory {
		return "–"
	}
	usage := h.app.observed.snapshot.Usage
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

// ask asks what would become of the pods, unless that is known, on its way, or
// too soon after the last answer.
func (h *holdersPart) ask(p *groupPage) tea.Cmd {
	var pods []types.UID
	for _, row := range h.table.Rows {
		if row.pod != nil {
			pods = append(pods, row.pod.Object.UID)
		}
	}
	revision := p.app.observed.snapshot.Revision
	other := !slices.Equal(pods, h.askedOf)
	if len(pods) == 0 || p.app.Cluster == nil || p.app.observed.isReading() || p.app.history.top() != view(p) || p.over {
		return nil
	}
	if !other && (h.asks.busy || h.resting || h.asked >= revision) {
		return nil
	}
	h.asked, h.askedOf = revision, pods
	ctx, nth := h.asks.begin(p.app.ctx)
	cluster, uid, node, now := p.app.Cluster, p.why.uid(), h.node, p.app.Now
	return p.app.ask(p, func(context.Context) tea.Msg {
		start := now()
		told, err := cluster.Evictions(ctx, uid, node, pods)
		return evictionsMsg{nth, told, err, now().Sub(start)}
	})
}

// onTold shows an answer, unless it is stale, and rests before the next.
func (h *holdersPart) onTold(msg evictionsMsg, p *groupPage) tea.Cmd {
	if !h.asks.open(msg.nth) {
		return nil
	}
	h.asks.busy, h.resting, h.failed = false, true, msg.err != nil
	if msg.err == nil {
		h.told = make(map[types.UID]report.Eviction, len(msg.told))
		for _, told := range msg.told {
			h.told[told.UID] = told
		}
		h.table.Grow()
	}
	opened := p.app.opened
	return p.app.after(max(restLeast, restFactor*msg.took), func(time.Time) tea.Msg {
		return resultMsg{opened, p, evictAgainMsg{msg.nth}}
	})
}

// again ends the rest.
func (h *holdersPart) again(msg evictAgainMsg) {
	if msg.nth == h.asks.nth {
		h.resting = false
	}
}

// leave cancels what nobody will look at.
func (h *holdersPart) leave() {
	h.asks.end()
	h.asked, h.askedOf, h.resting = 0, nil, false
}
