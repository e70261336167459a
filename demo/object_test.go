package demo

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestEachObjectOfARowIsDescribedAndPrinted(t *testing.T) {
	c := tellTest(t, FewestNodes, 1)
	sets, err := c.Client().AppsV1().ReplicaSets("team-a").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(sets.Items) != 1 {
		t.Fatalf("%v, %v", sets, err)
	}
	for _, row := range []struct {
		ref             model.Ref
		described, yaml string
	}{
		{model.Ref{Resource: "nodes", Name: "std-b-02"}, "Allocatable:", "apiVersion: v1\nkind: Node\n"},
		{model.Ref{Resource: "pods", Namespace: "search", Name: "index-2"}, "Node-Selectors:", "apiVersion: v1\nkind: Pod\n"},
		{model.Ref{Resource: "replicasets.apps", Namespace: "team-a", Name: sets.Items[0].Name}, "ReplicaFailure", "apiVersion: apps/v1\nkind: ReplicaSet\n"},
		{model.Ref{Resource: "daemonsets.apps", Namespace: "kube-system", Name: "node-agent"}, "Desired Number", "apiVersion: apps/v1\nkind: DaemonSet\n"},
		{model.Ref{Resource: "jobs.batch", Namespace: "ml", Name: "train"}, "Parallelism:", "apiVersion: batch/v1\nkind: Job\n"},
		{model.Ref{Resource: "statefulsets.apps", Namespace: "search", Name: "index"}, "", "apiVersion: apps/v1\nkind: StatefulSet\n"},
	} {
		text, err := c.Describe(t.Context(), row.ref)
		if (err == nil) != (row.described != "") || !strings.Contains(text, row.described) {
			t.Errorf("%v: %v, %s", row.ref, err, text)
		}
		if text, err = c.YAML(t.Context(), row.ref); err != nil || !strings.HasPrefix(text, row.yaml) {
			t.Errorf("%v: %v, %s", row.ref, err, text)
		}
		row.ref.Name += "x"
		if _, err = c.YAML(t.Context(), row.ref); err == nil {
			t.Errorf("%v is there", row.ref)
		}
	}
	if _, err := c.YAML(t.Context(), model.Ref{Resource: "services", Name: "x"}); err == nil || !strings.Contains(err.Error(), "not available in the demo") {
		t.Error(err)
	}
}
