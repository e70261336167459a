package source

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// tooMany is what a command waits for while the API server answers 429.
const tooMany = "waiting for the API server: too many requests"

// Waiting reports what a command waits for until it has read the cluster: on a
// terminal by a line that is overwritten, elsewhere only what is unusual. It ends
// the wait for a server that answers 429 at --request-timeout.
type Waiting struct {
	options *Options
	limit   time.Duration // 0: for ever
	end     context.CancelCauseFunc

	mu       sync.Mutex
	progress *terminal.Progress
	words    string // what is connected to; "" once it is
	began    time.Time
	said     string // last, where there is no terminal
	limiting *time.Timer
	over     chan struct{} // closed: nothing more is reported
	done     bool
}

// Wait begins to report what a command waits for, and gives the context that ends
// with --request-timeout.
func (o *Options) Wait(ctx context.Context) (context.Context, *Waiting) {
	w := &Waiting{options: o, progress: terminal.NewProgress(o.Streams.ErrOut), began: time.Now(), over: make(chan struct{})}
	ctx, w.end = context.WithCancelCause(ctx)
	if o.Flags.Timeout != nil {
		w.limit, _ = clientcmd.ParseTimeout(*o.Flags.Timeout) // the connection says what is wrong with it
	}
	if o.From != "" {
		return ctx, w
	}
	if server, err := client.ServerOf(ctx, o.Flags, ""); err == nil {
		w.words = "Connecting to " + terminal.OneLine(server.Host) + "…"
		if !server.Asks { // on the terminal, into the line
			go w.tick()
		}
	}
	return ctx, w
}

// tick shows by the second what is connected to.
func (w *Waiting) tick() {
	for {
		select {
		case <-w.over:
			return
		case <-time.After(time.Second):
			w.mu.Lock()
			if w.words != "" && !w.done {
				w.progress.Line(fmt.Sprintf("%s %s", w.words, time.Since(w.began).Round(time.Second)))
			}
			w.mu.Unlock()
		}
	}
}

// Throttled is called with every answer 429.
func (w *Waiting) Throttled() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return
	}
	w.say(tooMany)
	if w.limit > 0 && w.limiting == nil {
		w.limiting = time.AfterFunc(w.limit, func() {
			w.end(w.tooMany())
		})
	}
}

// say says what is unusual: on a terminal in the line, elsewhere once. The lock is held.
func (w *Waiting) say(words string) {
	if !w.progress.Line(upperFirst(words)) && w.said != words {
		w.options.Streams.Say(errors.New(words))
	}
	w.said = words
}

// unusual is after how long it is reported that the server answers nothing, or not as it should.
const unusual = 3 * time.Second

// reading reports how far reading is.
func (w *Waiting) reading(status model.Status) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.words = ""
	if status.Connection.Problem == model.Throttled {
		return // it is reported with every answer
	}
	if w.limiting != nil {
		w.limiting.Stop()
		w.limiting = nil
	}
	if c := status.Connection; c.Err != "" && time.Since(c.Heard) > unusual {
		w.say("waiting for the API server: " + terminal.OneLine(c.Err))
		return
	}
	w.progress.Show(status.Reading)
}

// Finish removes the line. Its error is why the wait ended.
func (w *Waiting) Finish(ctx context.Context, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.done {
		close(w.over)
	}
	w.done = true
	if w.limiting != nil {
		w.limiting.Stop()
	}
	w.progress.Clear()
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	if w.limit > 0 && apierrors.IsTooManyRequests(err) { // the client waited as long
		return w.tooMany()
	}
	return err
}

// tooMany says that the server did not take a request within --request-timeout.
func (w *Waiting) tooMany() error {
	return fmt.Errorf("read cluster: too many requests for %s: wait longer with --request-timeout", w.limit)
}

// upperFirst begins a sentence.
func upperFirst(words string) string { return string(words[0]-'a'+'A') + words[1:] }
