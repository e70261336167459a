package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
)

// fix asks which fixes work, once the explanation is there: they never delay it.
func (w *whyView) fix() tea.Cmd {
	if w.explains.Trouble != nil || w.draw.Gone || !w.draw.Fixable() {
		return nil
	}
	return fixes.Ask(&w.tries, &w.app.host, w, w.uid())
}

// onTries takes the messages of the fixes. A fix that is selected stays so, by its
// title.
func (w *whyView) onTries(msg tea.Msg) tea.Cmd {
	chosen, ok := w.draw.ChosenFix()
	title := ""
	if ok {
		title = chosen.Title
	}
	news, rest := w.tries.Update(&w.app.host, w, msg)
	switch news {
	case page.Answered:
		if ok {
			w.draw.Cursor.Row = fixes.IndexOf(w.tries.Value, title, w.draw.Cursor.Row)
		}
		w.arrange()
		return rest
	case page.Renew:
		return w.fix()
	}
	return nil
}

// openFixes shows all fixes, that one selected.
func (w *whyView) openFixes(chosen int) tea.Cmd {
	return w.app.history.open(fixes.NewOf(&w.app.host, w.pod, &w.tries, chosen))
}
