package client

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
)

// Access reports whether the user may do one thing.
type Access struct {
	Verb      string
	Group     string // API group; "" is core
	Resource  string // plural; with a slash before a subresource
	Name      string // of the only object that is asked about; "" is all
	Namespace string // where it was asked for; "" is all
	Allowed   bool
	Why       string // the authorizer's words; often ""
	Needed    string // what that right opens, or leaves open
}

// otherAccess are the rights that views and actions need, beside listing and watching
// the kinds.
var otherAccess = []Access{
	{Verb: "list", Resource: "resourcequotas", Needed: "pods that were not created"},
	{Verb: "list", Resource: "limitranges", Needed: "pods that were not created, explain -f without a dry run"},
	{Verb: "list", Group: "apps", Resource: "daemonsets", Needed: "pods that were not created"},
	{Verb: "list", Group: "batch", Resource: "jobs", Needed: "pods that were not created"},
	{Verb: "watch", Group: "batch", Resource: "jobs", Needed: "Jobs that Kueue keeps suspended"},
	{Verb: "list", Group: "batch", Resource: "cronjobs", Needed: "explain cronjob/NAME"},
	{Verb: "list", Group: "scheduling.k8s.io", Resource: "priorityclasses", Needed: "explain -f without a dry run"},
	{Verb: "list", Group: "scheduling.k8s.io", Resource: "podgroups", Needed: "pods of PodGroups"},
	{Verb: "watch", Group: "scheduling.k8s.io", Resource: "podgroups", Needed: "pods of PodGroups"},
	{Verb: "list", Group: "scheduling.k8s.io", Resource: "compositepodgroups", Needed: "pods of PodGroups"},
	{Verb: "watch", Group: "scheduling.k8s.io", Resource: "compositepodgroups", Needed: "pods of PodGroups"},
	{Verb: "get", Group: "node.k8s.io", Resource: "runtimeclasses", Needed: "explain -f without a dry run"},
	{Verb: "list", Group: "node.k8s.io", Resource: "runtimeclasses", Needed: "snapshot"},
	{Verb: "list", Group: "coordination.k8s.io", Resource: "leases", Needed: "whether a scheduler is running"},
	{Verb: "get", Group: "resource.k8s.io", Resource: "resourceclaimtemplates", Needed: "fit of pods whose claims are made from a template"},
	{Verb: "list", Group: "metrics.k8s.io", Resource: "nodes", Needed: "usage of nodes"},
	{Verb: "list", Group: "metrics.k8s.io", Resource: "pods", Needed: "usage of pods"},
	{Verb: "list", Group: "karpenter.sh", Resource: "nodepools", Needed: "whether an autoscaler could add a node"},
	{Verb: "get", Group: "karpenter.sh", Resource: "nodeclaims", Needed: "whether an autoscaler could add a node"},
	{Verb: "get", Resource: "configmaps", Name: "cluster-autoscaler-status", Namespace: metav1.NamespaceSystem, Needed: "whether an autoscaler could add a node"},
	{Verb: "list", Group: "kueue.x-k8s.io", Resource: "workloads", Needed: "pods that Kueue holds"},
	{Verb: "get", Group: "kueue.x-k8s.io", Resource: "localqueues", Needed: "pods that Kueue holds"},
	{Verb: "get", Group: "kueue.x-k8s.io", Resource: "clusterqueues", Needed: "pods that Kueue holds"},
	{Verb: "get", Group: "visibility.kueue.x-k8s.io", Resource: "clusterqueues/pendingworkloads", Needed: "positions in Kueue's queues"},
	{Verb: "get", Group: "scheduling.volcano.sh", Resource: "podgroups", Needed: "pods of Volcano's PodGroups"},
	{Verb: "get", Group: "scheduling.run.ai", Resource: "podgroups", Needed: "pods of KAI Scheduler's PodGroups"},
	{Verb: "get", Group: "scheduling.x-k8s.io", Resource: "podgroups", Needed: "pods of Coscheduling's PodGroups"},
	{Verb: "create", Resource: "pods", Needed: "explain -f with a dry run"},
	{Verb: "create", Resource: "pods/eviction", Needed: "evict, drain"},
	{Verb: "patch", Resource: "nodes", Needed: "cordon, taint, label, annotate, drain"},
	{Verb: "patch", Resource: "pods", Needed: "label, annotate, remove gates"},
}

