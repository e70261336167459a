package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was not evaluated is unknown in the table's sums too, never 0.
func TestSumsOfPluginsThatWereNotEvaluatedAreUnknown(t *testing.T) {
	group := func(plugin string, count int) Group {
		return Group{Count: count, Nodes: make([]string, count), Fits: new(false), Rejections: []Rejection{{Plugin: plugin}}}
	}
	r := &Report{
		Total: 5, Groups: []Group{group("NodeResourcesFit", 3), group("TaintToleration", 2)},
		Plugins: []PluginResult{{Name: "NodeResourcesFit", Rejects: 3, Alone: 3}, {Name: "TaintToleration", Rejects: 2, Alone: 2}},
	}
	for name, test := range map[string]struct {
		unknown []string
		want    [][3]string // plugin, rejects, only
	}{
		"all were evaluated": {nil, [][3]string{{"TaintToleration", "2", "2"}, {"NodeResourcesFit", "3", "3"}}},
		"one was not": {[]string{"VolumeBinding"}, [][3]string{
			{"TaintToleration", "2", "?"}, {"NodeResourcesFit", "3", "?"}, {"VolumeBinding", "?", "?"},
		}},
		"kube-apiserver's rejects no node": {[]string{"LimitRanger"}, [][3]string{
			{"TaintToleration", "2", "2"}, {"NodeResourcesFit", "3", "3"},
		}},
		"preemption rejects no node": {[]string{"DefaultPreemption"}, [][3]string{
			{"TaintToleration", "2", "2"}, {"NodeResourcesFit", "3", "3"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := *r
			if test.unknown != nil {
				asked.Unknown = []UnknownPart{{Resource: "persistentvolumeclaims", Plugins: test.unknown}}
			}
			table := asked.GroupTable(nil)
			var got [][3]string
			for _, plugin := range table.Columns {
				rejects, only := table.CountCells(plugin)
				got = append(got, [3]string{plugin, rejects, only})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
