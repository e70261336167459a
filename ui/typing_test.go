package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

// longPaste is a megabyte, as of a log that is in the clipboard by mistake.
var longPaste = strings.Repeat("x|y ", 1<<18)

// typeOnly types text and runs none of the commands; these are the last one's.
func typeOnly(app *App, text string) (all []tea.Cmd) {
	for _, r := range text {
		_, cmd := app.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		all = append(all, cmd)
	}
	return all
}

func TestARegularExpressionIsReadOffTheEventLoop(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3", "/")
	nodes := app.pages.nodes
	all := typeOnly(app, "/gpu|std/ /a/")
	if nodes.Result != nil {
		t.Fatal("a key looked for the expression itself")
	}
	for _, cmd := range all[:len(all)-1] {
		run(t, app, cmd, 0)
		if nodes.Result != nil {
			t.Fatal("an older expression than the last was looked for")
		}
	}
	run(t, app, all[len(all)-1], 0)
	if got := screenRow(app, answer); !strings.Contains(got, " match") || nodes.InForce != "/gpu|std/ /a/" {
		t.Errorf("in force is %q; it says %q", nodes.InForce, got)
	}
	before := nodes.Result
	_, cmd := app.Update(snapshotMsg{snapshot: newProdEU().at(2, liveStatus())})
	if nodes.Result != before {
		t.Error("a snapshot has the expression looked for at once")
	}
	run(t, app, cmd, 0)
	if nodes.Result == before {
		t.Error("a snapshot's rows never come")
	}
}

func TestCtrlCQuitsWhileAnExpressionIsLookedFor(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "2", "/")
	typeOnly(app, "/"+strings.Repeat("a?", 5000))
	_, cmd := app.Update(keyPress("ctrl+c"))
	if !quitsBy(cmd) {
		t.Error("ctrl-c does not quit")
	}
}

func TestAWrongExpressionLeavesTheLastGoodFilter(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3")
	filterBy(t, app, "gpu")
	press(t, app, "/")
	write(t, app, " /a(")
	if got := screenRow(app, message); !strings.Contains(got, "missing closing )") {
		t.Errorf("nothing says what is wrong: %q", got)
	}
	if nodes := app.pages.nodes; !strings.HasPrefix(nodes.InForce, "gpu") || nodes.Filter != nodes.InForce || nodes.All != 12 {
		t.Errorf("in force is %q", nodes.InForce)
	}
	write(t, app, ")")
	if got := screenRow(app, message); strings.Contains(got, "missing") {
		t.Errorf("it is still said to be wrong: %q", got)
	}
}

func TestAFullInputDoesNothingForFurtherKeys(t *testing.T) {
	for _, open := range [][]string{{"3", "/"}, {":"}, {"y", "/"}} {
		app := newTestApp(t, 80, 24, newProdEU().snapshot())
		press(t, app, open...)
		typeOnly(app, "/"+strings.Repeat("a", input.LongestText+1))
		before := screen(app)
		for range 10_000 {
			if _, cmd := app.Update(keyPress("a")); cmd != nil || !app.unchanged {
				t.Fatalf("%v: a key that is not taken has work done", open)
			}
		}
		if screen(app) != before {
			t.Errorf("%v: the screen changed", open)
		}
		press(t, app, "backspace", "b")
		if got := screen(app); got == before || !strings.Contains(got, "ab▏") {
			t.Errorf("%v: it takes no other key either", open)
		}
	}
}

func TestAFilterThatIsTooLongSaysSo(t *testing.T) {
	for _, width := range []int{60, 80, 132} {
		app := newTestApp(t, width, 24, newProdEU().snapshot())
		press(t, app, "3", "/")
		typeOnly(app, strings.Repeat("a", 251))
		if got := screenRow(app, message); !strings.HasSuffix(got, "a▏  at most 250 characters") {
			t.Errorf("at %d columns it says %q", width, got)
		}
	}
}

func TestAPasteThatIsTooLongIsNotTakenInPart(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3")
	filterBy(t, app, "gpu")
	press(t, app, "/")
	send(t, app, tea.PasteMsg{Content: longPaste})
	if got := screenRow(app, message); !strings.Contains(got, "the pasted text is too long") || app.pages.nodes.InForce != "gpu" {
		t.Errorf("in force is %q; it says %q", app.pages.nodes.InForce, got)
	}
	press(t, app, "esc", "t")
	send(t, app, tea.PasteMsg{Content: longPaste})
	if got := screen(app); !strings.Contains(got, "The pasted text is too long.") || strings.Contains(got, "x|y") {
		t.Errorf("the taints' box:\n%s", got)
	}
}

func TestASearchTakesOnlyTheBeginningOfALongPaste(t *testing.T) {
	for _, open := range [][]string{{":"}, {"y", "/"}} {
		app := newTestApp(t, 80, 24, newProdEU().snapshot())
		press(t, app, open...)
		send(t, app, tea.PasteMsg{Content: longPaste})
		if typed := app.prompt.(limited); !typed.Full("x") || typed.Full("") {
			t.Errorf("%v: it is not full to the last character", open)
		}
	}
}

func TestKeysAfterEnterAreMeantForTheRowsThatCome(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3", "/")
	_, rows := app.Update(tea.PasteMsg{Content: "/gpu-b/"})
	_, enter := app.Update(keyPress("enter"))
	_, cordon := app.Update(keyPress("c"))
	run(t, app, enter, 0)
	run(t, app, cordon, 0)
	if app.dialog != nil || app.acts.action != nil || app.prompt == nil {
		t.Fatal("a key acts on a row that the filter may hide")
	}
	run(t, app, rows, 0)
	if got := screen(app); !strings.Contains(got, "gpu-b-01") || app.dialog == nil || app.prompt != nil {
		t.Errorf("the key is lost:\n%s", got)
	}
}

func TestKeysAfterAWrongFilterAreDropped(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3", "/")
	_, rows := app.Update(tea.PasteMsg{Content: "/gpu-b(/"})
	app.Update(keyPress("enter"))
	app.Update(keyPress("c"))
	run(t, app, rows, 0)
	if app.dialog != nil || app.acts.action != nil || app.prompt == nil {
		t.Error("a key acts on a row that was not filtered")
	}
	if got := screenRow(app, message); !strings.Contains(got, "missing closing )") {
		t.Errorf("it says %q", got)
	}
}

func TestEscEndsAnExpressionThatTakesLong(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3", "/")
	_, rows := app.Update(tea.PasteMsg{Content: "/gpu-b/"})
	app.Update(keyPress("enter"))
	app.Update(keyPress("esc"))
	run(t, app, rows, 0)
	if nodes := app.pages.nodes; nodes.InForce != "" || app.prompt != nil || len(nodes.Table.Rows) != 12 {
		t.Errorf("in force is %q", nodes.InForce)
	}
}

func TestTheEndOfALongInputStaysInView(t *testing.T) {
	for width := 20; width < 60; width++ {
		f := input.New(strings.Repeat("日本 abc ", 40) + "end")
		if got := f.DrawnIn(width); !strings.HasSuffix(got, "end▏") || !strings.HasPrefix(got, "…") || cells.Width(got) > width {
			t.Errorf("in %d cells: %q", width, got)
		}
		f.Edit(keyPress("home"))
		if got := f.DrawnIn(width); !strings.HasPrefix(got, "▏日") || !strings.HasSuffix(got, "…") || cells.Width(got) > width {
			t.Errorf("in %d cells, at its beginning: %q", width, got)
		}
	}
}
