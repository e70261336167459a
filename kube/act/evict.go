package act

import (
	"context"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	"k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// askingTime is how long one request to evict a pod may take. Within it client-go
// retries by itself if the server has too many requests and says when.
const askingTime = 30 * time.Second

// ask requests the eviction of exactly this pod, which its PodDisruptionBudget may
// reject, or its deletion if the plan says so.
func ask(ctx context.Context, client kubernetes.Interface, end *plan.End, dry bool) error {
	ctx, cancel := context.WithTimeout(ctx, askingTime)
	defer cancel()
	if end.How == plan.Deleted {
		return remove(ctx, client, end, dry)
	}
	return evict(ctx, client, end, dry)
}

// evict requests an eviction once. A rejection has no other effect.
func evict(ctx context.Context, client kubernetes.Interface, end *plan.End, dry bool) error {
	once := helper(ctx, exact{client, end.Pod.Object.UID})
	if dry {
		once.DryRunStrategy = util.DryRunServer
	}
	if end.GivenGrace > 0 {
		once.GracePeriodSeconds = int(end.GivenGrace.Seconds())
	}
	return once.EvictPod(*end.Pod.Object, policyv1.SchemeGroupVersion)
}

// remove deletes a pod that no controller owns, as it was when it was planned.
func remove(ctx context.Context, client kubernetes.Interface, end *plan.End, dry bool) error {
	pod := end.Pod.Object
	options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID, ResourceVersion: &pod.ResourceVersion}}
	if dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, options)
}

// exact is a client whose evictions are of the pod of that UID only. kubectl
// drain's helper names a pod by its name, under which another may be by now.
type exact struct {
	kubernetes.Interface
	uid types.UID
}

func (e exact) PolicyV1() policyclient.PolicyV1Interface {
	return exactPolicy{e.Interface.PolicyV1(), e.uid}
}

type exactPolicy struct {
	policyclient.PolicyV1Interface
	uid types.UID
}

func (e exactPolicy) Evictions(namespace string) policyclient.EvictionInterface {
	return exactEvictions{e.PolicyV1Interface.Evictions(namespace), e.uid}
}

type exactEvictions struct {
	policyclient.EvictionInterface
	uid types.UID
}

// Evict implements EvictionInterface.
func (e exactEvictions) Evict(ctx context.Context, eviction *policyv1.Eviction) error {
	eviction.DeleteOptions.Preconditions = &metav1.Preconditions{UID: &e.uid}
	return e.EvictionInterface.Evict(ctx, eviction)
}
