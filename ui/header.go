package ui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// header is row 1: where one is, and how far what is shown can be trusted.
func (a *App) header() string {
	plain, styled := a.badges()
	crumbs := fitCrumbs(a.crumbs(), a.width-3-cells.Width(plain))
	s := a.styles()
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
	return row.String() + cells.Blank(a.width-1-used-cells.Width(plain)) + styled
}

// crumbs are context, namespace, view and object.
func (a *App) crumbs() []string {
	namespace := a.namespace()
	if namespace == "" {
		namespace = "all"
	}
	crumbs := append([]string{a.short, namespace}, a.top().crumbs()...)
	for i, c := range crumbs {
		crumbs[i] = model.Clean(c)
	}
	return crumbs
}

// namespace is the one whose pods are shown; "" is all. Where only one could be
// read it is that one.
func (a *App) namespace() string {
	if only := a.snapshot.Status.Namespace; only != "" {
		return only
	}
	return a.Namespace
}

// shortContext is how the header names the context.
func (a *App) shortContext() string {
	if a.Session == nil {
		return model.ShortContext(a.Context, nil)
	}
	return model.ShortContext(a.Context, a.Session.Contexts())
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
func (a *App) badges() (plain, styled string) {
	s := a.styles()
	var words, drawn []string
	add := func(word, dressed string) {
		words, drawn = append(words, word), append(drawn, dressed)
	}
	if marks, dressed := a.marks(); marks != "" {
		add(marks, dressed)
	}
	if n := a.unread(); n > 0 {
		word := fmt.Sprintf("! %d not read", n)
		add(word, s.BadgePartial.Render(word))
	}
	if step := a.stepWords(); step != "" {
		add(step, s.Text.Render(step))
		if a.unread() > 0 && a.width < wideFrom {
			return strings.Join(words, "  "), strings.Join(drawn, "  ") // the crumbs need the room
		}
	}
	fresh := a.freshness()
	add(fresh, a.freshStyle(fresh).Render(fresh))
	return strings.Join(words, "  "), strings.Join(drawn, "  ")
}

// marks say of what kind the cluster is, plain and styled.
func (a *App) marks() (plain, styled string) {
	s, actor := a.styles(), a.actor()
	var words, drawn []string
	for _, mark := range []struct {
		is    bool
		word  string
		style lipgloss.Style
	}{
		{a.production(), "PROD", s.BadgeProd},
		{a.isSnapshot(), "SNAPSHOT", s.BadgeSnapshot},
		{a.ReadOnly || a.isSnapshot() || actor != nil && actor.ReadOnly() != "", "READ-ONLY", s.BadgeReadOnly},
		{a.Demo, "DEMO", s.BadgeDemo},
		{a.snapshot.Status.Insecure, "INSECURE", s.BadgeProd},
	} {
		if mark.is {
			words, drawn = append(words, mark.word), append(drawn, mark.style.Render(mark.word))
		}
	}
	return strings.Join(words, " "), strings.Join(drawn, " ")
}

// freshStyle is that of how old what is shown is.
func (a *App) freshStyle(fresh string) lipgloss.Style {
	s := a.styles()
	switch {
	case a.lost():
		return s.Bad
	case a.isSnapshot():
		return s.Text
	case fresh != "live":
		return s.Warn
	}
	return s.OK
}

// unread counts what could not be read; metrics that nobody serves count too.
func (a *App) unread() int {
	n := len(a.snapshot.Status.Unread)
	if a.snapshot.Status.MetricsNote != "" {
		n++
	}
	return n
}

// production reports whether the context is one of production.
func (a *App) production() bool {
	return !a.isSnapshot() && model.MatchContext(a.Production, a.Context)
}

// lost reports whether what is shown is not followed: the server does not answer,
// or not with what was asked for.
func (a *App) lost() bool {
	c := a.snapshot.Status.Connection
	return !c.Live && (c.Err != "" || !c.Heard.IsZero())
}

// freshness says how old what is shown is.
func (a *App) freshness() string {
	switch {
	case a.isConnecting():
		return "connecting"
	case a.lost():
		return a.staleness()
	case len(a.snapshot.Status.Reading) > 0:
		return "reading"
	case a.isSnapshot():
		return a.taken()
	}
	return "live"
}

// staleness says for how long there has been no answer, or how old what is shown
// is where the server answers, and when the next try is.
func (a *App) staleness() string {
	c := a.snapshot.Status.Connection
	words := "no answer"
	switch age := clock(a.at.Sub(c.Heard)); {
	case c.Heard.IsZero():
	case c.Problem.Answers():
		words = age + " old"
	default:
		words += " for " + age
	}
	switch wait := c.Retry.Sub(a.at); {
	case wait > 0:
		words += ", retry in " + clock(max(wait, time.Second))
	case c.Err != "":
		words += ", reconnecting"
	}
	return words
}

// lostWords say what the last try said, and what would help.
func (a *App) lostWords() string {
	status := a.snapshot.Status
	c := status.Connection
	server, err := model.Clean(status.Server), model.Clean(c.Err)
	tries := ""
	if c.Tries > 0 {
		tries = " (" + count(c.Tries, "try", "tries") + ")"
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

// clock writes a duration by the second: 12s, 2m10s, 3h5m.
func clock(d time.Duration) string {
	d = max(d, 0).Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
}
