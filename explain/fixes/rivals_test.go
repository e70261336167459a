package fixes

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// Whoever takes the room of a fix first decides who else finds some: the order must
// not be that of a map, or of a hash over what a snapshot leaves out.
func TestRivalsComeInTheOrderOfTheQueue(t *testing.T) {
	now := time.Date(2026, 11, 19, 14, 0, 0, 0, time.UTC)
	rival := func(fullName string, priority int32, age time.Duration) *corev1.Pod {
		namespace, name, _ := strings.Cut(fullName, "/")
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: metav1.NewTime(now.Add(-age))},
			Spec:       corev1.PodSpec{Priority: &priority},
		}
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
