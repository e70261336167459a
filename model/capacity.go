package model

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Capacity is what some nodes have together, and what is requested of it.
type Capacity struct {
	Nodes, Ready, Cordoned int
	Allocatable, Requested Resources
}

// CapacityOf sums up nodes, those that are cordoned or NotReady too: kubectl describe
// does the same for each of them.
func CapacityOf(nodes []*Node) Capacity {
	c := Capacity{Nodes: len(nodes)}
	for _, n := range nodes {
		if n.Ready == corev1.ConditionTrue {
			c.Ready++
		}
		if n.Cordoned {
			c.Cordoned++
		}
		c.Allocatable.add(n.Allocatable)
		c.Requested.add(n.Requested)
	}
	return c
}

// Extended are the extended resources that the nodes have, GPUs first, then by name.
func (c *Capacity) Extended() []corev1.ResourceName {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.Allocatable.Scalar)), func(name corev1.ResourceName) bool {
		return c.Allocatable.Scalar[name] == 0 || !strings.Contains(string(name), "/")
	})
	slices.SortStableFunc(names, func(a, b corev1.ResourceName) int {
		switch gpuA, gpuB := isGPU(string(a)), isGPU(string(b)); {
		case gpuA == gpuB:
			return 0
		case gpuA:
			return -1
		}
		return 1
	})
	return names
}

// ResourceWord is a resource in a word: an extended one goes without its domain.
func ResourceWord(name corev1.ResourceName) string {
	switch text := string(name); {
	case name == corev1.ResourceEphemeralStorage:
		return "storage"
	case strings.HasPrefix(text, corev1.ResourceHugePagesPrefix):
		return "hugepages"
	default:
		return text[strings.LastIndexByte(text, '/')+1:]
	}
}
