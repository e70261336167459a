package admission

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Finished is what pods that have finished are told apart by.
type Finished struct {
	Workload string // "" for pods that no controller owns
	Outcome  string // how they failed: "Evicted", "failed"; "" if they succeeded
}

// FinishedOf says it of one.
func FinishedOf(pod *corev1.Pod) Finished {
	of := Finished{Workload: model.OwnerOf(pod).Name}
	if pod.Status.Phase == corev1.PodFailed {
		of.Outcome = cmp.Or(pod.Status.Reason, "failed")
	}
	return of
}

// haveFinished counts pods that have finished; most names the workload of most of them, where it has
// at least half: " (77 of render, Evicted)".
func haveFinished(finished map[Finished]int) (n int, most string) {
	var largest Finished
	for _, of := range slices.SortedFunc(maps.Keys(finished), func(a, b Finished) int {
		return cmp.Or(strings.Compare(a.Workload, b.Workload), strings.Compare(a.Outcome, b.Outcome))
	}) {
		n += finished[of]
		if of.Workload != "" && (largest.Workload == "" || finished[of] > finished[largest]) {
			largest = of
		}
	}
	if largest.Workload == "" || 2*finished[largest] < n || n == 1 {
		return n, ""
	}
	most = fmt.Sprintf("%d of %s", finished[largest], largest.Workload)
	if finished[largest] == n {
		most = "all of " + largest.Workload
	}
	if largest.Outcome != "" {
		most += ", " + largest.Outcome
	}
	return n, " (" + most + ")"
}
