package ui

import (
	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/group"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// ofGroup is the page about a pod as the pages of its groups need it. It implements
// group.Why.
type ofGroup struct{ why *whyView }

func (o ofGroup) Crumbs() []string { return o.why.Crumbs() }

func (o ofGroup) Explanation() *why.Page { return o.why.dressed() }

func (o ofGroup) UID() types.UID { return o.why.uid() }

func (o ofGroup) Off(do keymap.Action) string { return o.why.Off(do) }

func (o ofGroup) Act(do keymap.Action) tea.Cmd { return o.why.Act(do) }

func (o ofGroup) Lend(to *group.Page, s *model.Snapshot) tea.Cmd {
	o.why.lent = to
	return o.why.onSnapshot(s)
}

func (o ofGroup) Leave() {
	o.why.Leave()
	o.why.lent = nil
}
