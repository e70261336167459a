// Package themes names what the dashboard draws by role and gives each role a
// style. Views name roles, never colours.
package themes

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Theme is a style for every role.
type Theme struct {
	Name   string
	Dark   bool        // made for a dark background
	Back   color.Color // the background that is hardest to read on among those it is made for; nil without colour
	Styles Styles
}

// Styles are the roles. Each is drawn on the terminal's own background unless
// it says otherwise.
type Styles struct {
	Text, Dim, Strong, Head, Rule, Accent, Key, KeyOff, Match, Changed, Gone lipgloss.Style

	OK, Warn, Bad, Unknown lipgloss.Style

	Selected, Marked, Cursor, Shade lipgloss.Style

	BadgeProd, BadgeReadOnly, BadgeDemo, BadgeSnapshot, BadgePartial lipgloss.Style

	BarUsed, BarRequested, BarFree lipgloss.Style

	DiffAdd, DiffDel lipgloss.Style
}

// Auto asks for Dark or Light, whichever the terminal's background calls for.
const Auto = "auto"

// Names lists the themes that a user may ask for.
func Names() []string {
	return []string{Auto, "dark", "light", "color-blind", "mono"}
}

// For gives the theme of that name, for a terminal whose background is dark or
// not. It reports false for a name that is none of Names.
func For(name string, dark bool) (Theme, bool) {
	switch name {
	case Auto, "":
		if dark {
			return Dark(), true
		}
		return Light(), true
	case "dark":
		return Dark(), true
	case "light":
		return Light(), true
	case "color-blind", "colour-blind":
		return ColourBlind(dark), true
	case "mono":
		return Mono(), true
	}
	return Theme{}, false
}

// Plain is the theme for who looks from afar, as at a projector's picture: nothing
// is fainter than the strongest text, and what has a colour of its own is bold.
func (t Theme) Plain() Theme {
	s := &t.Styles
	text := s.Strong.Bold(false)
	s.Text, s.Dim, s.Rule, s.KeyOff, s.Shade = text, text, text, text, text
	s.Head, s.Gone = s.Strong, text.Strikethrough(true)
	for _, style := range []*lipgloss.Style{
		&s.Accent, &s.Key, &s.OK, &s.Warn, &s.Bad, &s.Unknown, &s.Selected, &s.Marked, &s.Cursor, &s.Match, &s.DiffAdd, &s.DiffDel,
	} {
		*style = style.Bold(true)
	}
	return t
}

// palette is the few colours that a coloured theme is made of.
type palette struct {
	back                           string // see Theme.Back
	text, dim, strong, accent      string
	ok, warn, bad, unknown         string
	selected, selectedBack         string
	match, matchBack               string
	prodText, prodBack             string // the badge of a production context
	badgeText, badgeBack           string // the other badges
	barUsed, barRequested, barFree string
}

// of is the theme of a palette.
func of(name string, dark bool, p palette) Theme {
	return Theme{Name: name, Dark: dark, Back: lipgloss.Color(p.back), Styles: p.styles()}
}

// styles dresses every role in the colours of p.
func (p palette) styles() Styles {
	fore := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)) }
	on := func(c, back string) lipgloss.Style { return fore(c).Background(lipgloss.Color(back)) }
	badge := on(p.badgeText, p.badgeBack).Bold(true)
	return Styles{
		Text: fore(p.text), Dim: fore(p.dim), Strong: fore(p.strong).Bold(true), Head: fore(p.dim).Bold(true),
		Rule: fore(p.dim), Accent: fore(p.accent), Key: fore(p.accent).Bold(true), KeyOff: fore(p.dim),
		Match: on(p.match, p.matchBack), Changed: fore(p.strong).Bold(true), Gone: fore(p.dim).Strikethrough(true),
		OK: fore(p.ok), Warn: fore(p.warn), Bad: fore(p.bad), Unknown: fore(p.unknown),
		Selected: on(p.selected, p.selectedBack), Marked: fore(p.accent), Cursor: fore(p.accent).Bold(true), Shade: fore(p.dim),
		BadgeProd: on(p.prodText, p.prodBack).Bold(true), BadgeReadOnly: badge, BadgeDemo: badge, BadgeSnapshot: badge,
		BadgePartial: fore(p.warn).Bold(true),
		BarUsed:      fore(p.barUsed), BarRequested: fore(p.barRequested), BarFree: fore(p.barFree),
		DiffAdd: fore(p.ok), DiffDel: fore(p.bad),
	}
}
