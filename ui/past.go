package ui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// past is the page that says since when a pod waits, and who took the room that
// it had, by looking back through the steps of a recording.
type past struct {
	textPage
	pod     *model.Pod // as it was last seen
	look    func(context.Context) (*report.History, error)
	step    int             // from which is looked back; 0: none yet
	history *report.History // nil until the first answer
	trouble error
	gone    bool // the step has no such pod
}

// lookedMsg brings what is known by now.
type lookedMsg struct {
	nth     int
	history *report.History
	err     error
}

func newPast(a *App, pod *model.Pod) *past {
	return &past{pod: pod, textPage: textPage{page: page{app: a}}}
}

// offPast tells why one cannot look back for the pod that is selected; "" if one can.
func (s *stepping) offPast(v view) string {
	on := v.selected()
	if on.pod == nil {
		return "no pod is selected."
	}
	if _, waits := s.app.observed.snapshot.KindOf(on.pod.Object.UID); !waits {
		if _, gone := podIn(s.app.observed.snapshot, on.pod); gone {
			return on.copy + " is gone."
		}
	}
	if on.pod.Object.Spec.NodeName != "" {
		return on.copy + " has a node: it waits for none."
	}
	return ""
}

func (p *past) crumbs() []string {
	return []string{"pending", p.app.opener.podName(p.pod).Text, "since when"}
}

// answer says since when it is as it is.
func (p *past) answer(int) string {
	switch {
	case p.gone:
		return fmt.Sprintf("It is not there at step %d.", p.app.observed.snapshot.Status.Step)
	case p.trouble != nil:
		return "Not known: " + model.Clean(p.trouble.Error())
	case p.history == nil:
		return "Looking back from this step."
	}
	return p.app.observed.brief(p.history.Sentence())
}

func (p *past) resize(width, height int) {
	p.textPage.resize(width, height)
	p.compose()
}

// compose draws what is known for the page's width.
func (p *past) compose() {
	if p.history == nil || p.gone {
		p.show(nil)
		return
	}
	told := pastLines{p.history, p.pod, p.app.observed.asOf(), p.app.observed.domain, max(1, p.width-2)}
	p.show(told.all())
}

func (p *past) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		return p.onSnapshot(msg.snapshot)
	case lookedMsg:
		return p.onLooked(msg)
	}
	return p.textPage.update(msg)
}

// onSnapshot begins anew at another step, and goes on at the same one.
func (p *past) onSnapshot(s *model.Snapshot) tea.Cmd {
	if p.step != s.Status.Step {
		p.asks.end()
		p.step, p.look, p.history, p.trouble, p.top = s.Status.Step, nil, nil, nil, 0
		kind, waits := s.KindOf(p.pod.Object.UID)
		if p.gone = !waits; waits {
			uid := p.pod.Object.UID
			p.pod = kind.Pods[slices.IndexFunc(kind.Pods, func(pod *model.Pod) bool { return pod.Object.UID == uid })]
			p.look = p.app.Recording.Past(p.step, p.pod.Object.UID)
		}
	}
	p.compose()
	return p.ask()
}

// ask looks back a little further, off the event loop.
func (p *past) ask() tea.Cmd {
	if p.look == nil || p.asks.busy || p.trouble != nil || p.history != nil && p.history.Done {
		return nil
	}
	look := p.look
	ctx, nth := p.asks.begin(p.app.ctx)
	return p.app.ask(p, func(context.Context) tea.Msg {
		history, err := look(ctx)
		return lookedMsg{nth, history, err}
	})
}

func (p *past) onLooked(msg lookedMsg) tea.Cmd {
	if !p.asks.open(msg.nth) {
		return nil
	}
	p.asks.end()
	if p.trouble = msg.err; msg.err == nil {
		p.history = msg.history
	}
	p.compose()
	return p.ask()
}
