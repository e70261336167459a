package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page/object"
)

// textOf is the description of shop/checkout, opened as a user does.
func textOf(t *testing.T, key, text string, err error) *App {
	t.Helper()
	s := newProdEU().snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s), text: text}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	cluster.err = err
	press(t, app, "j", "j", "j", "j", key)
	return app
}

// manyLines are numbered, every tenth one of them marked.
func manyLines() string {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "line %d", i)
		if i%10 == 0 {
			b.WriteString(" Marked")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestDescribeAndYAMLShowTheLiveObject(t *testing.T) {
	for _, test := range []struct{ key, row, crumb string }{
		{"d", "Name: " + checkoutName, "describe"},
		{"y", "  name: " + checkoutName, "YAML"},
	} {
		app := textOf(t, test.key, "rest", nil)
		if plain := screen(app); !strings.Contains(plain, test.row) {
			t.Errorf("%s shows\n%s\nwithout %q", test.key, plain, test.row)
		}
		requireRow(t, app, 1, test.crumb)
	}
}

func TestATextIsScrolledAndSearched(t *testing.T) {
	app := textOf(t, "d", manyLines(), nil)
	for _, step := range []struct {
		name string
		keys []string
		row  int
		want string
	}{
		{"at first its beginning", nil, 4, "line 0 Marked"},
		{"a row down", []string{"j"}, 3, "line 0 Marked"},
		{"half a page down", []string{"ctrl+d"}, 3, "line 10 Marked"},
		{"to the end", []string{"G"}, 22, "line 99"},
		{"to the top", []string{"g"}, 3, "Name: "},
		{"a search marks the first match", []string{"/", "m", "a", "r", "k", "enter"}, 4, "▸line 0 Marked"},
		{"and counts them", nil, 23, "10 lines match mark."},
		{"ctrl-n goes on", []string{"ctrl+n", "ctrl+n", "ctrl+n"}, 13, "▸line 30 Marked"},
		{"ctrl-p goes back", []string{"ctrl+p"}, 3, "▸line 20 Marked"},
		{"round to the last one", []string{"ctrl+p", "ctrl+p", "ctrl+p"}, 22, "line 99"},
		{"esc ends the search", []string{"esc", "g"}, 4, " line 0 Marked"},
		{"what is not there is said", []string{"/", "z", "z", "enter"}, 23, "No line matches zz."},
	} {
		press(t, app, step.keys...)
		if got := row(app, step.row); !strings.Contains(got, step.want) {
			t.Errorf("%s: row %d is %q, not %q", step.name, step.row, got, step.want)
		}
	}
}

func TestALongLineIsCutAndMovedSideways(t *testing.T) {
	app := textOf(t, "d", strings.Repeat("0123456789", 10)+"名前 end", nil)
	requireRow(t, app, 4, "…")
	press(t, app, "right", "right", "right", "right", "right", "right", "right", "right", "right")
	requireRow(t, app, 4, "名前 end")
	requireFrame(t, app, "moving sideways")
	press(t, app, "left", "left", "left", "left", "left", "left")
	requireRow(t, app, 4, " 0123456789")
}

func TestATextThatDoesNotComeSaysWhy(t *testing.T) {
	app := textOf(t, "d", "", errors.New("describe pod: forbidden"))
	requireRow(t, app, 2, "No answer from kube-apiserver.")
	requireRow(t, app, 3, "describe pod: forbidden")
}

func TestLeavingATextStopsTheFetching(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	var ended error
	page := object.New(&app.host, []string{"text"}, "It is there.", func(ctx context.Context) (string, error) {
		<-ctx.Done()
		ended = ctx.Err()
		return "", ended
	})
	cmd := app.history.open(page)
	requireRow(t, app, 2, "Waiting for kube-apiserver; esc cancels.")
	press(t, app, "esc")
	run(t, app, cmd, 0)
	if !errors.Is(ended, context.Canceled) {
		t.Errorf("fetching ended with %v, not because nobody looks", ended)
	}
	if page.Content.Failed {
		t.Error("the page that was left took the stopped answer")
	}
}

func TestASearchBeforeTheTextIsThere(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	page := object.New(&app.host, []string{"text"}, "It is there.", func(context.Context) (string, error) { return "found", nil })
	cmd := app.history.open(page)
	press(t, app, "/")
	write(t, app, "found")
	run(t, app, cmd, 0)
	requireRow(t, app, 3, "▸found")
}
