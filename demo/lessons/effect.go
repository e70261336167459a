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

// Effect is what is done to a cluster: by a fault, or in a step that is left out.
type Effect struct {
	Silence  string                 `json:"silence"`  // the node whose kubelet falls silent
	Restore  string                 `json:"restore"`  // the node whose kubelet works again
	Zone     string                 `json:"zone"`     // the kubelets of all its nodes fall silent
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

// undo takes a part of an effect back.
type undo func(context.Context) error

// takeBack undoes the parts, the last one first, as far as it can be done.
func takeBack(ctx context.Context, undos []undo) error {
	var errs []error
	for _, undo := range slices.Backward(undos) {
		errs = append(errs, undo(ctx))
	}
	return errors.Join(errs...)
}

// check says what is wrong with an effect of a lesson.
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

// complete says what one of the parts lacks that have parts themselves.
func (e *Effect) complete(l *Lesson) error {
	switch {
	case e.Zone != "" && !slices.ContainsFunc(l.Nodes, func(n Node) bool { return n.Zone == e.Zone }):
		return fmt.Errorf("the lesson has no node in zone %s", e.Zone)
	case e.Taint != nil && (!l.hasNode(e.Taint.Node) || e.Taint.Key == ""):
		return errors.New("a taint needs a key, and a node of the lesson")
	case e.Taint != nil && !slices.Contains(taintEffects, e.Taint.Effect):
		return fmt.Errorf("%q is no effect of a taint", e.Taint.Effect)
	case e.Label != nil && (!l.hasNode(e.Label.Node) || e.Label.Key == ""):
		return errors.New("a label needs a key, and a node of the lesson")
	case e.Image != nil && (e.Image.Namespace == "" || e.Image.Name == ""):
		return errors.New("an image needs the namespace and the name of a Deployment")
	}
	return nil
}

// taintEffects are those that Kubernetes has.
var taintEffects = []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}

// bring does all parts. What was done before an error is taken back.
func (e *Effect) bring(ctx context.Context, world World) ([]undo, error) {
	var done []undo
	for _, part := range e.parts() {
		undos, err := part(ctx, world)
		done = append(done, undos...)
		if err != nil {
			return nil, errors.Join(err, takeBack(ctx, done))
		}
	}
	return done, nil
}

// part does one part of an effect, and gives what takes it back.
type part func(context.Context, World) ([]undo, error)

// parts are those that the effect has.
func (e *Effect) parts() (all []part) {
	for _, p := range []struct {
		has bool
		do  part
	}{
		{e.Silence != "", silencing(e.Silence, true)},
		{e.Restore != "", silencing(e.Restore, false)},
		{e.NotReady != "", e.fail},
		{e.Zone != "", e.silenceZone},
		{e.Pressure != "", e.press},
		{e.Cordon != "", cordoning(e.Cordon)},
		{e.Drain != "", cordoning(e.Drain)},
		{e.Drain != "", e.evictAll},
		{e.Taint != nil, e.taint},
		{e.Label != nil, e.label},
		{e.Image != nil, e.spoilImage},
		{len(e.Objects) > 0, e.make},
	} {
		if p.has {
			all = append(all, p.do)
		}
	}
	return all
}

func silencing(node string, on bool) part {
	return func(_ context.Context, w World) ([]undo, error) {
		w.Silence(node, on)
		return []undo{func(context.Context) error { w.Silence(node, !on); return nil }}, nil
	}
}

func (e *Effect) fail(_ context.Context, w World) ([]undo, error) {
	w.Fail(e.NotReady, true)
	return []undo{func(context.Context) error { w.Fail(e.NotReady, false); return nil }}, nil
}

func (e *Effect) silenceZone(ctx context.Context, w World) (undos []undo, err error) {
	in := metav1.ListOptions{LabelSelector: corev1.LabelTopologyZone + "=" + e.Zone}
	nodes, err := w.Client().CoreV1().Nodes().List(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("silence zone %s: %w", e.Zone, err)
	}
	for i := range nodes.Items {
		one, err := silencing(nodes.Items[i].Name, true)(ctx, w)
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
func (e *Effect) evictAll(ctx context.Context, w World) ([]undo, error) {
	core := w.Client().CoreV1()
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
	return nil, nil // what was evicted does not come back by itself
}

// patched patches an object's part, "" for its whole.
func patched(ctx context.Context, w World, node, part string, fields any) error {
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	var parts []string
	if part != "" {
		parts = []string{part}
	}
	_, err = w.Client().CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, text, metav1.PatchOptions{}, parts...)
	return err
}

func (e *Effect) make(ctx context.Context, w World) ([]undo, error) {
	return makeEach(ctx, w.Client(), e.Objects)
}
