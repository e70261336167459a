// Package podhistory is the page that looks back through the steps of a recording for one
// pending pod.
package podhistory

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Page is the page. It says since when a pod is pending, and which pods took the
// capacity it had, and follows the steps.
type Page struct {
	page.Text
	recording Recording
	asks      page.Question[*podhistory.History]
	pod       *model.Pod // as it was last seen
	look      func(context.Context) (*podhistory.History, error)
	step      int                 // where the look back starts; 0: none yet
	history   *podhistory.History // nil until the first answer
	trouble   error
	gone      bool // the pod does not exist at the step
}

// Recording looks back. It is called off the event loop.
type Recording interface {
	// Past looks back from a step for a pending pod. Each call of the function it returns
	// looks back a little further, until History.Done.
	Past(step int, uid types.UID) func(context.Context) (*podhistory.History, error)
}

// New makes the page about one pod.
func New(h page.Host, recording Recording, pod *model.Pod) *Page {
	return &Page{Text: page.Text{Base: page.Base{Host: h}}, recording: recording, pod: pod}
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	return []string{"pending", page.PodName(p.Host, p.pod), "history"}
}

// Answer implements page.View: it says since when the pod is pending.
func (p *Page) Answer(int) string {
	switch {
	case p.gone:
		return fmt.Sprintf("The pod does not exist at step %d.", p.Host.Observed().Snapshot.Status.Step)
	case p.trouble != nil:
		return "Unknown: " + model.Clean(p.trouble.Error())
	case p.history == nil:
		return "Looking back from this step."
	}
	return p.Host.Observed().Brief(p.history.Sentence())
}

// Resize implements page.View.
func (p *Page) Resize(width, height int) {
	p.Text.Resize(width, height)
	p.compose()
}

// compose lays out what is known for the page's width.
func (p *Page) compose() {
	if p.history == nil || p.gone {
		p.Content.SetLines(nil)
		return
	}
	look := lookBack{p.history, p.pod, p.Host.Observed().AsOf(), p.Host.Observed().Domain, max(1, p.Width-2)}
	p.Content.SetLines(look.lines())
}

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		return p.onSnapshot(msg.Snapshot)
	case page.Answer[*podhistory.History]:
		return p.onLooked(msg)
	}
	return p.Text.Update(msg)
}

// onSnapshot starts again at another step, and goes on at the same one.
func (p *Page) onSnapshot(s *model.Snapshot) tea.Cmd {
	if p.step != s.Status.Step {
		p.asks.End()
		p.step, p.look, p.history, p.trouble = s.Status.Step, nil, nil, nil
		p.Content.Top()
		kind, waits := s.ClassOf(p.pod.Object.UID)
		if p.gone = !waits; waits {
			uid := p.pod.Object.UID
			p.pod = kind.Pods[slices.IndexFunc(kind.Pods, func(pod *model.Pod) bool { return pod.Object.UID == uid })]
			p.look = p.recording.Past(p.step, p.pod.Object.UID)
		}
	}
	p.compose()
	return p.ask()
}

// ask looks back a little further, off the event loop.
func (p *Page) ask() tea.Cmd {
	if p.look == nil || p.asks.Busy() || p.trouble != nil || p.history != nil && p.history.Done {
		return nil
	}
	return p.asks.Put(p.Host, p, p.look)
}

func (p *Page) onLooked(msg page.Answer[*podhistory.History]) tea.Cmd {
	if !p.asks.Takes(msg) {
		return nil
	}
	if p.trouble = msg.Err; msg.Err == nil {
		p.history = msg.Value
	}
	p.compose()
	return p.ask()
}

// Leave cancels what nobody will look at.
func (p *Page) Leave() { p.asks.End() }
