package act

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// changed is a reaction before which somebody else changes the pod.
func (w *world) changed(name string) clienttesting.ReactionFunc {
	return func(clienttesting.Action) (bool, runtime.Object, error) {
		p := w.pod(name)
		p.ResourceVersion = "another"
		w.update(p)
		return false, nil, nil
	}
}

func TestTheDryRunOfEndsSays(t *testing.T) {
	forbidden := apierrors.NewForbidden(podsResource.GroupResource(), "cart", errors.New("no"))
	for _, test := range []struct {
		says    string
		how     plan.Termination
		refuse  error
		refused []string
		err     error
	}{
		{"nothing where all is accepted", plan.Evicted, nil, nil, nil},
		{"only how many a budget refuses for now", plan.Evicted, budgetRefuses(), nil, nil},
		{"nothing where the pod is gone", plan.Evicted, apierrors.NewNotFound(podsResource.GroupResource(), "cart"), nil, nil},
		{"the server's words where it refuses", plan.Evicted, forbidden, []string{`pods "cart" is forbidden: no`}, nil},
		{"that there is no answer", plan.Evicted, errNoAnswer, nil, errNoAnswer},
		{"nothing of a deletion that is accepted", plan.Deleted, nil, nil, nil},
		{"that the pod to delete has changed", plan.Deleted, apierrors.NewConflict(podsResource.GroupResource(), "cart", errors.New("other")), nil, ErrChanged},
	} {
		t.Run(test.says, func(t *testing.T) {
			w := newWorld(t, running("cart"), running("ending", terminating))
			refuse := func(clienttesting.Action) (bool, runtime.Object, error) { return test.refuse != nil, nil, test.refuse }
			w.client.PrependReactor("create", "pods", refuse)
			w.client.PrependReactor("delete", "pods", refuse)
			a := New(Options{State: w, Reader: w.client, DryRunner: w.client, Writer: fake.NewClientset()})
			defer a.Close()
			plan, err := a.Plan(t.Context(), ends{how: test.how})
			if !errors.Is(err, test.err) {
				t.Fatalf("the error is %v", err)
			}
			blocked := 0
			if test.refuse != nil && refusedForNow(test.refuse) {
				blocked = 1
			}
			if err == nil && (!slices.Equal(plan.Verdict.Rejections, test.refused) || !plan.Verdict.Asked || plan.Verdict.Untried != 0 || plan.Verdict.Blocked != blocked) {
				t.Errorf("the verdict is %+v", plan.Verdict)
			}
			if w.pod("cart").DeletionTimestamp != nil || w.evictions("ending") != 0 {
				t.Error("a dry run ended a pod, or one was sent for a pod that ends already")
			}
		})
	}
}

var errNoAnswer = errors.New("no answer")

func TestOfManyEndsSomeAreTried(t *testing.T) {
	w := newWorld(t)
	for i := range mostTries + 7 {
		w.add(running(fmt.Sprintf("p-%03d", i)))
	}
	a := New(Options{State: w, Reader: w.client, DryRunner: w.client, Writer: fake.NewClientset()})
	defer a.Close()
	plan, err := a.Plan(t.Context(), ends{how: plan.Evicted})
	if err != nil || plan.Verdict.Untried != 7 || w.evictions("p-000") != 1 || w.evictions("p-056") != 0 {
		t.Errorf("the verdict is %+v, %v", plan.Verdict, err)
	}
}

func TestKubectlDrainsFiltersLetEnd(t *testing.T) {
	w := newWorld(
		t, running("bare"), running("cart", of("ReplicaSet", "cart")),
		running("static", func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"} }),
		running("orphan", of("DaemonSet", "gone"), func(p *corev1.Pod) { p.OwnerReferences[0].APIVersion = "apps/v1" }),
		running("scratch", func(p *corev1.Pod) {
			p.Spec.Volumes = []corev1.Volume{{VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		}),
	)
	a := New(Options{State: w, Reader: w.client, DryRunner: fake.NewClientset(), Writer: fake.NewClientset()})
	defer a.Close()
	facts, err := a.facts(t.Context(), ends{nodes: []string{"n1"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, uid := range facts.Filtered["n1"] {
		names = append(names, strings.TrimPrefix(string(uid), "uid-"))
	}
	slices.Sort(names)
	if want := []string{"bare", "cart", "orphan", "scratch"}; !slices.Equal(names, want) {
		t.Errorf("the pods are %v, want %v", names, want)
	}
	w.client.PrependReactor("get", "daemonsets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errNoAnswer
	})
	if _, err := a.facts(t.Context(), ends{nodes: []string{"n1"}}); err == nil || !strings.Contains(err.Error(), "list pods of n1 to drain") {
		t.Errorf("where a filter cannot decide the error is %v", err)
	}
}
