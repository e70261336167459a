package report

import (
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Replicas is how many of the equal pods that a workload asks for would be scheduled.
type Replicas struct {
	Wanted int    `json:"desired"`
	Fit    *int   `json:"fit"` // null: not known, see Why
	Why    string `json:"why"` // why the next one would be Pending, or what is not known; "" where all fit

	Rejected bool `json:"-"` // the next one would not be created

	Placed int  `json:"-"` // in the simulation; at least so many fit
	Daemon bool `json:"-"` // of a DaemonSet: one for each node that it is for
	Chance bool `json:"-"` // where they go decides how many fit, and equally good nodes are taken at random
}

// Sentence says how many replicas fit; "" where nobody asked.
func (r *Replicas) Sentence() string {
	switch {
	case r == nil || r.Fit == nil && r.Why == "":
		return ""
	case r.Daemon:
		return r.daemonSentence()
	case r.Fit == nil && r.Placed == 0:
		return fmt.Sprintf("How many of %d replicas fit is unknown: %s.", r.Wanted, r.Why)
	case r.Fit == nil:
		return fmt.Sprintf("At least %d of %d replicas fit; whether more do is unknown: %s.", r.Placed, r.Wanted, r.Why)
	case *r.Fit == r.Wanted:
		return fmt.Sprintf("%s, placed one after another.%s", allFit(r.Wanted), r.chance())
	case r.Rejected && *r.Fit == 0:
		return fmt.Sprintf("0 of %d replicas would be created.", r.Wanted)
	case r.Rejected:
		return fmt.Sprintf("%d of %d replicas fit, placed one after another. The next would not be created: %s.%s", *r.Fit, r.Wanted, r.Why, r.chance())
	case r.Why == "":
		return fmt.Sprintf("%d of %d replicas fit.", *r.Fit, r.Wanted)
	}
	return fmt.Sprintf("%d of %d replicas fit, placed one after another. The next would be Pending: %s.%s", *r.Fit, r.Wanted, r.Why, r.chance())
}

// daemonSentence says how many nodes take the pod of a DaemonSet.
func (r *Replicas) daemonSentence() string {
	switch {
	case r.Fit == nil:
		return fmt.Sprintf("The DaemonSet targets %s; how many its pod fits is unknown: %s.", grammar.Plural(r.Wanted, "node"), r.Why)
	case r.Wanted == 0:
		return "The DaemonSet targets no node: its node selector, affinity and tolerations exclude all."
	case *r.Fit == 1 && r.Wanted == 1:
		return "Its pod fits the 1 node that the DaemonSet targets."
	case *r.Fit == r.Wanted:
		return fmt.Sprintf("Its pod fits all %s that the DaemonSet targets.", grammar.Plural(r.Wanted, "node"))
	}
	return fmt.Sprintf("Its pod fits %d of %s that the DaemonSet targets; it %s.", *r.Fit, grammar.Plural(r.Wanted, "node"), r.Why)
}

func allFit(wanted int) string {
	if wanted == 1 {
		return "The 1 replica fits"
	}
	return fmt.Sprintf("All %d replicas fit", wanted)
}

// chance says that another order of choices may come to another number.
func (r *Replicas) chance() string {
	asked := r.Wanted
	if r.Rejected { // the pods that are created fit
		asked = r.Placed
	}
	other := otherNumber(r.Placed, asked)
	if !r.Chance || other == "" {
		return ""
	}
	return " kube-scheduler chooses among equal nodes at random, so it may be " + other + "."
}
