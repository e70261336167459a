package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

// paletteRows is how many entries the palette shows at most.
const paletteRows = 12

// entry is one line of the palette.
type entry struct {
	name string // what is typed
	what string
	key  string // the one that does the same; "" is none
	run  func() tea.Cmd
}

// palette is the input that finds pages and actions by name. After ns, ctx and theme
// it lists namespaces, contexts and themes.
type palette struct {
	app    *App
	field  input.Field
	shown  []entry
	chosen int
}

func newPalette(a *App) *palette { return openPalette(a, "") }

// newNamespaces is the palette where it lists namespaces.
func newNamespaces(a *App) *palette { return openPalette(a, "ns ") }

func openPalette(a *App, typed string) *palette {
	p := &palette{app: a, field: input.NewSearch(typed)}
	p.list()
	return p
}

// list finds the entries for what was typed, best first.
func (p *palette) list() {
	p.chosen = 0
	entries, typed := p.app.commands.all(), p.field.Text()
	if head, rest, ok := strings.Cut(typed, " "); ok {
		switch head {
		case "ns":
			entries, typed = p.app.commands.namespaceEntries(), rest
		case p.app.contexts.contextWord():
			entries, typed = p.app.contexts.contextEntries(), rest
		case "theme":
			entries, typed = p.app.commands.themeEntries(), rest
		}
	}
	if typed == "" {
		p.shown = entries
		return
	}
	p.shown = nil
	for _, match := range fuzzy.FindFrom(typed, entryNames(entries)) {
		p.shown = append(p.shown, entries[match.Index])
	}
}

// entryNames lets fuzzy search entries by their words.
type entryNames []entry

// String is what stands for entry i.
func (e entryNames) String(i int) string { return e[i].word() }

// Len is how many entries there are.
func (e entryNames) Len() int { return len(e) }

// word is the part of the name that is searched: the one after ns, ctx, lesson or
// theme, else the first.
func (e entry) word() string {
	head, word, ok := strings.Cut(e.name, " ")
	switch {
	case !ok:
		return e.name
	case head == "ns" || head == "ctx" || head == "lesson" || head == "theme":
		return word
	}
	return head
}

// Line is the input, with the rest of the chosen entry dim behind the cursor.
func (p *palette) Line(width int) string {
	s := p.app.styles()
	const hint = "tab complete, enter run"
	typed := " :" + p.field.DrawnIn(width-cells.Width(hint)-4)
	rest := ""
	if p.chosen < len(p.shown) {
		rest, _ = strings.CutPrefix(p.shown[p.chosen].name, p.field.Text())
		if rest == p.shown[p.chosen].name && p.field.Text() != "" {
			rest = ""
		}
	}
	rest = cells.Cut(model.Clean(rest), width-2-cells.Width(typed)-cells.Width(hint))
	return cells.Spread(s.Text.Render(typed)+s.Dim.Render(rest), s.Dim.Render(hint), width-1)
}

// Above are the entries around the chosen one.
func (p *palette) Above(width int) []string {
	s := p.app.styles()
	room := min(paletteRows, p.app.layout.bodyHeight()-1)
	from := max(0, min(p.chosen-room+1, len(p.shown)-room))
	var lines []string
	for i := from; i < min(from+room, len(p.shown)); i++ {
		e := p.shown[i]
		name := cells.Left(cells.CutMiddle(model.Clean(e.name), 40), max(22, min(cells.Width(e.name), 40)))
		line := cells.Left(name+" "+model.Clean(e.what), width-6-cells.Width(e.key)) + " " + e.key
		if i == p.chosen {
			lines = append(lines, s.Selected.Render(cells.Left("▸  "+line, width)))
		} else {
			lines = append(lines, s.Text.Render(cells.Left("   "+line, width)))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, s.Dim.Render(cells.Left("   no match", width)))
	}
	return lines
}

func (p *palette) Full(text string) bool { return !p.field.Takes(text) }

func (p *palette) Paste(text string) tea.Cmd {
	p.field.Edit(tea.PasteMsg{Content: text})
	p.list()
	return nil
}

func (p *palette) Key(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc":
		p.app.prompt = nil
	case "up", "shift+tab":
		p.chosen = max(p.chosen-1, 0)
	case "down":
		p.chosen = max(min(p.chosen+1, len(p.shown)-1), 0)
	case "tab":
		if p.chosen < len(p.shown) {
			p.field = input.NewSearch(p.shown[p.chosen].name)
			p.list()
		}
	case "enter":
		return p.enter()
	default:
		return p.typed(key)
	}
	return nil
}

// typed edits what was typed; a digit right after ns takes a recent namespace.
func (p *palette) typed(key tea.KeyPressMsg) tea.Cmd {
	if n, err := strconv.Atoi(key.String()); err == nil && p.field.Text() == "ns " && n >= 1 && n <= len(p.app.commands.recent) {
		p.app.prompt = nil
		return p.app.commands.inNamespace(p.app.commands.recent[n-1])
	}
	if p.field.Edit(key) {
		p.list()
	}
	return nil
}

func (p *palette) enter() tea.Cmd {
	if p.chosen >= len(p.shown) {
		return nil
	}
	p.app.prompt = nil
	return p.shown[p.chosen].run()
}
