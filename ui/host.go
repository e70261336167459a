package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
)

// host is what pages in packages of their own may ask of the App. It implements
// page.Host.
type host struct{ app *App }

func (h *host) Observed() *page.Observed { return &h.app.observed }

func (h *host) Styles() *themes.Styles { return h.app.styles() }

func (h *host) Namespace() string { return h.app.namespace() }

func (h *host) Large() bool { return h.app.Large }

func (h *host) Preview() bool { return !h.app.NoPreview }

func (h *host) Hides() bool { return h.app.lesson.Hides() }

func (h *host) Levels() gauge.Levels { return h.app.Levels }

func (h *host) ReadingWords() string { return h.app.contexts.readingWords() }

func (h *host) Cluster() page.Cluster {
	if h.app.Cluster == nil {
		return nil
	}
	return h.app.Cluster
}

func (h *host) Shown(v page.View) bool { return h.app.history.top() == v }

func (h *host) Ask(v page.View, work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
	ctx, cancel := context.WithCancel(h.app.ctx)
	opened := h.app.opened
	return func() tea.Msg { return resultMsg{opened, v, work(ctx)} }, cancel
}

func (h *host) Later(v page.View, d time.Duration, msg tea.Msg) tea.Cmd {
	return h.app.later(v, d, msg)
}

func (h *host) Now() time.Time { return h.app.Now() }

func (h *host) Open(v page.View) tea.Cmd { return h.app.history.open(v) }

func (h *host) Press(do keymap.Action, v page.View) tea.Cmd {
	return h.app.keyboard.do(h.app.Keys.Of(do, v.Places()), v)
}

func (h *host) ActOn(do keymap.Action, on page.Selection) tea.Cmd {
	return h.app.opener.actOn(do, on)
}

func (h *host) GoNode(name string) tea.Cmd { return h.app.opener.goNode(name) }

func (h *host) OpenPods(node string) tea.Cmd { return h.app.history.open(pods.NewOf(h, node)) }

func (h *host) OpenNodes(crumbs []string, about string, names []string) tea.Cmd {
	return h.app.history.open(nodes.NewNamed(h, crumbs, about, names))
}

func (h *host) Plan(action plan.Action) tea.Cmd { return h.app.acts.plan(action) }

func (h *host) LookOnly() string {
	reason, _ := h.app.keyboard.lookOnly()
	return reason
}

func (h *host) Input(p page.Prompt) { h.app.prompt = p }

func (h *host) OpenInput() page.Prompt { return h.app.prompt }

func (h *host) Type(key tea.KeyPressMsg) tea.Cmd { return h.app.keyboard.onKey(key) }

func (h *host) SayError(err error) tea.Cmd { return h.app.said.sayError(err) }
