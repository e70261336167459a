package fixes

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// readClaims are the plugins that reject a pod before any node is looked at where one of its claims does not exist.
var readClaims = []string{names.VolumeRestrictions, names.VolumeBinding, names.VolumeZone}

// missingClaim is what to do about claims of the pod that do not exist, for which the scheduler looks at no
// node; "" where it is not so. A claim that a controller makes for an ephemeral volume is none.
func missingClaim(q *plugins.Question, m *scheduler.Matrix) string {
	rejected := slices.ContainsFunc(readClaims, func(name string) bool {
		k := m.Profile.IndexOf(name)
		return k >= 0 && m.Answers[k].Pre != nil
	})
	if !rejected || !q.Listers.Readable("persistentvolumeclaims") {
		return ""
	}
	missing := slices.DeleteFunc(slices.Clone(plugins.PodClaims(q)), func(claim plugins.PodClaim) bool { return claim.Object != nil || claim.Ephemeral })
	switch owner := metav1.GetControllerOfNoCopy(q.Pod); {
	case len(missing) == 0:
		return ""
	case owner != nil && owner.Kind == "StatefulSet":
		return fmt.Sprintf("StatefulSet %s creates claims of its template itself: its events say why it has not.", owner.Name)
	case len(missing) > 1:
		return "Create the claims or correct their names: before that nothing else helps."
	}
	for _, other := range plugins.ClaimNames(q) {
		if misspelt(missing[0].ObjectName(), other) {
			return fmt.Sprintf("Claim %s exists: correct the name in the pod, or create the claim.", other)
		}
	}
	return "Create the claim or correct its name: before that nothing else helps."
}

// lostHolder is what to do about a pod on a lost node that holds a ReadWriteOncePod claim of the pod; "" where it
// is not so. Only a person can know that the machine no longer writes (Kubernetes' documentation, Non-graceful
// node shutdown handling).
func lostHolder(q *plugins.Question, m *scheduler.Matrix) string {
	k := m.Profile.IndexOf(names.VolumeRestrictions)
	holder, node := plugins.LostHolder(q)
	if holder == nil || k < 0 || !slices.ContainsFunc(m.Answers[k].Column, func(status *fwk.Status) bool { return status != nil }) {
		return ""
	}
	return fmt.Sprintf("Pod %s is Terminating on %s, which is NotReady, and keeps the claim: start the node again, or, once its machine is certainly off, taint it %s=nodeshutdown:NoExecute. Its pods are then deleted and their volumes detached.",
		plugins.FullName(holder), node, corev1.TaintNodeOutOfService)
}
