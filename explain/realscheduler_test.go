package explain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	schedulerprofile "k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// upstream is the real scheduler, which is asked and never bound to anything.
type upstream struct {
	*kubescheduler.Scheduler
	profile framework.Framework
}

func startUpstream(t *testing.T, objects ...runtime.Object) *upstream {
	t.Helper()
	return startUpstreamWith(t, nil, objects...)
}

// startUpstreamWith is startUpstream with options of the scheduler.
func startUpstreamWith(t *testing.T, options []kubescheduler.Option, objects ...runtime.Object) *upstream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	// The scheduler lists pods with a field selector, which the fake does not know.
	objects = slices.DeleteFunc(objects, func(o runtime.Object) bool { pod, ok := o.(*corev1.Pod); return ok && scheduler.Terminal(pod) })
	client := fake.NewClientset(objects...)
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch action.GetVerb() {
		case "create", "update", "patch", "delete":
			return true, nil, errors.New("read only")
		}
		return false, nil, nil
	})
	factory := kubescheduler.NewInformerFactory(client, 0, nil)
	snapshot := internalcache.NewEmptySnapshot()
	recorder := schedulerprofile.RecorderFactory(func(string) events.EventRecorderLogger { return &events.FakeRecorder{} })
	s, err := kubescheduler.New(ctx, client, factory, nil, recorder, append(options, kubescheduler.WithNodeInfoSnapshot(snapshot))...)
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	factory.WaitForCacheSync(ctx.Done())
	if err := s.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Cache.UpdateSnapshot(klog.Background(), snapshot); err != nil {
		t.Fatal(err)
	}
	return &upstream{s, s.Profiles[corev1.DefaultSchedulerName]}
}

// attempt is what the scheduler would do: the message that it would write, ""
// where it would bind.
func (u *upstream) attempt(pod *corev1.Pod) string {
	ctx := context.Background()
	info, _ := framework.NewPodInfo(pod)
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	_, err := u.SchedulePod(ctx, u.profile, state, &framework.QueuedPodInfo{PodInfo: info})
	if err == nil {
		return ""
	}
	if fit, ok := errors.AsType[*framework.FitError](err); ok {
		_, status := u.profile.RunPostFilterPlugins(ctx, state, pod, fit.Diagnosis.NodeToStatus)
		fit.Diagnosis.PostFilterMsg = status.Message()
	}
	return err.Error()
}

// upToPreemption cuts what depends on a random offset.
func upToPreemption(message string) string {
	if i := strings.Index(message, "preemption: found a potential placement"); i >= 0 {
		return message[:i+len("preemption: found a potential placement")]
	}
	return message
}

func TestEachPluginWithAHeadIsOneOfTheSchedulers(t *testing.T) {
	registry := plugins.NewInTreeRegistry()
	for _, plugin := range pluginnames.Headed() {
		if _, ok := registry[plugin]; !ok {
			t.Errorf("kube-scheduler has no plugin %s", plugin)
		}
	}
}

func TestMessageIsTheSchedulersByteForByte(t *testing.T) {
	messages, preempting := 0, 0
	for seed := range seeds(t) {
		d := dice(rand.New(rand.NewPCG(seed, 1)).IntN)
		c := newRandomCluster(d, 1+d(12), d(40), 10)
		e := startEngine(t, Options{}, c.Objects()...)
		real := startUpstream(t, c.Objects()...)
		for _, pod := range c.Pending {
			r := mustExplain(t, e, pod)
			if r.Verdict == report.Gated {
				continue
			}
			want := real.attempt(pod)
			if r.Verdict == report.Preempting && r.Fits > 0 {
				continue
			}
			if got := r.SchedulerMessage; upToPreemption(got) != upToPreemption(want) {
				t.Errorf("seed %d, pod %s (%s):\n got %q\nwant %q", seed, pod.Name, r.Verdict, got, want)
			}
			if want != "" {
				messages++
			}
			if strings.Contains(want, "found a potential placement") {
				preempting++
			}
			if (want == "") != (r.Fits > 0) {
				t.Errorf("seed %d, pod %s: %d nodes fit, the scheduler writes %q", seed, pod.Name, r.Fits, want)
			}
		}
	}
	t.Logf("%d messages, %d of them preempting", messages, preempting)
}

// seeds is how many random clusters a test tries.
func seeds(t *testing.T) uint64 {
	if testing.Short() {
		return 5
	}
	return 30
}

func TestMatrixAgreesWithTheFirstRefusalOnEveryNode(t *testing.T) {
	compared := 0
	for seed := range seeds(t) {
		d := dice(rand.New(rand.NewPCG(seed, 2)).IntN)
		c := newRandomCluster(d, 1+d(12), d(40), 10)
		e := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			compared += compareFirst(t, e, pod, fmt.Sprintf("seed %d, pod %s", seed, pod.Name))
		}
	}
	t.Logf("%d node verdicts", compared)
}

