package recording

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// breath is how long Look looks back before it reports how far it came.
const breath = 250 * time.Millisecond

// Past is a look back from a step: what became of a pod, one step after the other,
// each asked as the scheduler would have decided it there.
type Past struct {
	player  *Player
	mu      sync.Mutex // one that is not waited for any more may still be looking
	uid     types.UID
	pod     *corev1.Pod // as it is at the step that is asked of, to be tried where it is not there
	next    int         // the step to ask, counted from 0
	later   *snapshot.File
	history podhistory.History
}

// Past looks back from a step, counted from 0.
func (p *Player) Past(step int, uid types.UID) *Past {
	return &Past{player: p, uid: uid, next: step, history: podhistory.History{Step: step + 1}}
}

// Look goes on for a moment, and tells what is known by then.
func (l *Past) Look(ctx context.Context) (*podhistory.History, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for from := time.Now(); !l.history.Done; {
		if err := l.look(ctx); err != nil {
			return nil, err
		}
		if time.Since(from) > breath {
			break
		}
	}
	told := l.history
	told.Spans = slices.Clone(told.Spans)
	return &told, nil
}

// look asks one step. A step that cannot be read is passed; the first has to be.
func (l *Past) look(ctx context.Context) error {
	step := l.player.recording.Steps[l.next]
	file := l.player.File(l.next)
	var err error
	if file == nil {
		file, err = l.player.read(l.next)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if l.pod == nil {
			return err
		}
		l.history.Add(l.next+1, step.Taken, false, "", err.Error())
		l.back(nil)
		return nil
	}
	c, state, err := l.player.open(ctx, file)
	if err != nil {
		return err
	}
	defer c.Close()
	return l.askAt(ctx, c, state, file)
}

// back goes to the step before, if there is one; later is the step that was asked.
func (l *Past) back(later *snapshot.File) {
	if later != nil {
		l.later = later
	}
	l.next--
	if l.next < 0 {
		l.history.Done = true
	}
}

// askAt asks about the pod at a step, and ends where the answer is another one
// than that of the step that is asked of.
func (l *Past) askAt(ctx context.Context, c *cluster.Cluster, state *model.Snapshot, file *snapshot.File) error {
	now, there := podOf(state, l.uid)
	if l.pod == nil {
		if !there {
			return fmt.Errorf("look back from step %d: %w", l.next+1, explain.ErrNoPod)
		}
		l.pod = afresh(now.Object)
	}
	target := report.PodOf(l.uid)
	if !there {
		target = report.PodFrom(l.pod)
	}
	r, err := c.Ask(ctx, report.Query{Target: target})
	if err != nil {
		return err
	}
	l.history.Add(l.next+1, file.Info.Taken, there, r.Verdict, r.Summary)
	first := l.history.Spans[0].Verdict
	switch {
	case first == report.Unschedulable && r.Verdict == report.Schedulable:
		l.history.Fitted, err = l.whoTook(ctx, state, file.Info.Taken, r)
		l.history.Done = err == nil
		return err
	case first != report.Unschedulable && r.Verdict != first:
		l.history.Done = true
		return nil
	}
	l.back(file)
	return nil
}

// podOf is the pod of a UID, or the one that stands for those not created.
func podOf(s *model.Snapshot, uid types.UID) (*model.Pod, bool) {
	if kind, waits := s.ClassOf(uid); waits {
		for _, pod := range kind.Pods {
			if pod.Object.UID == uid {
				return pod, true
			}
		}
	}
	for _, pod := range s.Pods {
		if pod.Object.UID == uid {
			return pod, true
		}
	}
	return nil, false
}

// afresh is the pod as it would be tried where it is not there: what the scheduler
// has said of it since does not count.
func afresh(pod *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	pod.Status.NominatedNodeName, pod.Status.Conditions = "", nil
	return pod
}

// open serves a file to an engine of its own, and waits until it can be asked.
func (p *Player) open(ctx context.Context, file *snapshot.File) (*cluster.Cluster, *model.Snapshot, error) {
	source, err := file.Source()
	if err != nil {
		return nil, nil, err
	}
	if p.options.Configuration != nil {
		source.Configuration = p.options.Configuration
	}
	c, err := cluster.New(ctx, source, cluster.Options{Clock: hasty{}})
	if err != nil {
		return nil, nil, err
	}
	for {
		state, err := c.Next(ctx)
		switch {
		case err != nil:
			c.Close()
			return nil, nil, err
		case len(state.Status.Reading) == 0:
			return c, state, nil
		}
	}
}

// hasty is a clock that nobody waits for: snapshots of a file need no pace.
type hasty struct{ clock.RealClock }

// After implements clock.Clock.
func (hasty) After(time.Duration) <-chan time.Time {
	now := make(chan time.Time, 1)
	now <- time.Now()
	return now
}
