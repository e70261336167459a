package why

import (
	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/rejectiongroup"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// borrower is a page that is explained for while it is on top.
type borrower interface {
	page.View
	// Explained takes a newer explanation.
	Explained() tea.Cmd
}

// ofGroup is the page about a pod as the pages of its groups need it. It implements
// rejectiongroup.Why.
type ofGroup struct{ page *Page }

func (o ofGroup) Crumbs() []string { return o.page.Crumbs() }

func (o ofGroup) Explanation() *explanation.Drawing { return o.page.dressed() }

func (o ofGroup) UID() types.UID { return uidOf(o.page.pod) }

func (o ofGroup) Off(do keymap.Action) string { return o.page.Off(do) }

func (o ofGroup) Act(do keymap.Action) tea.Cmd { return o.page.Act(do) }

func (o ofGroup) Lend(to *rejectiongroup.Page, s *model.Snapshot) tea.Cmd {
	o.page.lent = to
	return o.page.onSnapshot(s)
}

func (o ofGroup) Leave() {
	o.page.Leave()
	o.page.lent = nil
}
