package remedy_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
)

// TestAStepDoesNotApplyToAPodOfAnOlderTemplate that lacks what is changed: it is made to the other pods of the
// workload too.
func TestAStepDoesNotApplyToAPodOfAnOlderTemplate(t *testing.T) {
	older := explaintest.Pod("s/x", "", "1", explaintest.AwayFrom(explaintest.PodTerm(corev1.LabelHostname, "x", "s")))
	older.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{TopologyKey: corev1.LabelHostname, MaxSkew: 1}}
	older.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
	container := older.Spec.Containers[0].Name
	for name, step := range map[string]remedy.Step{
		"a request of another container":      remedy.LowerRequest{Container: "sidecar", Resource: corev1.ResourceCPU, To: 100},
		"a node selector":                     remedy.SetSelector{Key: "disk", Values: [2]string{"sdd", "ssd"}},
		"a node affinity":                     remedy.DropExpression{},
		"an affinity":                         remedy.DropPodTerm{},
		"a second anti-affinity":              remedy.DropPodTerm{Anti: true, Index: 1},
		"a second spread constraint":          remedy.LoosenSpread{Index: 1, Key: corev1.LabelHostname},
		"a spread constraint by zone":         remedy.LoosenSpread{Key: corev1.LabelTopologyZone},
		"a second port":                       remedy.DropHostPort{Container: container, Index: 1, Port: 9100},
		"another host port at the same place": remedy.DropHostPort{Container: container, Port: 9100},
	} {
		if changed, err := remedy.Apply(nil, older, step); err == nil {
			t.Errorf("%s: %+v", name, changed.Spec)
		}
	}
}
