package page

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// SlowAfter is how long an answer may take before the page says so.
const SlowAfter = 100 * time.Millisecond

// Poll is a question about the cluster that a page puts again whenever the cluster
// has changed: ask, say when the answer is slow, show it, rest, ask again.
type Poll[T any] struct {
	Value   T     // the newest answer
	Trouble error // the last answer was this error; Value is the one before
	Slow    bool  // Value is shown while a newer one takes long

	question Question[T]
	has      bool          // there is a Value
	revision int64         // of the snapshot that was on screen when the newest was asked for
	asked    time.Time     // when that was; zero: the answer does not hold
	took     time.Duration // how long the newest answer took
	aged     bool          // ages in the answer are outdated
	quiet    bool          // the newest was asked for only because of them: nobody is told that it takes long
}

// TickMsg says that time has passed: pages whose text has ages write it again.
type TickMsg struct{}

// Age lets the question be put again although nothing changed, where the answer is so old
// that ages in it are outdated.
func (p *Poll[T]) Age(o *Observed) {
	p.aged = p.aged || p.has && !o.IsSnapshot() && !o.Lost() && o.At.Sub(p.asked) >= p.lookAgain()
}

// lookAgain is after how long a question about a pod is put again where no change bears on
// which nodes fit: answers also tell of events, Leases and budgets. It is longer where an answer takes
// long, so that a page that is only looked at costs little: lookAgainFactor times as long, but
// lookAgainMost at most.
const (
	lookAgain       = 5 * time.Second
	lookAgainFactor = 100
	lookAgainMost   = 30 * time.Second
)

// lookAgain is after how long this question is put again.
func (p *Poll[T]) lookAgain() time.Duration {
	return min(max(lookAgain, lookAgainFactor*p.took), lookAgainMost)
}

// Holds reports whether the newest answer is likely to be the same now.
func (p *Poll[T]) Holds(o *Observed) bool {
	return p.has && p.revision >= o.Snapshot.Moved && o.Snapshot.Moved > 0 && o.At.Sub(p.asked) < p.lookAgain()
}

// slowMsg says that an answer takes long.
type slowMsg[T any] struct{ nth int }

// Seed is an answer that is known already, of a snapshot's revision; 0 is unknown.
func (p *Poll[T]) Seed(value T, revision int64) {
	p.Value, p.has, p.revision = value, true, revision
}

// Lent is a Poll that begins with this one's answer, or without one where a change since then
// bears on which nodes fit.
func Lent[T any](p *Poll[T], o *Observed) Poll[T] {
	if !p.has || p.Trouble != nil || o.Snapshot.Moved == 0 || p.revision < o.Snapshot.Moved {
		return Poll[T]{}
	}
	return Poll[T]{Value: p.Value, has: true, revision: p.revision, asked: p.asked}
}

// Revision is that of the snapshot that was on screen when the newest answer was
// asked for.
func (p *Poll[T]) Revision() int64 { return p.revision }

// Ask puts the question on behalf of v, unless the answer is there, on its way, or
// too soon after the last.
func (p *Poll[T]) Ask(h Host, v View, work func(context.Context, Cluster) (T, error)) tea.Cmd {
	known := (p.has || p.Trouble != nil) && p.revision >= h.Observed().Snapshot.Revision
	if known && !p.aged || p.question.Busy() || p.question.Resting() {
		return nil
	}
	return p.AskNow(h, v, work)
}

// AskNow is Ask for another question than before: it does not wait for anything but
// the cluster.
func (p *Poll[T]) AskNow(h Host, v View, work func(context.Context, Cluster) (T, error)) tea.Cmd {
	cluster := h.Cluster()
	if cluster == nil || h.Observed().IsReading() {
		return nil
	}
	p.quiet = p.aged && p.revision >= h.Observed().Snapshot.Revision
	p.revision, p.asked, p.aged = h.Observed().Snapshot.Revision, h.Observed().At, false
	ask := p.question.Put(h, v, func(ctx context.Context) (T, error) { return work(ctx, cluster) })
	return tea.Batch(ask, h.Later(v, SlowAfter, slowMsg[T]{p.question.nth}))
}

// partMsg is a part of the answer to the nth question; next brings the one after it.
type partMsg[T any] struct {
	nth   int
	value T
	next  tea.Cmd
}

