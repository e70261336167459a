package lessons

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// form is a fault with names left open: $node and the like.
type form struct {
	Name  string `json:"name"`
	Takes On     `json:"takes"`
	Says  string `json:"says"`
	Effect
}

// readForms reads the faults that come with fathom.
func readForms() ([]form, error) {
	text, err := faultFiles.ReadFile("faults/faults.yaml")
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	var forms []form
	if err := yaml.UnmarshalStrict(text, &forms); err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	return forms, nil
}

// in says whether a target has what a fault takes.
func (o On) in(t Target) bool {
	switch o {
	case OnNode:
		return t.Node != ""
	case OnNamespace:
		return t.Namespace != ""
	case OnWorkload:
		return t.Name != "" && (t.Kind == "Deployment" || t.Kind == "StatefulSet" || t.Kind == "ReplicaSet")
	case OnDeployment:
		return t.Name != "" && t.Kind == "Deployment"
	default:
		return true
	}
}

// words say what the fault does to a target, or to any where that has not what it
// takes.
func (f *form) words(on Target) string {
	if !f.Takes.in(on) {
		on = Target{}
	}
	return os.Expand(f.Says, func(name string) string {
		switch name {
		case "node":
			return cmp.Or(on.Node, "a node")
		case "zone":
			if on.Zone == "" {
				return "a zone"
			}
			return "zone " + on.Zone
		case "namespace":
			return cmp.Or(on.Namespace, "a namespace")
		default:
			return cmp.Or(on.Name, "a workload")
		}
	})
}

// filled is the fault's effect on a target.
func (f *form) filled(ctx context.Context, w World, on Target) (*Effect, error) {
	if !f.Takes.in(on) {
		return nil, fmt.Errorf("it is put on a %s", f.Takes)
	}
	names := map[string]string{"node": on.Node, "namespace": on.Namespace, "kind": on.Kind, "name": on.Name}
	var err error
	switch f.Takes {
	case OnNode:
		names["zone"], names["share"], err = nodeFacts(ctx, w, on.Node)
	case OnWorkload:
		if names["app"], err = appOf(ctx, w, on); err == nil {
			err = uncovered(ctx, w, on.Namespace, names["app"])
		}
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(f.Effect)
	if err != nil {
		return nil, err
	}
	var lacks string
	filled := os.Expand(string(text), func(name string) string {
		if names[name] == "" {
			lacks = name
		}
		return names[name]
	})
	if lacks != "" {
		return nil, fmt.Errorf("%s has no %s", cmp.Or(on.Node, on.Name), lacks)
	}
	effect := &Effect{}
	return effect, json.Unmarshal([]byte(filled), effect)
}

// nodeFacts are a node's zone and 30% of its cpu.
func nodeFacts(ctx context.Context, w World, name string) (zone, share string, err error) {
	node, err := w.Client().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", "", err
	}
	cpu := node.Status.Allocatable.Cpu().MilliValue() * 3 / 10
	return node.Labels[corev1.LabelTopologyZone], resource.NewMilliQuantity(cpu, resource.DecimalSI).String(), nil
}

// appOf is the label app by which a workload selects its pods.
func appOf(ctx context.Context, w World, on Target) (string, error) {
	apps, selector := w.Client().AppsV1(), &metav1.LabelSelector{}
	switch on.Kind {
	case "Deployment":
		d, err := apps.Deployments(on.Namespace).Get(ctx, on.Name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		selector = d.Spec.Selector
	case "StatefulSet":
		s, err := apps.StatefulSets(on.Namespace).Get(ctx, on.Name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		selector = s.Spec.Selector
	case "ReplicaSet":
		r, err := apps.ReplicaSets(on.Namespace).Get(ctx, on.Name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		selector = r.Spec.Selector
	}
	if app := selector.MatchLabels["app"]; app != "" {
		return app, nil
	}
	return "", errors.New(strings.ToLower(on.Kind) + " " + on.Name + " selects its pods by another label than app")
}

// uncovered refuses pods that have a budget: of pods with two the eviction
// subresource evicts none, and no drain waits.
func uncovered(ctx context.Context, w World, namespace, app string) error {
	budgets, err := w.Client().PolicyV1().PodDisruptionBudgets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range budgets.Items {
		selector, err := metav1.LabelSelectorAsSelector(budgets.Items[i].Spec.Selector)
		if err == nil && selector.Matches(labels.Set{"app": app}) {
			return fmt.Errorf("budget %s is on it already", budgets.Items[i].Name)
		}
	}
	return nil
}
