package ui

import (
	"reflect"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/follow"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/activity"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/drains"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// follows are the pods of fixes that were carried out, until they have their nodes. A
// message that is no snapshot, tick or verdict costs them nothing.
type follows struct {
	app *App
	all []*followed // the newest first
}

// followed is one of them.
type followed struct {
	follow.Pod
	fix    follow.Fix
	plan   *plan.Plan
	entry  plan.Entry // of the change; its ID is 0 before the change is done
	job    int        // that the change began; 0 without one
	asking bool       // a verdict is on its way
	unsaid bool       // there is news that was not said yet
	noted  string     // what the activity has
}

// mostFollowed is how many pods are kept, those that have their nodes among them.
const mostFollowed = 20

// verdictMsg brings the verdict that a followed pod asked for.
type verdictMsg struct {
	opened  int
	of      *followed
	takers  int
	verdict follow.Verdict
}

// notedMsg says that the activity has noted what happened to a pod.
type notedMsg struct{ opened int }

// begin follows the pod of a fix whose plan is about to run.
func (f *follows) begin(fix follow.Fix, p *plan.Plan) {
	f.all = slices.Insert(f.all, 0, &followed{Pod: follow.Begin(fix, f.app.observed.Snapshot), fix: fix, plan: p})
	f.all = f.all[:min(len(f.all), mostFollowed)]
}

// of is the one that a plan was run for; nil without one.
func (f *follows) of(p *plan.Plan) *followed {
	if at := slices.IndexFunc(f.all, func(one *followed) bool { return one.plan == p }); at >= 0 {
		return f.all[at]
	}
	return nil
}

// failed forgets the pod of a plan that failed.
func (f *follows) failed(p *plan.Plan) {
	f.all = slices.DeleteFunc(f.all, func(one *followed) bool { return one.plan == p })
	f.show()
}

// ran takes the result of a plan: its pod is followed from now on, or from the end of
// its job. A pod whose change is undone is followed no longer.
func (f *follows) ran(p *plan.Plan, ran *plan.Ran) tea.Cmd {
	f.all = slices.DeleteFunc(f.all, func(one *followed) bool {
		return one.entry.Undo != nil && reflect.DeepEqual(one.entry.Undo, p.Action)
	})
	one := f.of(p)
	if one == nil {
		f.show()
		return nil
	}
	f.all = slices.DeleteFunc(f.all, func(other *followed) bool {
		return other != one && other.Pod.Pod.Object.UID == one.Pod.Pod.Object.UID
	})
	one.entry, one.job = ran.Entry, ran.Job
	if one.job == 0 {
		one.Pod = one.Done(f.app.observed.At)
	}
	return f.onJobs()
}

// onJobs looks whether the jobs of fixes have ended. One that did not do all it was to
// do says so itself.
func (f *follows) onJobs() tea.Cmd {
	f.all = slices.DeleteFunc(f.all, func(one *followed) bool {
		job := drains.Find(f.app.jobs.all, one.job)
		if one.isDone() || one.job == 0 || job == nil || job.Live() {
			return false
		}
		if one.State == follow.Acting && job.Count(plan.PodGone) < len(job.Pods) {
			return true
		}
		one.Pod = one.Done(f.app.observed.At)
		return false
	})
	return f.look()
}

// isDone reports whether the change is done, with its job.
func (one *followed) isDone() bool { return !one.Since.IsZero() }

// look has each pod see the newest snapshot and the time, says what is new, and asks
// for the verdicts that are needed. While the question of a lesson is open it would
// give the answer away.
func (f *follows) look() tea.Cmd {
	if len(f.all) == 0 || f.app.lesson.Hides() {
		return nil
	}
	var cmds []tea.Cmd
	for _, one := range f.all {
		was := one.State
		one.Pod = one.Next(f.app.observed.Snapshot, f.app.observed.At)
		one.unsaid = one.unsaid || one.State != was
		cmds = append(cmds, f.note(one), f.ask(one))
	}
	f.all = slices.DeleteFunc(f.all, func(one *followed) bool { return one.State == follow.Ended })
	f.show()
	return tea.Batch(append(cmds, f.say())...)
}

// show gives the pages what is known.
func (f *follows) show() {
	f.app.observed.Followed = nil
	for _, one := range f.all {
		f.app.observed.Followed = append(f.app.observed.Followed, one.Pod)
	}
}

// note has the activity note what became of a pod, off the event loop.
func (f *follows) note(one *followed) tea.Cmd {
	became, actor := one.Outcome(), f.app.actor()
	if became == "" || became == one.noted || one.entry.ID == 0 || actor == nil {
		return nil
	}
	one.noted = became
	entry := one.entry.ID
	opened := f.app.opened
	return func() tea.Msg { actor.Followed(entry, became); return notedMsg{opened} }
}

// onNoted has Activity show what was noted, if it is on top.
func (f *follows) onNoted(msg notedMsg) tea.Cmd {
	if top, ok := f.app.history.top().(*activity.Page); ok && msg.opened == f.app.opened {
		return top.Update(page.SnapshotMsg{Snapshot: f.app.observed.Snapshot})
	}
	return nil
}

// ask asks for a verdict on a pod, off the event loop, where it needs one.
func (f *follows) ask(one *followed) tea.Cmd {
	if one.asking || !one.Asks(f.app.observed.At) || f.app.Cluster == nil {
		return nil
	}
	one.asking = true
	ctx, cluster, opened, uid, takers := f.app.ctx, f.app.Cluster, f.app.opened, one.Pod.Pod.Object.UID, len(one.Takers)
	return func() tea.Msg {
		verdict := follow.Verdict{Of: uid}
		if r, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(uid)}); err == nil {
			verdict.Rejected, verdict.Why = r.Verdict == report.Unschedulable, r.Summary
		}
		return verdictMsg{opened, one, takers, verdict}
	}
}

