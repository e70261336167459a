package scheduler

// SampledFrom is the number of nodes from which the scheduler does not look at all
// of them once it has found enough (minFeasibleNodesToFind), and leastSampled
// the least share of them in percent (minFeasibleNodesPercentageToFind).
const (
	SampledFrom  = 100
	leastSampled = 5
)

// Sample is how many nodes that fit the scheduler looks for among nodes of them
// (Scheduler.numFeasibleNodesToFind): it starts where it left off for another
// pod, so which ones it finds cannot be said.
func (p *Profile) Sample(nodes int) int {
	if nodes < SampledFrom {
		return nodes
	}
	percentage := 0
	if own := p.Framework.PercentageOfNodesToScore(); own != nil {
		percentage = int(*own)
	}
	if percentage == 0 {
		percentage = max(50-nodes/125, leastSampled)
	}
	return max(nodes*percentage/100, SampledFrom)
}

// Included is how many nodes PreFilter leaves to be filtered.
func (m *Matrix) Included() int {
	count := 0
	for _, node := range m.Nodes {
		if m.Includes(node.Node().Name) {
			count++
		}
	}
	return count
}

// Includes says whether no PreFilter half leaves the node out.
func (m *Matrix) Includes(node string) bool {
	for k := range m.Answers {
		if only := m.Answers[k].Only; only != nil && !only.Has(node) {
			return false
		}
	}
	return true
}
