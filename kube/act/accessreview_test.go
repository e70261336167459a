package act

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clientgotesting "k8s.io/client-go/testing"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestRightsAreAskedForOnceAMinute(t *testing.T) {
	var asked atomic.Int32
	var broken atomic.Bool
	client := fake.NewClientset()
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action clientgotesting.Action) (bool, runtime.Object, error) {
		asked.Add(1)
		if broken.Load() {
			return true, nil, errors.New("no answer")
		}
		review := action.(clientgotesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
		of := review.Spec.ResourceAttributes
		review.Status.Allowed = of.Resource == "pods" && of.Subresource == "eviction"
		review.Status.Reason = "RBAC:\x1b[31m no role"
		return true, review, nil
	})
	clock := testingclock.NewFakeClock(time.Unix(0, 0))
	a := New(Options{Reader: client, Clock: clock})
	evict := model.Right{Verb: "create", Resource: "pods/eviction", Namespace: "shop"}
	patch := model.Right{Verb: "patch", Resource: "nodes"}
	look := func(want int32) {
		t.Helper()
		found, err := a.Rights(t.Context(), []model.Right{evict, patch, patch})
		if err != nil {
			t.Fatal(err)
		}
		if !found[evict].Allowed || found[patch].Allowed || found[patch].Why != "RBAC: no role" {
			t.Errorf("rights are %+v", found)
		}
		if got := asked.Load(); got != want {
			t.Errorf("%d questions, want %d", got, want)
		}
	}
	look(2)
	clock.Step(59 * time.Second)
	look(2)
	clock.Step(time.Second)
	look(4)

	broken.Store(true)
	clock.Step(time.Hour)
	if _, err := a.Rights(t.Context(), []model.Right{evict}); err == nil {
		t.Error("no answer is taken for one")
	}
	broken.Store(false)
	look(7)
}
