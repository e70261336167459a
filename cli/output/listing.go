package output

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// List is a view as a list: a table for people, items for programs.
type List struct {
	Kind  string // of the JSON list
	Heads []string
	More  []string // heads of the columns that -o wide adds
	rows  [][]string
	items []any
	Names []string // of the objects, as kubectl get -o name has them
	Empty string   // what to say if nothing is in it

	// Extra are fields of the JSON list beside its items.
	Extra map[string]any

	// IsText says that people get Lines instead of rows.
	IsText bool
	Lines  []string

	// Notes are what people are told of the whole list, on standard error.
	Notes []string
}

// Add adds one row. Its last cells are those of -o wide.
func (l *List) Add(item any, cells ...string) {
	l.items = append(l.items, item)
	if !l.IsText {
		l.rows = append(l.rows, cells)
	}
}

// Print writes the listing in the form asked for, and on errOut that it is empty and its notes.
func (l *List) Print(out, errOut io.Writer, form string, noHeaders bool) error {
	switch form {
	case "json":
		return printList(out, l.Kind, l.Extra, l.items)
	case "yaml":
		list := map[string]any{"apiVersion": report.APIVersion, "kind": l.Kind, "items": ListOrEmpty(l.items)}
		maps.Copy(list, l.Extra)
		return YAML(out, list)
	}
	switch {
	case len(l.items) == 0:
		if _, err := fmt.Fprintln(errOut, terminal.OneLine(l.Empty)); err != nil || form == "name" {
			return err
		}
	case form == "name":
		_, err := io.WriteString(out, nameLines(l.Names))
		return err
	case l.IsText:
		if _, err := fmt.Fprintln(out, strings.Join(l.Lines, "\n")); err != nil {
			return err
		}
	default:
		if _, err := io.WriteString(out, l.table(form == "wide", noHeaders)); err != nil {
			return err
		}
	}
	if noHeaders { // for scripts
		return nil
	}
	return sayNotes(errOut, l.Notes)
}

// table is the list for people, with the columns of -o wide or without.
func (l *List) table(wide, noHeaders bool) string {
	heads := slices.Concat(l.Heads, l.More)
	width := len(heads)
	if !wide {
		width = len(l.Heads)
	}
	var rows [][]string
	if !noHeaders {
		rows = append(rows, heads[:width])
	}
	for _, row := range l.rows {
		rows = append(rows, row[:width])
	}
	return Table(rows)
}

// sayNotes says what is told beside data, each note in one line, on a terminal after an empty one.
func sayNotes(errOut io.Writer, notes []string) error {
	if len(notes) == 0 {
		return nil
	}
	var text strings.Builder
	if terminal.Is(errOut) {
		text.WriteString("\n")
	}
	for _, note := range notes {
		text.WriteString(terminal.OneLine(note) + "\n")
	}
	_, err := io.WriteString(errOut, text.String())
	return err
}

// nameLines puts each name on a line of its own.
func nameLines(names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(model.Clean(name) + "\n")
	}
	return b.String()
}

// printList writes items as a JSON list, one item a line, after the fields beside them.
func printList(w io.Writer, kind string, extra map[string]any, items []any) error {
	var head strings.Builder
	fmt.Fprintf(&head, `{"apiVersion":%q,"kind":%q,`, report.APIVersion, kind)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		text, err := escaped.JSON(extra[name], "")
		if err != nil {
			return err
		}
		fmt.Fprintf(&head, "%q:%s,", name, text)
	}
	if _, err := io.WriteString(w, head.String()+`"items":[`); err != nil {
		return err
	}
	for i, item := range items {
		text, err := escaped.JSON(item, "")
		if err != nil {
			return err
		}
		separator := ","
		if i == 0 {
			separator = ""
		}
		if _, err := fmt.Fprintf(w, "%s\n%s", separator, text); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n]}\n")
	return err
}

// ListOrEmpty keeps an empty list from being null in JSON.
func ListOrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
