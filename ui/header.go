package ui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// headerRow is row 1: where one is, and how far what is shown can be trusted.
type headerRow struct {
	app   *App
	short string // the context's name as it is shown
}

// draw is row 1: where one is, and how far what is shown can be trusted.
func (h *headerRow) draw() string {
	plain, styled := h.badges()
	crumbs := fitCrumbs(h.crumbs(), h.app.width-3-cells.Width(plain))
	s := h.app.styles()
	var row strings.Builder
	row.WriteString(" " + s.Accent.Bold(true).Render(crumbs[0]))
	used := 1 + cells.Width(crumbs[0])
	for i, c := range crumbs[1:] {
		style := s.Text
		if i == len(crumbs)-2 {
			style = s.Strong
		}
		row.WriteString(s.Dim.Render(" › ") + style.Render(c))
		used += 3 + cells.Width(c)
	}
	return row.String() + cells.Blank(h.app.width-1-used-cells.Width(plain)) + styled
}

// crumbs are context, namespace, view and object.
func (h *headerRow) crumbs() []string {
	namespace := h.app.namespace()
	if namespace == "" {
		namespace = "all"
	}
	crumbs := append([]string{h.short, namespace}, h.app.history.top().crumbs()...)
	for i, c := range crumbs {
		crumbs[i] = model.Clean(c)
	}
	return crumbs
}

// namespace is the one whose pods are shown; "" is all. Where only one could be
// read it is that one.
func (a *App) namespace() string {
	if only := a.observed.snapshot.Status.Namespace; only != "" {
		return only
	}
	return a.Namespace
}

// shortContext is how the header names the context.
func (h *headerRow) shortContext() string {
	if h.app.Session == nil {
		return model.ShortContext(h.app.Context, nil)
	}
	return model.ShortContext(h.app.Context, h.app.Session.Contexts())
}

// crumbsSpare are the cells that pages about an object leave free.
const crumbsSpare = 5

// fitCrumbs shortens crumbs to width cells: the middle ones become …, then the
// last one loses its middle. The first never gives way. Pages about an object of
// a view leave a little more room, and all between goes at once.
func fitCrumbs(crumbs []string, width int) []string {
	wide := func() int {
		sum := 3 * (len(crumbs) - 1)
		for _, c := range crumbs {
			sum += cells.Width(c)
		}
		return sum
	}
	if deep := len(crumbs) - 2; deep > 2 && wide() > width-crumbsSpare {
		crumbs = append([]string{crumbs[0], "…"}, crumbs[deep:]...)
	}
	for len(crumbs) > 3 && wide() > width {
		if crumbs[2] != "…" && crumbs[1] == "…" {
			crumbs = append([]string{crumbs[0], "…"}, crumbs[3:]...)
			continue
		}
		if crumbs[1] != "…" && len(crumbs) > 3 {
			crumbs = append([]string{crumbs[0], "…"}, crumbs[2:]...)
		}
	}
	if over := wide() - width; over > 0 && len(crumbs) > 1 {
		last := len(crumbs) - 1
		crumbs[last] = cells.CutMiddle(crumbs[last], max(cells.Width(crumbs[last])-over, 5))
	}
	return crumbs
}

// badges are the right end of the header, plain for measuring and styled.
func (h *headerRow) badges() (plain, styled string) {
	s := h.app.styles()
	var words, drawn []string
	add := func(word, dressed string) {
		words, drawn = append(words, word), append(drawn, dressed)
	}
	if marks, dressed := h.marks(); marks != "" {
		add(marks, dressed)
	}
	if n := h.app.observed.unread(); n > 0 {
		word := fmt.Sprintf("! %d not read", n)
		add(word, s.BadgePartial.Render(word))
	}
	if step := h.app.steps.stepWords(); step != "" {
		add(step, s.Text.Render(step))
		if h.app.observed.unread() > 0 && h.app.width < cells.WideFrom {
			return strings.Join(words, "  "), strings.Join(drawn, "  ") // the crumbs need the room
		}
	}
	fresh := h.freshness()
	add(fresh, h.freshStyle(fresh).Render(fresh))
	return strings.Join(words, "  "), strings.Join(drawn, "  ")
}

