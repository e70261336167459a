package query

import (
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// fill builds a cluster of typical pods on equal nodes.
func fill(nodes, podsEach int) *model.Builder {
	b := model.NewBuilder()
	hosts, pods := modeltest.Cluster(nodes, podsEach)
	for _, node := range hosts {
		b.Node(nil, node)
	}
	for _, pod := range pods {
		b.Pod(nil, pod)
	}
	return b
}
