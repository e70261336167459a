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

// List are entries, of which only those are made that are drawn or run: a cluster may have
// 50,000 pods.
type List interface {
	// Len is how many there are.
	Len() int
	// String is what is searched of entry i.
	String(i int) string
	// Entry is entry i.
	Entry(i int) Entry
}

// Entries are a List of entries that are there already.
type Entries []Entry

// Len implements List.
func (e Entries) Len() int { return len(e) }

// String implements List.
func (e Entries) String(i int) string { return e[i].word() }

// Entry implements List.
func (e Entries) Entry(i int) Entry { return e[i] }

// Host is what the palette may ask of the dashboard around it.
type Host interface {
	// Styles are those of the theme in force.
	Styles() *themes.Styles
	// Entries are what is listed after a word, such as ns, or first of all after "";
	// false where nothing is.
	Entries(after string) (List, bool)
	// Bare are found by their names, after all others of the first list.
	Bare() Entries
	// Unknown says why not all are known that may be listed after a word; "" where they are.
	Unknown(after string) string
	// Room is how many rows there are above the input.
	Room() int
	// Digit is what a digit does right after ns; nil is nothing.
	Digit(n int) func() tea.Cmd
	// Close closes the input.
	Close()
}

// Palette is the input. After a word such as ns, ctx, theme, no and po it lists namespaces,
// contexts, themes, nodes and pods.
type Palette struct {
	host   Host
	field  input.Field
	listed List
	shown  []int  // of the list, best first
	head   string // the word after which they are listed; "" is none
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
	p.chosen, p.head, p.shown = 0, "", nil
	typed := p.field.Text()
	if head, rest, ok := strings.Cut(typed, " "); ok && head != "" {
		if listed, ok := p.host.Entries(head); ok {
			p.head, p.listed = head, listed
			p.shown = find(rest, listed)
			return
		}
	}
	p.listed, _ = p.host.Entries("")
	p.shown = find(typed, p.listed)
	if typed == "" {
		return
	}
	bare := p.host.Bare()
	for _, at := range find(typed, bare) {
		p.shown = append(p.shown, p.listed.Len()+at)
	}
	p.listed = joined{p.listed, bare}
}

// joined is one list after another.
type joined struct{ first, then List }

// Len implements List.
func (j joined) Len() int { return j.first.Len() + j.then.Len() }

// String implements List.
func (j joined) String(i int) string {
	if n := j.first.Len(); i >= n {
		return j.then.String(i - n)
	}
	return j.first.String(i)
}

// Entry implements List.
func (j joined) Entry(i int) Entry {
	if n := j.first.Len(); i >= n {
		return j.then.Entry(i - n)
	}
	return j.first.Entry(i)
}

// manyEntries is from where a list is searched by parts of names: to compare 50,000 names letter
// by letter takes longer than a key may.
const manyEntries = 5000

// find are the entries of a list for what was typed: those of exactly this name, then the others,
// best first. A pod has its name without its namespace too. Of a long list they are the names
// that contain it, where there are any.
func find(typed string, in List) []int {
	if typed == "" {
		all := make([]int, in.Len())
		for i := range all {
			all[i] = i
		}
		return all
	}
	if in.Len() > manyEntries {
		if parts := containing(typed, in); len(parts) > 0 {
			return parts
		}
	}
	var found []int
	for _, match := range fuzzy.FindFrom(typed, in) {
		found = append(found, match.Index)
	}
	return exactFirst(typed, in, found)
}

// containing are the entries whose names contain what was typed, those of exactly this name first, then
// the others: best first if they are not many. Each name is asked for once where they are.
func containing(typed string, in List) []int {
	lower := strings.ToLower(typed)
	var exact []int
	found := make([]int, 0, in.Len())
	for i := range in.Len() {
		switch name := in.String(i); {
		case isExact(typed, name):
			exact = append(exact, i)
		case strings.Contains(strings.ToLower(name), lower):
			found = append(found, i)
		}
	}
	if len(found) > manyEntries {
		return append(exact, found...)
	}
	for _, match := range fuzzy.FindFrom(typed, part{in, found}) {
		exact = append(exact, found[match.Index])
	}
	return exact
}

// part are some entries of a list.
type part struct {
	List
	of []int
}

// Len is how many they are.
func (p part) Len() int { return len(p.of) }

// String is what is searched of entry i of them.
func (p part) String(i int) string { return p.List.String(p.of[i]) }

// isExact reports whether a name is what was typed, or ends in it behind its namespace.
func isExact(typed, name string) bool {
	rest, ok := strings.CutSuffix(name, typed)
	return ok && (rest == "" || strings.HasSuffix(rest, "/"))
}

// exactFirst puts the entries of exactly this name before the others.
func exactFirst(typed string, in List, found []int) []int {
	exact := func(i int) bool { return isExact(typed, in.String(i)) }
	if !slices.ContainsFunc(found, exact) {
		return found
	}
	var first []int
	for _, i := range found {
		if exact(i) {
			first = append(first, i)
		}
	}
	return append(first, slices.DeleteFunc(found, exact)...)
}

// chosenEntry is the entry that enter runs; false where there is none.
func (p *Palette) chosenEntry() (Entry, bool) {
	if p.chosen >= len(p.shown) {
		return Entry{}, false
	}
	return p.listed.Entry(p.shown[p.chosen]), true
}

// heads are the words of entries that take another.
var heads = []string{"ns", "ctx", "lesson", "theme", "by", "evictions", "cgroups"}

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
	if e, ok := p.chosenEntry(); ok {
		rest, _ = strings.CutPrefix(e.Name, p.field.Text())
		if rest == e.Name && p.field.Text() != "" {
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
		e := p.listed.Entry(p.shown[i])
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
		words := "no match"
		if why := p.host.Unknown(p.head); why != "" {
			words += ": " + why
		}
		lines = append(lines, s.Dim.Render(cells.Left("   "+model.Clean(words), width)))
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
		if e, ok := p.chosenEntry(); ok {
			p.field = input.NewSearch(e.Name)
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
	e, ok := p.chosenEntry()
	if !ok {
		return nil
	}
	p.host.Close()
	return e.Run()
}
