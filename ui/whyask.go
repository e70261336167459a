package ui

import tea "charm.land/bubbletea/v2"

// fix asks which fixes work, once the explanation is there: they never delay it.
func (w *whyView) fix() tea.Cmd {
	if w.trouble != nil || w.draw.Gone || !w.draw.Fixable() {
		return nil
	}
	return w.tries.ask(w.app, w, w.uid())
}

// onFixed shows an answer. A fix that is selected stays so, by its title.
func (w *whyView) onFixed(msg fixedMsg) tea.Cmd {
	chosen, ok := w.draw.ChosenFix()
	title := ""
	if ok {
		title = chosen.Title
	}
	rest, fresh := w.tries.take(w.app, w, msg)
	if fresh {
		if ok {
			w.draw.Cursor.Row = w.tries.indexOf(title, w.draw.Cursor.Row)
		}
		w.arrange()
	}
	return rest
}

// openFixes shows all fixes, that one selected.
func (w *whyView) openFixes(chosen int) tea.Cmd {
	return w.app.history.open(newFixes(w.app, w.pod, w.tries, chosen))
}
