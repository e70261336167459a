package snapshot

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestAClassThatIsNotInTheFileRejectsPods only where the file has all classes: fathom's own file that could
// list them, or a List of kubectl with the PriorityClasses that every cluster has.
func TestAClassThatIsNotInTheFileRejectsPods(t *testing.T) {
	const (
		own    = "{apiVersion: fathom/v1alpha1, kind: SnapshotInfo, taken: '2026-07-01T12:00:00Z'}\n"
		unread = "{apiVersion: fathom/v1alpha1, kind: SnapshotInfo, taken: '2026-07-01T12:00:00Z', unread: [{resource: priorityclasses, why: not allowed}, {resource: runtimeclasses, why: not allowed}]}\n"
		system = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-node-critical}, value: 2000001000}\n---\n" +
			"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-cluster-critical}, value: 2000000000}\n"
		high = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}\n"
		kata = "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: kata}, handler: kata}\n"
	)
	for name, c := range map[string]struct{ file, priority, runtime, want string }{
		"all are there":                     {own + "---\n" + high + "---\n" + kata, "high", "kata", ""},
		"none is there":                     {own, "high", "kata", "PriorityClass high does not exist; RuntimeClass kata does not exist"},
		"they may not be listed":            {unread, "high", "kata", ""},
		"kubectl, with those of a cluster":  {system, "high", "kata", "PriorityClass high does not exist"},
		"kubectl, and it is there":          {system + "---\n" + high, "high", "", ""},
		"kubectl, some of them":             {high, "low", "", ""},
		"kubectl, none of them":             {kata, "high", "gvisor", ""},
		"kubectl, those of a cluster alone": {system, "system-node-critical", "", ""},
	} {
		f, err := Read(strings.NewReader("{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n"+c.file), ReadOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		source, err := f.Source()
		if err != nil {
			t.Fatal(name, err)
		}
		pod := &corev1.Pod{Spec: corev1.PodSpec{PriorityClassName: c.priority}}
		if c.runtime != "" {
			pod.Spec.RuntimeClassName = &c.runtime
		}
		var got []string
		for _, r := range source.MissingClasses(t.Context(), pod) {
			got = append(got, r.Short)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
