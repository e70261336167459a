package follow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Words say what is known of the pod, without a full stop: "waiting for the scheduler:
// cart-7d9f (12s)"; "" before the change is done.
func (p Pod) Words(at time.Time) string {
	switch p.State {
	case Waiting:
		switch {
		case p.Lost && p.resizes:
			return "no connection: not known whether " + p.name() + " is resized"
		case p.Lost:
			return "no connection: not known whether " + p.name() + " has a node"
		case p.resizes:
			return fmt.Sprintf("waiting for the kubelet: %s (%s)", p.name(), model.FormatAge(p.Since, at))
		}
		return fmt.Sprintf("waiting for the scheduler: %s (%s)", p.name(), model.FormatAge(p.Since, at))
	case Placed:
		if p.resizes {
			return p.name() + "'s resize is granted" + p.after()
		}
		return p.name() + " is on " + model.Clean(p.Node) + p.after()
	case Taken:
		return p.tookWords()
	case Late:
		return p.name() + p.stillPending() + " after " + model.FormatAge(p.Since, p.Seen)
	case Gone:
		return p.name() + " was deleted"
	case Undone:
		return p.undoneWords()
	case Acting, Ended:
	}
	return ""
}

// News is what is said once, when the state has changed: a sentence without a full
// stop; "" where that is no news.
func (p Pod) News() string {
	switch p.State {
	case Taken:
		return p.tookWords() + " before " + p.name()
	case Late:
		words := p.Words(time.Time{})
		if p.Why != "" {
			words += ": " + model.Clean(p.Why)
		}
		return words
	case Gone:
		if p.Pod.Owner.Name != "" {
			return p.name() + " was deleted, and no new pod has replaced it"
		}
		return p.name() + " was deleted"
	case Undone:
		return p.undoneWords() + ": " + p.name() + p.stillPending()
	case Placed:
		return p.Words(time.Time{})
	case Acting, Waiting, Ended:
	}
	return ""
}

// Outcome is the state in few words, for the activity; "" where there is none.
func (p Pod) Outcome() string {
	switch p.State {
	case Placed:
		if p.resizes {
			return "resize of " + model.Clean(p.Pod.Name()) + " granted"
		}
		return model.Clean(p.Pod.Name()) + " on " + model.Clean(p.Node)
	case Taken:
		return p.tookWords()
	case Late:
		return model.Clean(p.Pod.Name()) + strings.Replace(p.stillPending(), " is ", " ", 1)
	case Gone:
		return model.Clean(p.Pod.Name()) + " gone"
	case Undone:
		return "undone"
	case Acting, Waiting, Ended:
	}
	return ""
}

// stillPending says that the pod, or its resize, is pending.
func (p Pod) stillPending() string {
	if p.resizes {
		return "'s resize is still pending"
	}
	return " is still pending"
}

// undoneWords say that the change is undone: "uncordon std-b-02 was undone".
func (p Pod) undoneWords() string { return model.Clean(p.action.Name()) + " was undone" }

// name is the pod's name, with that of the one that it replaced.
func (p Pod) name() string {
	name := model.Clean(p.Pod.Name())
	if p.Replaced != "" {
		name += " in place of " + model.Clean(p.Replaced)
	}
	return name
}

// after says how long it took from the change to the node.
func (p Pod) after() string {
	switch took := p.Seen.Sub(p.Since); {
	case p.Since.IsZero():
		return "" // the change was not even done
	case took < time.Second:
		return " (at once)"
	}
	return " (after " + model.FormatAge(p.Since, p.Seen) + ")"
}

// tookWords name the pods that took the place: "search/api-6c5d took std-a-02".
func (p Pod) tookWords() string {
	first := p.Takers[0].Pod
	words := model.Clean(first.FullName())
	if sameOwner(first, p.Pod) {
		words = model.Clean(fmt.Sprintf("%s of the same %s", first.Name(), first.Owner.Kind))
	}
	var nodes []string
	for _, taker := range p.Takers {
		if node := model.Clean(taker.Node); !slices.Contains(nodes, node) {
			nodes = append(nodes, node)
		}
	}
	if more := len(p.Takers) - 1; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words + " took " + grammar.List(nodes, grammar.Few)
}
