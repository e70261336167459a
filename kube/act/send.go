package act

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// sendings is how often a change is sent at most while its object's status changes.
const sendings = 5

// send sends one change, as a dry run or for real. Where the object changed meanwhile in
// nothing that the plan rests on, as by a kubelet's heartbeat, it is sent again.
func (a *Actor) send(ctx context.Context, client kubernetes.Interface, change plan.Change, dry []string) error {
	var err error
	for range sendings {
		err = deliver(ctx, client, change, metav1.PatchOptions{FieldManager: Manager, DryRun: dry})
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
		return nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return fmt.Errorf("%s %w: %w", change.Target.Words(), ErrChanged, err)
	}
	return &worded{change.Target.Words() + ": " + toldOf(err, len(dry) > 0), err}
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
	switch {
	case statusOf(err) != nil:
		return "kube-apiserver: " + wordsOf(err)
	case dry:
		return wordsOf(err)
	}
	return wordsOf(err) + "; the change may still have been made"
}

// deliver sends a merge patch; a scale is written whole, for its clients have no patch.
func deliver(ctx context.Context, client kubernetes.Interface, change plan.Change, options metav1.PatchOptions) error {
	ref := change.Target
	patch, err := change.Patch()
	if err != nil {
		return err
	}
	switch ref.Resource {
	case "nodes":
		_, err = client.CoreV1().Nodes().Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	case "pods":
		_, err = client.CoreV1().Pods(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	case "deployments":
		_, err = client.AppsV1().Deployments(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	case "statefulsets":
		_, err = client.AppsV1().StatefulSets(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	case "daemonsets":
		_, err = client.AppsV1().DaemonSets(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType, patch, options)
	default:
		return scale(ctx, client, change, options)
	}
	return err
}

// scale writes the number of replicas of a workload.
func scale(ctx context.Context, client kubernetes.Interface, change plan.Change, options metav1.PatchOptions) error {
	ref := change.Target
	replicas, ok := change.Replicas()
	if !ok {
		return fmt.Errorf("%w: no action changes %s", plan.ErrNotPossible, ref.Resource)
	}
	wanted := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID, ResourceVersion: change.ResourceVersion},
		Spec:       autoscalingv1.ScaleSpec{Replicas: replicas},
	}
	update := metav1.UpdateOptions{FieldManager: options.FieldManager, DryRun: options.DryRun}
	var err error
	switch ref.Resource {
	case "deployments/scale":
		_, err = client.AppsV1().Deployments(ref.Namespace).UpdateScale(ctx, ref.Name, wanted, update)
	case "statefulsets/scale":
		_, err = client.AppsV1().StatefulSets(ref.Namespace).UpdateScale(ctx, ref.Name, wanted, update)
	case "replicasets/scale":
		_, err = client.AppsV1().ReplicaSets(ref.Namespace).UpdateScale(ctx, ref.Name, wanted, update)
	default:
		return fmt.Errorf("%w: no action changes %s", plan.ErrNotPossible, ref.Resource)
	}
	return err
}
