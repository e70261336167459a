package act

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

var (
	podsResource = corev1.SchemeGroupVersion.WithResource("pods")
	podKind      = corev1.SchemeGroupVersion.WithKind("Pod")
)

// world is a cluster of pods. Its kubelets take each pod's grace period to end it;
// its snapshots are always new.
type world struct {
	t      *testing.T
	client *fake.Clientset
	nodes  []string
	// refuse is what the server says to the nth request for an eviction of a pod.
	refuse func(pod string, n int) error

	mu      sync.Mutex
	cordons map[string]bool // of nodes
	asked   map[string]int
	lost    bool // the connection
	version int
	old     *model.Snapshot // the last before it was lost
}

func newWorld(t *testing.T, pods ...*corev1.Pod) *world {
	w := &world{t: t, client: fake.NewClientset(), asked: map[string]int{}}
	for _, p := range pods {
		w.add(p)
	}
	w.client.PrependReactor("create", "pods", w.evict)
	w.client.PrependReactor("delete", "pods", w.delete)
	return w
}

// Newest implements State.
func (w *world) Newest() *model.Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost {
		lost := *w.old
		lost.Status.Connection.Live = false
		return &lost
	}
	builder := model.NewBuilder()
	for _, name := range w.nodes {
		builder.Node(nil, node(name, func(n *corev1.Node) { n.Spec.Unschedulable = w.cordons[name] }))
	}
	for _, p := range w.pods() {
		builder.Pod(nil, p)
	}
	w.old = builder.Build(int64(w.version), model.Status{Connection: model.Connection{Live: true}}, nil)
	return w.old
}

// cordon cordons a node, or uncordons it.
func (w *world) cordon(name string, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cordons, w.version = map[string]bool{name: on}, w.version+1
}

// Forecast implements State: nothing is foretold.
func (w *world) Forecast(context.Context, plan.Hypothesis) (*plan.Forecast, error) {
	return &plan.Forecast{}, nil
}

func (w *world) pods() []*corev1.Pod {
	list, err := w.client.Tracker().List(podsResource, podKind, "")
	if err != nil {
		w.t.Error(err)
		return nil
	}
	var pods []*corev1.Pod
	for _, p := range list.(*corev1.PodList).Items {
		pods = append(pods, p.DeepCopy())
	}
	return pods
}

func (w *world) pod(name string) *corev1.Pod {
	for _, p := range w.pods() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (w *world) add(p *corev1.Pod) {
	w.mu.Lock()
	w.version++
	p.ResourceVersion = fmt.Sprint(w.version)
	w.mu.Unlock()
	if err := w.client.Tracker().Create(podsResource, p, p.Namespace); err != nil {
		w.t.Error(err)
	}
}

func (w *world) update(p *corev1.Pod) {
	if err := w.client.Tracker().Update(podsResource, p, p.Namespace); err != nil {
		w.t.Error(err)
	}
}

func (w *world) remove(name string) {
	if err := w.client.Tracker().Delete(podsResource, "shop", name); err != nil {
		w.t.Error(err)
	}
}

func (w *world) lose(on bool) {
	w.Newest()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = on
}

// evictions are how often an eviction of the pod was asked for.
func (w *world) evictions(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[name]
}

func (w *world) evict(action clienttesting.Action) (bool, runtime.Object, error) {
	if action.GetSubresource() != "eviction" {
		return false, nil, nil
	}
	eviction := action.(clienttesting.CreateAction).GetObject().(*policyv1.Eviction)
	w.mu.Lock()
	w.asked[eviction.Name]++
	n := w.asked[eviction.Name]
	w.mu.Unlock()
	if w.refuse != nil {
		if err := w.refuse(eviction.Name, n); err != nil {
			return true, nil, err
		}
	}
	return true, nil, w.end(eviction.Name, *eviction.DeleteOptions)
}

func (w *world) delete(action clienttesting.Action) (bool, runtime.Object, error) {
	deletion := action.(clienttesting.DeleteAction)
	return true, nil, w.end(deletion.GetName(), deletion.GetDeleteOptions())
}

// end lets a pod end in its grace period, and one with a finalizer never.
func (w *world) end(name string, options metav1.DeleteOptions) error {
	p := w.pod(name)
	if p == nil {
		return apierrors.NewNotFound(podsResource.GroupResource(), name)
	}
	if only := options.Preconditions; *only.UID != p.UID || only.ResourceVersion != nil && *only.ResourceVersion != p.ResourceVersion {
		return apierrors.NewConflict(podsResource.GroupResource(), name, fmt.Errorf("the precondition does not match"))
	}
	if slices.Contains(options.DryRun, metav1.DryRunAll) {
		return nil
	}
	grace := *p.Spec.TerminationGracePeriodSeconds
	p.DeletionTimestamp = &metav1.Time{Time: time.Now().Add(time.Duration(grace) * time.Second)}
	p.DeletionGracePeriodSeconds = &grace
	w.update(p)
	if len(p.Finalizers) == 0 {
		time.AfterFunc(time.Duration(grace)*time.Second, func() { w.remove(name) })
	}
	return nil
}

// running is a pod on n1 with a grace period of two seconds.
func running(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-" + name)},
		Spec:       corev1.PodSpec{NodeName: "n1", TerminationGracePeriodSeconds: new(int64(2))},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

func on(node string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.NodeName = node } }

func of(kind, name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: name, UID: types.UID("uid-" + name), Controller: new(true)}}
	}
}

