package act

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// atOnce is how many requests of one plan are in flight at a time.
const atOnce = 8

// facts are what the action is planned on: its targets as the server holds them now.
func (a *Actor) facts(ctx context.Context, action plan.Action) (plan.Facts, error) {
	facts := plan.Facts{Objects: map[model.Ref]map[string]any{}, Jobs: a.Jobs()}
	var mu sync.Mutex
	reading, within := errgroup.WithContext(ctx)
	reading.SetLimit(atOnce)
	for _, ref := range action.Targets() {
		reading.Go(func() error {
			defer utilruntime.HandleCrash()
			fields, err := readFields(within, a.Reader, ref)
			if apierrors.IsNotFound(err) {
				return nil // the plan says so
			}
			if err != nil {
				return fmt.Errorf("read %s %s: %w", ref.Resource, ref.Words(), err)
			}
			ref.UID = ""
			mu.Lock()
			defer mu.Unlock()
			facts.Objects[ref] = fields
			return nil
		})
	}
	if err := reading.Wait(); err != nil {
		return facts, err
	}
	facts.Snapshot = a.State.Newest()
	if relabels, ok := action.(plan.Relabels); ok {
		if err := a.readDaemonSets(ctx, relabels.RelabeledNodes(), &facts); err != nil {
			return facts, err
		}
	}
	if draining, ok := action.(plan.Drains); ok {
		var err error
		facts.Filtered, err = filtered(ctx, a.Reader, draining)
		facts.Snapshot = a.State.Newest() // with the pods that were listed
		return facts, err
	}
	return facts, nil
}

// errOther is why a precondition of a plan does not hold any more.
var errOther = errors.New("it is not as it was when this was planned")

// verify reads the objects of a plan's preconditions; ErrChanged where one is not as it was, ErrUnsent where
// one cannot be read.
func (a *Actor) verify(ctx context.Context, p *plan.Plan) error {
	reading, within := errgroup.WithContext(ctx)
	reading.SetLimit(atOnce)
	for _, condition := range p.Preconditions {
		reading.Go(func() error {
			defer utilruntime.HandleCrash()
			object, err := readFields(within, a.Reader, condition.Target)
			switch {
			case apierrors.IsNotFound(err):
				return &plan.ChangedError{Target: condition.Target, Cause: err}
			case err != nil:
				return fmt.Errorf("%w: read %s %s: %w", ErrUnsent, condition.Target.Resource, condition.Target.Words(), err)
			}
			if _, same := condition.Rebase(object); !same {
				return &plan.ChangedError{Target: condition.Target, Cause: errOther}
			}
			return nil
		})
	}
	return reading.Wait()
}

// readDaemonSets lists the DaemonSets; where that fails, it reads those with pods on some nodes.
func (a *Actor) readDaemonSets(ctx context.Context, nodes []string, facts *plan.Facts) (err error) {
	if len(nodes) == 0 {
		return nil
	}
	list, err := a.Reader.AppsV1().DaemonSets("").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err == nil {
		facts.DaemonSets = make(map[types.UID]*appsv1.DaemonSet, len(list.Items))
		for i := range list.Items {
			facts.DaemonSets[list.Items[i].UID] = &list.Items[i]
		}
		return nil
	}
	facts.DaemonSetsUnlisted = true
	facts.DaemonSets, err = readAll(ctx, daemonSetsOn(facts.Snapshot, nodes), func(ctx context.Context, ref model.Ref) (*appsv1.DaemonSet, error) {
		return a.Reader.AppsV1().DaemonSets(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	})
	if err != nil {
		return fmt.Errorf("read DaemonSets: %w", err)
	}
	return nil
}

// readAll reads objects by their UIDs. What may not be read, or is another object of its name,
// is left out: the plan says so. The error is the context's.
func readAll[T metav1.Object](ctx context.Context, refs map[types.UID]model.Ref, get func(context.Context, model.Ref) (T, error)) (map[types.UID]T, error) {
	found := map[types.UID]T{}
	var mu sync.Mutex
	reading, within := errgroup.WithContext(ctx)
	reading.SetLimit(atOnce)
	for uid, ref := range refs {
		reading.Go(func() error {
			defer utilruntime.HandleCrash()
			object, err := get(within, ref)
			if err != nil || object.GetUID() != uid {
				return within.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			found[uid] = object
			return nil
		})
	}
	return found, reading.Wait()
}

// daemonSetsOn names the DaemonSets of the pods on some nodes.
func daemonSetsOn(on *model.Snapshot, nodes []string) map[types.UID]model.Ref {
	found := map[types.UID]model.Ref{}
	for _, name := range nodes {
		node, ok := on.Node(name)
		if !ok {
			continue
		}
		for _, pod := range node.Pods {
			if owner := metav1.GetControllerOfNoCopy(pod.Object); owner != nil && owner.Kind == "DaemonSet" {
				found[owner.UID] = model.Ref{Resource: "daemonsets", Namespace: pod.Object.Namespace, Name: owner.Name}
			}
		}
	}
	return found
}

// readFields asks the server for one object, as JSON values.
func readFields(ctx context.Context, client kubernetes.Interface, ref model.Ref) (map[string]any, error) {
	object, err := read(ctx, client, ref)
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}

// read asks the server for one object.
func read(ctx context.Context, client kubernetes.Interface, ref model.Ref) (runtime.Object, error) {
	switch ref.Resource {
	case "nodes":
		return client.CoreV1().Nodes().Get(ctx, ref.Name, metav1.GetOptions{})
	case "pods":
		return client.CoreV1().Pods(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	case "deployments":
		return client.AppsV1().Deployments(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	case "statefulsets":
		return client.AppsV1().StatefulSets(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	case "daemonsets":
		return client.AppsV1().DaemonSets(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	case "deployments/scale":
		return client.AppsV1().Deployments(ref.Namespace).GetScale(ctx, ref.Name, metav1.GetOptions{})
	case "statefulsets/scale":
		return client.AppsV1().StatefulSets(ref.Namespace).GetScale(ctx, ref.Name, metav1.GetOptions{})
	case "replicasets/scale":
		return client.AppsV1().ReplicaSets(ref.Namespace).GetScale(ctx, ref.Name, metav1.GetOptions{})
	}
	return nil, fmt.Errorf("%w: no action is about %s", plan.ErrNotPossible, ref.Resource)
}
