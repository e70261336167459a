package ui

import "context"

// asking is one kind of question that a page puts to the cluster again and again.
type asking struct {
	nth    int  // the newest question
	busy   bool // it is not answered yet
	cancel context.CancelFunc
}

// begin starts a question; the one before it is no longer waited for.
func (a *asking) begin(parent context.Context) (ctx context.Context, nth int) {
	a.end()
	ctx, a.cancel = context.WithCancel(parent)
	a.nth++
	a.busy = true
	return ctx, a.nth
}

// open says whether an answer to question nth is waited for.
func (a *asking) open(nth int) bool { return a.busy && nth == a.nth }

// end cancels the question that is open: its answer is stale.
func (a *asking) end() {
	if a.cancel != nil {
		a.cancel()
	}
	a.busy, a.cancel = false, nil
}
