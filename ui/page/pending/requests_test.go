package pending

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestRequestsNameEveryResource(t *testing.T) {
	for want, list := range map[string]corev1.ResourceList{
		"cpu 1, 512Mi": {"cpu": resource.MustParse("1"), "memory": resource.MustParse("512Mi")},
		"cpu 4, 8Gi, nvidia.com/gpu 2": {
			"cpu": resource.MustParse("4"), "memory": resource.MustParse("8Gi"), "nvidia.com/gpu": resource.MustParse("2"),
		},
		"cpu 0, 0, ephemeral-storage 10Gi, example.com/fpga 1, hugepages-2Mi 4Mi": {
			"ephemeral-storage": resource.MustParse("10Gi"), "hugepages-2Mi": resource.MustParse("4Mi"), "example.com/fpga": resource.MustParse("1"),
		},
	} {
		if got := requests(model.NewResources(list), ""); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
	}
}
