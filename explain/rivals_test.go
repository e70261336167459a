package explain

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// Whoever takes the room of a fix first decides who else finds some: the order must
// not be that of a map, or of a hash over what a snapshot leaves out.
func TestRivalsComeInTheOrderOfTheQueue(t *testing.T) {
	rival := func(name string, priority int32, age time.Duration) *corev1.Pod {
		return testPod(name, "", "1", func(p *corev1.Pod) {
			p.Spec.Priority, p.CreationTimestamp = &priority, metav1.NewTime(Moment().Add(-age))
		})
	}
	pods := []*corev1.Pod{rival("b/new", 0, 0), rival("a/new", 0, 0), rival("z/old", 0, time.Hour), rival("z/first", 9, 0)}
	slices.SortFunc(pods, byTurn)
	var order []string
	for _, pod := range pods {
		order = append(order, plugins.FullName(pod))
	}
	if want := []string{"z/first", "z/old", "a/new", "b/new"}; !slices.Equal(order, want) {
		t.Errorf("they come as %v", order)
	}
}
