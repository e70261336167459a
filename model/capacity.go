package model

import (
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Capacity is what some nodes have together, and what is requested of it.
type Capacity struct {
	Nodes, Ready           int
	Cordoned               int // of those that are neither new nor being removed, which take no pods anyway
	Removing               int
	Pressed                int // that report memory, disk or PID pressure, or no network
	New                    int // that are not initialized yet, whether they are Ready or not
	Allocatable, Requested Resources
}

// CapacityOf sums up nodes, those that are cordoned or NotReady too: kubectl describe
// does the same for each of them.
func CapacityOf(nodes []*Node) Capacity {
	c := Capacity{Nodes: len(nodes)}
	for _, n := range nodes {
		if n.IsReady() {
			c.Ready++
		}
		switch {
		case n.IsNew():
			c.New++
		case n.Lifecycle != "":
			c.Removing++
		case n.Cordoned:
			c.Cordoned++
		}
		if len(n.Pressure) > 0 {
			c.Pressed++
		}
		c.Allocatable.add(n.Allocatable)
		c.Requested.add(n.Requested)
	}
	return c
}

// RequestedBy is what pods that have not finished request together, pending ones too, and those of
// them that have a node; Pods is how many they are. A ResourceQuota counts the same, but for pods
// that terminate past their grace period.
func RequestedBy(pods []*Pod) (all, placed Resources) {
	var unplaced Resources
	for _, pod := range pods {
		if pod.Finished() {
			continue
		}
		own := *pod.Requests
		own.Pods = 1
		if pod.Bound() {
			placed.add(own)
		} else {
			unplaced.add(own)
		}
	}
	all.add(placed)
	all.add(unplaced)
	return all, placed
}

// Percent is a part of a whole in percent, rounded down: 100 only where nothing is
// left. A part of nothing is everything. It may be more than 100.
func Percent(part, whole int64) int {
	switch {
	case part <= 0:
		return 0
	case whole <= 0:
		return 100
	}
	return int(min(float64(part)/float64(whole)*100, math.MaxInt32))
}

// Percent is how much of a resource of the node is requested in percent; unknown
// where the node does not say how much is allocatable.
func (n *Node) Percent(name corev1.ResourceName) (percent int, known bool) {
	whole := n.Allocatable.Of(name)
	return Percent(n.Requested.Of(name), whole), whole > 0
}

// Free is what is left of the resources of a node.
func (n *Node) Free(of func(*Resources) int64) int64 {
	if n.Allocatable.Beyond == nil && n.Requested.Beyond == nil { // nearly always
		return of(&n.Allocatable) - of(&n.Requested)
	}
	left := n.Allocatable.Minus(&n.Requested)
	return of(&left)
}

// Extended are the extended resources that the nodes have, GPUs first, then by name.
func (c *Capacity) Extended() []corev1.ResourceName {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.Allocatable.Scalar)), func(name corev1.ResourceName) bool {
		return c.Allocatable.Scalar[name] == 0 || !strings.Contains(string(name), "/")
	})
	slices.SortStableFunc(names, func(a, b corev1.ResourceName) int {
		switch gpuA, gpuB := IsGPU(a), IsGPU(b); {
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
