// Package confirm is the box that shows what a plan would do and asks whether to do it.
package confirm

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

// Box is the box that shows what a plan would do and asks whether to do it.
// Only its answer changes the cluster.
type Box struct {
	Plan     *plan.Plan
	Question plan.Question
	Agreed   []bool // to the plan's consents
	Chosen   int    // the consent that space checks

	host  Host
	first []string // what it says before the plan
	guard dialog.Guard
	top   int         // rows scrolled out above
	field input.Field // the typed answer
	wrong string      // the entered text, where it is not the answer
}

// Host is what the box may ask of the dashboard around it.
type Host interface {
	dialog.Host
	// Size is that of the terminal.
	Size() (width, height int)
	// NodeName is a node's name without the domain that all nodes share.
	NodeName(name string) string
	// Jobs are those of this run.
	Jobs() []*plan.Progress
	// Run carries out a plan that was confirmed.
	Run(p *plan.Plan, confirmed plan.Confirmed) tea.Cmd
	// SayError puts an error on the message row until the next key.
	SayError(err error) tea.Cmd
}

// New is the box of a plan, and of the question that it asks. First is what it says before the
// plan: why it is asked again, and what is known of the fix that it is a step of; "" is nothing.
func New(h Host, p *plan.Plan, question plan.Question, first ...string) *Box {
	c := &Box{host: h, Plan: p, Question: question, first: first, Agreed: make([]bool, len(p.Consents)), field: input.New("")}
	if c.Question.Number() {
		c.field = input.NewNumber()
	}
	return c
}

// Open asks.
func (c *Box) Open() tea.Cmd {
	c.host.Show(c)
	return c.guard.Begin(c.host)
}

// Typed is the answer as far as it is typed.
func (c *Box) Typed() string { return c.field.Text() }

// Key scrolls, agrees, types or answers. Until the box takes answers, only closing
// and scrolling work.
func (c *Box) Key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	if pressed == "esc" || pressed == "ctrl+c" || pressed == "q" && !c.takesText() {
		c.host.Close()
		return nil
	}
	may, cmd := c.guard.Press(c.host, key)
	switch {
	case c.host.Small():
	case c.read(pressed):
	case may:
		return c.answer(key)
	}
	return cmd
}

// takesText says whether the answer is typed in letters, q among them.
func (c *Box) takesText() bool {
	return c.Question.Answer != "y" && !c.Question.Number() && !c.refused()
}

// read scrolls and chooses; it reports whether the key does that.
func (c *Box) read(pressed string) bool {
	_, height := c.host.Size()
	page := max(dialog.Rows(height)-tailRows, 1)
	switch pressed {
	case "up":
		c.walk(-1)
	case "down":
		c.walk(1)
	case "pgup":
		c.Scroll(-page)
	case "pgdown":
		c.Scroll(page)
	default:
		return false
	}
	return true
}

// walk scrolls by a row; once the end is in view it chooses among the consents.
func (c *Box) walk(n int) {
	last := c.lastTop()
	switch {
	case n > 0 && c.top >= last && c.Chosen < len(c.Agreed)-1:
		c.Chosen++
	case n < 0 && c.top >= last && c.Chosen > 0:
		c.Chosen--
	default:
		c.Scroll(n)
	}
}

// Scroll implements dialog.Modal.
func (c *Box) Scroll(n int) { c.top = max(min(c.top+n, c.lastTop()), 0) }

// Resized starts the time again that the box has to be on the screen.
func (c *Box) Resized() tea.Cmd {
	c.Scroll(0)
	return c.guard.Begin(c.host)
}

// Paste is ignored: a pasted text is no answer.
func (c *Box) Paste(string) tea.Cmd { return nil }

// answer takes a key once the box takes answers.
func (c *Box) answer(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	switch {
	case pressed == "space" && (c.open() || !strings.Contains(c.Question.Answer, " ")):
		c.agree()
	case c.open() || c.refused():
	case c.Question.Answer == "y":
		if pressed == "y" {
			return c.guard.Answers(c.host, c)
		}
	case pressed == "enter":
		if typed := c.field.Text(); typed != c.Question.Answer {
			c.wrong = typed
			return nil
		}
		return c.confirmed(c.field.Text())
	default:
		c.wrong = ""
		c.field.Edit(key)
	}
	return nil
}

// Answered implements dialog.Answerer.
func (c *Box) Answered(keys int) tea.Cmd {
	if keys != c.guard.Keys() || c.open() || c.refused() || c.host.Small() {
		return nil
	}
	return c.confirmed("y")
}

// agree checks or unchecks the chosen consent, if it is in view.
func (c *Box) agree() {
	if len(c.Agreed) == 0 || c.top < c.lastTop() {
		return
	}
	c.Agreed[c.Chosen] = !c.Agreed[c.Chosen]
	if next := slices.Index(c.Agreed, false); c.Agreed[c.Chosen] && next >= 0 {
		c.Chosen = next
	}
}

// open says whether a consent is missing, which the question waits for.
func (c *Box) open() bool { return slices.Contains(c.Agreed, false) }

// refused says whether the API server would not make the plan's changes, or may not be asked to.
func (c *Box) refused() bool {
	return len(c.Plan.Verdict.Rejections) > 0 && !c.Plan.Ends.Requested() || plan.Unforeseen(c.Plan) != ""
}

// refusal says why.
func (c *Box) refusal() string {
	if why := plan.Unforeseen(c.Plan); why != "" {
		return grammar.Capital(why) + "."
	}
	return c.Plan.Verdict.Words()
}

// confirmed runs the plan.
func (c *Box) confirmed(answer string) tea.Cmd {
	confirmed, err := c.Plan.Confirm(c.Question, answer, c.Agreed)
	if err != nil {
		return c.host.SayError(err)
	}
	c.host.Close()
	return c.host.Run(c.Plan, confirmed)
}
