package session

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"image/color"
	"regexp"
	"strings"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// How a screen is drawn, in pixels. A cell is as wide as a glyph of most
// monospaced fonts of that size; words have a place and a length anyway, so that
// columns stand in any font.
const (
	cellWidth, cellHeight = 9, 19
	fontSize, baseline    = 15, 14
	margin, corner        = 14, 8
)

// fonts have the arrows and crosses that the dashboard draws with.
const fonts = `ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace`

// words are what stands together: a wider gap begins something else.
var words = regexp.MustCompile(`\S+(?: \S+)*`)

// svg draws a frame of the dashboard cell by cell.
func svg(title, frame string, width, height int, theme themes.Theme) string {
	var b strings.Builder
	openSVG(&b, title, width, height, theme)
	drawFrame(&b, frame, width, height, theme)
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// openSVG begins a picture of so many cells, and the group that its text is in.
func openSVG(b *strings.Builder, title string, width, height int, theme themes.Theme) {
	wide, high := width*cellWidth+2*margin, height*cellHeight+2*margin
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", wide, high)
	fmt.Fprintf(b, "<title>%s</title>\n", xmlText(title))
	fmt.Fprintf(b, `<rect width="%d" height="%d" rx="%d" fill="%s"/>`+"\n", wide, high, corner, hex(theme.Back))
	fmt.Fprintf(b, `<g font-family="%s" font-size="%d" fill="%s">`+"\n", xmlText(fonts), fontSize, hex(theme.Styles.Text.GetForeground()))
}

// drawFrame draws the cells of a frame.
func drawFrame(b *strings.Builder, frame string, width, height int, theme themes.Theme) {
	screen := lipgloss.NewCanvas(width, height)
	screen.Compose(uv.NewStyledString(frame))
	for y := range height {
		for from := 0; from < width; {
			to := from + 1
			for to < width && screen.CellAt(to, y).Style.Equal(&screen.CellAt(from, y).Style) {
				to++
			}
			drawRun(b, screen, y, from, to, theme)
			from = to
		}
	}
}

// drawRun draws the cells of one style: what is behind them, then their glyphs.
func drawRun(b *strings.Builder, screen *lipgloss.Canvas, y, from, to int, theme themes.Theme) {
	style := screen.CellAt(from, y).Style
	front, back := style.Fg, style.Bg
	if style.Attrs&uv.AttrReverse != 0 {
		front, back = cmp.Or[any](back, theme.Back).(color.Color), cmp.Or[any](front, theme.Styles.Text.GetForeground()).(color.Color)
	}
	if back != nil {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n",
			margin+from*cellWidth, margin+y*cellHeight, (to-from)*cellWidth, cellHeight, hex(back))
	}
	text := ""
	for x := from; x < to; x++ {
		text += screen.CellAt(x, y).Content
	}
	dressed := dress(style, front)
	for _, at := range words.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		x := from + lipgloss.Width(text[:at[0]])
		fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%d"%s>%s</text>`+"\n",
			margin+x*cellWidth, margin+y*cellHeight+baseline, lipgloss.Width(word)*cellWidth, dressed, xmlText(word))
	}
}

// dress writes a style as attributes.
func dress(style uv.Style, front color.Color) string {
	dressed := ""
	if front != nil {
		dressed += fmt.Sprintf(` fill="%s"`, hex(front))
	}
	if style.Attrs&uv.AttrBold != 0 {
		dressed += ` font-weight="bold"`
	}
	if style.Attrs&uv.AttrFaint != 0 {
		dressed += ` opacity="0.6"`
	}
	switch {
	case style.Attrs&uv.AttrStrikethrough != 0:
		dressed += ` text-decoration="line-through"`
	case style.Underline != uv.UnderlineNone:
		dressed += ` text-decoration="underline"`
	}
	return dressed
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func xmlText(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}
