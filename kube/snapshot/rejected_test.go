package snapshot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// withoutTemplate strips objects as the informers of a cluster do: templates of controllers go.
func withoutTemplate(object any) (any, error) {
	switch o := object.(type) {
	case *appsv1.ReplicaSet:
		o.Spec.Template = corev1.PodTemplateSpec{}
	case *appsv1.StatefulSet:
		o.Spec.Template = corev1.PodTemplateSpec{}
	}
	return object, nil
}

// TestAListShowsWhichPodsWereRejected reads what kubectl get prints: conditions of ReplicaSets and
// events about other controllers.
func TestAListShowsWhichPodsWereRejected(t *testing.T) {
	taken := time.Date(2026, 7, 1, 12, 30, 0, 0, time.UTC)
	template := `{selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {containers: [{name: a, image: x}]}}, `
	controller := func(kind, name, spec, status string) string {
		return fmt.Sprintf("- {apiVersion: apps/v1, kind: %s, metadata: {namespace: shop, name: %s, uid: %s}, spec: %s%s}, status: {%s}}\n", kind, name, name, template, spec, status)
	}
	event := func(kind, name, at string) string {
		return fmt.Sprintf("- {apiVersion: v1, kind: Event, metadata: {namespace: shop, name: %s.1}, involvedObject: {kind: %s, namespace: shop, name: %s, uid: %s}, "+
			"reason: FailedCreate, message: forbidden, firstTimestamp: %q, lastTimestamp: %q, type: Warning}\n", name, kind, name, name, at, at)
	}
	lately, longAgo := "2026-07-01T12:20:00Z", "2026-07-01T09:00:00Z"
	failed := `replicas: 1, conditions: [{type: ReplicaFailure, status: "True", reason: FailedCreate, message: forbidden, lastTransitionTime: "2026-07-01T12:00:00Z"}]`
	for name, test := range map[string]struct{ items, rejected, unread string }{
		"a ReplicaSet":                   {controller("ReplicaSet", "web", "replicas: 3", failed), "web 2 of 3", "of ReplicaSets only"},
		"one that does not say so":       {controller("ReplicaSet", "web", "replicas: 3", "replicas: 1") + event("ReplicaSet", "web", lately), "", ""},
		"a StatefulSet":                  {controller("StatefulSet", "db", "replicas: 3", "replicas: 2") + event("StatefulSet", "db", lately), "db 1 of 3", ""},
		"long ago":                       {controller("StatefulSet", "db", "replicas: 3", "replicas: 2") + event("StatefulSet", "db", longAgo), "", "of the last hour"},
		"a StatefulSet that is complete": {controller("StatefulSet", "db", "replicas: 3", "replicas: 3") + event("StatefulSet", "db", lately), "", ""},
		"a DaemonSet":                    {controller("DaemonSet", "agent", "", "desiredNumberScheduled: 5, currentNumberScheduled: 3") + event("DaemonSet", "agent", lately), "agent 2 of 5", ""},
		"one that is not in the file":    {event("DaemonSet", "agent", lately), "", "the file does not have DaemonSet shop/agent"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Read(strings.NewReader("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: node-1}}\n"+test.items), ReadOptions{Name: "x", Taken: taken, Strip: withoutTemplate})
			if err != nil {
				t.Fatal(err)
			}
			refused, unread := f.refused()
			var got, why string
			for _, r := range refused {
				if len(r.Pod.Spec.Containers) != 1 {
					t.Errorf("its pod is %v", r.Pod.Spec)
				}
				got += fmt.Sprintf("%s %d of %d", r.Pod.OwnerReferences[0].Name, r.Missing, r.Wanted)
			}
			for _, u := range unread {
				why += u.Why
			}
			if got != test.rejected || !strings.Contains(why, test.unread) || test.unread == "" && why != "" {
				t.Errorf("rejected %q, unread %q", got, why)
			}
		})
	}
}
