package lessons

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Effect changes the cluster: a fault, or what a student does in a step that is skipped.
type Effect struct {
	Silence  string                 `json:"silence"`  // the node whose kubelet stops
	Restore  string                 `json:"restore"`  // the node whose kubelet works again
	Zone     string                 `json:"zone"`     // the zone in which all kubelets stop
	NotReady string                 `json:"notReady"` // the node whose container runtime fails
	Pressure string                 `json:"pressure"` // the node that reports memory pressure
	Cordon   string                 `json:"cordon"`   // a node
	Drain    string                 `json:"drain"`    // a node: it is cordoned, its pods are evicted
	Taint    *NodeTaint             `json:"taint"`
	Label    *NodeLabel             `json:"label"`
	Image    *Deployment            `json:"image"` // gets an image that no registry has
	Objects  []runtime.RawExtension `json:"objects"`
}

// NodeTaint is a taint that a node gets.
type NodeTaint struct {
	Node   string             `json:"node"`
	Key    string             `json:"key"`
	Value  string             `json:"value"`
	Effect corev1.TaintEffect `json:"effect"`
}

// NodeLabel is a label that a node gets, or loses where the value is "".
type NodeLabel struct {
	Node  string `json:"node"`
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Deployment names one.
type Deployment struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// undo reverts one change of an effect.
type undo func(context.Context) error

// revert undoes changes, the last one first, as far as possible.
func revert(ctx context.Context, undos []undo) error {
	var errs []error
	for _, undo := range slices.Backward(undos) {
		errs = append(errs, undo(ctx))
	}
	return errors.Join(errs...)
}

// check validates an effect of a lesson.
func (e *Effect) check(l *Lesson) error {
	for _, name := range []string{e.Silence, e.Restore, e.NotReady, e.Pressure, e.Cordon, e.Drain} {
		if name != "" && !l.hasNode(name) {
			return fmt.Errorf("the lesson has no node %s", name)
		}
	}
	if err := e.complete(l); err != nil {
		return err
	}
	_, err := objects(e.Objects)
	return err
}

// complete validates the fields that have fields themselves.
func (e *Effect) complete(l *Lesson) error {
	switch {
	case e.Zone != "" && !slices.ContainsFunc(l.Nodes, func(n Node) bool { return n.Zone == e.Zone }):
		return fmt.Errorf("the lesson has no node in zone %s", e.Zone)
	case e.Taint != nil && (!l.hasNode(e.Taint.Node) || e.Taint.Key == ""):
		return errors.New("a taint needs a key and a node of the lesson")
	case e.Taint != nil && !slices.Contains(taintEffects, e.Taint.Effect):
		return fmt.Errorf("%q is not a taint effect", e.Taint.Effect)
	case e.Label != nil && (!l.hasNode(e.Label.Node) || e.Label.Key == ""):
		return errors.New("a label needs a key and a node of the lesson")
	case e.Image != nil && (e.Image.Namespace == "" || e.Image.Name == ""):
		return errors.New("an image needs the namespace and the name of a Deployment")
	}
	return nil
}

// taintEffects are the effects of taints in Kubernetes.
var taintEffects = []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}

// apply makes all changes. Those made before an error are reverted.
func (e *Effect) apply(ctx context.Context, cluster Cluster) ([]undo, error) {
	var done []undo
	for _, part := range e.parts() {
		undos, err := part(ctx, cluster)
		done = append(done, undos...)
		if err != nil {
			return nil, errors.Join(err, revert(ctx, done))
		}
	}
	return done, nil
}

// part makes one change of an effect and returns how to revert it.
type part func(context.Context, Cluster) ([]undo, error)

// parts are the changes of the effect.
func (e *Effect) parts() (all []part) {
	for _, p := range []struct {
		has bool
		do  part
	}{
		{e.Silence != "", silence(e.Silence, true)},
		{e.Restore != "", silence(e.Restore, false)},
		{e.NotReady != "", e.fail},
		{e.Zone != "", e.silenceZone},
		{e.Pressure != "", e.reportPressure},
		{e.Cordon != "", cordon(e.Cordon)},
		{e.Drain != "", cordon(e.Drain)},
		{e.Drain != "", e.evictAll},
		{e.Taint != nil, e.taint},
		{e.Label != nil, e.label},
		{e.Image != nil, e.breakImage},
		{len(e.Objects) > 0, e.create},
	} {
		if p.has {
			all = append(all, p.do)
		}
	}
	return all
}

func silence(node string, on bool) part {
	return func(_ context.Context, c Cluster) ([]undo, error) {
		c.Silence(node, on)
		return []undo{func(context.Context) error { c.Silence(node, !on); return nil }}, nil
	}
}

func (e *Effect) fail(_ context.Context, c Cluster) ([]undo, error) {
	c.Fail(e.NotReady, true)
	return []undo{func(context.Context) error { c.Fail(e.NotReady, false); return nil }}, nil
}

func (e *Effect) silenceZone(ctx context.Context, c Cluster) (undos []undo, err error) {
	in := metav1.ListOptions{LabelSelector: corev1.LabelTopologyZone + "=" + e.Zone}
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("silence zone %s: %w", e.Zone, err)
	}
	for i := range nodes.Items {
		one, err := silence(nodes.Items[i].Name, true)(ctx, c)
		if err != nil {
			return undos, err
		}
		undos = append(undos, one...)
	}
	if len(undos) == 0 {
		return nil, fmt.Errorf("silence zone %s: it has no nodes", e.Zone)
	}
	return undos, nil
}

// evictAll evicts the pods of the node that is drained, as kubectl drain does.
func (e *Effect) evictAll(ctx context.Context, c Cluster) ([]undo, error) {
	core := c.Client().CoreV1()
	on := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", e.Drain).String()}
	pods, err := core.Pods(metav1.NamespaceAll).List(ctx, on)
	if err != nil {
		return nil, fmt.Errorf("drain %s: %w", e.Drain, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == "DaemonSet" {
			continue
		}
		if err := core.Pods(pod.Namespace).EvictV1(ctx, evictionOf(pod)); err != nil {
			return nil, fmt.Errorf("drain %s: %w", e.Drain, err)
		}
	}
	return nil, nil // an eviction cannot be reverted
}

// patched patches a node, or its subresource if part is not "".
func patched(ctx context.Context, c Cluster, node, part string, fields any) error {
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	var parts []string
	if part != "" {
		parts = []string{part}
	}
	_, err = c.Client().CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, text, metav1.PatchOptions{}, parts...)
	return err
}

func (e *Effect) create(ctx context.Context, c Cluster) ([]undo, error) {
	return createEach(ctx, c.Client(), e.Objects)
}
