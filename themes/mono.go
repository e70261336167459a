package themes

import "charm.land/lipgloss/v2"

// Mono has no colour: bold, reverse video and the words and symbols that stand
// beside every colour anyway say it all.
func Mono() Theme {
	plain := lipgloss.NewStyle()
	bold, reverse, faint := plain.Bold(true), plain.Reverse(true), plain.Faint(true)
	badge := plain.Bold(true).Reverse(true)
	return Theme{Name: "mono", Styles: Styles{
		Text: plain, Dim: plain, Strong: bold, Head: bold, Rule: plain, Accent: bold, Key: bold, KeyOff: faint,
		Match: plain.Underline(true), Changed: bold, Gone: plain.Strikethrough(true),
		OK: plain, Warn: bold, Bad: bold.Underline(true), Unknown: plain,
		Selected: reverse, Marked: bold, Cursor: bold, Shade: faint,
		BadgeProd: badge, BadgeReadOnly: badge, BadgeDemo: badge, BadgeSnapshot: badge, BadgePartial: badge,
		BarUsed: plain, BarRequested: plain, BarFree: plain,
		DiffAdd: plain, DiffDel: plain,
	}}
}
