package model

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Difference is what changed from one state of a cluster to a later one, as far as
// it matters for where pods may go.
type Difference struct {
	Apart time.Duration // between the two
	Nodes []NodeChange  // by name
	Pods  []PodChange   // by what became of them, then by name; those that got a node by it
}

// NodeChange is a node that is another.
type NodeChange struct {
	Name  string
	Words []string // what changed, a clause each; never empty
}

// PodChange is a pod that is another.
type PodChange struct {
	Fate  PodFate
	Pod   *Pod   // as it is; as it was where it has gone
	Words string // what changed
}

// PodFate is what became of a pod.
type PodFate int

// The fates of pods, those first that take room.
const (
	PodPlaced     PodFate = iota // it got a node
	PodCame                      // it came, and has no node
	PodNotCreated                // pods of a controller could not be created
	PodEnded                     // it has a node still, and holds nothing there any more
	PodDeleted                   // it is no more
	PodChanged
)

// Count is how many pods have a fate.
func (d *Difference) Count(fate PodFate) int {
	n := 0
	for i := range d.Pods {
		if d.Pods[i].Fate == fate {
			n++
		}
	}
	return n
}

// Differ finds what changed from was to is.
func Differ(was, is *Snapshot) *Difference {
	d := &Difference{Apart: is.Status.Taken.Sub(was.Status.Taken)}
	d.nodes(was, is)
	before := podsByUID(was.Pods)
	for _, pod := range is.Pods {
		if c, differs := podChange(before[pod.Object.UID], pod); differs {
			d.Pods = append(d.Pods, c)
		}
		delete(before, pod.Object.UID)
	}
	for _, pod := range before {
		d.Pods = append(d.Pods, PodChange{PodDeleted, pod, goneWords(pod)})
	}
	d.refused(was, is)
	slices.SortFunc(d.Pods, func(a, b PodChange) int {
		node := 0
		if a.Fate == PodPlaced && b.Fate == PodPlaced {
			node = cmp.Compare(a.Pod.Object.Spec.NodeName, b.Pod.Object.Spec.NodeName)
		}
		return cmp.Or(cmp.Compare(a.Fate, b.Fate), node, cmp.Compare(a.Pod.FullName(), b.Pod.FullName()), cmp.Compare(a.Pod.Object.UID, b.Pod.Object.UID))
	})
	return d
}

func podsByUID(pods []*Pod) map[types.UID]*Pod {
	found := make(map[types.UID]*Pod, len(pods))
	for _, pod := range pods {
		found[pod.Object.UID] = pod
	}
	return found
}

// refused notes the controllers whose pods could not be created, and those whose
// pods can be again.
func (d *Difference) refused(was, is *Snapshot) {
	before := missing(was)
	now := missing(is)
	for uid, kind := range now {
		if old, there := before[uid]; !there || old.Refused.Missing != kind.Refused.Missing {
			d.Pods = append(d.Pods, PodChange{PodNotCreated, kind.First(), missingWords(kind.Refused, old)})
		}
	}
	for uid, kind := range before {
		if _, there := now[uid]; !there {
			d.Pods = append(d.Pods, PodChange{PodNotCreated, kind.First(), "none is missing any more"})
		}
	}
}

// missing are the kinds of pods that were not created.
func missing(s *Snapshot) map[types.UID]*Kind {
	found := map[types.UID]*Kind{}
	for _, kind := range s.Pending {
		if kind.Refused != nil {
			found[kind.Refused.Pod.UID] = kind
		}
	}
	return found
}