// marks say of what kind the cluster is, plain and styled.
func (h *headerRow) marks() (plain, styled string) {
	s, actor := h.app.styles(), h.app.actor()
	var words, drawn []string
	for _, mark := range []struct {
		is    bool
		word  string
		style lipgloss.Style
	}{
		{h.production(), "PROD", s.BadgeProd},
		{h.app.observed.isSnapshot(), "SNAPSHOT", s.BadgeSnapshot},
		{h.app.ReadOnly || h.app.observed.isSnapshot() || actor != nil && actor.ReadOnly() != "", "READ-ONLY", s.BadgeReadOnly},
		{h.app.Demo, "DEMO", s.BadgeDemo},
		{h.app.observed.snapshot.Status.Insecure, "INSECURE", s.BadgeProd},
	} {
		if mark.is {
			words, drawn = append(words, mark.word), append(drawn, mark.style.Render(mark.word))
		}
	}
	return strings.Join(words, " "), strings.Join(drawn, " ")
}

// freshStyle is that of how old what is shown is.
func (h *headerRow) freshStyle(fresh string) lipgloss.Style {
	s := h.app.styles()
	switch {
	case h.app.observed.lost():
		return s.Bad
	case h.app.observed.isSnapshot():
		return s.Text
	case fresh != "live":
		return s.Warn
	}
	return s.OK
}

// production reports whether the context is one of production.
func (h *headerRow) production() bool {
	return !h.app.observed.isSnapshot() && model.MatchContext(h.app.Production, h.app.Context)
}

// lost reports whether what is shown is not followed: the server does not answer,
// or not with what was asked for.
func (o *observed) lost() bool {
	c := o.snapshot.Status.Connection
	return !c.Live && (c.Err != "" || !c.Heard.IsZero())
}

// freshness says how old what is shown is.
func (h *headerRow) freshness() string {
	switch {
	case h.app.contexts.isConnecting():
		return "connecting"
	case h.app.observed.lost():
		return h.app.observed.staleness()
	case len(h.app.observed.snapshot.Status.Reading) > 0:
		return "reading"
	case h.app.observed.isSnapshot():
		return h.app.observed.taken()
	}
	return "live"
}

// staleness says for how long there has been no answer, or how old what is shown
// is where the server answers, and when the next try is.
func (o *observed) staleness() string {
	c := o.snapshot.Status.Connection
	words := "no answer"
	switch age := figures.Clock(o.at.Sub(c.Heard)); {
	case c.Heard.IsZero():
	case c.Problem.Answers():
		words = age + " old"
	default:
		words += " for " + age
	}
	switch wait := c.Retry.Sub(o.at); {
	case wait > 0:
		words += ", retry in " + figures.Clock(max(wait, time.Second))
	case c.Err != "":
		words += ", reconnecting"
	}
	return words
}

// lostWords say what the last try said, and what would help.
func (o *observed) lostWords() string {
	status := o.snapshot.Status
	c := status.Connection
	server, err := model.Clean(status.Server), model.Clean(c.Err)
	tries := ""
	if c.Tries > 0 {
		tries = " (" + figures.Count(c.Tries, "try", "tries") + ")"
	}
	switch c.Problem {
	case model.Silent:
		return fmt.Sprintf("Waiting for an answer from %s. ctrl-r reconnects now.", server)
	case model.Unauthorized:
		return fmt.Sprintf("%s does not accept the credentials%s. Log in again; ctrl-r tries now.", server, tries)
	case model.Throttled:
		return fmt.Sprintf("Waiting for %s: %s%s.", server, err, tries)
	case model.NotAnAPI:
		return fmt.Sprintf("%s: %s. Is there a proxy to log in to?", server, err)
	case model.NotReady, model.Failing:
		return fmt.Sprintf("%s: %s%s. ctrl-r tries now.", server, err, tries)
	}
	return fmt.Sprintf("No answer from %s: %s%s. ctrl-r tries now.", server, err, tries)
}
