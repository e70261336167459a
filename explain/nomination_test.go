package explain

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

func TestANominationThatIsNotPreemptionsSaysWhoseItIs(t *testing.T) {
	at := metav1.NewTime(testNow.Add(-3 * time.Minute))
	for name, c := range map[string]struct {
		by   *report.Nominator
		node string
		want string
	}{
		"not known":      {nil, "a", "It is nominated to a, where no pod of lower priority is terminating."},
		"not allowed":    {&report.Nominator{Unread: "not allowed to get pods"}, "a", "It is nominated to a, where no pod of lower priority is terminating."},
		"kube-scheduler": {&report.Nominator{Manager: "kube-scheduler", At: at}, "a", "It is nominated to a by kube-scheduler 3m ago, where no pod of lower priority is terminating: it is being bound there, or the victims of a preemption have terminated."},
		"an autoscaler":  {&report.Nominator{Manager: "cluster-autoscaler", At: at}, "a", "It is nominated to a by cluster-autoscaler 3m ago: kube-scheduler tries this node before all others."},
		"no time":        {&report.Nominator{Manager: "karpenter"}, "a", "It is nominated to a by karpenter: kube-scheduler tries this node before all others."},
		"no such node":   {&report.Nominator{Manager: "karpenter", At: at}, "gone", "It is nominated to gone by karpenter 3m ago, which does not exist."},
	} {
		t.Run(name, func(t *testing.T) {
			pod := aPod("web", "1", nominatedTo(c.node))
			e := startEngine(t, Options{Lookups: Lookups{Nominator: func(_ context.Context, of *corev1.Pod) *report.Nominator {
				if of.UID != pod.UID {
					t.Errorf("asked about %s", of.Name)
				}
				return c.by
			}}}, aNode("a", "4"), pod)
			r := mustExplain(t, e, pod)
			if !strings.Contains(r.Summary, c.want) {
				t.Errorf("got  %s\nwant %s", r.Summary, c.want)
			}
			n := r.Nomination
			if n == nil || n.Node != c.node || len(n.Waits) > 0 || c.by != nil && (n.By != c.by.Manager || n.Why != c.by.Unread) {
				t.Errorf("%+v", n)
			}
		})
	}
}

func TestAPodWhoseNodeIsChosenIsNotSaidToBeUntried(t *testing.T) {
	selected := func(c *corev1.PersistentVolumeClaim) {
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, storagehelpers.AnnSelectedNode, "a")
	}
	by := func(manager string) *report.Nominator {
		return &report.Nominator{Manager: manager, At: metav1.NewTime(testNow)}
	}
	for name, c := range map[string]struct {
		pod     *corev1.Pod
		by      *report.Nominator
		untried bool
	}{
		"nominated by kube-scheduler":    {aPod("web", "1", nominatedTo("a"), createdBefore(12*time.Minute)), by("kube-scheduler"), false},
		"nominated, unknown by whom":     {aPod("web", "1", nominatedTo("a")), nil, false},
		"nominated by an autoscaler":     {aPod("web", "1", nominatedTo("a")), by("karpenter"), true},
		"with a claim that has a node":   {aPod("web", "1", mounting("scratch")), nil, false},
		"with a claim that has none yet": {aPod("web", "1", mounting("empty")), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{Lookups: Lookups{Nominator: func(context.Context, *corev1.Pod) *report.Nominator { return c.by }}}
			e := startEngine(t, options, aNode("a", "4"), c.pod, aClass("fast", "csi.example.com"),
				aClaim(c.pod.Namespace+"/scratch", "fast", selected), aClaim(c.pod.Namespace+"/empty", "fast"))
			r := mustExplain(t, e, c.pod)
			same(t, string(r.Verdict), string(report.Schedulable))
			told := strings.Join(append(r.Facts, r.Summary, r.Why, r.Observed.Quiet), "\n")
			if got := strings.Contains(told, "tried"); got != c.untried {
				t.Errorf("says that nobody tried it: %v\n%s", got, told)
			}
		})
	}
}

func TestOnlyNominatedPodsAreAskedAbout(t *testing.T) {
	asked := 0
	options := Options{Lookups: Lookups{Nominator: func(context.Context, *corev1.Pod) *report.Nominator { asked++; return nil }}}
	pod, bound := aPod("web", "1"), aPod("db", "1", on("a"), nominatedTo("a"))
	e := startEngine(t, options, aNode("a", "4"), pod, bound)
	for _, p := range []*corev1.Pod{pod, bound} {
		if r := mustExplain(t, e, p); r.Nomination != nil {
			t.Errorf("%s: %+v", p.Name, r.Nomination)
		}
	}
	if asked != 0 {
		t.Errorf("asked %d times", asked)
	}
}

func TestARankingOfAnEqualPodIsToldWhereItMayBeUsed(t *testing.T) {
	const said = "another node is possible"
	without := &scheduler.Configuration{Source: "file", Asked: true, Data: []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler, pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List, defaultConstraints: []}}]}]`)}
	spread := func(p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: &metav1.LabelSelector{}}}
	}
	for name, c := range map[string]struct {
		configuration *scheduler.Configuration
		pod           *corev1.Pod
		want          bool
	}{
		"default spreading":         {nil, aPod("web", "1"), false},
		"without it":                {without, aPod("web", "1"), true},
		"a constraint of the pod's": {without, aPod("web", "1", spread), false},
		"no node fits":              {without, aPod("web", "9"), false},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{Configuration: c.configuration}, aNode("a", "4"), aNode("b", "4"), c.pod)
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(c.pod.UID), Parts: report.TracePart})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(r.Cycle.Where, said); got != c.want {
				t.Errorf("%s", r.Cycle.Where)
			}
		})
	}
}
