// Package tone names the roles of a piece of text, and finds their styles in a theme.
package tone

import (
	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// Tone is the role of a cell.
type Tone int

// The tones of cells.
const (
	Plain Tone = iota
	Dim
	Strong
	Good
	Warning
	Bad
	Unknown
	Marked
	Changed
)

// Style is the tone's style in a theme.
func (t Tone) Style(s *themes.Styles) lipgloss.Style {
	switch t {
	case Dim:
		return s.Dim
	case Strong:
		return s.Strong
	case Good:
		return s.OK
	case Warning:
		return s.Warn
	case Bad:
		return s.Bad
	case Unknown:
		return s.Unknown
	case Marked:
		return s.Marked
	case Changed:
		return s.Changed
	default:
		return s.Text
	}
}
