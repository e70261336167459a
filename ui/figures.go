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
func (a *App) since(t time.Time) string { return model.FormatAge(t, a.at) }

// count writes a number with its word: 1 pod, 2 pods.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return model.FormatCount(n) + " " + many
}
