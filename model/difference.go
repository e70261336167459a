package model

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Difference is the changes from one state of a cluster to a later one that affect
// scheduling.
type Difference struct {
	Apart time.Duration // between the two
	Nodes []NodeChange  // by name
	Pods  []PodChange   // by their fate, then by name; scheduled ones by node
}

// NodeChange is a node that changed.
type NodeChange struct {
	Name  string
	Words []string // what changed, a clause each; never empty
}

// PodChange is a pod that changed.
type PodChange struct {
	Fate  PodFate
	Pod   *Pod   // as it is; as it was where it is deleted
	Words string // what changed
}

// PodFate is what happened to a pod.
type PodFate int

// The fates of pods, those that take capacity first.
const (
	PodPlaced     PodFate = iota // it was scheduled
	PodCame                      // it is new, and has no node
	PodNotCreated                // admission rejects pods of a controller
	PodEnded                     // it succeeded or failed, so it no longer takes capacity
	PodDeleted                   // it was deleted
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

// Differ finds the changes from was to is.
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

// refused notes the controllers whose pods are not created, and those that no longer
// lack pods.
func (d *Difference) refused(was, is *Snapshot) {
	before := missing(was)
	now := missing(is)
	for uid, kind := range now {
		if old, there := before[uid]; !there || old.NotCreated.Missing != kind.NotCreated.Missing {
			d.Pods = append(d.Pods, PodChange{PodNotCreated, kind.First(), missingWords(kind.NotCreated, old)})
		}
	}
	for uid, kind := range before {
		if _, there := now[uid]; !there {
			d.Pods = append(d.Pods, PodChange{PodNotCreated, kind.First(), "none is missing now"})
		}
	}
}

// missing are the kinds of pods that were not created.
func missing(s *Snapshot) map[types.UID]*EquivalenceClass {
	found := map[types.UID]*EquivalenceClass{}
	for _, kind := range s.Pending {
		if kind.NotCreated != nil {
			found[kind.NotCreated.Pod.UID] = kind
		}
	}
	return found
}
