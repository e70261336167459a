package snapshot

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestEventsOfAutoscalersAreHeardInAListOfKubectl about the pod alone, the newest of each.
func TestEventsOfAutoscalersAreHeardInAListOfKubectl(t *testing.T) {
	event := func(name, component, uid, reason, message string, minute int) string {
		return fmt.Sprintf("---\n{apiVersion: v1, kind: Event, metadata: {namespace: shop, name: %s}, involvedObject: {kind: Pod, namespace: shop, name: web, uid: %s}, "+
			"source: {component: %s}, reason: %s, message: %s, lastTimestamp: '2026-07-01T12:%02d:00Z'}\n", name, uid, component, reason, message, minute)
	}
	f, err := Read(strings.NewReader("{apiVersion: v1, kind: Node, metadata: {name: a}}\n"+
		event("a", "cluster-autoscaler", "u1", "TriggeredScaleUp", "old", 1)+
		event("b", "cluster-autoscaler", "u1", "NotTriggerScaleUp", "new", 3)+
		event("c", "karpenter", "u1", "FailedScheduling", "no NodePool", 2)+
		event("d", "cluster-autoscaler", "u2", "NotTriggerScaleUp", "another", 4)+
		event("e", "kubelet", "u1", "Pulled", "image", 5)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	source, err := f.Source()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, word := range source.Autoscalers(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u1"}}) {
		got = append(got, word.Component+": "+word.Message)
	}
	if said := strings.Join(got, "; "); said != "cluster-autoscaler: new; karpenter: no NodePool" {
		t.Errorf("heard %q", said)
	}
}
