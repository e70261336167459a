package ui

import (
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// freeOf writes free/allocatable cpu; free has a decimal where the whole has one.
func freeOf(free, whole int64) string {
	f, w, _ := strings.Cut(model.FormatCoresOf(free, whole), "/")
	if strings.Contains(w, ".") && !strings.Contains(f, ".") {
		f += ".0"
	}
	return f + "/" + w
}

func cores(milli int64) string  { return model.FormatCores(milli, model.Nearest) }
func memory(bytes int64) string { return model.FormatMemory(bytes, model.Nearest) }

// since is the age of what began at t.
func (a *App) since(t time.Time) string { return model.FormatAge(t, a.asOf()) }

// asOf is the time that ages are counted to: now, or when a snapshot was taken.
func (a *App) asOf() time.Time {
	if taken := a.snapshot.Status.Taken; !taken.IsZero() {
		return taken
	}
	return a.at
}

// isSnapshot tells that what is shown comes from a file.
func (a *App) isSnapshot() bool { return !a.snapshot.Status.Taken.IsZero() }

// taken says how long ago a snapshot was taken.
func (a *App) taken() string {
	return "taken " + model.FormatAge(a.snapshot.Status.Taken, a.at) + " ago"
}

// count writes a number with its word: 1 pod, 2 pods.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return model.FormatCount(n) + " " + many
}

// named joins three names, and says how many more there are.
func named(names []string) string {
	const few = 3
	if len(names) > few {
		return strings.Join(names[:few], ", ") + " and " + count(len(names)-few, "more", "more")
	}
	return strings.Join(names, ", ")
}
