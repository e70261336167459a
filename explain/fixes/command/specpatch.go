package command

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// applied is the spec after the steps: the same change that was tried on the pod.
func applied(spec *corev1.PodSpec, steps []remedy.Step) (*corev1.PodSpec, error) {
	pod := &corev1.Pod{Spec: *spec.DeepCopy()}
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers { // a template may leave to admission what its pods have
			of := &containers[i].Resources
			if of.Requests == nil {
				of.Requests = corev1.ResourceList{}
			}
			if of.Limits == nil {
				of.Limits = corev1.ResourceList{}
			}
		}
	}
	for _, step := range steps {
		var err error
		if pod, err = remedy.Apply(nil, pod, step); err != nil {
			return nil, err
		}
	}
	return &pod.Spec, nil
}

// Patches are strategic merge patches that make the steps' change of a spec, and
// take it back. They name nothing else, so they hold for the object on the
// server too, of which spec is a part.
func Patches(spec *corev1.PodSpec, steps []remedy.Step) (patch, back map[string]any, err error) {
	changed, err := applied(spec, steps)
	if err != nil {
		return nil, nil, err
	}
	if patch, err = diff(spec, changed); err != nil {
		return nil, nil, err
	}
	back, err = diff(changed, spec)
	return patch, back, err
}

// diff is the strategic merge patch from one spec to another.
func diff(from, to *corev1.PodSpec) (map[string]any, error) {
	before, err := json.Marshal(from)
	if err != nil {
		return nil, fmt.Errorf("build the patch: %w", err)
	}
	after, err := json.Marshal(to)
	if err != nil {
		return nil, fmt.Errorf("build the patch: %w", err)
	}
	raw, err := strategicpatch.CreateTwoWayMergePatch(before, after, corev1.PodSpec{})
	if err != nil {
		return nil, fmt.Errorf("build the patch: %w", err)
	}
	patch := map[string]any{}
	if err := json.Unmarshal(raw, &patch); err != nil {
		return nil, fmt.Errorf("build the patch: %w", err)
	}
	dropOrders(patch)
	replaceAmbiguous(patch, to)
	if selector, ok := patch["nodeSelector"]; ok && selector == nil {
		patch["nodeSelector"] = dropped(from.NodeSelector) // not what may have come to the server since
	}
	return patch, holds(before, patch, to)
}

// holds proves that the patch makes the change.
func holds(before []byte, patch map[string]any, to *corev1.PodSpec) error {
	raw, err := strategicpatch.StrategicMergePatch(before, []byte(shell.OneLine(patch)), corev1.PodSpec{})
	if err != nil {
		return fmt.Errorf("build the patch: %w", err)
	}
	var got corev1.PodSpec
	if err := json.Unmarshal(raw, &got); err != nil {
		return fmt.Errorf("build the patch: %w", err)
	}
	if !equality.Semantic.DeepEqual(WithoutEmpty(got), WithoutEmpty(*to)) {
		return fmt.Errorf("no patch makes only this change")
	}
	return nil
}

// WithoutEmpty makes specs comparable that differ in how they say nothing.
func WithoutEmpty(spec corev1.PodSpec) corev1.PodSpec {
	spec = *spec.DeepCopy()
	if a := spec.Affinity; a != nil {
		for _, empty := range []struct {
			is   bool
			drop func()
		}{
			{equality.Semantic.DeepEqual(a.NodeAffinity, &corev1.NodeAffinity{}), func() { a.NodeAffinity = nil }},
			{equality.Semantic.DeepEqual(a.PodAffinity, &corev1.PodAffinity{}), func() { a.PodAffinity = nil }},
			{equality.Semantic.DeepEqual(a.PodAntiAffinity, &corev1.PodAntiAffinity{}), func() { a.PodAntiAffinity = nil }},
		} {
			if empty.is {
				empty.drop()
			}
		}
		if *a == (corev1.Affinity{}) {
			spec.Affinity = nil
		}
	}
	return spec
}

// dropOrders takes out what only says in which order a list stands: it is the
// server's list that is changed, and that may be longer.
func dropOrders(patch map[string]any) {
	for key, value := range patch {
		if strings.HasPrefix(key, "$setElementOrder/") {
			delete(patch, key)
			continue
		}
		switch value := value.(type) {
		case map[string]any:
			dropOrders(value)
		case []any:
			for _, item := range value {
				if item, ok := item.(map[string]any); ok {
					dropOrders(item)
				}
			}
		}
	}
}

// replaceAmbiguous writes out whole lists of which two items have the same key
// to a patch: constraints over one topology key, a port for tcp and for udp.
func replaceAmbiguous(patch map[string]any, to *corev1.PodSpec) {
	const spread = "topologySpreadConstraints"
	if patch[spread] != nil && ambiguous(to.TopologySpreadConstraints, topologyKey) {
		patch[spread] = whole(to.TopologySpreadConstraints)
	}
	containers, _ := patch["containers"].([]any)
	for _, item := range containers {
		container, _ := item.(map[string]any)
		for _, of := range to.Containers {
			if of.Name == container["name"] && container["ports"] != nil && ambiguous(of.Ports, containerPort) {
				container["ports"] = whole(of.Ports)
			}
		}
	}
}

// dropped is a patch that takes out these keys.
func dropped(keys map[string]string) map[string]any {
	patch := map[string]any{}
	for key := range keys {
		patch[key] = nil
	}
	return patch
}

// The keys by which a strategic merge patch tells the items of a list apart.
func topologyKey(c corev1.TopologySpreadConstraint) string { return c.TopologyKey }
func containerPort(p corev1.ContainerPort) int32           { return p.ContainerPort }

func ambiguous[T any, K comparable](items []T, key func(T) K) bool {
	for i, item := range items {
		if slices.ContainsFunc(items[:i], func(other T) bool { return key(other) == key(item) }) {
			return true
		}
	}
	return false
}

// whole is a list that takes the place of what is there.
func whole[T any](items []T) []any {
	all := []any{map[string]any{"$patch": "replace"}}
	for _, item := range items {
		all = append(all, item)
	}
	return all
}
