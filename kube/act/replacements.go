package act

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// replacements finds the pods that controllers create in place of those that a job
// evicts. A replacement is a pod that did not exist when the job started; clocks are
// not compared, since the server's may differ from this machine's.
type replacements struct {
	before  map[types.UID]map[types.UID]bool // controller → its pods when the job began
	claimed map[types.UID]bool
	at      *model.Snapshot // the last one that was examined
}

func newReplacements(pods []pod, snapshot *model.Snapshot) replacements {
	h := replacements{before: map[types.UID]map[types.UID]bool{}, claimed: map[types.UID]bool{}}
	for i := range pods {
		controller := pods[i].controllerOf()
		if controller == "" {
			continue
		}
		if h.before[controller] == nil {
			h.before[controller] = map[types.UID]bool{}
		}
		h.before[controller][pods[i].Pod.UID] = true
	}
	for _, p := range snapshot.Pods {
		if known, ok := h.before[p.Owner.UID]; ok {
			known[p.Object.UID] = true
		}
	}
	return h
}

// follow finds the replacement of every evicted pod, and the nodes of those that are
// known.
func (h *replacements) follow(pods []pod, snapshot *model.Snapshot) {
	if snapshot == h.at || !snapshot.Status.Connection.Live {
		return
	}
	h.at = snapshot
	wanting := false
	for i := range pods {
		h.trace(&pods[i], snapshot)
		wanting = wanting || wants(&pods[i])
	}
	if !wanting {
		return
	}
	var born []*model.Pod
	for _, p := range snapshot.Pods {
		known, ours := h.before[p.Owner.UID]
		if ours && !known[p.Object.UID] && !h.claimed[p.Object.UID] && p.Object.DeletionTimestamp == nil {
			born = append(born, p)
		}
	}
	slices.SortStableFunc(born, func(a, b *model.Pod) int { return a.Since().Compare(b.Since()) })
	for _, p := range born {
		h.give(pods, p)
	}
}

// wants reports whether a pod is evicted and its replacement is not known yet.
func wants(p *pod) bool {
	ends := p.State == plan.PodAsked || p.State == plan.PodTerminating || p.State == plan.PodGone
	return ends && p.controllerOf() != "" && p.Back.UID == ""
}

// trace finds the node of a replacement, and forgets one that was deleted.
func (h *replacements) trace(p *pod, snapshot *model.Snapshot) {
	if p.Back.UID == "" {
		return
	}
	back, is := seen(snapshot, p.Back)
	switch is {
	case there:
		p.BackNode = back.Object.Spec.NodeName
	case gone:
		delete(h.claimed, p.Back.UID)
		p.Back, p.BackNode = model.Ref{}, ""
	}
}

// give makes a new pod the replacement of the pod that has been terminating longest.
func (h *replacements) give(pods []pod, born *model.Pod) {
	var first *pod
	for i := range pods {
		p := &pods[i]
		if !wants(p) || p.controllerOf() != born.Owner.UID || born.Owner.Kind == "StatefulSet" && p.Pod.Name != born.Object.Name {
			continue
		}
		if first == nil || p.Since.Before(first.Since) {
			first = p
		}
	}
	if first == nil {
		return
	}
	h.claimed[born.Object.UID] = true
	first.Back, first.BackNode = born.Ref(), born.Object.Spec.NodeName
}

// complete reports whether every deleted pod has a replacement on a node, as far as a
// controller creates one.
func (h *replacements) complete(pods []pod) bool {
	return !slices.ContainsFunc(pods, func(p pod) bool {
		return p.State == plan.PodGone && p.controllerOf() != "" && p.BackNode == "" &&
			plan.RecreationUnknown(p.end.Pod.Object) == ""
	})
}
