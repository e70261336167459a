package ui

import (
	"maps"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// isReading reports whether a list is not in yet.
func (a *App) isReading() bool { return len(a.snapshot.Status.Reading) > 0 }

// readingWords say how far reading is.
func (a *App) readingWords() string {
	if a.isConnecting() {
		return a.connectingWords()
	}
	reading := a.snapshot.Status.Reading
	words := "Reading the cluster"
	if n, ok := reading["pods"]; ok {
		words = "Reading pods: " + model.FormatCount(n) + " so far"
	} else if len(reading) > 0 {
		words = "Reading " + names(slices.Sorted(maps.Keys(reading)))
	}
	if n := len(a.snapshot.Nodes); n > 0 {
		words += "; " + count(n, "node is in", "nodes are in")
	}
	return words + ". Verdicts follow when all are in."
}

// notRead tells why a resource could not be read; "" where it was.
func (a *App) notRead(resource string) string {
	at := slices.IndexFunc(a.snapshot.Status.Unread, func(u model.Unread) bool { return u.Resource == resource })
	if at < 0 {
		return ""
	}
	return model.Clean(a.snapshot.Status.Unread[at].Why)
}
