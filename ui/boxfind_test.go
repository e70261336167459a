package ui

import (
	"strings"
	"testing"
)

// markedRows are the rows of the screen that are drawn as found.
func markedRows(app *App) []string {
	begin, _, _ := strings.Cut(app.styles().Match.Render("x"), "x")
	var rows []string
	for i, row := range strings.Split(app.View().Content, "\n") {
		if strings.Contains(row, begin) {
			rows = append(rows, screenRow(app, i+1))
		}
	}
	return rows
}

func TestTheHelpIsSearched(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3", "?")
	if !strings.Contains(screen(app), "/ find, esc close") || len(markedRows(app)) > 0 {
		t.Fatal(screen(app))
	}
	press(t, app, "/")
	write(t, app, "WHY not")
	if rows := markedRows(app); len(rows) != 1 || !strings.Contains(rows[0], "why not") {
		t.Errorf("found %q", rows)
	}
	if !strings.Contains(screen(app), "/WHY not▏") {
		t.Error("what is typed is not shown")
	}
	press(t, app, "q") // is a letter here
	if len(markedRows(app)) != 0 || app.box == nil {
		t.Error("q closes the box while it is typed")
	}
	press(t, app, "backspace", "enter", "esc")
	if app.box == nil || len(markedRows(app)) != 0 {
		t.Error("esc does not end the search before it closes the box")
	}
	press(t, app, "esc")
	if app.box != nil {
		t.Error("esc does not close the box")
	}
}

func TestASearchScrollsASmallBox(t *testing.T) {
	app := newTestApp(t, 80, 15, newProdEU().snapshot())
	press(t, app, "3", "?", "/")
	write(t, app, "rejects")
	if rows := markedRows(app); len(rows) != 1 {
		t.Errorf("found %q", rows)
	}
	press(t, app, "enter", "ctrl+n", "ctrl+p")
	if rows := markedRows(app); len(rows) != 1 {
		t.Errorf("then %q", rows)
	}
	requireFrame(t, app, "a search in a small box")
}
