package inventory

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Share is what the pods of a workload, or of a namespace, request of a resource on some nodes.
type Share struct {
	Name    string
	Amount  int64
	Percent int // of what all pods there request
}

// SharesOf are those of the workloads whose pods on some nodes request a resource, and of their
// namespaces, the largest first. Of pods each counts as one.
func SharesOf(nodes []*model.Node, resource corev1.ResourceName) (workloads, namespaces []Share) {
	byWorkload, byNamespace, all := map[workload]int64{}, map[string]int64{}, int64(0)
	for _, node := range nodes {
		for _, p := range node.Pods {
			amount := p.Requests.Of(resource)
			if resource == corev1.ResourcePods {
				amount = 1
			}
			of := workloadOf(p)
			byWorkload[of] = model.Sum(byWorkload[of], amount)
			byNamespace[p.Object.Namespace] = model.Sum(byNamespace[p.Object.Namespace], amount)
			all = model.Sum(all, amount)
		}
	}
	name := func(namespace string) string { return namespace }
	return shares(byWorkload, all, workload.fullName), shares(byNamespace, all, name)
}

// shares are those that request anything.
func shares[K comparable](amounts map[K]int64, all int64, name func(K) string) (sorted []Share) {
	for key, amount := range amounts {
		if amount > 0 {
			sorted = append(sorted, Share{name(key), amount, model.Percent(amount, all)})
		}
	}
	slices.SortFunc(sorted, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), strings.Compare(a.Name, b.Name))
	})
	return sorted
}

// scheduledJob is the name of a Job that a CronJob made: it ends in the minute it was due, counted
// from 1970 (getJobName of pkg/controller/cronjob).
var scheduledJob = regexp.MustCompile(`-\d{8}$`)

// staticPods are taken together: each node's kubelet runs some of its own, whose mirror pods the node owns.
const staticPods = "static pods"

// workloadOf names what a pod belongs to. Jobs of one CronJob are taken together: it may have
// started another one before the last has ended.
func workloadOf(p *model.Pod) workload {
	if model.IsMirror(p.Object) {
		return workload{p.Object.Namespace, staticPods}
	}
	name := cmp.Or(p.Owner.Name, p.Object.Name)
	if p.Owner.Kind == "Job" {
		name = scheduledJob.ReplaceAllString(name, "-*")
	}
	return workload{p.Object.Namespace, name}
}

// workload is what pods belong to, a pod without an owner, or the static pods of a namespace.
type workload struct{ namespace, name string }

// fullName is namespace/name; no object is named "static pods".
func (w workload) fullName() string {
	if w.name == staticPods {
		return staticPods + " of " + w.namespace
	}
	return w.namespace + "/" + w.name
}
