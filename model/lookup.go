package model

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// Node finds a node by its name.
func (s *Snapshot) Node(name string) (*Node, bool) {
	at, found := slices.BinarySearchFunc(s.Nodes, name, func(n *Node, name string) int {
		return strings.Compare(n.Name, name)
	})
	if !found {
		return nil, false
	}
	return s.Nodes[at], true
}

// PodNamed finds a pod by its namespace and name.
func (s *Snapshot) PodNamed(namespace, name string) (*Pod, bool) {
	at, found := slices.BinarySearchFunc(s.Pods, types.NamespacedName{Namespace: namespace, Name: name}, byName)
	if !found {
		return nil, false
	}
	return s.Pods[at], true
}

// KindOf finds the kind that a pending pod belongs to.
func (s *Snapshot) KindOf(uid types.UID) (*EquivalenceClass, bool) {
	for _, kind := range s.Pending {
		for _, pod := range kind.Pods {
			if pod.Object.UID == uid {
				return kind, true
			}
		}
	}
	return nil, false
}

// Waiting counts the pending pods, over all kinds; those that were not created
// are none.
func (s *Snapshot) Waiting() int {
	sum := 0
	for _, kind := range s.Pending {
		if kind.Refused == nil {
			sum += len(kind.Pods)
		}
	}
	return sum
}

// byName orders a pod against a namespace and name.
func byName(p *Pod, name types.NamespacedName) int {
	return cmp.Or(
		strings.Compare(p.Object.Namespace, name.Namespace),
		strings.Compare(p.Object.Name, name.Name),
	)
}

// ComparePods is the order of Snapshot.Pods: by namespace, then name.
func ComparePods(a, b *Pod) int {
	return byName(a, types.NamespacedName{Namespace: b.Object.Namespace, Name: b.Object.Name})
}

// compareNodes is the order of Snapshot.Nodes: by name.
func compareNodes(a, b *Node) int { return strings.Compare(a.Name, b.Name) }

// compareWaiting is the order of EquivalenceClass.Pods: the longest pending first.
func compareWaiting(a, b *Pod) int {
	return cmp.Or(a.Since().Compare(b.Since()), ComparePods(a, b))
}

// compareKinds is the order of Snapshot.Pending, that of the scheduler's queue:
// high priority first, then the longest pending. Pods that do not exist are in
// no queue and stand behind, the longest refused first.
func compareKinds(a, b *EquivalenceClass) int {
	first, second := a.Pods[0], b.Pods[0]
	switch {
	case a.Refused != nil && b.Refused != nil:
		return cmp.Or(compareWaiting(first, second), strings.Compare(a.Key, b.Key))
	case a.Refused != nil:
		return 1
	case b.Refused != nil:
		return -1
	}
	return cmp.Or(
		cmp.Compare(second.Priority(), first.Priority()),
		compareWaiting(first, second),
	)
}
