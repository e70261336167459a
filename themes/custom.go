package themes

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// Custom is a theme of a user: one of the built-in ones with other colours.
type Custom struct {
	Name   string
	Base   string            // dark, light or color-blind; "" or auto: dark or light, as the terminal is
	Colors map[string]string // by role, see Roles; as CheckColor takes them
}

// Bases are the themes that another one can be made of. The first is the default.
func Bases() []string { return []string{Auto, "dark", "light", "color-blind"} }

// roles are where the colours of the roles of a file stand.
func (p *palette) roles() map[string]*string {
	return map[string]*string{
		"text": &p.text, "dim": &p.dim, "strong": &p.strong, "accent": &p.accent,
		"ok": &p.ok, "warn": &p.warn, "bad": &p.bad, "unknown": &p.unknown,
		"selected": &p.selected, "selected-back": &p.selectedBack, "match": &p.match, "match-back": &p.matchBack,
		"prod": &p.prodText, "prod-back": &p.prodBack, "badge": &p.badgeText, "badge-back": &p.badgeBack,
		"bar-used": &p.barUsed, "bar-requested": &p.barRequested, "bar-free": &p.barFree,
	}
}

// Roles are what a theme of a user may give a colour, sorted.
func Roles() []string { return slices.Sorted(maps.Keys(new(palette).roles())) }

var hexColor = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)

// CheckColor rejects what is not a colour: "#87d7ff", "#8df" or one of the 256 that
// terminals number, such as "117".
func CheckColor(text string) error {
	if n, err := strconv.Atoi(text); err == nil && 0 <= n && n <= 255 && strconv.Itoa(n) == text || hexColor.MatchString(text) {
		return nil
	}
	return fmt.Errorf("%q is not a color: write \"#87d7ff\", \"#8df\" or a number from 0 to 255", text)
}

// theme is the theme on a terminal whose background is dark or not.
func (c *Custom) theme(dark bool) Theme {
	var p palette
	switch c.Base {
	case "dark":
		dark, p = true, darkPalette()
	case "light":
		dark, p = false, lightPalette()
	case "color-blind":
		p = colourBlindPalette(dark)
	default:
		p = lightPalette()
		if dark {
			p = darkPalette()
		}
	}
	roles := p.roles()
	for role, color := range c.Colors {
		if at := roles[role]; at != nil {
			*at = color
		}
	}
	return of(c.Name, dark, p)
}

// Gallery is the built-in themes and those of a user. The zero value has none of a user.
type Gallery struct{ Custom []Custom }

// Names lists the themes that a user may ask for.
func (g Gallery) Names() []string {
	names := Names()
	for i := range g.Custom {
		names = append(names, g.Custom[i].Name)
	}
	return names
}

// For is For, with the themes of the user.
func (g Gallery) For(name string, dark bool) (Theme, bool) {
	if theme, ok := For(name, dark); ok {
		return theme, true
	}
	for i := range g.Custom {
		if g.Custom[i].Name == name {
			return g.Custom[i].theme(dark), true
		}
	}
	return Theme{}, false
}
