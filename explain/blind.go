package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// aside is what is told of a pod where nodes may not be read: facts that need
// none of them.
type aside struct {
	blind  bool
	quotas []corev1.ResourceQuota // of the pod's namespace
	unread string                 // why the quotas are not known
}

// asideFacts tells the pod's claims, and the quotas of its namespace.
func asideFacts(q *subject) []string {
	if !q.found.aside.blind {
		return nil
	}
	return append(claimFacts(q), quotaFacts(q)...)
}

func claimFacts(q *subject) []string {
	claims := podClaims(q.question)
	if len(claims) == 0 {
		return []string{"It uses no claim."}
	}
	if !q.listers.readable("persistentvolumeclaims") {
		return []string{"Its claims are unknown: " + q.listers.forbidden["persistentvolumeclaims"] + "."}
	}
	facts := make([]string, len(claims))
	for i, claim := range claims {
		facts[i] = claim.fact()
	}
	return facts
}

// fact is the claim's state in a sentence.
func (c podClaim) fact() string {
	if c.object == nil {
		return fmt.Sprintf("Claim %s does not exist.", c.name)
	}
	class := ""
	if name := c.class(); name != "" {
		class = ", class " + name
	}
	phase := cmp.Or(c.object.Status.Phase, corev1.ClaimPending)
	if phase == corev1.ClaimBound {
		return fmt.Sprintf("Claim %s is bound to volume %s%s.", c.name, c.object.Spec.VolumeName, class)
	}
	wants := c.object.Spec.Resources.Requests[corev1.ResourceStorage]
	return fmt.Sprintf("Claim %s is %s: it wants %s%s.", c.name, phase, wants.String(), class)
}

func quotaFacts(q *subject) []string {
	if why := q.found.aside.unread; why != "" {
		return []string{fmt.Sprintf("The quotas of namespace %s are unknown: %s.", q.pod.Namespace, why)}
	}
	if len(q.found.aside.quotas) == 0 {
		return []string{fmt.Sprintf("Namespace %s has no ResourceQuota.", q.pod.Namespace)}
	}
	var facts []string
	for _, quota := range q.found.aside.quotas {
		var used []string
		for _, name := range slices.Sorted(maps.Keys(quota.Status.Hard)) {
			most, taken := quota.Status.Hard[name], quota.Status.Used[name]
			used = append(used, fmt.Sprintf("%s %s of %s", name, taken.String(), most.String()))
		}
		facts = append(facts, fmt.Sprintf("ResourceQuota %s/%s, used: %s.", quota.Namespace, quota.Name, strings.Join(used, ", ")))
	}
	return facts
}