// compareFirst holds the matrix to the framework's own way through the plugins.
func compareFirst(t *testing.T, e *Engine, pod *corev1.Pod, name string) int {
	t.Helper()
	ctx := context.Background()
	e.scheduler.Settle(ctx) // the plugins' own caches have to be the same for both
	m, err := e.scheduler.Profile(pod).Evaluate(ctx, pod)
	if err != nil {
		t.Fatal(err)
	}
	state := framework.NewCycleState()
	result, status, _ := e.scheduler.Profile(&corev1.Pod{}).Framework.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		for i := range m.Nodes {
			if fits := m.Fits(i); fits != nil && *fits {
				t.Errorf("%s: %s fits, PreFilter says %s", name, m.Nodes[i].Node().Name, status.Message())
			}
		}
		return 0
	}
	for i, node := range m.Nodes {
		if !result.AllNodes() && !result.NodeNames.Has(node.Node().Name) {
			if fits := m.Fits(i); fits == nil || *fits {
				t.Errorf("%s: %s fits, PreFilter leaves it out", name, node.Node().Name)
			}
			continue
		}
		want := e.scheduler.Profile(&corev1.Pod{}).Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
		compareStatus(t, e, m, i, want, name)
	}
	return len(m.Nodes)
}

func compareStatus(t *testing.T, e *Engine, m *scheduler.Matrix, i int, want *fwk.Status, name string) {
	t.Helper()
	k, got := m.First(i)
	node := m.Nodes[i].Node().Name
	switch {
	case want.IsSuccess() && got == nil:
	case want.IsSuccess() || got == nil:
		t.Errorf("%s on %s: got %v, want %v", name, node, got, want)
	case got.Code() != want.Code() || got.Message() != want.Message() || m.Profile.Plugins[k].Name != want.Plugin():
		t.Errorf("%s on %s: got %s %v %q, want %s %v %q", name, node,
			m.Profile.Plugins[k].Name, got.Code(), got.Message(), want.Plugin(), want.Code(), want.Message())
	}
}

// picked is the node, and the number of victims, of a successful preemption.
var picked = regexp.MustCompile(`preemption: found a potential placement for pod on node (\S+), preempting (\d+) victims`)

func TestTheSchedulerPreemptsWhereThePlanSays(t *testing.T) {
	plans, alone := 0, 0
	for seed := range seeds(t) {
		d := dice(rand.New(rand.NewPCG(seed, 7)).IntN)
		c := newRandomCluster(d, 2+d(8), 20+d(40), 10)
		for _, pod := range c.Bound {
			startedAgo(time.Duration(d(2)) * time.Hour)(pod)
			priority(int32(d(3)))(pod)
		}
		for _, pod := range c.Pending {
			priority(int32(d(5)))(pod)
		}
		e := startEngine(t, Options{}, c.Objects()...)
		real := startUpstream(t, c.Objects()...)
		for _, pod := range c.Pending {
			r := mustExplain(t, e, pod)
			if r.Verdict != report.Unschedulable {
				continue
			}
			plan := mustPreempt(t, e, pod)
			took := picked.FindStringSubmatch(real.attempt(pod))
			if took == nil {
				if len(plan.Nodes) > 0 {
					t.Errorf("seed %d, pod %s: the scheduler preempts nowhere, the plan says %s", seed, pod.Name, plan.Answer)
				}
				continue
			}
			plans++
			node, ok := plan.On(took[1])
			if !ok || !node.May || fmt.Sprint(len(node.Victims)) != took[2] {
				t.Errorf("seed %d, pod %s: the scheduler takes %s, the plan says\n%s", seed, pod.Name, took[0], sketch(plan))
			}
			if plan.Brief(&report.Preemption{}).Tie == nil {
				alone++
			}
		}
	}
	t.Logf("%d preemptions, %d of them foretold without a tie", plans, alone)
}

func TestWhereTheSchedulerTriesOnlySomeNodesThePlanNamesAllThatItMayTake(t *testing.T) {
	var objects []runtime.Object
	for i := range 130 {
		name := fmt.Sprintf("node-%03d", i)
		objects = append(objects, aNode(name, "2"), aPod("low-"+name, "2", on(name), priority(int32(i)), startedAgo(time.Hour)))
	}
	pod := aPod("urgent", "1", priority(1000))
	objects = append(objects, pod)
	plan := mustPreempt(t, startEngine(t, Options{}, objects...), pod)
	if !plan.Sampled || plan.Node != "node-000" || plan.Answer != "Can help on 130 nodes; likely evicts 1 pod from node-000." {
		t.Errorf("node %s, sampled %v: %s", plan.Node, plan.Sampled, plan.Answer)
	}
	may := map[string]bool{}
	for _, node := range plan.Nodes {
		if node.May {
			may[node.Name] = true
		}
	}
	if len(may) != 31 { // the best of 100 is among the best 31 of 130
		t.Errorf("%d nodes may be taken", len(may))
	}
	real := startUpstream(t, objects...)
	taken := map[string]bool{}
	for range 30 {
		took := picked.FindStringSubmatch(real.attempt(pod))
		if took == nil || !may[took[1]] {
			t.Fatalf("the scheduler takes %v, which the plan does not say", took)
		}
		taken[took[1]] = true
	}
	if len(taken) == 1 {
		t.Error("the scheduler takes one node alone: nothing is left to chance, and the plan says that something is")
	}
}
