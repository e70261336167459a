package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

// confirm is the box that shows what a plan would do and asks whether to do it.
// Only its answer changes the cluster.
type confirm struct {
	app      *App
	plan     *plan.Plan
	question plan.Question
	again    string // why it is asked again; "" the first time
	guard    keyGuard
	agreed   []bool      // to the plan's consents
	chosen   int         // the consent that space checks
	top      int         // rows scrolled out above
	field    input.Field // the typed answer
	wrong    string      // the entered text, where it is not the answer
}

func newConfirm(a *App, plan *plan.Plan, again string) *confirm {
	c := &confirm{
		app: a, plan: plan, question: plan.Question(a.head.short, a.head.production()), again: again,
		agreed: make([]bool, len(plan.Consents)), field: input.New(""),
	}
	if c.question.Number() {
		c.field = input.NewNumber()
	}
	return c
}

// key scrolls, agrees, types or answers. Until the box takes answers, only closing
// and scrolling work.
func (c *confirm) key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	if pressed == "esc" || pressed == "ctrl+c" || pressed == "q" && !c.takesText() {
		c.app.dialog = nil
		return nil
	}
	may, cmd := c.guard.press(key, c.app)
	switch {
	case c.app.small():
	case c.read(pressed):
	case may:
		return c.answer(key)
	}
	return cmd
}

// takesText says whether the answer is typed in letters, q among them.
func (c *confirm) takesText() bool {
	return c.question.Answer != "y" && !c.question.Number() && !c.refused()
}

// read scrolls and chooses; it reports whether the key does that.
func (c *confirm) read(pressed string) bool {
	page := max(dialog.Rows(c.app.height)-confirmTail, 1)
	switch pressed {
	case "up":
		c.walk(-1)
	case "down":
		c.walk(1)
	case "pgup":
		c.scroll(-page)
	case "pgdown":
		c.scroll(page)
	default:
		return false
	}
	return true
}

// walk scrolls by a row; once the end is in view it chooses among the consents.
func (c *confirm) walk(n int) {
	last := c.lastTop()
	switch {
	case n > 0 && c.top >= last && c.chosen < len(c.agreed)-1:
		c.chosen++
	case n < 0 && c.top >= last && c.chosen > 0:
		c.chosen--
	default:
		c.scroll(n)
	}
}

func (c *confirm) scroll(n int) { c.top = max(min(c.top+n, c.lastTop()), 0) }

// resized starts the time again that the box has to be on the screen.
func (c *confirm) resized() tea.Cmd {
	c.scroll(0)
	return c.guard.begin(c.app)
}

// paste is ignored: a pasted text is no answer.
func (c *confirm) paste(string) tea.Cmd { return nil }

// answer takes a key once the box takes answers.
func (c *confirm) answer(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	switch {
	case pressed == "space" && (c.open() || !strings.Contains(c.question.Answer, " ")):
		c.agree()
	case c.open() || c.refused():
	case c.question.Answer == "y":
		if pressed == "y" {
			return c.guard.answers(c.app, c)
		}
	case pressed == "enter":
		if typed := c.field.Text(); typed != c.question.Answer {
			c.wrong = typed
			return nil
		}
		return c.app.acts.confirmed(c, c.field.Text())
	default:
		c.wrong = ""
		c.field.Edit(key)
	}
	return nil
}

// answered implements answerer.
func (c *confirm) answered(keys int) tea.Cmd {
	if keys != c.guard.keys || c.open() || c.refused() || c.app.small() {
		return nil
	}
	return c.app.acts.confirmed(c, "y")
}

// agree checks or unchecks the chosen consent, if it is in view.
func (c *confirm) agree() {
	if len(c.agreed) == 0 || c.top < c.lastTop() {
		return
	}
	c.agreed[c.chosen] = !c.agreed[c.chosen]
	if next := slices.Index(c.agreed, false); c.agreed[c.chosen] && next >= 0 {
		c.chosen = next
	}
}

// open says whether a consent is missing, which the question waits for.
func (c *confirm) open() bool { return slices.Contains(c.agreed, false) }

// refused says whether the API server would not make the plan's changes.
func (c *confirm) refused() bool { return len(c.plan.Verdict.Refused) > 0 && c.plan.Ending == 0 }
