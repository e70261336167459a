package command_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// stepsFor is every step that could be made for a pod by taking something away.
func stepsFor(pod *corev1.Pod) []remedy.Step {
	steps := []remedy.Step{remedy.Tolerate{Taint: gpuTaint}}
	spec := &pod.Spec
	for key, value := range spec.NodeSelector {
		steps = append(steps, remedy.DropSelector{Key: key, Value: value})
	}
	affinity := explaintest.OrNew(spec.Affinity)
	nodes := explaintest.OrNew(explaintest.OrNew(affinity.NodeAffinity).RequiredDuringSchedulingIgnoredDuringExecution).NodeSelectorTerms
	for i, term := range nodes {
		for k := range term.MatchExpressions {
			lastOfTerm := len(term.MatchExpressions)+len(term.MatchFields) == 1
			steps = append(steps, remedy.DropExpression{Term: i, Expression: k, LastOfTerm: lastOfTerm, Last: lastOfTerm && len(nodes) == 1})
		}
	}
	if len(nodes) > 0 {
		steps = append(steps, remedy.DropNodeAffinity{})
	}
	for i := range explaintest.OrNew(affinity.PodAffinity).RequiredDuringSchedulingIgnoredDuringExecution {
		steps = append(steps, remedy.DropPodTerm{Index: i})
	}
	for i := range explaintest.OrNew(affinity.PodAntiAffinity).RequiredDuringSchedulingIgnoredDuringExecution {
		steps = append(steps, remedy.DropPodTerm{Anti: true, Index: i})
	}
	for i, c := range spec.TopologySpreadConstraints {
		steps = append(steps, remedy.LoosenSpread{Index: i, Key: c.TopologyKey, MaxSkew: [2]int32{c.MaxSkew, c.MaxSkew + 1}}, remedy.LoosenSpread{Index: i, Key: c.TopologyKey, MaxSkew: [2]int32{c.MaxSkew, 0}}, remedy.LoosenSpread{Index: i, Key: c.TopologyKey, HonorTaints: true})
	}
	for _, c := range spec.Containers {
		for i, port := range c.Ports {
			steps = append(steps, remedy.DropHostPort{Container: c.Name, Index: i, Port: port.HostPort, Protocol: port.Protocol})
		}
		for name := range c.Resources.Requests {
			steps = append(steps, remedy.LowerRequest{Container: c.Name, Resource: name, To: 1})
		}
	}
	return steps
}

// Any change of any pod can be written as a patch, which makes it and no other,
// and taken back by another.
func TestEveryChangeHasAPatchAndAWayBack(t *testing.T) {
	count := 0
	rapid.Check(t, func(rt *rapid.T) {
		d := explaintest.Drawn(rt)
		for _, pod := range explaintest.RandomCluster(d, 1, 1, 4).Pending {
			all := stepsFor(pod)
			for i := range all {
				steps := all[i : i+1]
				patch, back, err := command.Patches(&pod.Spec, steps)
				if err != nil {
					rt.Fatalf("%s: %v", remedy.Title(steps[0]), err)
				}
				if diff := cmp.Diff(jsonOf(rt, pod.Spec), there(rt, there(rt, jsonOf(rt, pod.Spec), patch), back)); diff != "" {
					rt.Fatalf("%s and back again (-before +after)\n%s", remedy.Title(steps[0]), diff)
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
	return command.WithoutEmpty(spec)
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
	return command.WithoutEmpty(spec)
}
