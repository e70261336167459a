package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog/edit"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog/help"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodemap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/priorities"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// boxes opens boxes and lays them over the page. It implements confirm.Host and
// edit.Host.
type boxes struct{ app *App }

// lay dims the rows of the screen and lays a box over them. What is beside the box
// stays visible, a blank away from it.
func (x *boxes) lay(rows []string, b dialog.Drawn) []string {
	x.app.layout.shade(rows)
	frame := b.Frame(x.app.styles())
	left, top := max((x.app.width-b.Inner-4)/2, 0), max((len(rows)-len(frame))/2, 0)
	frame = frame[:min(len(frame), len(rows)-top)]
	if left > 0 {
		left--
		for i, line := range frame {
			frame[i] = " " + line + " "
		}
	}
	laid := lipgloss.NewCanvas(x.app.width, len(rows)).Compose(lipgloss.NewCompositor(
		lipgloss.NewLayer(strings.Join(rows, "\n")),
		lipgloss.NewLayer(strings.Join(frame, "\n")).X(left).Y(top).Z(1),
	))
	return strings.Split(laid.Render(), "\n")
}

// onBoxKey scrolls the box or closes it.
func (x *boxes) onBoxKey(key tea.KeyPressMsg) {
	x.app.box.Resize(x.app.height)
	if x.app.box.Key(key) {
		x.app.box = nil
	}
}

// underBox lays the box over rows, which are dimmed.
func (x *boxes) underBox(rows []string) []string {
	return x.lay(rows, x.app.box.Draw(x.app.styles(), x.app.width, x.app.height))
}

// openHelp shows the keys of the page.
func (x *boxes) openHelp() {
	v, demo := x.app.history.top(), ""
	if x.app.Demo {
		demo = help.Demo(x.app.Keys, x.app.lesson.Taken != nil)
	}
	x.app.box = help.New(x.app.Keys, helpName(v), x.app.keyboard.placesOf(v), demo, x.app.height)
}

// helpName is what the help calls a page. Of its crumbs the third is the page's own, as
// the second is the object that it is about; a list has but one, and a capital.
func helpName(v page.View) string {
	switch v.(type) {
	case *why.Page:
		return "Why"
	case *nodemap.Page:
		return "the node map"
	case *priorities.QueuePage:
		return "the queue"
	}
	crumbs := v.Crumbs()
	if len(crumbs) < 3 {
		return grammar.Capital(model.Clean(crumbs[0]))
	}
	return cells.Cut(model.Clean(crumbs[len(crumbs)-1]), dialog.Most/2)
}

// onAnswered passes the answer to the box, if that is still open.
func (x *boxes) onAnswered(msg dialog.AnsweredMsg) tea.Cmd {
	if x.app.dialog != dialog.Modal(msg.Box) {
		return nil
	}
	return msg.Box.Answered(msg.Keys)
}

// onPreviewed passes the preview of a typed action to its box, if that is still open.
func (x *boxes) onPreviewed(msg edit.PreviewedMsg) {
	if box, open := x.app.dialog.(*edit.Box); open {
		box.Update(msg)
	}
}

// keyless are the words of actions that only the menu has.
var keyless = map[keymap.Action]string{
	keymap.Annotate: "annotate", keymap.Ungate: "remove gates", keymap.Scale: "scale the workload", keymap.Restart: "restart the workload",
	keymap.Delete: "delete",
}

// item is an action as the menu shows it.
func (x *boxes) item(do keymap.Action, v page.View) dialog.MenuItem {
	off := func() string { return x.app.keyboard.off(do, v) }
	made := dialog.MenuItem{
		Word: keyless[do], Off: off(), Now: off,
		Run: func() tea.Cmd { return x.app.acts.change(do, page.TargetsOf(v)) },
	}
	if made.Word == "" {
		of := x.app.Keys.Of(do, v.Places())
		made.Key, made.Keys, made.Word = of.First(), of.Keys, of.Foot
	}
	return made
}

// openMenu opens the menu of the view on top.
func (x *boxes) openMenu() tea.Cmd {
	v := x.app.history.top()
	t := page.TargetsOf(v)
	m := &dialog.Menu{Host: x, About: t.Names()}
	if len(t.Nodes) > 0 && len(t.Pods) > 0 {
		m.About += " and " + page.Targets{Pods: t.Pods}.Names()
	}
	for _, do := range change.For(t) {
		m.Items = append(m.Items, x.item(do, v))
	}
	if len(m.Items) == 0 {
		return x.app.said.say("a more: nothing selected can be changed.")
	}
	m.Chosen = max(slices.IndexFunc(m.Items, func(i dialog.MenuItem) bool { return i.Off == "" }), 0)
	x.Show(m)
	return nil
}

// Corner is the corner of a box that changes something: the context.
func (x *boxes) Corner() string {
	s := x.app.styles()
	where := s.Accent.Render(cells.Cut(model.Clean(x.app.head.short), dialog.Most/2))
	if x.app.head.production() {
		return s.BadgeProd.Render("PROD") + " " + where
	}
	return where
}

func (x *boxes) Styles() *themes.Styles { return x.app.styles() }

func (x *boxes) Brief(text string) string { return x.app.observed.Brief(text) }

func (x *boxes) NodeName(name string) string { return x.app.observed.NodeName(name) }

func (x *boxes) Small() bool { return x.app.small() }

func (x *boxes) Size() (width, height int) { return x.app.width, x.app.height }

func (x *boxes) At() time.Time { return x.app.observed.At }

func (x *boxes) After(d time.Duration, msg tea.Msg) tea.Cmd {
	return x.app.after(d, func(time.Time) tea.Msg { return msg })
}

func (x *boxes) Show(m dialog.Modal) { x.app.prompt, x.app.dialog = nil, m }

func (x *boxes) Close() { x.app.dialog = nil }

func (x *boxes) Say(text string) tea.Cmd { return x.app.said.say(text) }

func (x *boxes) SayError(err error) tea.Cmd { return x.app.said.sayError(err) }

func (x *boxes) Observed() *page.Observed { return &x.app.observed }

func (x *boxes) Jobs() []*plan.Progress { return x.app.jobs.all }

func (x *boxes) Plan(action plan.Action) tea.Cmd { return x.app.acts.plan(action) }

func (x *boxes) Run(p *plan.Plan, confirmed plan.Confirmed) tea.Cmd {
	return x.app.acts.run(p, confirmed)
}
