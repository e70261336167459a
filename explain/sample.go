package explain

// sampled is the number of nodes from which the scheduler does not look at all
// of them once it has found enough (minFeasibleNodesToFind), and leastSampled
// the least share of them in percent (minFeasibleNodesPercentageToFind).
const (
	sampled      = 100
	leastSampled = 5
)

// sample is how many nodes that fit the scheduler looks for among nodes of them
// (Scheduler.numFeasibleNodesToFind): it starts where it left off for another
// pod, so which ones it finds cannot be said.
func (e *Engine) sample(nodes int) int {
	if nodes < sampled {
		return nodes
	}
	percentage := 0
	if own := e.framework.PercentageOfNodesToScore(); own != nil {
		percentage = int(*own)
	}
	if percentage == 0 {
		percentage = max(50-nodes/125, leastSampled)
	}
	return max(nodes*percentage/100, sampled)
}

// named is how many nodes PreFilter leaves to be filtered.
func (m *matrix) named() int {
	count := 0
	for _, node := range m.nodes {
		if m.leaves(node.Node().Name) {
			count++
		}
	}
	return count
}

// leaves says whether no PreFilter half leaves the node out.
func (m *matrix) leaves(node string) bool {
	for k := range m.answers {
		if only := m.answers[k].only; only != nil && !only.Has(node) {
			return false
		}
	}
	return true
}
