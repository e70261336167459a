// Package palette is the input that finds pages and actions by name.
package palette

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

// paletteRows is how many entries the palette shows at most.
const paletteRows = 12

// Entry is one line of the palette.
type Entry struct {
	Name string // what is typed
	What string
	Key  string // the one that does the same; "" is none
	Run  func() tea.Cmd
}

// Host is what the palette may ask of the dashboard around it.
type Host interface {
	// Styles are those of the theme in force.
	Styles() *themes.Styles
	// Entries are what is listed after a word, such as ns, or first of all after "";
	// false where nothing is.
	Entries(after string) ([]Entry, bool)
	// Room is how many rows there are above the input.
	Room() int
	// Digit is what a digit does right after ns; nil is nothing.
	Digit(n int) func() tea.Cmd
	// Close closes the input.
	Close()
}

// Palette is the input. After ns, ctx and theme it lists namespaces, contexts and
// themes.
type Palette struct {
	host   Host
	field  input.Field
	shown  []Entry
	chosen int
}

// New is the palette with a text that is typed already.
func New(h Host, typed string) *Palette {
	p := &Palette{host: h, field: input.NewSearch(typed)}
	p.list()
	return p
}

// list finds the entries for what was typed, best first.
func (p *Palette) list() {
	p.chosen = 0
	typed := p.field.Text()
	entries, _ := p.host.Entries("")
	if head, rest, ok := strings.Cut(typed, " "); ok && head != "" {
		if listed, ok := p.host.Entries(head); ok {
			entries, typed = listed, rest
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

// heads are the words of entries that take another.
var heads = []string{"ns", "ctx", "lesson", "theme", "by", "evictions", "cgroups"}

// entryNames lets fuzzy search entries by their words.
type entryNames []Entry

// String is what stands for entry i.
func (e entryNames) String(i int) string { return e[i].word() }

// Len is how many entries there are.
func (e entryNames) Len() int { return len(e) }

// word is the part of the name that is searched: the one after a word that takes another,
// else the first.
func (e Entry) word() string {
	head, word, ok := strings.Cut(e.Name, " ")
	switch {
	case !ok:
		return e.Name
	case slices.Contains(heads, head):
		return word
	}
	return head
}

// Line is the input, with the rest of the chosen entry dim behind the cursor.
func (p *Palette) Line(width int) string {
	s := p.host.Styles()
	const hint = "tab complete, enter run"
	typed := " :" + p.field.DrawnIn(width-cells.Width(hint)-4)
	rest := ""
	if p.chosen < len(p.shown) {
		rest, _ = strings.CutPrefix(p.shown[p.chosen].Name, p.field.Text())
		if rest == p.shown[p.chosen].Name && p.field.Text() != "" {
			rest = ""
		}
	}
	rest = cells.Cut(model.Clean(rest), width-2-cells.Width(typed)-cells.Width(hint))
	return cells.Spread(s.Text.Render(typed)+s.Dim.Render(rest), s.Dim.Render(hint), width-1)
}

// nameLeast and nameMost are how wide names are drawn beside what they do.
const nameLeast, nameMost = 22, 40

// Above are the entries around the chosen one.
func (p *Palette) Above(width int) []string {
	s := p.host.Styles()
	room := min(paletteRows, p.host.Room()-1)
	from, to := p.inView(room)
	var lines []string
	for i := from; i < to; i++ {
		e := p.shown[i]
		room := width - 6 - cells.Width(e.Key)
		most := nameMost
		if e.What == "" {
			most = room // nodes often differ in the middle of their names
		}
		name := cells.Left(cells.CutMiddle(model.Clean(e.Name), most), max(nameLeast, min(cells.Width(e.Name), most)))
		line := cells.Left(name+" "+model.Clean(e.What), room) + " " + e.Key
		if i == p.chosen {
			lines = append(lines, s.Selected.Render(cells.Left("▸  "+line, width)))
		} else {
			lines = append(lines, s.Text.Render(cells.Left("   "+line, width)))
		}
	}
	if rest := len(p.shown) - to; rest > 0 && len(lines) < room {
		lines = append(lines, s.Dim.Render(cells.Left(fmt.Sprintf("   %d more ↓", rest), width)))
	}
	if len(lines) == 0 {
		lines = append(lines, s.Dim.Render(cells.Left("   no match", width)))
	}
	return lines
}

// inView is the range of the entries that are in view in so many rows. Where there are more
// below, a row is left to count them.
func (p *Palette) inView(rows int) (from, to int) {
	all := len(p.shown)
	if least := p.chosen - rows + 2; rows > 1 && max(0, least)+rows < all {
		return max(0, least), max(0, least) + rows - 1
	}
	from = max(0, min(p.chosen, all-rows))
	return from, min(from+rows, all)
}

// Full reports whether no more can be typed.
func (p *Palette) Full(text string) bool { return !p.field.Takes(text) }

// Paste implements page.Prompt.
func (p *Palette) Paste(text string) tea.Cmd {
	p.field.Edit(tea.PasteMsg{Content: text})
	p.list()
	return nil
}

// Key implements page.Prompt.
func (p *Palette) Key(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc":
		p.host.Close()
	case "up", "shift+tab":
		p.chosen = max(p.chosen-1, 0)
	case "down":
		p.chosen = max(min(p.chosen+1, len(p.shown)-1), 0)
	case "tab":
		if p.chosen < len(p.shown) {
			p.field = input.NewSearch(p.shown[p.chosen].Name)
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
func (p *Palette) typed(key tea.KeyPressMsg) tea.Cmd {
	if n, err := strconv.Atoi(key.String()); err == nil && p.field.Text() == "ns " {
		if run := p.host.Digit(n); run != nil {
			p.host.Close()
			return run()
		}
	}
	if p.field.Edit(key) {
		p.list()
	}
	return nil
}

func (p *Palette) enter() tea.Cmd {
	if p.chosen >= len(p.shown) {
		return nil
	}
	p.host.Close()
	return p.shown[p.chosen].Run()
}