func terminating(p *corev1.Pod) {
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: time.Now()}, new(int64(0))
	p.Finalizers = []string{"example.com/hold"}
}

// ends is a wish for the end of all pods of its facts.
type ends struct {
	how    plan.Termination
	nodes  []string
	atOnce int
}

func (e ends) Name() string           { return "drain n1" }
func (e ends) Targets() []model.Ref   { return nil }
func (e ends) DrainedNodes() []string { return e.nodes }
func (e ends) NodesAtOnce() int       { return e.atOnce }

func (e ends) Plan(on plan.Facts) (*plan.Plan, error) {
	p := &plan.Plan{Action: e, Does: "drain"}
	for _, pod := range on.Snapshot.Pods {
		end := plan.End{Pod: pod, How: e.how, Grace: 2 * time.Second, Terminating: pod.Object.DeletionTimestamp != nil}
		if strings.HasPrefix(pod.Object.Name, "cart") {
			end.Fate.Budget.Name = "cart"
		}
		p.Ends = append(p.Ends, end)
	}
	p.PodsTerminated = len(p.Ends)
	return p, nil
}

// begin plans, confirms and runs the end of all pods.
func (w *world) begin(wish ends) *Actor {
	w.t.Helper()
	a := New(Options{State: w, Reader: w.client, DryRunner: fake.NewClientset(), Writer: w.client})
	plan, err := wish.Plan(plan.Facts{Snapshot: w.Newest()})
	if err != nil {
		w.t.Fatal(err)
	}
	question := plan.Question("staging", false)
	yes, err := plan.Confirm(question, question.Answer, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	ran, err := a.Run(context.Background(), yes)
	if err != nil || ran.Job != 1 || ran.Entry.Job != 1 || ran.Entry.Result != "running" {
		w.t.Fatalf("run gives %+v, %v", ran, err)
	}
	return a
}

// states are those of the pods of the newest job, by name.
func states(a *Actor) map[string]plan.PodProgress {
	found := map[string]plan.PodProgress{}
	for _, p := range a.Jobs()[0].Pods {
		found[p.Pod.Name] = p
	}
	return found
}

// budgetRefuses is what the server says for a PodDisruptionBudget.
func budgetRefuses() error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: policyv1.DisruptionBudgetCause, Message: "The disruption budget cart needs 3 healthy pods and has 3 currently",
	}}
	return err
}
