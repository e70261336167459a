package inventory

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Hard is what the ResourceQuotas of a namespace allow its pods to request together, each resource
// by the quota that allows the least. Quotas of some pods only, by scopes, are left out.
type Hard struct {
	Resources model.Resources // what no quota limits is not among them
	Quotas    []string        // their names; none: the namespace has no such quota
}

// HardOf finds what a namespace may request.
func HardOf(quotas []*corev1.ResourceQuota, namespace string) Hard {
	least, names := corev1.ResourceList{}, []string{}
	for _, quota := range quotas {
		if quota.Namespace != namespace || len(quota.Spec.Scopes) > 0 || quota.Spec.ScopeSelector != nil {
			continue
		}
		for name, amount := range quota.Status.Hard {
			of, ok := requestedAs(name)
			if !ok {
				continue
			}
			if known, there := least[of]; !there || amount.Cmp(known) < 0 {
				least[of] = amount
			}
			if !slices.Contains(names, quota.Name) {
				names = append(names, quota.Name)
			}
		}
	}
	slices.Sort(names)
	return Hard{model.NewResources(least), names}
}

// requestedAs is the resource of pods whose requests a resource of a quota limits: cpu for
// requests.cpu; false where it limits something else, such as limits or claims, or counts finished
// pods too, as count/pods does.
func requestedAs(name corev1.ResourceName) (of corev1.ResourceName, ok bool) {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods:
		return name, true
	case corev1.ResourceRequestsCPU:
		return corev1.ResourceCPU, true
	case corev1.ResourceRequestsMemory:
		return corev1.ResourceMemory, true
	}
	extended, ok := strings.CutPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
	return corev1.ResourceName(extended), ok && strings.Contains(extended, "/")
}
