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

// faultTemplate is a fault with placeholders, such as $node, for the names of its target.
type faultTemplate struct {
	Name  string     `json:"name"`
	Takes TargetKind `json:"takes"`
	Says  string     `json:"says"`
	Effect
}

// readTemplates reads the faults that are built in.
func readTemplates() ([]faultTemplate, error) {
	text, err := faultFiles.ReadFile("faults/faults.yaml")
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	var templates []faultTemplate
	if err := yaml.UnmarshalStrict(text, &templates); err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	return templates, nil
}

// matches says whether a target is of the kind.
func (o TargetKind) matches(t Target) bool {
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

// describe says what the fault does to a target, or to any if this one does not fit.
func (f *faultTemplate) describe(on Target) string {
	if !f.Takes.matches(on) {
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

// expand is the effect of the fault on a target.
func (f *faultTemplate) expand(ctx context.Context, c Cluster, on Target) (*Effect, error) {
	if !f.Takes.matches(on) {
		return nil, fmt.Errorf("it needs a %s", f.Takes)
	}
	names := map[string]string{"node": on.Node, "namespace": on.Namespace, "kind": on.Kind, "name": on.Name}
	var err error
	switch f.Takes {
	case OnNode:
		names["zone"], names["share"], err = nodeFacts(ctx, c, on.Node)
	case OnWorkload:
		if names["app"], err = appOf(ctx, c, on); err == nil {
			err = checkNoBudget(ctx, c, on.Namespace, names["app"])
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

// nodeFacts are the zone of a node and 30% of its allocatable cpu.
func nodeFacts(ctx context.Context, c Cluster, name string) (zone, share string, err error) {
	node, err := c.Client().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", "", err
	}
	cpu := node.Status.Allocatable.Cpu().MilliValue() * 3 / 10
	return node.Labels[corev1.LabelTopologyZone], resource.NewMilliQuantity(cpu, resource.DecimalSI).String(), nil
}

// appOf is the label app by which a workload selects its pods.
func appOf(ctx context.Context, c Cluster, on Target) (string, error) {
	apps, selector := c.Client().AppsV1(), &metav1.LabelSelector{}
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
	return "", errors.New(strings.ToLower(on.Kind) + " " + on.Name + " does not select its pods by the label app")
}

// checkNoBudget rejects pods that have a PodDisruptionBudget: the eviction API does not
// support pods with two, and a drain would not wait for them.
func checkNoBudget(ctx context.Context, c Cluster, namespace, app string) error {
	budgets, err := c.Client().PolicyV1().PodDisruptionBudgets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range budgets.Items {
		selector, err := metav1.LabelSelectorAsSelector(budgets.Items[i].Spec.Selector)
		if err == nil && selector.Matches(labels.Set{"app": app}) {
			return fmt.Errorf("PodDisruptionBudget %s already selects its pods", budgets.Items[i].Name)
		}
	}
	return nil
}
