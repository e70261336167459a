package pending

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
)

// Recording has the counts of pending pods at its steps. It is called off the event loop.
type Recording interface {
	// Pending is how many pods of each namespace were pending at a step, counted from 1.
	Pending(ctx context.Context, step int) (map[string]int, error)
}

// steps is how many pods have been pending over the steps of a recording. Only as many
// steps are read as the sparkline has cells, one after the other.
type steps struct {
	list      *list.Page[query.PendingRow, *Row]
	recording Recording // nil unless it is a recording
	asks      page.Question[stepCount]
	counts    map[int]stepCount
}

// stepCount are the pending pods of a step by namespace; nil where it cannot be read.
type stepCount struct {
	step int
	pods map[string]int
}

// sparkWidth is the cells of the sparkline over the steps.
const sparkWidth = 8

// sampled are the steps of which the sparkline is drawn: evenly spread, the first and the
// last among them.
func sampled(all int) []int {
	found := make([]int, min(all, sparkWidth))
	for i := range found {
		found[i] = 1 + (all-1)*i/max(len(found)-1, 1)
	}
	return found
}

// follow reads the next step that is not known yet, where the sparkline has room.
func (s *steps) follow() tea.Cmd {
	h := s.list.Host
	o := h.Observed()
	if s.recording == nil || s.list.Width < cells.WideFrom || o.IsReading() || s.asks.Busy() || s.asks.Resting() || !h.Shown(s.list.Self) {
		return nil
	}
	for _, step := range sampled(o.Snapshot.Status.Steps) {
		if _, known := s.counts[step]; known {
			continue
		}
		recording := s.recording
		return s.asks.Put(h, s.list.Self, func(ctx context.Context) (stepCount, error) {
			pods, err := recording.Pending(ctx, step)
			if err != nil {
				pods = nil
			}
			return stepCount{step, pods}, ctx.Err()
		})
	}
	return nil
}

// update takes the answers.
func (s *steps) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Answer[stepCount]:
		if !s.asks.Takes(msg) {
			return nil
		}
		if msg.Err == nil {
			if s.counts == nil {
				s.counts = map[int]stepCount{}
			}
			s.counts[msg.Value.step] = msg.Value
			s.record()
		}
		return s.asks.Rest(s.list.Host, s.list.Self, msg.Took)
	case page.Rested[stepCount]:
		s.asks.IsRested(msg)
	}
	return nil
}

// record gives the counts to all pages, once each is known.
func (s *steps) record() {
	o := s.list.Host.Observed()
	var counts []map[string]int
	for _, step := range sampled(o.Snapshot.Status.Steps) {
		count, known := s.counts[step]
		if !known {
			return
		}
		counts = append(counts, count.pods)
	}
	o.Waiting.Record(counts)
}
