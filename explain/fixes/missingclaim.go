package fixes

import (
	"fmt"
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// readClaims are the plugins that reject a pod before any node is looked at where one of its claims does not exist.
var readClaims = []string{names.VolumeRestrictions, names.VolumeBinding, names.VolumeZone}

// missingClaim is what to do about a claim of the pod that does not exist, for which the scheduler looks at no
// node; "" where it is not so. A claim that a controller makes for an ephemeral volume is none.
func missingClaim(q *plugins.Question, m *scheduler.Matrix) string {
	rejected := slices.ContainsFunc(readClaims, func(name string) bool {
		k := m.Profile.IndexOf(name)
		return k >= 0 && m.Answers[k].Pre != nil
	})
	if !rejected || !q.Listers.Readable("persistentvolumeclaims") {
		return ""
	}
	for _, claim := range plugins.PodClaims(q) {
		if claim.Object != nil || claim.Ephemeral {
			continue
		}
		for _, other := range plugins.ClaimNames(q) {
			if misspelt(claim.ObjectName(), other) {
				return fmt.Sprintf("Claim %s exists: correct the name in the pod, or create the claim.", other)
			}
		}
		return "Create the claim or correct its name: nothing else would help."
	}
	return ""
}