// neededFor says what each kind is read for.
var neededFor = map[string]string{
	"nodes":                  "Nodes, and every verdict",
	"pods":                   "Pending, Pods, and every verdict",
	"namespaces":             "affinity with a namespaceSelector",
	"persistentvolumes":      "pods with volumes",
	"persistentvolumeclaims": "pods with volumes",
	"services":               "default topology spread",
	"replicationcontrollers": "default topology spread, pods that were not created",
	"replicasets":            "default topology spread, pods that were not created",
	"statefulsets":           "default topology spread, pods that were not created",
	"poddisruptionbudgets":   "preemption, drain",
	"storageclasses":         "pods with volumes",
	"csinodes":               "volume limits of nodes",
	"csidrivers":             "pods with volumes",
	"csistoragecapacities":   "pods whose volumes are not provisioned yet",
	"volumeattachments":      "volume limits of nodes",
	"resourceclaims":         "pods that claim devices",
	"resourceslices":         "pods that claim devices",
	"deviceclasses":          "pods that claim devices",
	"devicetaintrules":       "pods that claim devices",
	"events":                 "pods that were not created, events of a pod on Why",
}

// Access asks the server what this user may do: list and watch each kind, and
// what the views and actions need beside that. Where pods may not be listed in
// all namespaces, what has a namespace is asked for in the context's.
func (c *Client) Access(ctx context.Context) ([]Access, error) { return c.access.list(ctx) }

// Review asks the server whether this user may do each of some things.
func Review(ctx context.Context, c *Client, list []Access) ([]Access, error) {
	return c.access.reviewAll(ctx, slices.Clone(list))
}

// UserName is the name by which the server knows this user ("system:serviceaccount:dev:ci"). Where the
// server does not say, it is the kubeconfig's name of the user, or "this user".
func UserName(ctx context.Context, c *Client) string {
	return userName(ctx, c.brief, c.target)
}

// userName is UserName by a client.
func userName(ctx context.Context, api kubernetes.Interface, t *target) string {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	review, err := api.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err == nil && review.Status.UserInfo.Username != "" {
		return review.Status.UserInfo.Username
	}
	return cmp.Or(t.user, "this user")
}

// accessReviews asks the server by SelfSubjectAccessReviews.
type accessReviews struct {
	client kubernetes.Interface
	target *target
}

// list is what Client.Access gives.
func (r *accessReviews) list(ctx context.Context) ([]Access, error) {
	everywhere, err := r.review(ctx, Access{Verb: "list", Resource: podResource.gvr.Resource})
	if err != nil {
		return nil, err
	}
	namespace := ""
	if !everywhere.Allowed {
		namespace = r.target.namespace
	}
	var list []Access
	for _, k := range watchedResources {
		a := Access{Group: k.gvr.Group, Resource: k.gvr.Resource, Needed: neededFor[k.gvr.Resource]}
		if k.namespaced {
			a.Namespace = namespace
		}
		for _, a.Verb = range []string{"list", "watch"} {
			list = append(list, a)
		}
	}
	for _, a := range otherAccess {
		if a.Name == "" && a.Resource != nodeResource.gvr.Resource && !clusterScoped[a.Resource] {
			a.Namespace = namespace
		}
		list = append(list, a)
	}
	return r.reviewAll(ctx, list)
}

// clusterScoped are those of asks that have no namespace.
var clusterScoped = map[string]bool{
	"priorityclasses": true, "runtimeclasses": true, "nodepools": true, "nodeclaims": true,
	"clusterqueues": true, "clusterqueues/pendingworkloads": true,
}

// reviewAll answers all questions, a few at a time.
func (r *accessReviews) reviewAll(ctx context.Context, list []Access) ([]Access, error) {
	const atOnce = 8
	var (
		asking sync.WaitGroup
		slots  = make(chan struct{}, atOnce)
		errs   = make([]error, len(list))
	)
	for i := range list {
		asking.Go(func() {
			defer utilruntime.HandleCrash()
			slots <- struct{}{}
			defer func() { <-slots }()
			list[i], errs[i] = r.review(ctx, list[i])
		})
	}
	asking.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// review answers one question.
func (r *accessReviews) review(ctx context.Context, a Access) (Access, error) {
	resource, sub, _ := strings.Cut(a.Resource, "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: a.Verb, Group: a.Group, Resource: resource, Subresource: sub, Name: a.Name, Namespace: a.Namespace,
		},
	}}
	answer, err := r.client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return a, classify("review access", r.target.config.Host, err)
	}
	a.Allowed = answer.Status.Allowed
	a.Why = oneLine(cmp.Or(answer.Status.EvaluationError, answer.Status.Reason))
	return a, nil
}
