package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Corner is the corner of a box that changes something: the context.
func (x *boxes) Corner() string {
	s := x.app.styles()
	where := s.Accent.Render(cells.Cut(model.Clean(x.app.head.short), dialog.Most/2))
	if x.app.head.production() {
		return s.BadgeProd.Render("PROD") + " " + where
	}
	return where
}

func (x *boxes) Styles() *themes.Styles { return x.app.styles() }

func (x *boxes) Brief(text string) string { return x.app.observed.Brief(text) }

func (x *boxes) NodeName(name string) string { return x.app.observed.NodeName(name) }

func (x *boxes) Small() bool { return x.app.small() }

func (x *boxes) Size() (width, height int) { return x.app.width, x.app.height }

func (x *boxes) At() time.Time { return x.app.observed.At }

func (x *boxes) After(d time.Duration, msg tea.Msg) tea.Cmd {
	return x.app.after(d, func(time.Time) tea.Msg { return msg })
}

func (x *boxes) Show(m dialog.Modal) { x.app.prompt, x.app.dialog = nil, m }

func (x *boxes) Close() { x.app.dialog = nil }

func (x *boxes) Say(text string) tea.Cmd { return x.app.said.say(text) }

func (x *boxes) SayError(err error) tea.Cmd { return x.app.said.sayError(err) }

func (x *boxes) Observed() *page.Observed { return &x.app.observed }

func (x *boxes) Jobs() []*plan.Progress { return x.app.jobs.all }

func (x *boxes) Plan(action plan.Action) tea.Cmd { return x.app.acts.plan(action) }

func (x *boxes) Run(p *plan.Plan, confirmed plan.Confirmed) tea.Cmd {
	return x.app.acts.run(p, confirmed)
}
