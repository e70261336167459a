package ui

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestAWarningStandsOnTheMessageRowUntilAKeyIsPressed(t *testing.T) {
	s := newProdEU().at(1, liveStatus())
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) {
		o.Warning = errors.New("config.yaml: readonly: no context of the kubeconfig matches \"pord\"\x1b[2J")
	})
	row := func() string { return strings.Split(app.View().Content, "\n")[22] }
	if got, want := strings.TrimSpace(ansi.Strip(row())), `config.yaml: readonly: no context of the kubeconfig matches "pord"`; got != want {
		t.Errorf("the message row is %q, want %q", got, want)
	}
	if strings.Contains(row(), "\x1b[2J") {
		t.Error("an escape sequence of the file reaches the terminal")
	}
	press(t, app, "j")
	if strings.Contains(row(), "config.yaml") {
		t.Errorf("after a key it is there still: %q", row())
	}
}
