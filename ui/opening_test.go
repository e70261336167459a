package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// opensLater is a dashboard that is drawn before its cluster is open.
func opensLater(t *testing.T, at *time.Time) *App {
	t.Helper()
	app := New(Options{
		Context: "prod-eu", Server: "https://10.0.0.1:6443\x1b[2J", Production: "*prod*",
		Now:     func() time.Time { return *at },
		Opening: func(context.Context) (Cluster, error) { return nil, errors.New("asked for by a test") },
	})
	app.after = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil } // no time passes
	t.Cleanup(app.Close)
	app.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return app
}

func TestTheFirstFrameSaysWhatIsConnectedTo(t *testing.T) {
	at := now
	app := opensLater(t, &at)
	for _, step := range []struct {
		after time.Duration
		key   rune
		want  string
	}{
		{0, '1', " Connecting to https://10.0.0.1:6443"},
		{3 * time.Second, '1', "… 3s"},
		{3 * time.Second, '2', "… 3s"},
		{70 * time.Second, '3', "… 1m10s"},
	} {
		at = now.Add(step.after)
		app.Update(tea.KeyPressMsg{Code: step.key, Text: string(step.key)})
		if got := screenRow(app, header+1); !strings.Contains(got, step.want) {
			t.Errorf("on %c after %s: %q, want %q in it", step.key, step.after, got, step.want)
		}
		if got := screenRow(app, header); !strings.HasSuffix(got, "connecting") {
			t.Errorf("the header is %q", got)
		}
	}
}

func TestEveryKeyIsSafeWhileConnecting(t *testing.T) {
	at := now
	app := opensLater(t, &at)
	for _, key := range anyKeys {
		press(t, app, key)
	}
}

func TestTheDashboardGoesOnWhenItsClusterIsOpen(t *testing.T) {
	at := now
	app := opensLater(t, &at)
	press(t, app, "3")
	s := newProdEU().snapshot()
	app.Update(openedMsg{cluster: &fakeCluster{reports: verdictsOf(s)}})
	if got := screenRow(app, header); !strings.HasSuffix(got, "reading") || !strings.Contains(got, "nodes") {
		t.Errorf("once it is open the header is %q", got)
	}
	app.Update(snapshotMsg{snapshot: s})
	if got := screenRow(app, header); !strings.HasSuffix(got, "live") {
		t.Errorf("with all that is in it the header is %q", got)
	}
}

func TestAClusterThatCannotBeOpenedEndsTheDashboard(t *testing.T) {
	at := now
	app := opensLater(t, &at)
	_, cmd := app.Update(openedMsg{err: errors.New("connection refused")})
	if app.Err() == nil || cmd == nil {
		t.Errorf("it goes on: %v", app.Err())
	}
}
