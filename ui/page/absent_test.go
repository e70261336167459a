package page_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

func TestWhatAPageNoLongerHasIsDeletedOnlyIfTheClusterHasNone(t *testing.T) {
	pod := &model.Pod{Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "1"}}}
	live := func(pods ...*model.Pod) *page.Observed {
		return &page.Observed{Snapshot: &model.Snapshot{Revision: 1, Pods: pods}}
	}
	step := live()
	step.Snapshot.Status.Taken = time.Unix(1, 0)
	for name, c := range map[string]struct {
		seen *page.Observed
		want string
	}{
		"scheduled, so no longer pending": {live(pod), "shop/cart is no longer shown here."},
		"deleted":                         {live(), "shop/cart was deleted."},
		"before it was created":           {step, "shop/cart does not exist at this step."},
	} {
		if got := page.AbsentPod(c.seen, pod, "shop/cart"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
