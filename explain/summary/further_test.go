package summary

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestNodesWithEnoughCapacityAreNeitherUsedUpNorKeptForOthers(t *testing.T) {
	taints := func(keys ...string) (all []corev1.Taint) {
		for _, key := range keys {
			all = append(all, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
		return all
	}
	for name, c := range map[string]struct {
		rejection report.Rejection
		want      bool
	}{
		"anti-affinity":                 {report.Rejection{Plugin: names.InterPodAffinity}, true},
		"a host port":                   {report.Rejection{Plugin: names.NodePorts}, true},
		"attach limits":                 {report.Rejection{Plugin: names.NodeVolumeLimits}, false},
		"devices":                       {report.Rejection{Plugin: names.DynamicResources}, false},
		"storage of a class":            {report.Rejection{Plugin: names.VolumeBinding, Numbers: []report.Number{{Resource: "storage"}}}, false},
		"a volume elsewhere":            {report.Rejection{Plugin: names.VolumeBinding}, true},
		"a node selector":               {report.Rejection{Plugin: names.NodeAffinity}, false},
		"a taint for others":            {report.Rejection{Plugin: names.TaintToleration, Taints: taints("dedicated")}, false},
		"a taint of its state":          {report.Rejection{Plugin: names.TaintToleration, Taints: taints(corev1.TaintNodeNotReady)}, true},
		"of its state and for others":   {report.Rejection{Plugin: names.TaintToleration, Taints: taints(corev1.TaintNodeNotReady, "dedicated")}, false},
		"taints that could not be read": {report.Rejection{Plugin: names.TaintToleration}, false},
	} {
		g := &report.Group{Count: 1, Nodes: []string{"a"}, Rejections: []report.Rejection{c.rejection}}
		if got := hasCapacity(g); got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
