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

// ClassOf finds the class that a pending pod belongs to.
func (s *Snapshot) ClassOf(uid types.UID) (*EquivalenceClass, bool) {
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
		if kind.NotCreated == nil {
			sum += len(kind.Pods)
		}
	}
	return sum
}

// PodsUnknown says why the pods of nodes, and so what is requested of them, are not all
// known; "" where they are.
func (s *Snapshot) PodsUnknown() string {
	for _, unread := range s.Status.Unread {
		if unread.Resource == "pods" && unread.Group == "" {
			return Clean(unread.Why)
		}
	}
	if only := s.Status.Namespace; only != "" {
		return "only pods of the namespace " + Clean(only) + " could be read"
	}
	if _, reading := s.Status.Reading["pods"]; reading {
		return "pods are being read"
	}
	return ""
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

// CompareSet compares two values as words, with one that is not set last.
func CompareSet(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	return strings.Compare(a, b)
}
