package summary

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// further is a sentence about other nodes than the closest, where these are not the whole answer:
// those with enough capacity that one other rule rejects, or those of the topology domain where a
// spread constraint wants the pod. "" where there are none.
func (m *misses) further(q *podQuestion, r *report.Report) string {
	switch first := &r.Groups[0]; {
	case len(first.Rejections) == 1 && first.Rejects(names.PodTopologySpread):
		return fewestWords(q, r)
	case first.Rejects(names.NodeResourcesFit) && len(m.others) > 0:
		return roomWords(m.others)
	}
	return ""
}

// roomWords say what rejects nodes that have enough capacity.
func roomWords(groups []*report.Group) string {
	most := groups[0]
	for _, g := range groups {
		if g.Count > most.Count {
			most = g
		}
	}
	who := grammar.Plural(most.Count, "node")
	if most.Count == 1 {
		who = most.Nodes[0]
	}
	return fmt.Sprintf("%s with enough capacity: %s.", who, most.Clauses())
}

// fewestWords say what rejects the nodes of the topology domain that has the fewest pods: once they
// take more, others may too.
func fewestWords(q *podQuestion, r *report.Report) string {
	fewest := r.Groups[0].Rejections[0].Fewest
	if fewest == nil {
		return ""
	}
	nodes := q.Nodes.NodeInfos()
	for i := range r.Groups[1:] { // closest first
		g := &r.Groups[1+i]
		for _, name := range g.Nodes {
			node, err := nodes.Get(name)
			if err != nil || node.Node().Labels[fewest.Key] != fewest.Domain {
				continue
			}
			who, reject := fewest.Key+"="+fewest.Domain, "its nodes reject"
			if word := plugins.LabelWord(fewest.Key); !strings.Contains(word, "/") {
				who = grammar.Capital(word) + " " + fewest.Domain
			}
			if fewest.Key == corev1.LabelHostname {
				who, reject = fewest.Domain, "it rejects"
			}
			return fmt.Sprintf("%s has the fewest (%d); %s the pod: %s.", who, fewest.Pods, reject, g.Clauses())
		}
	}
	return ""
}
