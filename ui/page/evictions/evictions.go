// Package evictions is the page of the order in which the kubelet of a node evicts its
// pods under pressure.
package evictions

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Page is the page of one node.
type Page struct {
	computed.Page[row]
	node   string
	config *config
}

// row is a pod of the node.
type row struct {
	*kubelet.Eviction
	of *facts
}

// facts are the same for all rows.
type facts struct {
	most   int               // pods that may be evicted
	may    int               // those that may be the first under memory pressure
	first  *kubelet.Eviction // evicted first under memory pressure; nil: not known, or none
	next   *kubelet.Eviction // in the row after it; nil if it is never evicted
	killed []string          // the containers of the highest oom_score_adj, of pods by namespace/name; nil: not known
	score  int               // that oom_score_adj
}

// New is the page of a node.
func New(h page.Host, node string) *Page {
	p := &Page{node: node, config: &config{node: node}}
	p.Begin(h, p, "pod", id, columns(p)...)
	p.Compute = func(s *model.Snapshot, _ *model.Objects, _ time.Time) []row { return compute(s, node) }
	p.NamespaceOf = func(r row) string { return r.Namespace }
	p.Around.Below = func(lines int) []string { return below(p, lines) }
	place := func(name string, of func(kubelet.Ranks) *kubelet.Rank) query.Field[row] {
		return query.Number(name, query.Integer, func(r row) (int64, bool) {
			rank := of(r.Ranks)
			if rank == nil {
				return 0, false
			}
			return int64(rank.First), true
		})
	}
	p.Fields = computed.FieldsOf(id,
		query.Words("name", func(r row) string { return r.Name }),
		query.Words("ns", func(r row) string { return r.Namespace }),
		place("memory", func(r kubelet.Ranks) *kubelet.Rank { return r.Memory }),
		place("disk", func(r kubelet.Ranks) *kubelet.Rank { return r.Disk }),
		place("pid", func(r kubelet.Ranks) *kubelet.Rank { return r.PIDs }),
		query.Words("qos", func(r row) string { return string(r.Class) }),
		query.Number("prio", query.Integer, func(r row) (int64, bool) { return int64(r.Priority), true }),
		query.Number("mem.used", query.Bytes, func(r row) (int64, bool) {
			if r.Used == nil {
				return 0, false
			}
			return r.Used.Memory, true
		}),
		query.Number("mem", query.Bytes, func(r row) (int64, bool) { return r.Request(), true }),
		query.Number("oom", query.Integer, func(r row) (int64, bool) {
			if score := r.Score(); score != nil {
				return int64(*score), true
			}
			return 0, false
		}),
		query.Number("cpus", query.Integer, func(r row) (int64, bool) {
			pinned := p.config.poll.Value.PinnedCPUs(r.Pinned)
			if pinned == nil {
				return 0, false
			}
			return *pinned, true
		}),
	)
	return p
}

func id(r row) string { return r.Namespace + "/" + r.Name }

// compute makes the rows of a node. There are none where not all of its pods are known:
// no order would be certain.
func compute(s *model.Snapshot, name string) []row {
	node, ok := s.Node(name)
	if !ok || s.Status.Namespace != "" {
		return nil
	}
	all, of := kubelet.Evictions(node, s.Usage), &facts{}
	rows := make([]row, len(all))
	known := true
	for i := range all {
		e := &all[i]
		rows[i] = row{e, of}
		if e.Never == "" {
			of.most++
		}
		if e.Ranks.Memory != nil && e.Ranks.Memory.First == 1 {
			of.may++
			if e.Ranks.Memory.Exact() {
				of.first = e
				if i+1 < len(all) && all[i+1].Never == "" {
					of.next = &all[i+1]
				}
			}
		}
		known = known && of.count(e)
	}
	if !known {
		of.killed = nil
	}
	return rows
}

// count notes the containers of a pod if none has a higher score; false where a score is
// not known.
func (f *facts) count(e *kubelet.Eviction) (known bool) {
	for _, c := range e.Containers {
		if c.OOMScoreAdj == nil {
			return false
		}
		if f.killed == nil || *c.OOMScoreAdj > f.score {
			f.killed, f.score = nil, *c.OOMScoreAdj
		}
		if *c.OOMScoreAdj == f.score {
			f.killed = append(f.killed, c.Name+" of "+e.Namespace+"/"+e.Name)
		}
	}
	return true
}

