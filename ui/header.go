package ui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// headerRow is row 1: the place, and how current the data is.
type headerRow struct {
	app   *App
	short string // the context's name as it is shown
}

// The badges that give way where row 1 is too narrow, one after another.
const (
	wholeBadges   = iota
	withoutLocked // READ-ONLY is left out beside SNAPSHOT
	shortUnread   // "! 18" is what is not read
	withoutTaken  // how old the file is is left out: row 2 has its time
	fewestBadges
)

// fit is the place and the badges, as far as both have room: badges that say least give way before the name of the view
// or object is cut short, and that before the context.
func (h *headerRow) fit() (crumbs []string, plain, styled string) {
	const short = 10 // cells of a name that has lost too much
	for less := range fewestBadges {
		plain, styled = h.badges(less)
		room := h.app.width - 3 - cells.Width(plain)
		crumbs = fitCrumbs(h.crumbs(), room)
		last := crumbs[len(crumbs)-1]
		over := crumbsWidth(crumbs) - room
		if over <= 0 && (!strings.Contains(last, "…") || cells.Width(last) > short) {
			break
		}
		if over > 0 && less == fewestBadges-1 {
			crumbs[0] = cells.CutMiddle(crumbs[0], max(cells.Width(crumbs[0])-over, short))
		}
	}
	return crumbs, plain, styled
}

// crumbsWidth is the cells that crumbs take.
func crumbsWidth(crumbs []string) int {
	sum := 3 * (len(crumbs) - 1)
	for _, c := range crumbs {
		sum += cells.Width(c)
	}
	return sum
}

// draw is row 1.
func (h *headerRow) draw() string {
	crumbs, plain, styled := h.fit()
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
	crumbs := append([]string{h.short, namespace}, h.app.history.top().Crumbs()...)
	for i, c := range crumbs {
		crumbs[i] = model.Clean(c)
	}
	return crumbs
}

// namespace is the one whose pods are shown; "" is all. Where only one can be read
// it is that one.
func (a *App) namespace() string {
	if only := a.observed.Snapshot.Status.Namespace; only != "" {
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

// fitCrumbs shortens crumbs to width cells: the middle ones become …, then the last
// one loses words at its end, or its middle if it is a name. The first is never cut. Pages about an object of a view
// leave a little more room, and lose all the middle ones at once.
func fitCrumbs(crumbs []string, width int) []string {
	wide := func() int { return crumbsWidth(crumbs) }
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
		crumbs[last] = shortTitle(crumbs[last], max(cells.Width(crumbs[last])-over, 5))
	}
	return crumbs
}

// shortTitle is a title of several words without its last ones, or a name without its middle.
func shortTitle(title string, width int) string {
	for at := strings.LastIndexByte(title, ' '); at > 0; at = strings.LastIndexByte(title[:at], ' ') {
		if short := title[:at] + "…"; cells.Width(short) <= width {
			return short
		}
	}
	return cells.CutMiddle(title, width)
}

// badges are the right end of the header without those that give way, plain for measuring and styled.
func (h *headerRow) badges(less int) (plain, styled string) {
	s := h.app.styles()
	var words, drawn []string
	add := func(word, dressed string) {
		words, drawn = append(words, word), append(drawn, dressed)
	}
	if marks, dressed := h.marks(less >= withoutLocked); marks != "" {
		add(marks, dressed)
	}
	if n := h.app.observed.Unread(); n > 0 {
		word := fmt.Sprintf("! %d not read", n)
		if less >= shortUnread {
			word = fmt.Sprintf("! %d", n)
		}
		add(word, s.BadgePartial.Render(word))
	}
	if step := h.app.steps.stepWords(); step != "" {
		add(step, s.Text.Render(step))
		if h.app.observed.Unread() > 0 && h.app.width < cells.WideFrom {
			return strings.Join(words, "  "), strings.Join(drawn, "  ") // the crumbs need the cells
		}
	}
	if less >= withoutTaken && h.app.observed.IsSnapshot() {
		return strings.Join(words, "  "), strings.Join(drawn, "  ")
	}
	fresh := h.freshness()
	add(fresh, h.freshStyle(fresh).Render(fresh))
	return strings.Join(words, "  "), strings.Join(drawn, "  ")
}

// marks are the badges of the cluster, plain and styled. implied leaves READ-ONLY out where SNAPSHOT implies it.
func (h *headerRow) marks(implied bool) (plain, styled string) {
	s, actor := h.app.styles(), h.app.actor()
	snapshot := h.app.observed.IsSnapshot()
	readOnly := h.app.ReadOnly || actor != nil && actor.ReadOnly() != ""
	var words, drawn []string
	for _, mark := range []struct {
		is    bool
		word  string
		style lipgloss.Style
	}{
		{h.production(), "PROD", s.BadgeProd},
		{snapshot, "SNAPSHOT", s.BadgeSnapshot},
		{snapshot && !implied || readOnly && !snapshot, "READ-ONLY", s.BadgeReadOnly},
		{h.app.Demo, "DEMO", s.BadgeDemo},
		{h.app.observed.Snapshot.Status.Insecure, "INSECURE", s.BadgeProd},
	} {
		if mark.is {
			words, drawn = append(words, mark.word), append(drawn, mark.style.Render(mark.word))
		}
	}
	return strings.Join(words, " "), strings.Join(drawn, " ")
}

// freshStyle is the style of freshness.
func (h *headerRow) freshStyle(fresh string) lipgloss.Style {
	s := h.app.styles()
	switch {
	case h.app.observed.Lost():
		return s.Bad
	case h.app.observed.IsSnapshot():
		return s.Text
	case fresh != "live":
		return s.Warn
	}
	return s.OK
}

// production reports whether the context is a production one.
func (h *headerRow) production() bool {
	return !h.app.observed.IsSnapshot() && model.MatchProduction(h.app.Production, h.app.Context)
}

// freshness says how current the data is.
func (h *headerRow) freshness() string {
	switch {
	case h.app.contexts.isConnecting():
		return "connecting"
	case h.app.observed.Lost():
		return h.app.observed.Staleness()
	case len(h.app.observed.Snapshot.Status.Reading) > 0:
		return "reading"
	case h.app.observed.IsSnapshot():
		return h.app.observed.Taken()
	}
	return "live"
}