// AskInParts is Ask for work that tells parts of its answer before it is whole. They are
// shown where there is no older answer.
func (p *Poll[T]) AskInParts(h Host, v View, work func(context.Context, Cluster, func(T)) (T, error)) tea.Cmd {
	parts := make(chan T, 1)
	tell := func(value T) {
		select {
		case <-parts: // only the newest counts
		default:
		}
		parts <- value
	}
	ask := p.Ask(h, v, func(ctx context.Context, cluster Cluster) (T, error) {
		defer close(parts)
		return work(ctx, cluster, tell)
	})
	if ask == nil || p.has {
		return ask
	}
	return tea.Batch(ask, nextPart(h, v, p.question.nth, parts))
}

// nextPart brings the next part of an answer; nothing after the last.
func nextPart[T any](h Host, v View, nth int, parts <-chan T) tea.Cmd {
	var next tea.Cmd
	var end context.CancelFunc
	next, end = h.Ask(v, func(context.Context) tea.Msg { // the work closes parts when it ends, or is canceled
		value, more := <-parts
		if !more {
			end()
			return nil
		}
		return partMsg[T]{nth, value, next}
	})
	return next
}

// Doubt says that the answer holds no longer, as what it is about changed.
func (p *Poll[T]) Doubt() { p.asked = time.Time{} }

// News is what a message means for a Poll.
type News int

// The news of a Poll.
const (
	NoNews   News = iota
	Answered      // there is another Value or Trouble; the Poll rests
	Renew         // the Poll has rested: ask again
	Partly        // Value is a part of the answer
)

// Update takes the Poll's messages.
func (p *Poll[T]) Update(h Worker, v View, msg tea.Msg) (News, tea.Cmd) {
	switch msg := msg.(type) {
	case Answer[T]:
		if !p.question.Takes(msg) {
			return NoNews, nil
		}
		p.Slow, p.took = false, msg.Took
		if p.Trouble = msg.Err; msg.Err == nil {
			p.Value, p.has = msg.Value, true
		}
		return Answered, p.question.Rest(h, v, msg.Took)
	case partMsg[T]:
		if msg.nth != p.question.nth || !p.question.Busy() || p.has {
			return NoNews, nil
		}
		p.Value = msg.value
		return Partly, msg.next
	case slowMsg[T]:
		p.Slow = p.has && !p.quiet && p.question.Busy() && msg.nth == p.question.nth
	case Rested[T]:
		if p.question.IsRested(msg) {
			return Renew, nil
		}
	}
	return NoNews, nil
}

// Leave cancels what nobody will look at; shown again, the page asks again.
func (p *Poll[T]) Leave() {
	p.question.Leave()
	p.Slow, p.revision = false, 0
	if !p.has { // no part of an answer stays
		var none T
		p.Value = none
	}
}

// PodPoll is what pages have in common that ask again and again about one pod.
type PodPoll[T any] struct {
	Base
	Pod  *model.Pod // as it was last seen
	Gone bool       // the pod is no more
	Poll Poll[T]
}

// Follow takes snapshots and the Poll's messages on behalf of v. take is called when
// there is another Value or Trouble, ask when the answer may be another.
func (p *PodPoll[T]) Follow(v View, msg tea.Msg, take, ask func() tea.Cmd) tea.Cmd {
	if s, ok := msg.(SnapshotMsg); ok {
		was := p.Pod
		if p.Pod, p.Gone = PodIn(s.Snapshot, p.Pod); p.Gone {
			p.Leave()
			return nil
		}
		if p.Pod != was {
			p.Poll.Doubt() // also where it has to rest now
		}
		if p.Poll.Holds(p.Host.Observed()) {
			return nil
		}
		return ask()
	}
	news, rest := p.Poll.Update(p.Host, v, msg)
	switch news {
	case Answered, Partly:
		return tea.Batch(take(), rest)
	case Renew:
		if p.Poll.Holds(p.Host.Observed()) {
			return nil
		}
		return ask()
	}
	return nil
}

// Leave cancels what nobody will look at.
func (p *PodPoll[T]) Leave() { p.Poll.Leave() }

// Selected implements View: the pod.
func (p *PodPoll[T]) Selected() Selection { return SelectPod(p.Pod) }