func columns(p *Page) []table.Column[row] {
	rank := func(of func(kubelet.Ranks) *kubelet.Rank) func(row) table.Cell {
		return func(r row) table.Cell { return rankCell(of(r.Ranks), r.of.most) }
	}
	return []table.Column[row]{
		{Head: "NAMESPACE/NAME", Field: "name", Names: true, Flex: true, Min: 24, Text: func(r row) table.Cell { return table.Cell{Text: page.PodName(p.Host, r.Pod)} }},
		{Head: "MEMORY", Field: "memory", Right: true, Text: rank(func(r kubelet.Ranks) *kubelet.Rank { return r.Memory })},
		{Head: "DISK", Field: "disk", From: 100, Gap: 1, Right: true, Text: rank(func(r kubelet.Ranks) *kubelet.Rank { return r.Disk })},
		{Head: "PID", Field: "pid", Gap: 1, Right: true, Text: rank(func(r kubelet.Ranks) *kubelet.Rank { return r.PIDs })},
		{Head: "QOS", Field: "qos", Min: 5, Text: func(r row) table.Cell { return table.Cell{Text: r.Pod.ShortQOS()} }},
		{Head: "PRIO", Field: "prio", Gap: 1, Right: true, Text: func(r row) table.Cell { return table.Cell{Text: strconv.Itoa(int(r.Priority))} }},
		{Head: "USED", Field: "mem.used", Gap: 1, Min: 5, Right: true, Text: usedCell},
		{Head: "REQUEST", Field: "mem", Gap: 1, Right: true, Text: func(r row) table.Cell { return memory(r.Request()) }},
		{Head: "OOM", Field: "oom", Gap: 1, Min: 4, Right: true, Text: scoreCell},
		{Head: "PINNED CPUS", Field: "cpus", From: 120, Right: true, Text: func(r row) table.Cell { return pinnedCell(p.config, r) }},
		{Head: "WHY THIS QOS", From: 200, Text: func(r row) table.Cell { return table.Cell{Text: r.WhyClass} }},
	}
}

// rankCell is the place of a pod among so many. Who is evicted first stands out.
func rankCell(r *kubelet.Rank, most int) table.Cell {
	switch {
	case r == nil:
		return table.Cell{Text: "never", Tone: tone.Dim}
	case r.Exact() && r.First == 1:
		return table.Cell{Text: "1", Tone: tone.Warning}
	case r.Exact():
		return table.Cell{Text: strconv.Itoa(r.First)}
	case r.First == 1 && r.Last == most:
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	}
	return table.Cell{Text: strconv.Itoa(r.First) + "–" + strconv.Itoa(r.Last)}
}

// usedCell is the memory that a pod uses; more than it requests stands out.
func usedCell(r row) table.Cell {
	if r.Used == nil {
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	}
	made := memory(r.Used.Memory)
	if excess, _ := r.Excess(); excess > 0 {
		made.Tone = tone.Warning
	}
	return made
}

// memory is an amount; a dash is none.
func memory(bytes int64) table.Cell {
	if bytes == 0 {
		return table.Cell{Text: "–", Tone: tone.Dim}
	}
	return table.Cell{Text: model.FormatMemory(bytes, model.Nearest)}
}

func scoreCell(r row) table.Cell {
	score := r.Score()
	if score == nil {
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	}
	made := table.Cell{Text: strconv.Itoa(*score)}
	if r.of.killed != nil && *score == r.of.score {
		made.Tone = tone.Warning
	}
	return made
}

// pinnedCell is how many CPUs are pinned to the pod, by the kubelet's configuration.
func pinnedCell(of *config, r row) table.Cell {
	pinned := of.poll.Value.PinnedCPUs(r.Pinned)
	switch {
	case pinned == nil:
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	case *pinned == 0:
		return table.Cell{Text: "–", Tone: tone.Dim}
	}
	return table.Cell{Text: strconv.FormatInt(*pinned, 10)}
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	return []string{"nodes", p.Host.Observed().NodeName(p.node), "evictions"}
}

// ShowsUsage says that the order depends on usage.
func (p *Page) ShowsUsage() bool { return true }

// Targets of the page are its node, and the pods that are selected.
func (p *Page) Targets() page.Targets {
	t := page.Targets{Marked: len(p.Table.Marks) > 0}
	if node, ok := p.Host.Observed().Snapshot.Node(p.node); ok {
		t.Nodes = []*model.Node{node}
	} else if !p.Host.Observed().IsReading() {
		t.Gone = page.AbsentNode(p.Host.Observed(), nil, p.node)
	}
	rows, _ := p.Table.Acted()
	for _, r := range rows {
		t.Pods = append(t.Pods, r.Pod)
	}
	return t
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	r, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.SelectPod(r.Pod)
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	return p.Page.Places() | keymap.OnPod | keymap.NodeFacts | keymap.PodFacts | keymap.OnEvicted
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	return page.Keys(keymap.Open, keymap.Explain, keymap.Evict, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Close)
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	return page.OffPod(p.Host.Observed(), do, p.Table.SelectedGone(), p.Selected())
}

// Leave ends what nobody will look at.
func (p *Page) Leave() {
	p.config.leave()
	p.Page.Leave()
}

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(page.SnapshotMsg); ok {
		return tea.Batch(p.config.ask(p.Host, p), p.Page.Update(msg))
	}
	if news, cmd := p.config.poll.Update(p.Host, p, msg); news != page.NoNews {
		return cmd
	}
	return p.Page.Update(msg)
}

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	if r, ok := p.Table.Selected(); ok && do == keymap.Open {
		return p.Host.Open(newCgroups(p.Host, p.config, r.Pod))
	}
	return p.Page.Act(do)
}
