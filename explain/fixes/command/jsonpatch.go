package command

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patchFlags say to kubectl patch how an object is changed by steps, whose pod's
// spec is at a path in it: by the strategic merge patch, or by a JSON patch where
// that would have to write out a list with items that stay as they are.
func patchFlags(at string, spec *corev1.PodSpec, steps []remedy.Step, strategic map[string]any) []string {
	if operations := operationsOf(at, spec, steps); operations != nil {
		return []string{"--type=json", "-p", shell.OneLine(operations)}
	}
	return []string{"-p", shell.OneLine(strategic)}
}

// operationsOf is the JSON patch that makes the steps' change of a pod's spec, which
// is at a path; nil where one of the steps has none.
func operationsOf(at string, spec *corev1.PodSpec, steps []remedy.Step) []operation {
	var all []operation
	pod := &corev1.Pod{Spec: *spec.DeepCopy()}
	for _, step := range steps {
		operations := operationsOfStep(&pod.Spec, step)
		if operations == nil {
			return nil
		}
		all = append(all, operations...)
		var err error
		if pod, err = remedy.Apply(nil, pod, step); err != nil {
			return nil
		}
	}
	if !makes(spec, all, &pod.Spec) {
		return nil
	}
	for i := range all {
		all[i].Path = at + all[i].Path
	}
	return all
}

// operationsOfStep add to the tolerations, or change one of several items that a
// strategic merge patch cannot tell apart; nil for other steps. What stands at an
// index is tested first, so that nothing else is changed where the list is another
// one by then.
func operationsOfStep(spec *corev1.PodSpec, step remedy.Step) []operation {
	switch r := step.(type) {
	case remedy.Tolerate:
		if len(spec.Tolerations) > 0 {
			return []operation{{"add", "/tolerations/-", r.Toleration()}}
		}
	case remedy.LoosenSpread:
		if ambiguous(spec.TopologySpreadConstraints, topologyKey) {
			return loosened(fmt.Sprintf("/topologySpreadConstraints/%d", r.Index), spec.TopologySpreadConstraints[r.Index], r)
		}
	case remedy.DropHostPort:
		for i, c := range spec.Containers {
			if c.Name == r.Container && ambiguous(c.Ports, containerPort) {
				return unported(fmt.Sprintf("/containers/%d/ports/%d", i, r.Index), c.Ports[r.Index])
			}
		}
	}
	return nil
}

// loosened loosens a constraint, as remedy.LoosenSpread does.
func loosened(path string, constraint corev1.TopologySpreadConstraint, r remedy.LoosenSpread) []operation {
	switch {
	case r.HonorTaints:
		return []operation{{"test", path, constraint}, {"add", path + "/nodeTaintsPolicy", corev1.NodeInclusionPolicyHonor}}
	case !r.Prefers():
		return []operation{{"test", path, constraint}, {"replace", path + "/maxSkew", r.MaxSkew[1]}}
	}
	operations := []operation{{"test", path, constraint}, {"replace", path + "/whenUnsatisfiable", corev1.ScheduleAnyway}}
	if constraint.MinDomains != nil {
		operations = append(operations, operation{Op: "remove", Path: path + "/minDomains"})
	}
	return operations
}

// unported takes the host's port from a container's.
func unported(path string, port corev1.ContainerPort) []operation {
	operations := []operation{{"test", path, port}, {Op: "remove", Path: path + "/hostPort"}}
	if port.HostIP != "" {
		operations = append(operations, operation{Op: "remove", Path: path + "/hostIP"})
	}
	return operations
}

// doublesSpread says whether a constraint becomes ScheduleAnyway beside another one of
// its topology key: the API server allows a pod one of each.
func doublesSpread(pod *corev1.Pod, steps []remedy.Step) bool {
	for _, step := range steps {
		r, ok := step.(remedy.LoosenSpread)
		if !ok || !r.Prefers() {
			continue
		}
		for i, c := range pod.Spec.TopologySpreadConstraints {
			if i != r.Index && c.TopologyKey == pod.Spec.TopologySpreadConstraints[r.Index].TopologyKey && c.WhenUnsatisfiable == corev1.ScheduleAnyway {
				return true
			}
		}
	}
	return false
}

// makes proves that the operations make one spec of another.
func makes(from *corev1.PodSpec, operations []operation, to *corev1.PodSpec) bool {
	before, err := json.Marshal(from)
	if err != nil {
		return false
	}
	patch, err := jsonpatch.DecodePatch([]byte(shell.OneLine(operations)))
	if err != nil {
		return false
	}
	after, err := patch.Apply(before)
	if err != nil {
		return false
	}
	var got corev1.PodSpec
	err = json.Unmarshal(after, &got)
	return err == nil && equality.Semantic.DeepEqual(WithoutEmpty(got), WithoutEmpty(*to))
}
