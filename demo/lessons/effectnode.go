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

// ErrIsSo says that all is as an effect would make it.
var ErrIsSo = errors.New("it is so already")

// fieldsOf are nested fields of an object, as a patch has them.
type fieldsOf map[string]any

func evictionOf(pod *corev1.Pod) *policyv1.Eviction {
	return &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
}

func cordoning(name string) part {
	return func(ctx context.Context, w World) ([]undo, error) {
		node, err := w.Client().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		switch {
		case err != nil:
			return nil, fmt.Errorf("cordon %s: %w", name, err)
		case node.Spec.Unschedulable:
			return nil, fmt.Errorf("cordon %s: %w", name, ErrIsSo)
		}
		cordon := func(on bool) undo {
			return func(ctx context.Context) error {
				return patched(ctx, w, name, "", fieldsOf{"spec": fieldsOf{"unschedulable": on}})
			}
		}
		return []undo{cordon(false)}, cordon(true)(ctx)
	}
}

// press has the node report memory pressure; its controller taints it then.
func (e *Effect) press(ctx context.Context, w World) ([]undo, error) {
	node, err := w.Client().CoreV1().Nodes().Get(ctx, e.Pressure, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("press %s: %w", e.Pressure, err)
	}
	pressed := func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeMemoryPressure && c.Status == corev1.ConditionTrue
	}
	if slices.ContainsFunc(node.Status.Conditions, pressed) {
		return nil, fmt.Errorf("press %s: %w", e.Pressure, ErrIsSo)
	}
	report := func(status corev1.ConditionStatus, reason, message string) undo {
		return func(ctx context.Context) error {
			now := metav1.Now()
			return patched(ctx, w, e.Pressure, "status", fieldsOf{"status": fieldsOf{"conditions": []corev1.NodeCondition{{
				Type: corev1.NodeMemoryPressure, Status: status, Reason: reason, Message: message,
				LastHeartbeatTime: now, LastTransitionTime: now,
			}}}})
		}
	}
	relieve := report(corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available")
	return []undo{relieve}, report(corev1.ConditionTrue, "KubeletHasInsufficientMemory", "kubelet has insufficient memory available")(ctx)
}

func (e *Effect) taint(ctx context.Context, w World) ([]undo, error) {
	t := e.Taint
	same := func(other corev1.Taint) bool { return other.Key == t.Key && other.Effect == t.Effect }
	err := retaint(ctx, w, t.Node, func(taints []corev1.Taint) ([]corev1.Taint, error) {
		if slices.ContainsFunc(taints, same) {
			return nil, ErrIsSo
		}
		return append(taints, corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}), nil
	})
	if err != nil {
		return nil, err
	}
	return []undo{func(ctx context.Context) error {
		return retaint(ctx, w, t.Node, func(taints []corev1.Taint) ([]corev1.Taint, error) {
			return slices.DeleteFunc(taints, same), nil
		})
	}}, nil
}

// retaint changes the taints of a node, whoever else changes it meanwhile.
func retaint(ctx context.Context, w World, name string, change func([]corev1.Taint) ([]corev1.Taint, error)) error {
	nodes := w.Client().CoreV1().Nodes()
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

func (e *Effect) label(ctx context.Context, w World) ([]undo, error) {
	l := e.Label
	node, err := w.Client().CoreV1().Nodes().Get(ctx, l.Node, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("label %s: %w", l.Node, err)
	}
	before, had := node.Labels[l.Key]
	if before == l.Value && (had || l.Value == "") {
		return nil, fmt.Errorf("label %s: %w", l.Node, ErrIsSo)
	}
	set := func(value string, has bool) undo {
		return func(ctx context.Context) error {
			var to any // null takes it off
			if has {
				to = value
			}
			return patched(ctx, w, l.Node, "", fieldsOf{"metadata": fieldsOf{"labels": fieldsOf{l.Key: to}}})
		}
	}
	return []undo{set(before, had)}, set(l.Value, l.Value != "")(ctx)
}

// spoilImage gives the Deployment's containers an image that cannot be pulled.
func (e *Effect) spoilImage(ctx context.Context, w World) ([]undo, error) {
	before := map[string]string{}
	err := reimage(ctx, w.Client(), e.Image, func(c *corev1.Container) {
		name := c.Image
		if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') { // else it is a port
			name = name[:at]
		}
		before[c.Name], c.Image = c.Image, name+kubelet.Missing
	})
	if err != nil {
		return nil, err
	}
	return []undo{func(ctx context.Context) error {
		return reimage(ctx, w.Client(), e.Image, func(c *corev1.Container) {
			if image, ok := before[c.Name]; ok && strings.HasSuffix(c.Image, kubelet.Missing) {
				c.Image = image
			}
		})
	}}, nil
}

// reimage changes the images of a Deployment, and so rolls it out.
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
