package nodes

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestMoreRequestedThanAllocatableIsLessThanNothingFree(t *testing.T) {
	cpu := func(amount string) model.Resources {
		return model.NewResources(corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(amount)})
	}
	n := &model.Node{}
	n.Allocatable, n.Requested = cpu("4"), cpu("96")
	if got := freeText(n, corev1.ResourceCPU); got != "-92" {
		t.Errorf("free %s, want -92", got)
	}
}
