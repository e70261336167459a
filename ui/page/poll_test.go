package page

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// asked is a Host whose Cmds the test runs when it likes.
type asked struct {
	Host
	observed Observed
	cluster  Cluster
	work     []func() tea.Msg
	later    map[time.Duration]tea.Msg
	ended    int
}

func (h *asked) Observed() *Observed { return &h.observed }
func (h *asked) Cluster() Cluster    { return h.cluster }
func (h *asked) Now() time.Time      { return time.Time{} }

func (h *asked) Ask(_ View, work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	h.work = append(h.work, func() tea.Msg { return work(ctx) })
	return func() tea.Msg { return nil }, func() { cancel(); h.ended++ }
}

func (h *asked) Later(_ View, d time.Duration, msg tea.Msg) tea.Cmd {
	h.later[d] = msg
	return func() tea.Msg { return nil }
}

func newAsked() *asked {
	return &asked{observed: Observed{Snapshot: &model.Snapshot{Revision: 1}}, cluster: struct{ Cluster }{}, later: map[time.Duration]tea.Msg{}}
}

// answers is a question with those answers, one after the other; "" is an error.
func answers(texts ...string) func(context.Context, Cluster) (string, error) {
	return func(context.Context, Cluster) (string, error) {
		text := texts[0]
		texts = texts[1:]
		if text == "" {
			return "", errors.New("no answer")
		}
		return text, nil
	}
}

func TestAPollAsksOnceASnapshotAndRestsBetweenAnswers(t *testing.T) {
	h, work := newAsked(), answers("first", "second")
	var p Poll[string]
	if p.Ask(h, nil, work) == nil || p.Ask(h, nil, work) != nil || len(h.work) != 1 {
		t.Fatalf("asked %d times before there was an answer", len(h.work))
	}
	if news, _ := p.Update(h, nil, h.work[0]()); news != Answered || p.Value != "first" {
		t.Fatalf("the answer is %q", p.Value)
	}
	h.observed.Snapshot = &model.Snapshot{Revision: 2}
	if p.Ask(h, nil, work) != nil {
		t.Error("asked without a rest")
	}
	if news, _ := p.Update(h, nil, h.later[RestLeast]); news != Renew {
		t.Error("the rest did not end")
	}
	if p.Ask(h, nil, work) == nil {
		t.Error("did not ask again")
	}
	p.Update(h, nil, h.later[SlowAfter])
	if !p.Slow || p.Value != "first" {
		t.Error("does not say that the next answer is slow")
	}
	p.Update(h, nil, h.work[1]())
	p.Update(h, nil, h.later[RestLeast])
	if p.Slow || p.Value != "second" || p.Ask(h, nil, work) != nil {
		t.Error("asked though nothing changed")
	}
}

func TestAnAnswerToAnEarlierQuestionIsDropped(t *testing.T) {
	h := newAsked()
	var p Poll[string]
	p.Ask(h, nil, answers("late"))
	p.AskNow(h, nil, answers("newest"))
	if news, _ := p.Update(h, nil, h.work[0]()); news != NoNews || p.Value != "" || h.ended != 1 {
		t.Errorf("%q was taken", p.Value)
	}
	p.Update(h, nil, h.work[1]())
	if p.Value != "newest" {
		t.Errorf("the answer is %q", p.Value)
	}
}

func TestAPageThatIsLeftTakesNoAnswerAndAsksAgainWhenShown(t *testing.T) {
	h := newAsked()
	var p Poll[string]
	p.Ask(h, nil, answers("first"))
	p.Leave()
	if news, _ := p.Update(h, nil, h.work[0]()); news != NoNews {
		t.Error("took an answer that nobody waits for")
	}
	if p.Ask(h, nil, answers("first")) == nil {
		t.Error("did not ask again")
	}
}

func TestAnErrorLeavesTheAnswerBeforeIt(t *testing.T) {
	h, work := newAsked(), answers("first", "")
	var p Poll[string]
	p.Ask(h, nil, work)
	p.Update(h, nil, h.work[0]())
	p.AskNow(h, nil, work)
	p.Update(h, nil, h.work[1]())
	if p.Value != "first" || p.Trouble == nil {
		t.Errorf("the answer is %q, the error %v", p.Value, p.Trouble)
	}
}

