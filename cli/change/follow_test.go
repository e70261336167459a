package change

import (
	"slices"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

func TestEachStepOfAPodIsToldOnce(t *testing.T) {
	ref := model.Ref{Resource: "pods", Namespace: "shop", Name: "cart-0", UID: "1"}
	back := model.Ref{Resource: "pods", Namespace: "shop", Name: "cart-0", UID: "2"}
	said := newNews()
	for _, step := range []struct {
		pod  plan.PodProgress
		why  string
		want []string
	}{
		{plan.PodProgress{State: plan.PodWaits}, "", nil},
		{plan.PodProgress{State: plan.PodWaits, Said: "no answer in time"}, "", []string{"shop/cart-0: no answer in time; trying again"}},
		{plan.PodProgress{State: plan.PodBlocked, Budget: "cart", Said: "Cannot evict."}, "", []string{"shop/cart-0: rejected by PodDisruptionBudget cart, trying again. kube-apiserver: Cannot evict."}},
		{plan.PodProgress{State: plan.PodBlocked, Budget: "cart", Said: "Cannot evict.", Again: time.Unix(9, 0)}, "", nil},
		{plan.PodProgress{State: plan.PodBlocked, Budget: "cart", Said: "Cannot evict."}, "the connection is lost", []string{"drain a: the connection is lost"}},
		{plan.PodProgress{State: plan.PodAsked}, "", []string{"shop/cart-0: eviction accepted"}},
		{plan.PodProgress{State: plan.PodTerminating, Grace: time.Minute}, "", []string{"shop/cart-0: terminating, grace period 60s"}},
		{plan.PodProgress{State: plan.PodTerminating, Grace: time.Minute, Help: "a finalizer holds it"}, "", []string{"shop/cart-0: terminating: a finalizer holds it"}},
		{plan.PodProgress{State: plan.PodGone, Back: back}, "", []string{"shop/cart-0: evicted, 1 of 1", "shop/cart-0: replaced by shop/cart-0, Pending"}},
		{plan.PodProgress{State: plan.PodGone, Back: back, BackNode: "b"}, "", []string{"shop/cart-0: replaced by shop/cart-0 on b"}},
		{plan.PodProgress{State: plan.PodFailed, Said: "no", Help: "ask", Back: back, BackNode: "b"}, "", []string{"shop/cart-0: not evicted. kube-apiserver: no; ask"}},
		{plan.PodProgress{State: plan.PodUnknown, Said: "no answer in time", Back: back, BackNode: "b"}, "", []string{"shop/cart-0: unknown whether it is evicted: no answer in time"}},
	} {
		step.pod.Pod = ref
		job := &plan.Progress{Name: "drain a", Why: step.why, Pods: []plan.PodProgress{step.pod}}
		if got := said.of(job); !slices.Equal(got, step.want) {
			t.Errorf("%s tells %q, want %q", step.pod.State, got, step.want)
		}
	}
}