// route routes what concerns pods that are followed.
func (f *follows) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case verdictMsg:
		return f.onVerdict(msg)
	case notedMsg:
		return f.onNoted(msg)
	}
	return nil
}

// onVerdict takes a verdict.
func (f *follows) onVerdict(msg verdictMsg) tea.Cmd {
	if msg.opened != f.app.opened || !slices.Contains(f.all, msg.of) {
		return nil
	}
	one, was := msg.of, msg.of.State
	one.asking = false
	one.Pod = one.Judge(msg.verdict, msg.takers, f.app.observed.At)
	if one.State == was {
		return f.ask(one)
	}
	one.unsaid = true
	f.show()
	return tea.Batch(f.note(one), f.say())
}

// say puts news on the message row, while a change is made once that is done. What the
// user may want to act on stays there until the next key.
func (f *follows) say() tea.Cmd {
	text, offer := "", ""
	for _, one := range f.all {
		if !one.unsaid || !one.isDone() || one.News() == "" {
			continue
		}
		one.unsaid = false
		if one.State == follow.Placed && f.onFixesOf(one) {
			continue // its second row says so
		}
		if text != "" {
			text += "; "
		}
		text += one.News()
		if one.Offers() {
			offer = " · N fixes again"
		}
	}
	if text == "" {
		return nil
	}
	text = f.app.observed.Brief(text)
	if offer == "" {
		return f.app.said.say(text + ".")
	}
	f.app.said.stay(cells.Cut(text, f.app.width-1-cells.Width(offer)) + offer)
	return nil
}

// waiting reports whether a pod waits for the scheduler: its words change by the second.
func (f *follows) waiting() bool {
	return slices.ContainsFunc(f.all, func(one *followed) bool { return one.State == follow.Waiting })
}

// words are the message row's about pods that wait; "" without one, and on the pages of
// the newest one, which say it themselves.
func (f *follows) words() string {
	if f.app.lesson.Hides() || f.app.observed.Lost() {
		return ""
	}
	var waiting []*followed
	for _, one := range f.all {
		if one.State == follow.Waiting {
			waiting = append(waiting, one)
		}
	}
	if len(waiting) == 0 {
		return ""
	}
	switch v := f.app.history.top().(type) {
	case *fixes.Page, *why.Page:
		if pod := v.Selected().Pod; pod != nil && pod.Object.UID == waiting[0].Pod.Pod.Object.UID {
			return ""
		}
	}
	words := waiting[0].Words(f.app.observed.At)
	if n := len(waiting) - 1; n > 0 {
		words += "; " + grammar.Count(n, "more", "more")
	}
	return words
}

// onFixesOf reports whether the page on top is the fixes of a pod.
func (f *follows) onFixesOf(one *followed) bool {
	top, ok := f.app.history.top().(*fixes.Page)
	return ok && top.Pod.Object.UID == one.Pod.Pod.Object.UID
}

// next is the pod for which the next fix would be; nil without one. One for which
// another fix is offered goes before one that waits.
func (f *follows) next() *followed {
	var found *followed
	for _, one := range f.all {
		if one.Offers() {
			return one
		}
		if found == nil && one.State == follow.Waiting {
			found = one
		}
	}
	return found
}

// offNext tells why there is no next fix; "" if there is.
func (f *follows) offNext() string {
	if f.next() == nil {
		return "no pod is pending after a fix."
	}
	return ""
}

// openNext shows the fixes of the pod in the new state, with the first one that works
// selected: that is the first one of all.
func (f *follows) openNext() tea.Cmd {
	one := f.next()
	if f.onFixesOf(one) {
		return fixes.First(f.app.history.top().(*fixes.Page))
	}
	return f.app.history.open(fixes.New(&f.app.host, one.Pod.Pod))
}
