package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Which sets of features a node declares decides, with the pod the same.
func TestTheFeaturesThatANodeDoesNotDeclareAreNamed(t *testing.T) {
	const users, restart = "UserNamespacesHostNetworkSupport", "RestartAllContainersOnContainerExits"
	declaring := func(features ...string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Status.DeclaredFeatures = features }
	}
	pod := testPod("shop/x", "", "", func(p *corev1.Pod) {
		p.Spec.HostNetwork, p.Spec.HostUsers = true, new(false)
		p.Spec.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{{
			Action:    corev1.ContainerRestartRuleActionRestartAllContainers,
			ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{1}},
		}}
	})
	r := mustExplain(t, startEngine(t, Options{}, testNode("both", "4", declaring(restart, users)),
		testNode("none", "4"), testNode("one", "4", declaring(restart))), pod)
	rejection := refusalIn(t, r, names.NodeDeclaredFeatures, "none")
	same(t, rejection.What, "none: the pod requires node features "+restart+", "+users+", the node declares none")
	same(t, rejection.Short, "no node feature "+restart+", "+users)
	rejection = refusalIn(t, r, names.NodeDeclaredFeatures, "one")
	same(t, rejection.What, "one: the pod requires node feature "+users+", the node declares "+restart)
	same(t, rejection.Short, "no node feature "+users)
	if r.Verdict != report.Schedulable || r.Fits != 1 || len(r.Groups) != 3 {
		t.Errorf("%s on %d nodes in %d groups", r.Verdict, r.Fits, len(r.Groups))
	}
}

func TestNothingIsSaidOfFeaturesThatNoPodNeeds(t *testing.T) {
	e := startEngine(t, Options{}, testNode("n", "4"))
	x := e.begin(t.Context(), testPod("shop/x", "", ""))
	for _, node := range must(e.scheduler.State.NodeInfos().List()) {
		if lacking := plugins.Undeclared(x.question, plugins.NodeRejection{Plugin: names.NodeDeclaredFeatures, Node: node}); len(lacking) > 0 {
			t.Errorf("%v are said to be missing", lacking)
		}
	}
}
