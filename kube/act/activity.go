package act

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// hidden stands in the log for what may be a secret.
const hidden = "…"

// Activity is what was done, the newest first; entries of earlier runs, as far as
// the log goes back, have no undo.
func (a *Actor) Activity() []plan.Entry { return a.activity.newestFirst() }

// activity is what was done, in this run and in earlier ones. It is kept in the
// log too, where there is one.
type activity struct {
	options *Options

	mu      sync.Mutex
	earlier []plan.Entry
	entries []plan.Entry // of this run
}

func (a *activity) newestFirst() []plan.Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	entries := slices.Concat(a.earlier, a.entries)
	slices.Reverse(entries)
	return entries
}

// remember reads back what earlier runs did.
func (a *activity) remember() {
	if a.options.Log == nil {
		return
	}
	earlier, broken, err := a.options.Log.earlier()
	a.earlier = earlier
	if err == nil && broken > 0 {
		err = fmt.Errorf("%s: skipped %d broken lines", a.options.Log.file, broken)
	}
	if err != nil {
		a.entries = append(a.entries, a.told("read the activity log", err))
	}
}

// record keeps an entry, here and in the log, and gives it a number.
func (a *activity) record(entry plan.Entry) plan.Entry {
	entry = cleanEntry(entry)
	a.mu.Lock()
	entry.ID = len(a.entries) + 1
	a.entries = append(a.entries, entry)
	a.mu.Unlock()
	a.logged(entry)
	return entry
}

// revise changes the first of the entries that is meant; the log gets a new line.
func (a *activity) revise(meant func(plan.Entry) bool, change func(*plan.Entry)) {
	a.mu.Lock()
	at := slices.IndexFunc(a.entries, meant)
	if at < 0 {
		a.mu.Unlock()
		return
	}
	change(&a.entries[at])
	a.entries[at] = cleanEntry(a.entries[at])
	entry := a.entries[at]
	a.mu.Unlock()
	a.logged(entry)
}

// Followed notes what became of the pod that a change of this run was a fix for: "cart-0 on
// std-b-02". It writes to the log.
func (a *Actor) Followed(entry int, became string) {
	a.activity.revise(func(e plan.Entry) bool { return e.ID == entry && e.Then != became }, func(e *plan.Entry) { e.Then = became })
}

// logged writes an entry to the log, and reports once that it cannot.
func (a *activity) logged(entry plan.Entry) {
	if a.options.Log == nil {
		return
	}
	if err := a.options.Log.add(entry); err != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		told := a.told("write the activity log", err)
		a.entries = append(a.entries, told)
	}
}

// takenBack removes the undo of the entry that this action has undone.
func (a *activity) takenBack(action plan.Action) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.entries {
		if reflect.DeepEqual(a.entries[i].Undo, action) {
			a.entries[i].Undo, a.entries[i].Final = nil, "It was undone already."
		}
	}
}

// told is an entry about the log itself; it is not written to the log.
func (a *activity) told(did string, err error) plan.Entry {
	return cleanEntry(plan.Entry{
		ID: len(a.entries) + 1, At: a.options.Clock.Now(), User: a.options.User, Context: a.options.Context, Did: did, Result: err.Error(),
	})
}

// withoutValues removes the values of annotations, which may be secrets, from messages
// of the API server or a webhook.
func withoutValues(words string, changes []plan.Change) string {
	for _, change := range changes {
		for _, edit := range change.Edits {
			if len(edit.Path) < 2 || edit.Path[1] != "annotations" {
				continue
			}
			for _, value := range []any{edit.From, edit.To} {
				if text, ok := value.(string); ok && text != "" {
					words = strings.ReplaceAll(words, text, hidden)
				}
			}
		}
	}
	return words
}
