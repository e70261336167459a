// Package explain runs the kube-scheduler's own plugins over the live state and
// says why a pod is pending: every Filter plugin on every node, with the words
// and the numbers that the plugins' reasons leave out.
package explain

// Trace notes which resources that could not be listed a plugin has read.
type Trace struct{}
