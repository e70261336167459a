package query

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func TestNodesAreSorted(t *testing.T) {
	s := fleet()
	fields := NodeFields(modeltest.Epoch, s.Usage)
	for _, c := range []struct {
		says, field string
		descending  bool
		want        string
	}{
		{"by name", "name", true, "std-b-02 spot-b-01 spot-a-01 gpu-a-01"},
		{"by a quantity", "cpu.free", false, "spot-b-01 spot-a-01 std-b-02 gpu-a-01"},
		{"equal ones as they came", "zone", false, "gpu-a-01 spot-a-01 spot-b-01 std-b-02"},
		{"and so the other way round", "zone", true, "spot-b-01 std-b-02 gpu-a-01 spot-a-01"},
		{"not known is last", "cpu.used", false, "std-b-02 gpu-a-01 spot-a-01 spot-b-01"},
		{"and last the other way round", "cpu.used", true, "gpu-a-01 std-b-02 spot-a-01 spot-b-01"},
		{"by another name of the field", "MEM-FREE", true, "gpu-a-01 std-b-02 spot-a-01 spot-b-01"},
	} {
		sorted, err := fields.Sort(s.Nodes, c.field, c.descending)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, node := range sorted {
			names = append(names, node.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.says, got, c.want)
		}
	}
	if _, err := fields.Sort(s.Nodes, "colour", false); err == nil || !strings.HasPrefix(err.Error(), "sort by colour: no such field; fields: name status") {
		t.Errorf("no such field: %v", err)
	}
}

func TestPodsAreSortedByWhatTheColumnShows(t *testing.T) {
	s := fleet()
	sorted, err := PodFields(modeltest.Epoch, s).Sort(s.Pods, "name", true)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(sorted); i++ {
		if model.ComparePods(sorted[i-1], sorted[i]) < 0 {
			t.Errorf("%s before %s", sorted[i-1].FullName(), sorted[i].FullName())
		}
	}
}

func TestSortingLosesNothing(t *testing.T) {
	s := fleet()
	fields := PodFields(modeltest.Epoch, s)
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.SampledFrom(fields.List).Draw(t, "field")
		descending := rapid.Bool().Draw(t, "descending")
		sorted, err := fields.Sort(s.Pods, field.Name, descending)
		if err != nil || len(sorted) != len(s.Pods) {
			t.Fatalf("%d rows of %d: %v", len(sorted), len(s.Pods), err)
		}
		known, seen := true, map[*model.Pod]bool{}
		for _, pod := range sorted {
			if seen[pod] {
				t.Fatalf("%s is there twice", pod.FullName())
			}
			seen[pod] = true
			isKnown := !field.Value(pod).Unknown
			if isKnown && !known {
				t.Fatalf("%s: %s is known and comes after one that is not", field.Name, pod.FullName())
			}
			known = isKnown
		}
	})
}

func TestEveryCellHasItsWholeText(t *testing.T) {
	s := fleet()
	nodes, pods := NodeFields(modeltest.Epoch, s.Usage), PodFields(modeltest.Epoch, s)
	for _, c := range []struct{ says, field, want string }{
		{"free of allocatable", "cpu.free", "11.4/15.9"},
		{"memory too", "mem.free", "51/60Gi"},
		{"pods", "pods", "2/110"},
		{"age", "age", "41d"},
		{"used", "cpu.used", "6.1"},
		{"limits", "limits", "cpu 4, memory 8Gi"},
	} {
		node, _ := s.Node("std-b-02")
		field, ok := nodes.Field(c.field)
		if !ok || field.Text(node) != c.want {
			t.Errorf("%s: %q, want %q", c.says, field.Text(node), c.want)
		}
	}
	for _, c := range []struct{ says, field, want string }{
		{"namespace and name", "name", "batch/report-1"},
		{"ready of all", "ready", "1/1"},
		{"class of service", "qos", "Guaranteed"},
		{"restarts", "restarts", "3"},
		{"no address yet", "ip", ""},
		{"no limit of gpus", "gpu.limit", "?"},
	} {
		field, ok := pods.Field(c.field)
		if pod, _ := s.PodNamed("batch", "report-1"); !ok || field.Text(pod) != c.want {
			t.Errorf("%s: %q, want %q", c.says, field.Text(pod), c.want)
		}
	}
}
