package ui

import (
	"maps"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// readingWords say how much is read so far.
func (n *connections) readingWords() string {
	if n.isConnecting() {
		return n.connectingWords()
	}
	reading := n.app.observed.Snapshot.Status.Reading
	words := "Reading the cluster"
	if n, ok := reading["pods"]; ok {
		words = "Reading pods: " + model.FormatCount(n) + " so far"
	} else if len(reading) > 0 {
		words = "Reading " + grammar.List(slices.Sorted(maps.Keys(reading)), grammar.Few)
	}
	if n := len(n.app.observed.Snapshot.Nodes); n > 0 {
		words += "; " + figures.Count(n, "node read", "nodes read")
	}
	return words + ". Reasons follow when all are read."
}