func TestNothingIsAskedBeforeEverythingIsRead(t *testing.T) {
	h := newAsked()
	var p Poll[string]
	h.observed.Snapshot.Status.Reading = map[string]int{"pods": 1}
	if p.Ask(h, nil, answers("first")) != nil {
		t.Error("asked while the cluster is read")
	}
	h.observed.Snapshot.Status.Reading, h.cluster = nil, nil
	if p.Ask(h, nil, answers("first")) != nil {
		t.Error("asked no cluster")
	}
}

// inParts is a question whose answer is told in those parts, each when the test says so.
func inParts(proceed chan string) func(context.Context, Cluster, func(string)) (string, error) {
	return func(_ context.Context, _ Cluster, tell func(string)) (string, error) {
		text := ""
		for part := range proceed {
			text += part
			tell(text)
		}
		return text + ".", nil
	}
}

func TestAnAnswerIsShownPartByPartUntilItIsWhole(t *testing.T) {
	h := newAsked()
	var p Poll[string]
	proceed, whole := make(chan string), make(chan tea.Msg, 1)
	p.AskInParts(h, nil, inParts(proceed))
	go func() { whole <- h.work[0]() }()
	for _, want := range []string{"a", "ab", "abc"} {
		proceed <- want[len(want)-1:]
		if news, next := p.Update(h, nil, h.work[1]()); news != Partly || next == nil || p.Value != want {
			t.Fatalf("news %v, value %q; want the part %q", news, p.Value, want)
		}
	}
	if lent := Lent(&p, &h.observed); lent.Value != "" {
		t.Errorf("lends the part %q", lent.Value)
	}
	close(proceed)
	if news, _ := p.Update(h, nil, <-whole); news != Answered || p.Value != "abc." {
		t.Errorf("news %v, value %q", news, p.Value)
	}
	if msg := h.work[1](); msg != nil {
		t.Errorf("a part %v after the answer", msg)
	}
}

func TestNoPartTakesThePlaceOfAnAnswerOrOutlivesItsQuestion(t *testing.T) {
	h := newAsked()
	var p Poll[string]
	proceed := make(chan string, 1)
	proceed <- "a"
	close(proceed)
	p.AskInParts(h, nil, inParts(proceed))
	answer := h.work[0]()
	part := h.work[1]()
	p.Update(h, nil, part)
	p.Leave()
	if p.Value != "" {
		t.Errorf("left, it keeps the part %q", p.Value)
	}
	if news, _ := p.Update(h, nil, part); news != NoNews || p.Value != "" {
		t.Errorf("left, it takes the part %q", p.Value)
	}
	if news, _ := p.Update(h, nil, answer); news != NoNews {
		t.Error("left, it takes the answer")
	}
	p.AskNow(h, nil, answers("whole"))
	p.Update(h, nil, h.work[2]())
	p.Leave()
	p.AskInParts(h, nil, inParts(proceed))
	if len(h.work) != 4 || p.Value != "whole" {
		t.Errorf("waits for parts although there is an answer: %d questions, value %q", len(h.work), p.Value)
	}
}

// An answer that took long is asked for again later than one that did not, though not for ever: events that no
// change of the cluster tells of are in it, too.
func TestWhatTakesLongIsLookedAtLessOften(t *testing.T) {
	for _, test := range []struct{ took, again time.Duration }{
		{time.Millisecond, lookAgain},
		{150 * time.Millisecond, 15 * time.Second},
		{2 * time.Second, lookAgainMost},
	} {
		h := newAsked()
		h.observed.Snapshot.Moved = 1
		h.observed.At = time.Unix(1000, 0)
		var p Poll[string]
		p.Ask(h, nil, answers("first"))
		answer := h.work[0]().(Answer[string])
		answer.Took = test.took
		p.Update(h, nil, answer)
		for _, step := range []struct {
			after time.Duration
			holds bool
		}{{test.again - time.Second, true}, {test.again, false}} {
			h.observed.At = time.Unix(1000, 0).Add(step.after)
			p.Age(&h.observed)
			if p.Holds(&h.observed) != step.holds || p.aged == step.holds {
				t.Errorf("%s after an answer that took %s: it holds %v, want %v", step.after, test.took, !step.holds, step.holds)
			}
		}
	}
}
