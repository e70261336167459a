package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// FactsWithoutNodes is what is told of a pod where nodes may not be read: facts that need
// none of them.
type FactsWithoutNodes struct {
	Asked  bool                   // nodes may not be read, so that these were asked for
	Quotas []corev1.ResourceQuota // of the pod's namespace
	Unread string                 // why the quotas are not known
}

// whatIsKnown are the pod's claims and the quotas of its namespace.
func whatIsKnown(q *podQuestion) []string {
	if !q.found.WithoutNodes.Asked {
		return nil
	}
	return append(claimFacts(q), quotaFacts(q)...)
}

func claimFacts(q *podQuestion) []string {
	claims := plugins.PodClaims(q.Question)
	if len(claims) == 0 {
		return []string{"It uses no PersistentVolumeClaim."}
	}
	if !q.Listers.Readable("persistentvolumeclaims") {
		return []string{"Its claims are unknown: " + q.Listers.Forbidden["persistentvolumeclaims"] + "."}
	}
	facts := make([]string, len(claims))
	for i, claim := range claims {
		facts[i] = claim.Fact()
	}
	return facts
}

func quotaFacts(q *podQuestion) []string {
	if why := q.found.WithoutNodes.Unread; why != "" {
		return []string{fmt.Sprintf("The quotas of namespace %s are unknown: %s.", q.Pod.Namespace, why)}
	}
	if len(q.found.WithoutNodes.Quotas) == 0 {
		return []string{fmt.Sprintf("Namespace %s has no ResourceQuota.", q.Pod.Namespace)}
	}
	var facts []string
	for _, quota := range q.found.WithoutNodes.Quotas {
		var used []string
		for _, name := range slices.Sorted(maps.Keys(quota.Status.Hard)) {
			most, taken := quota.Status.Hard[name], quota.Status.Used[name]
			used = append(used, fmt.Sprintf("%s %s of %s", name, taken.String(), most.String()))
		}
		facts = append(facts, fmt.Sprintf("ResourceQuota %s/%s, used: %s.", quota.Namespace, quota.Name, strings.Join(used, ", ")))
	}
	return facts
}
