package command

import (
	"encoding/json"
	"slices"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// drawLists is a pod whose lists hold items that a strategic merge patch takes for
// the same, and a step that changes one of them.
func drawLists(t *rapid.T) (*corev1.Pod, remedy.Step) {
	one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	count := func(name string) int { return rapid.IntRange(1, 3).Draw(t, name) }
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "side"}, {Name: "app"}}}}
	for range count("tolerations") - 1 {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: one("key", "a", "b"), Operator: corev1.TolerationOpExists})
	}
	for range count("constraints") {
		c := corev1.TopologySpreadConstraint{MaxSkew: int32(count("skew")), TopologyKey: one("topology", "zone", "host"), WhenUnsatisfiable: corev1.DoNotSchedule}
		if rapid.Bool().Draw(t, "minDomains") {
			c.MinDomains = new(int32(2))
		}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, c)
	}
	ports := &pod.Spec.Containers[1].Ports
	for range count("ports") {
		*ports = append(*ports, corev1.ContainerPort{
			ContainerPort: int32(count("port")), HostPort: int32(count("host port")),
			HostIP: one("address", "", "127.0.0.1"), Protocol: corev1.Protocol(one("protocol", "TCP", "UDP")),
		})
	}
	constraint := rapid.IntRange(0, len(pod.Spec.TopologySpreadConstraints)-1).Draw(t, "constraint")
	port := rapid.IntRange(0, len(*ports)-1).Draw(t, "port")
	key, hostPort := pod.Spec.TopologySpreadConstraints[constraint].TopologyKey, (*ports)[port].HostPort
	return pod, rapid.SampledFrom([]remedy.Step{
		remedy.Tolerate{Taint: corev1.Taint{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}},
		remedy.LoosenSpread{Index: constraint, Key: key, MaxSkew: [2]int32{1, 7}},
		remedy.LoosenSpread{Index: constraint, Key: key},
		remedy.LoosenSpread{Index: constraint, Key: key, HonorTaints: true},
		remedy.DropHostPort{Container: "app", Index: port, Port: hostPort},
	}).Draw(t, "step")
}

// patched is the spec of a template after a JSON patch.
func patched(t *rapid.T, spec corev1.PodSpec, operations []operation) (corev1.PodSpec, error) {
	object := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": spec}}}
	patch, err := jsonpatch.DecodePatch([]byte(shell.OneLine(operations)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := patch.Apply([]byte(shell.OneLine(object)))
	if err != nil {
		return spec, err
	}
	var got struct {
		Spec struct {
			Template struct{ Spec corev1.PodSpec }
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	return got.Spec.Template.Spec, nil
}

// A JSON patch makes the change that was simulated and no other, and where the item
// is no longer at its place, it changes nothing.
func TestAJSONPatchChangesTheItemThatWasMeant(t *testing.T) {
	made, missed := map[string]int{}, 0
	rapid.Check(t, func(rt *rapid.T) {
		pod, step := drawLists(rt)
		operations := operationsOf("/spec/template/spec", &pod.Spec, []remedy.Step{step})
		if operations == nil {
			return // named by a strategic merge patch
		}
		made[remedy.Title(step)[:6]]++
		want, err := remedy.Apply(nil, pod, step)
		if err != nil {
			rt.Fatal(err)
		}
		if got, err := patched(rt, pod.Spec, operations); err != nil || !equality.Semantic.DeepEqual(got, want.Spec) {
			rt.Fatalf("%s: %v\nmakes %+v\nwant %+v", shell.OneLine(operations), err, got, want.Spec)
		}
		gone := *pod.Spec.DeepCopy() // another item is at the index, unless it is the same
		switch r := step.(type) {
		case remedy.LoosenSpread:
			gone.TopologySpreadConstraints = slices.Delete(gone.TopologySpreadConstraints, r.Index, r.Index+1)
		case remedy.DropHostPort:
			gone.Containers[1].Ports = slices.Delete(gone.Containers[1].Ports, r.Index, r.Index+1)
		default:
			return
		}
		if got, err := patched(rt, gone, operations); err != nil {
			missed++
		} else if !hasEqual(pod, step) {
			rt.Fatalf("%s changes another item: %+v", shell.OneLine(operations), got)
		}
	})
	if len(made) < 4 || missed == 0 {
		t.Errorf("only these were made: %v; %d missed", made, missed)
	}
}

// hasEqual says whether a pod has the item of a step twice, so that it does not
// matter which is changed.
func hasEqual(pod *corev1.Pod, step remedy.Step) bool {
	switch r := step.(type) {
	case remedy.LoosenSpread:
		return twice(pod.Spec.TopologySpreadConstraints, r.Index)
	case remedy.DropHostPort:
		return twice(pod.Spec.Containers[1].Ports, r.Index)
	}
	return false
}

func twice[T any](items []T, i int) bool {
	return slices.ContainsFunc(slices.Delete(slices.Clone(items), i, i+1), func(item T) bool { return equality.Semantic.DeepEqual(item, items[i]) })
}
