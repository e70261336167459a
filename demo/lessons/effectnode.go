package lessons

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/kubectl-fathom/kubectl-fathom/demo/kubelet"
)

// ErrAlreadyDone says that the cluster is already as an effect would make it.
var ErrAlreadyDone = errors.New("already done")

// fieldsOf are nested fields of an object, as a patch has them.
type fieldsOf map[string]any

func evictionOf(pod *corev1.Pod) *policyv1.Eviction {
	return &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
}

func cordon(name string) part {
	return func(ctx context.Context, c Cluster) ([]undo, error) {
		node, err := c.Client().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		switch {
		case err != nil:
			return nil, fmt.Errorf("cordon %s: %w", name, err)
		case node.Spec.Unschedulable:
			return nil, fmt.Errorf("cordon %s: %w", name, ErrAlreadyDone)
		}
		set := func(on bool) undo {
			return func(ctx context.Context) error {
				return patched(ctx, c, name, "", fieldsOf{"spec": fieldsOf{"unschedulable": on}})
			}
		}
		return []undo{set(false)}, set(true)(ctx)
	}
}

// reportPressure sets the condition MemoryPressure of the node; the node lifecycle controller then taints it.
func (e *Effect) reportPressure(ctx context.Context, c Cluster) ([]undo, error) {
	node, err := c.Client().CoreV1().Nodes().Get(ctx, e.Pressure, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("report memory pressure of %s: %w", e.Pressure, err)
	}
	hasPressure := func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeMemoryPressure && c.Status == corev1.ConditionTrue
	}
	if slices.ContainsFunc(node.Status.Conditions, hasPressure) {
		return nil, fmt.Errorf("report memory pressure of %s: %w", e.Pressure, ErrAlreadyDone)
	}
	report := func(status corev1.ConditionStatus, reason, message string) undo {
		return func(ctx context.Context) error {
			now := metav1.Now()
			return patched(ctx, c, e.Pressure, "status", fieldsOf{"status": fieldsOf{"conditions": []corev1.NodeCondition{{
				Type: corev1.NodeMemoryPressure, Status: status, Reason: reason, Message: message,
				LastHeartbeatTime: now, LastTransitionTime: now,
			}}}})
		}
	}
	relieve := report(corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available")
	return []undo{relieve}, report(corev1.ConditionTrue, "KubeletHasInsufficientMemory", "kubelet has insufficient memory available")(ctx)
}

func (e *Effect) taint(ctx context.Context, c Cluster) ([]undo, error) {
	t := e.Taint
	same := func(other corev1.Taint) bool { return other.Key == t.Key && other.Effect == t.Effect }
	err := retaint(ctx, c, t.Node, func(taints []corev1.Taint) ([]corev1.Taint, error) {
		if slices.ContainsFunc(taints, same) {
			return nil, ErrAlreadyDone
		}
		return append(taints, corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}), nil
	})
	if err != nil {
		return nil, err
	}
	return []undo{func(ctx context.Context) error {
		return retaint(ctx, c, t.Node, func(taints []corev1.Taint) ([]corev1.Taint, error) {
			return slices.DeleteFunc(taints, same), nil
		})
	}}, nil
}

// retaint changes the taints of a node. It retries on a conflict.
func retaint(ctx context.Context, c Cluster, name string, change func([]corev1.Taint) ([]corev1.Taint, error)) error {
	nodes := c.Client().CoreV1().Nodes()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if node.Spec.Taints, err = change(node.Spec.Taints); err != nil {
			return err
		}
		_, err = nodes.Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("taint %s: %w", name, err)
	}
	return nil
}

func (e *Effect) label(ctx context.Context, c Cluster) ([]undo, error) {
	l := e.Label
	node, err := c.Client().CoreV1().Nodes().Get(ctx, l.Node, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("label %s: %w", l.Node, err)
	}
	before, had := node.Labels[l.Key]
	if before == l.Value && (had || l.Value == "") {
		return nil, fmt.Errorf("label %s: %w", l.Node, ErrAlreadyDone)
	}
	set := func(value string, has bool) undo {
		return func(ctx context.Context) error {
			var to any // null removes the label
			if has {
				to = value
			}
			return patched(ctx, c, l.Node, "", fieldsOf{"metadata": fieldsOf{"labels": fieldsOf{l.Key: to}}})
		}
	}
	return []undo{set(before, had)}, set(l.Value, l.Value != "")(ctx)
}

// breakImage gives the Deployment's containers an image that cannot be pulled.
func (e *Effect) breakImage(ctx context.Context, c Cluster) ([]undo, error) {
	before := map[string]string{}
	err := reimage(ctx, c.Client(), e.Image, func(container *corev1.Container) {
		name := container.Image
		if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') { // not the port of a registry
			name = name[:at]
		}
		before[container.Name], container.Image = container.Image, name+kubelet.Missing
	})
	if err != nil {
		return nil, err
	}
	return []undo{func(ctx context.Context) error {
		return reimage(ctx, c.Client(), e.Image, func(container *corev1.Container) {
			if image, ok := before[container.Name]; ok && strings.HasSuffix(container.Image, kubelet.Missing) {
				container.Image = image
			}
		})
	}}, nil
}

// reimage changes the images of a Deployment, which starts a rollout.
func reimage(ctx context.Context, client kubernetes.Interface, of *Deployment, change func(*corev1.Container)) error {
	deployments := client.AppsV1().Deployments(of.Namespace)
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		d, err := deployments.Get(ctx, of.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for i := range d.Spec.Template.Spec.Containers {
			change(&d.Spec.Template.Spec.Containers[i])
		}
		_, err = deployments.Update(ctx, d, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("change image of %s/%s: %w", of.Namespace, of.Name, err)
	}
	return nil
}
