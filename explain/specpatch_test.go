package explain

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// stepsFor is every step that could be made for a pod by taking something away.
func stepsFor(pod *corev1.Pod) []remedy {
	steps := []remedy{tolerate{gpuTaint}}
	spec := &pod.Spec
	for key, value := range spec.NodeSelector {
		steps = append(steps, dropSelector{key, value})
	}
	for i, term := range requiredNodes(spec) {
		for k := range term.MatchExpressions {
			lastOfTerm := len(term.MatchExpressions)+len(term.MatchFields) == 1
			steps = append(steps, dropExpression{term: i, expression: k, lastOfTerm: lastOfTerm, last: lastOfTerm && len(requiredNodes(spec)) == 1})
		}
	}
	for _, anti := range []bool{false, true} {
		for i := range requiredPods(spec, anti) {
			steps = append(steps, dropPodTerm{anti: anti, index: i})
		}
	}
	for i, c := range spec.TopologySpreadConstraints {
		steps = append(steps, loosenSpread{i, c.TopologyKey, [2]int32{c.MaxSkew, c.MaxSkew + 1}}, loosenSpread{i, c.TopologyKey, [2]int32{c.MaxSkew, 0}})
	}
	for _, c := range spec.Containers {
		for i, port := range c.Ports {
			steps = append(steps, dropHostPort{c.Name, i, port.HostPort, port.Protocol})
		}
		for name := range c.Resources.Requests {
			steps = append(steps, lowerRequest{container: c.Name, resource: name, to: 1})
		}
	}
	return steps
}

// Any change of any pod can be written as a patch, which makes it and no other,
// and taken back by another.
func TestEveryChangeHasAPatchAndAWayBack(t *testing.T) {
	count := 0
	rapid.Check(t, func(rt *rapid.T) {
		d := drawn(rt)
		for _, pod := range newRandomCluster(d, 1, 1, 4).pending {
			all := stepsFor(pod)
			for i := range all {
				steps := all[i : i+1]
				patch, back, err := patches(&pod.Spec, steps)
				if err != nil {
					rt.Fatalf("%s: %v", steps[0].title(), err)
				}
				if diff := cmp.Diff(jsonOf(rt, pod.Spec), there(rt, there(rt, jsonOf(rt, pod.Spec), patch), back)); diff != "" {
					rt.Fatalf("%s and back again (-before +after)\n%s", steps[0].title(), diff)
				}
				count++
			}
		}
	})
	if count < 100 {
		t.Errorf("only %d changes were tried", count)
	}
}

func jsonOf(t *rapid.T, spec corev1.PodSpec) corev1.PodSpec {
	raw, err := json.Marshal(spec)
	if err == nil {
		spec = corev1.PodSpec{}
		err = json.Unmarshal(raw, &spec)
	}
	if err != nil {
		t.Fatal(err)
	}
	return withoutEmpty(spec)
}

// there is a spec after a patch, as an API server makes it.
func there(t *rapid.T, spec corev1.PodSpec, patch map[string]any) corev1.PodSpec {
	raw, err := json.Marshal(spec)
	if err == nil {
		raw, err = strategicpatch.StrategicMergePatch(raw, []byte(shell.OneLine(patch)), corev1.PodSpec{})
	}
	if err == nil {
		spec = corev1.PodSpec{}
		err = json.Unmarshal(raw, &spec)
	}
	if err != nil {
		t.Fatal(err)
	}
	return withoutEmpty(spec)
}
