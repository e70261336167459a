package act

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// sendings is how often a change is sent at most while its object's status changes.
const sendings = 5

// send sends one change, as a dry run or for real. Where the object changed meanwhile in
// nothing that the plan rests on, as by a kubelet's heartbeat, it is sent again. made is
// the part of it that was made, also where the error is that the server left out the rest.
func (a *Actor) send(ctx context.Context, client kubernetes.Interface, change plan.Change, dry []string) (made plan.Change, err error) {
	var answer runtime.Object
	for range sendings {
		answer, err = deliver(ctx, client, change, metav1.PatchOptions{FieldManager: Manager, DryRun: dry})
		if !apierrors.IsConflict(err) {
			break
		}
		object, unread := readFields(ctx, a.Reader, change.Target)
		same := false
		if unread == nil {
			change, same = change.Rebase(object)
		}
		if !same {
			break
		}
	}
	switch {
	case err == nil:
		return checkAnswer(change, answer, len(dry) > 0)
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return plan.Change{}, &plan.ChangedError{Target: change.Target, Cause: err}
	}
	return plan.Change{}, &worded{change.Target.Words() + ": " + toldOf(err, len(dry) > 0), err}
}

// notMade is the error of a change that the server accepted without making it. did is a
// clause about the server. It is an API status, because the server has answered.
func notMade(did string) error {
	return &worded{"kube-apiserver " + did, &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Message: did + "."}}}
}

// errOtherAnswer says that an answer to a change was about something else.
var errOtherAnswer = errors.New("answered with something else")

// checkAnswer checks that the object which the server returned has the change: admission
// policies and webhooks may remove it. made is the part that the object has.
func checkAnswer(change plan.Change, answer runtime.Object, dry bool) (made plan.Change, err error) {
	name := change.Target.Words()
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(answer)
	if err != nil {
		return plan.Change{}, fmt.Errorf("read answer about %s: %w", name, err)
	}
	if !change.About(object) {
		did := "answered the change of " + name + " with something else"
		if !dry {
			did += "; the change may still have been made"
		}
		return plan.Change{}, &worded{"kube-apiserver " + did, errors.Join(notMade(did), errOtherAnswer)}
	}
	made, missing := change.Made(object)
	if len(missing) == 0 {
		return change, nil
	}
	return made, notMade(fmt.Sprintf("accepted the change of %s but left out %s: an admission policy or webhook removed it", name, strings.Join(missing, ", ")))
}

// worded is an error with a message for users.
type worded struct {
	words string
	cause error
}

func (w *worded) Error() string { return w.words }

func (w *worded) Unwrap() error { return w.cause }

// toldOf is the server's message about a change, or that there is none.
func toldOf(err error, dry bool) string {
	words := wordsOf(err)
	if statusOf(err) != nil {
		words = "kube-apiserver: " + words
	}
	if dry || !mayBeMade(err) {
		return words
	}
	return strings.TrimSuffix(words, ".") + "; the change may still have been made"
}

// mayBeMade reports whether a change that failed may be made all the same: where there was no answer, and where the
// server had trouble, as when etcd was slow to say that it has stored it.
func mayBeMade(err error) bool {
	status := statusOf(err)
	return status == nil || status.Code >= http.StatusInternalServerError
}

// deliver sends a merge patch; a scale is written whole, for its clients have no patch.
// It returns the object that the server returned.
func deliver(ctx context.Context, client kubernetes.Interface, change plan.Change, options metav1.PatchOptions) (runtime.Object, error) {
	ref := change.Target
	patch, err := change.Patch()
	if err != nil {
		return nil, err
	}
	switch ref.Resource {
	case "nodes":
		return client.CoreV1().Nodes().Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	case "pods":
		return client.CoreV1().Pods(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	case "deployments":
		return client.AppsV1().Deployments(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	case "statefulsets":
		return client.AppsV1().StatefulSets(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	case "daemonsets":
		return client.AppsV1().DaemonSets(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	}
	return scale(ctx, client, change, options)
}

// scale writes the number of replicas of a workload.
func scale(ctx context.Context, client kubernetes.Interface, change plan.Change, options metav1.PatchOptions) (runtime.Object, error) {
	ref := change.Target
	replicas, ok := change.Replicas()
	if !ok {
		return nil, fmt.Errorf("%w: no action changes %s", plan.ErrNotPossible, ref.Resource)
	}
	wanted := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID, ResourceVersion: change.ResourceVersion},
		Spec:       autoscalingv1.ScaleSpec{Replicas: replicas},
	}
	update := metav1.UpdateOptions{FieldManager: options.FieldManager, DryRun: options.DryRun}
	switch ref.Resource {
	case "deployments/scale":
		return client.AppsV1().Deployments(ref.Namespace).UpdateScale(ctx, ref.Name, wanted, update)
	case "statefulsets/scale":
		return client.AppsV1().StatefulSets(ref.Namespace).UpdateScale(ctx, ref.Name, wanted, update)
	case "replicasets/scale":
		return client.AppsV1().ReplicaSets(ref.Namespace).UpdateScale(ctx, ref.Name, wanted, update)
	}
	return nil, fmt.Errorf("%w: no action changes %s", plan.ErrNotPossible, ref.Resource)
}
