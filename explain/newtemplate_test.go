package explain

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// updatesAll is the strategy that the API server gives to a StatefulSet without one.
var updatesAll = appsv1.StatefulSetUpdateStrategy{
	Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(0))},
}

// TestPodsOfAChangedTemplateHaveAnotherHash: what matchLabelKeys make of it does not count the pods of the template before.
func TestPodsOfAChangedTemplateHaveAnotherHash(t *testing.T) {
	const hash, revision = appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey
	meta := metav1.ObjectMeta{Namespace: "s", Name: "web-1", UID: "web-1", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "web", Controller: new(true)},
	}}
	template := corev1.PodTemplateSpec{Spec: testPod("s/t", "", "3").Spec}
	ofDeployment := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(2)), Template: template}}
	bare := ofDeployment.DeepCopy()
	bare.OwnerReferences = nil
	ofSet := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "s", Name: "web", UID: "web"},
		Spec:       appsv1.StatefulSetSpec{Replicas: new(int32(2)), PodManagementPolicy: appsv1.ParallelPodManagement, Template: template, UpdateStrategy: updatesAll},
		Status:     appsv1.StatefulSetStatus{UpdateRevision: "h1", CurrentRevision: "h1"},
	}
	apart := func(keys ...string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Labels = map[string]string{"app": "web", hash: "h1", revision: "h1"}
			term := podTerm(corev1.LabelHostname, "web", "s")
			term.MatchLabelKeys = keys
			awayFrom(term)(p)
			labelkeys.Merge(p)
		}
	}
	replica := podControlledBy("apps/v1", "ReplicaSet", "web-1")
	ordinal := podControlledBy("apps/v1", "StatefulSet", "web")
	for name, c := range map[string]struct {
		set  runtime.Object
		of   func(*corev1.Pod)
		keys []string
		kind report.FixKind
		want int // nodes that open
	}{
		"another request":                           {ofDeployment, replica, []string{hash}, report.FixRequest, 2},
		"another request, of a StatefulSet":         {ofSet, ordinal, []string{revision}, report.FixRequest, 2},
		"another request, without a Deployment":     {bare, replica, []string{hash}, report.FixRequest, 1},
		"another request, without keys":             {ofDeployment, replica, nil, report.FixRequest, 1},
		"another request, and the key of a version": {ofDeployment, replica, []string{"app"}, report.FixRequest, 1},
		"an uncordoned node":                        {ofDeployment, replica, []string{hash}, report.FixUncordon, 1},
	} {
		t.Run(name, func(t *testing.T) {
			pending := testPod("s/web-b", "", "3", c.of, apart(c.keys...))
			e := startEngine(t, Options{Lookups: Lookups{Facts: func(context.Context, model.Ref) command.Facts { return command.Facts{Replicas: 2, MaxSurge: 1} }}},
				testNode("a", "8", nodeLabel(corev1.LabelHostname, "a")), testNode("b", "2", nodeLabel(corev1.LabelHostname, "b")),
				testNode("c", "8", nodeLabel(corev1.LabelHostname, "c"), cordoned), c.set, testPod("s/web-a", "a", "3", c.of, apart(c.keys...)), pending)
			got := 0
			for _, fix := range mustFix(t, e, pending).Tried {
				if fix.Kind == c.kind && fix.Steps == 1 {
					got = fix.NodesGained
				}
			}
			if got != c.want {
				t.Errorf("opens %d nodes, want %d", got, c.want)
			}
		})
	}
}
