package cli

import (
	"bytes"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/adrg/xdg"
)

// fragile panics where it is told to.
type fragile struct{ where string }

type goMsg struct{}

func (f fragile) Init() tea.Cmd {
	if f.where == "Init" {
		panic("broken in Init")
	}
	return func() tea.Msg { return goMsg{} }
}

func (f fragile) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(goMsg); !ok {
		return f, nil
	}
	broken := func() tea.Msg { panic("broken in " + f.where) }
	switch f.where {
	case "Update":
		panic("broken in Update")
	case "Cmd":
		return f, broken
	case "Batch":
		return f, tea.Batch(broken, func() tea.Msg { return nil })
	}
	return f, tea.Quit
}

func (f fragile) View() tea.View {
	if f.where == "View" {
		panic("broken in View")
	}
	return tea.NewView("hello")
}

func TestPanicEndsTheDashboardInOneLine(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	for _, where := range []string{"Init", "Update", "View", "Cmd", "Batch"} {
		t.Run(where, func(t *testing.T) {
			var out bytes.Buffer
			err := runGuarded(t.Context(), fragile{where}, strings.NewReader(""), &out)
			if err == nil {
				t.Fatal("the panic was lost")
			}
			if !strings.Contains(err.Error(), "internal error: broken in "+where) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		if err := runGuarded(t.Context(), fragile{}, strings.NewReader(""), &bytes.Buffer{}); err != nil {
			t.Errorf("error %v without a panic", err)
		}
	})
}
