// Package computed is a list whose rows are computed off the event loop, of a snapshot
// and of objects that it does not hold.
package computed

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// renewal is how often objects are asked for that no informer holds, while the page is
// on top and nothing else changes.
const renewal = 10 * time.Second

// Page lists rows that are computed. The page that embeds it sets what it is about by
// Begin, and implements the rest of page.View.
type Page[R any] struct {
	list.Page[R, R]
	// Lists is the resource that the rows are objects of: where it may not be listed, they
	// are unknown. "" is none.
	Lists string
	// Resources are those whose objects Compute needs, as RBAC names them.
	Resources []string
	// Compute makes the rows. It runs off the event loop and gets what was on screen
	// when it was asked for.
	Compute func(s *model.Snapshot, o *model.Objects, now time.Time) []R
	// NamespaceOf is the namespace of a row; nil where rows are in none.
	NamespaceOf func(R) string
	// Objects are those that the rows were computed of; nil before the first came.
	Objects *model.Objects

	asked page.Poll[found[R]]
	shown int // how often it was
}

// found is what was computed.
type found[R any] struct {
	rows    []R
	objects *model.Objects
}

// renewMsg asks again, unless the page was shown anew since.
type renewMsg struct{ shown int }

// Begin readies a page that self embeds. id tells rows apart.
func (p *Page[R]) Begin(h page.Host, self page.View, noun string, id func(R) string, columns ...table.Column[R]) {
	p.Host, p.Self, p.Noun = h, self, noun
	p.Natural = func() []R { return ofNamespace(p) }
	p.Rows = func(rows []R) []R { return rows }
	p.Table = table.New(id, columns...)
	p.Table.There = func(row R) (R, bool) {
		at := slices.IndexFunc(p.asked.Value.rows, func(other R) bool { return id(other) == id(row) })
		if at < 0 {
			return row, false
		}
		return p.asked.Value.rows[at], true
	}
}

// Answering is the answer where there are no rows to speak of: what is being read, what
// could not be read, or that the filter keeps nothing. "" leaves the answer to the page.
func (p *Page[R]) Answering() string {
	switch {
	case p.Host.Observed().IsReading():
		return p.Host.ReadingWords()
	case p.asked.Trouble != nil:
		return model.Clean("Unknown: " + p.asked.Trouble.Error() + ".")
	case p.Objects == nil:
		return "Reading."
	}
	if why := Unread(p, p.Lists); why != "" {
		return "Unknown: " + why + "."
	}
	return p.Query().NothingKept()
}

// Update implements page.View.
func (p *Page[R]) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		cmd := p.Page.Update(msg) // the rows that are known, by the namespace that is shown now
		if msg.Shown {
			p.shown++
			return tea.Batch(cmd, ask(p), later(p))
		}
		return tea.Batch(cmd, ask(p))
	case renewMsg:
		if msg.shown != p.shown || !p.Host.Shown(p.Self) {
			return nil
		}
		return tea.Batch(p.asked.AskNow(p.Host, p.Self, work(p)), later(p))
	}
	news, cmd := p.asked.Update(p.Host, p.Self, msg)
	switch news {
	case page.Answered:
		p.Objects = p.asked.Value.objects
		return tea.Batch(cmd, p.Query().Arrange(list.Renewed))
	case page.Renew:
		return ask(p)
	}
	return p.Page.Update(msg)
}

// Leave cancels what nobody will look at.
func (p *Page[R]) Leave() { p.asked.Leave() }

// ofNamespace are the rows of the namespace that is shown.
func ofNamespace[R any](p *Page[R]) []R {
	namespace := p.Host.Namespace()
	if namespace == "" || p.NamespaceOf == nil {
		return p.asked.Value.rows
	}
	var rows []R
	for _, row := range p.asked.Value.rows {
		if p.NamespaceOf(row) == namespace {
			rows = append(rows, row)
		}
	}
	return rows
}

// Unread says why a resource could not be listed; "" if it was, or is still being read.
func Unread[R any](p *Page[R], resource string) string {
	if p.Objects == nil {
		return ""
	}
	return model.Clean(p.Objects.Unread[resource])
}

// Restart asks for other rows than before: Compute was changed.
func Restart[R any](p *Page[R]) tea.Cmd {
	p.asked.Leave()
	p.asked.Value, p.Objects = found[R]{}, nil
	p.Table.Reset(nil)
	return p.asked.AskNow(p.Host, p.Self, work(p))
}

// later asks again after a while.
func later[R any](p *Page[R]) tea.Cmd { return p.Host.Later(p.Self, renewal, renewMsg{p.shown}) }

func ask[R any](p *Page[R]) tea.Cmd { return p.asked.Ask(p.Host, p.Self, work(p)) }

// work computes the rows of what is on screen now.
func work[R any](p *Page[R]) func(context.Context, page.Cluster) (found[R], error) {
	snapshot, now := p.Host.Observed().Snapshot, p.Host.Observed().AsOf()
	resources, compute := p.Resources, p.Compute
	return func(ctx context.Context, cluster page.Cluster) (found[R], error) {
		objects, err := cluster.Objects(ctx, resources...)
		if err != nil {
			return found[R]{}, err
		}
		return found[R]{compute(snapshot, objects, now), objects}, nil
	}
}

// Places implements page.View.
func (p *Page[R]) Places() keymap.Place { return keymap.Everywhere | keymap.Lists }

// Act implements page.View.
func (p *Page[R]) Act(do keymap.Action) tea.Cmd {
	if cmd, done := p.ActList(do); done {
		return cmd
	}
	return p.Host.ActOn(do, p.Self.Selected())
}

// FieldsOf are the fields of rows, whose names are matched by fuzzy words.
func FieldsOf[R any](name func(R) string, list ...query.Field[R]) func() *query.Fields[R] {
	return func() *query.Fields[R] {
		return &query.Fields[R]{
			List:   list,
			Names:  func(dst []byte, row R) []byte { return append(dst, name(row)...) },
			Labels: func(R) map[string]string { return nil },
		}
	}
}
