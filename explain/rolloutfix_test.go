package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// TestARolloutThatBlocksItselfIsLetStopAnOlderPod where that gives the new one a node whichever of them is
// stopped, and where maxUnavailable is what its Deployment waits for.
func TestARolloutThatBlocksItselfIsLetStopAnOlderPod(t *testing.T) {
	set := func(name string, age time.Duration, replicas, available int32) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "s", Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(testNow.Add(-age)),
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "web", Controller: new(true)}},
			},
			Spec: appsv1.ReplicaSetSpec{Replicas: &replicas}, Status: appsv1.ReplicaSetStatus{Replicas: replicas, AvailableReplicas: available},
		}
	}
	old, older, newest, newer := set("web-1", time.Hour, 2, 2), set("web-1", time.Hour, 1, 1), set("web-2", time.Minute, 1, 0), set("web-3", time.Second, 1, 0)
	of := func(name string) func(*corev1.Pod) { return podControlledBy("apps/v1", "ReplicaSet", name) }
	port := hostPort("", 8080, corev1.ProtocolTCP)
	costly := func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.PodDeletionCost: "100"} }
	apart := func(p *corev1.Pod) {
		podLabel("app", "web")(p)
		awayFrom(podTerm(corev1.LabelHostname, "web", "s"))(p)
	}
	a, b := testNode("a", "4", nodeLabel(corev1.LabelHostname, "a")), testNode("b", "4", nodeLabel(corev1.LabelHostname, "b"))
	waiting := command.Facts{Replicas: 2, MaxSurge: 1, Unavailable: "25%"}
	const (
		line = `kubectl -n s patch deployment/web -p '{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":1}}}}'`
		undo = `kubectl -n s patch deployment/web -p '{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":"25%"}}}}'`
		both = "+ 1 node, 1 of 1, 1 of 2 pods meanwhile [deployment/web runs 1 of 2 pods until a new one is ready, in later rollouts too]"
	)
	for name, c := range map[string]struct {
		facts   command.Facts
		objects []runtime.Object
		pod     *corev1.Pod
		want    string // "": it is not offered
	}{
		"host ports":    {waiting, []runtime.Object{a, b, old, newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)}, testPod("s/x", "", "1", of("web-2"), port), both},
		"anti-affinity": {waiting, []runtime.Object{a, b, old, newest, testPod("s/o1", "a", "1", of("web-1"), apart), testPod("s/o2", "b", "1", of("web-1"), apart)}, testPod("s/x", "", "1", of("web-2"), apart), both},
		"cpu": {
			waiting,
			[]runtime.Object{a, b, old, newest, testPod("s/o1", "a", "3", of("web-1")), testPod("s/o2", "b", "3", of("web-1"))},
			testPod("s/x", "", "3", of("web-2")), both,
		},
		"cpu that none of its older pods holds": {
			waiting,
			[]runtime.Object{a, b, old, newest, testPod("s/o1", "a", "1", of("web-1")), testPod("s/o2", "b", "1", of("web-1"))},
			testPod("s/x", "", "5", of("web-2")), "",
		},
		"a spread constraint over the pods of both": {
			waiting,
			[]runtime.Object{
				testNode("a", "4", nodeLabel(corev1.LabelHostname, "a")), testNode("b", "4", nodeLabel(corev1.LabelHostname, "b"), cordoned), old, newest,
				testPod("s/o1", "a", "1", of("web-1"), podLabel("app", "web")), testPod("s/o2", "a", "1", of("web-1"), podLabel("app", "web")),
			},
			testPod("s/x", "", "1", of("web-2"), podLabel("app", "web"), spreadOver(corev1.LabelHostname, 2, nil, "web")), both,
		},
		"its only pod": {
			command.Facts{Replicas: 1, MaxSurge: 1, Unavailable: "0"},
			[]runtime.Object{a, older, newest, testPod("s/o1", "a", "1", of("web-1"), port)},
			testPod("s/x", "", "1", of("web-2"), port),
			"+ 1 node, 1 of 1, stops its only pod first [deployment/web stops its only pod before the new one is ready, in later rollouts too]",
		},
		"its only pod, where an uncordon harms nobody": {
			command.Facts{Replicas: 1, MaxSurge: 1, Unavailable: "0"},
			[]runtime.Object{a, testNode("b", "4", nodeLabel(corev1.LabelHostname, "b"), cordoned), older, newest, testPod("s/o1", "a", "1", of("web-1"), port)},
			testPod("s/x", "", "1", of("web-2"), port),
			"+ 1 node, 1 of 1, stops its only pod first [deployment/web stops its only pod before the new one is ready, in later rollouts too]",
		},
		"another node has no room once its older pod is stopped": {
			waiting,
			[]runtime.Object{a, testNode("b", "2", nodeLabel(corev1.LabelHostname, "b")), old, newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)},
			testPod("s/x", "", "3", of("web-2"), port),
			"? 1 node, 1 of 1, s/o2 may be stopped first (1 of 2 older pods tried) [deployment/web runs 1 of 2 pods until a new one is ready, in later rollouts too]",
		},
		"the node of the first has no room once it is stopped": {
			waiting,
			[]runtime.Object{testNode("a", "2", nodeLabel(corev1.LabelHostname, "a")), b, old, newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)},
			testPod("s/x", "", "3", of("web-2"), port),
			"? 1 node, 1 of 1, s/o1 may be stopped first (1 of 2 older pods tried) [deployment/web runs 1 of 2 pods until a new one is ready, in later rollouts too]",
		},
		"the other one has a higher deletion cost": {
			waiting,
			[]runtime.Object{
				a, testNode("b", "2", nodeLabel(corev1.LabelHostname, "b")), old, newest,
				testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port, costly),
			},
			testPod("s/x", "", "3", of("web-2"), port), both,
		},
		"the only one that would help has a higher deletion cost": {
			waiting,
			[]runtime.Object{
				testNode("a", "2", nodeLabel(corev1.LabelHostname, "a")), b, old, newest,
				testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port, costly),
			},
			testPod("s/x", "", "3", of("web-2"), port), "",
		},
		"the other one is alone on its node": {
			command.Facts{Replicas: 3, MaxSurge: 1, Unavailable: "25%"},
			[]runtime.Object{
				a, testNode("b", "2", nodeLabel(corev1.LabelHostname, "b")), set("web-1", time.Hour, 3, 3), newest,
				testPod("s/o1", "a", "1", of("web-1")), testPod("s/o2", "a", "1", of("web-1")), testPod("s/o3", "b", "1", of("web-1")),
			},
			testPod("s/x", "", "3", of("web-2")),
			"+ 1 node, 1 of 1, 2 of 3 pods meanwhile [deployment/web runs 2 of 3 pods until a new one is ready, in later rollouts too]",
		},
		"two new ones are pending": {
			command.Facts{Replicas: 2, MaxSurge: 2, Unavailable: "0"},
			[]runtime.Object{
				a, b, old, set("web-2", time.Minute, 2, 0), testPod("s/y", "", "1", of("web-2"), port),
				testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port),
			},
			testPod("s/x", "", "1", of("web-2"), port),
			"+ 1 node, 1 of 2, 1 of 2 pods meanwhile [deployment/web runs 1 of 2 pods until a new one is ready, in later rollouts too]",
		},
		"another pod outranks it": {
			waiting,
			[]runtime.Object{
				a, b, old, newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port),
				testPod("s/high", "", "1", port, priority(100), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) }),
			},
			testPod("s/x", "", "1", of("web-2"), port),
			"x 1 node, 1 of 1, the pending pod s/high is scheduled there first [deployment/web runs 1 of 2 pods until a new one is ready, in later rollouts too] [s/high would fit too]",
		},
		"it cannot be read": {
			command.Facts{Unread: "not allowed to get deployments"},
			[]runtime.Object{a, b, old, newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)},
			testPod("s/x", "", "1", of("web-2"), port),
			"x 1 node, 1 of 1, unknown: whether maxUnavailable of deployment/web is 0: not allowed to get deployments [deployment/web stops one of its pods before a new one is ready, in later rollouts too]",
		},
		"some may be missing already": {command.Facts{Replicas: 2, MaxUnavailable: 1}, []runtime.Object{a, b, old, newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)}, testPod("s/x", "", "1", of("web-2"), port), ""},
		"too many are not available":  {waiting, []runtime.Object{a, b, older, newest, testPod("s/o1", "a", "1", of("web-1"), port)}, testPod("s/x", "", "1", of("web-2"), port, selecting(corev1.LabelHostname, "a")), ""},
		"it recreates all":            {command.Facts{Replicas: 2, Recreate: true}, []runtime.Object{a, b, old, newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)}, testPod("s/x", "", "1", of("web-2"), port), ""},
		"it is paused":                {command.Facts{Replicas: 2, Paused: true}, []runtime.Object{a, b, old, newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)}, testPod("s/x", "", "1", of("web-2"), port), ""},
		"two older ones": {
			waiting,
			[]runtime.Object{a, b, older, set("web-0", 2*time.Hour, 1, 1), newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-0"), port)},
			testPod("s/x", "", "1", of("web-2"), port), "",
		},
		"another rollout follows":  {waiting, []runtime.Object{a, b, old, newest, newer, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)}, testPod("s/x", "", "1", of("web-2"), port), ""},
		"an older one has no node": {waiting, []runtime.Object{a, old, newest, testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "", "1", of("web-1"), port)}, testPod("s/x", "", "1", of("web-2"), port), ""},
		"of another workload":      {waiting, []runtime.Object{a, old, newest, testPod("s/o1", "a", "1", port)}, testPod("s/x", "", "1", of("web-2"), port), ""},
	} {
		e := startEngine(t, Options{Lookups: Lookups{Facts: func(context.Context, model.Ref) command.Facts { return c.facts }}}, append(c.objects, c.pod)...)
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(c.pod.UID), Parts: report.FixesPart})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, fix := range r.Tried.Tried {
			if fix.Kind != report.FixRollout {
				continue
			}
			mark, _, _ := strings.Cut(strings.Split(toldFixes(&report.Fixes{Tried: []report.Fix{fix}}), "\n")[0], " ")
			got = fmt.Sprintf("%s %s, %s, %s", mark, fix.Gains(), fix.Places(), fix.Outcome())
			for _, affected := range fix.Affects {
				got += fmt.Sprintf(" [%s %s]", affected.Title(), affected.How)
			}
			if first := r.Tried.Tried[0]; fix.Verified && (i > 0) != (first.Kind == report.FixUncordon) {
				t.Errorf("%s: %s comes first", name, first.Title)
			}
			same(t, fix.Title, "set maxUnavailable 1 for deployment/web")
			same(t, fix.Command, line)
			if c.facts.Unavailable == "25%" {
				same(t, fix.Undo, undo)
			}
		}
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestARolloutCanBeUndone where the pod is of a new template: what kubectl does then is told, nothing is simulated.
func TestARolloutCanBeUndone(t *testing.T) {
	set := func(name, revision string, age time.Duration, cpu string) *appsv1.ReplicaSet {
		made := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{
			Namespace: "s", Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(testNow.Add(-age)),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "web", Controller: new(true)}},
		}}
		if revision != "" {
			made.Annotations = map[string]string{"deployment.kubernetes.io/revision": revision}
		}
		made.Spec.Template.Spec = testPod("s/t", "", cpu).Spec
		return made
	}
	of := func(name string) func(*corev1.Pod) { return podControlledBy("apps/v1", "ReplicaSet", name) }
	pending := testPod("s/x", "", "5", of("web-2"))
	old := []runtime.Object{testPod("s/o1", "a", "1", of("web-1")), testPod("s/o2", "a", "1", of("web-1"))}
	before, after := set("web-1", "3", time.Hour, "1"), set("web-2", "4", time.Minute, "5")
	const (
		line = "kubectl -n s rollout undo deployment/web --to-revision=3"
		redo = "kubectl -n s rollout undo deployment/web --to-revision=4"
	)
	for name, c := range map[string]struct {
		facts   *command.Facts
		objects []runtime.Object
		want    string // "": it is not offered
	}{
		"all old pods run":              {&command.Facts{Replicas: 2}, append(old, before, after), "deletes 1 new pod; 2 old pods are kept"},
		"one of the old pods is gone":   {&command.Facts{Replicas: 3}, append(old, before, after), "deletes 1 new pod; creates 1 old pod, which needs a node"},
		"no old pod runs":               {&command.Facts{Replicas: 2}, []runtime.Object{before, after}, "deletes 1 new pod; creates 2 old pods, which need a node"},
		"the Deployment was not read":   {nil, append(old, before, after), "deletes 1 new pod; 2 old pods are kept"},
		"it is paused":                  {&command.Facts{Replicas: 2, Paused: true}, append(old, before, after), ""},
		"revisions are not known":       {&command.Facts{Replicas: 2}, append(old, set("web-1", "", time.Hour, "1"), set("web-2", "", time.Minute, "5")), ""},
		"nothing changed for scheduler": {&command.Facts{Replicas: 2}, []runtime.Object{testPod("s/o1", "a", "5", of("web-1")), set("web-1", "3", time.Hour, "5"), after}, ""},
		"there was no other template":   {&command.Facts{Replicas: 2}, []runtime.Object{after}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{}
			if c.facts != nil {
				options.Facts = func(context.Context, model.Ref) command.Facts { return *c.facts }
			}
			e := startEngine(t, options, append(slices.Clone(c.objects), testNode("a", "4"), pending)...)
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pending.UID), Parts: report.FixesPart})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for i, fix := range r.Tried.Tried {
				if fix.Kind != report.FixUndo {
					continue
				}
				got = fix.Remaining[0]
				same(t, fix.Title, "undo the rollout of deployment/web")
				same(t, fix.Command, line)
				same(t, fix.Undo, redo)
				if fix.Works() || fix.NodesGained > 0 || fix.PodsPlaced > 0 {
					t.Errorf("told to give the pod a node, which is deleted: %+v", fix)
				}
				for at, other := range r.Tried.Tried {
					if other.Verified && at > i {
						t.Errorf("%s comes after it, which works", other.Title)
					}
				}
			}
			same(t, got, c.want)
		})
	}
}

// TestARolloutOfADaemonSetCanBeUndone, where nothing else would help: its new pods want a port that another one has.
func TestARolloutOfADaemonSetCanBeUndone(t *testing.T) {
	agent := func(name, node string, port int32, revision string) *corev1.Pod {
		made := testPod("s/"+name, node, "1", podControlledBy("apps/v1", "DaemonSet", "agent"), podLabel(appsv1.ControllerRevisionHashLabelKey, revision))
		made.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: port, ContainerPort: port, Protocol: corev1.ProtocolTCP}}
		return made
	}
	pending := agent("new", "", 9100, "two")
	pending.CreationTimestamp = metav1.NewTime(testNow)
	pending.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}}}},
	}}}
	holder := agent("holder", "a", 9100, "")
	holder.OwnerReferences[0].Name, holder.OwnerReferences[0].UID = "exporter", "exporter"
	for revision, want := range map[string]string{"one": "kubectl -n s rollout undo daemonset/agent", "two": ""} {
		e := startEngine(t, Options{}, testNode("a", "4"), testNode("b", "4"), holder, agent("old", "b", 9290, revision), pending)
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pending.UID), Parts: report.FixesPart})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(r.Tried.Tried, func(f report.Fix) bool { return f.Kind == report.FixUndo })
		if at < 0 || want == "" {
			if at >= 0 || want != "" {
				t.Errorf("the pod before is of revision %s: it is offered: %t", revision, at >= 0)
			}
			continue
		}
		fix := r.Tried.Tried[at]
		same(t, fix.Title, "undo the rollout of daemonset/agent")
		same(t, fix.Command, want)
		same(t, fix.Undo, want)
		same(t, fix.Remaining[0], "deletes 1 new pod; 1 old pod is kept")
	}
}

// TestFixesOfANewTemplateLookAtPodsOfTheOldOne, which have fewer ports, constraints and terms: what is removed from the
// new template is not there.
func TestFixesOfANewTemplateLookAtPodsOfTheOldOne(t *testing.T) {
	set := func(name, revision string, like *corev1.Pod) *appsv1.ReplicaSet {
		made := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{
			Namespace: "s", Name: name, UID: types.UID(name), Annotations: map[string]string{"deployment.kubernetes.io/revision": revision},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "web", Controller: new(true)}},
		}}
		made.Spec.Template.Spec = like.Spec
		return made
	}
	of := func(name string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			podControlledBy("apps/v1", "ReplicaSet", name)(p)
			podLabel(appsv1.DefaultDeploymentUniqueLabelKey, name)(p)
			podLabel("app", "web")(p)
		}
	}
	second := func(p *corev1.Pod) {
		hostPort("", 80, corev1.ProtocolTCP)(p)
		p.Spec.Containers[0].Ports = append([]corev1.ContainerPort{{ContainerPort: 1}}, p.Spec.Containers[0].Ports...)
	}
	for name, c := range map[string]struct {
		edit func(*corev1.Pod)
		node func(*corev1.Node)
		want string
	}{
		"a host port":         {second, nil, "remove host port 80/TCP"},
		"a spread constraint": {spreadOver(corev1.LabelTopologyZone, 1, new(int32(2)), "web"), nodeLabel(corev1.LabelTopologyZone, "a"), "set ScheduleAnyway for the zone spread"},
		"an anti-affinity":    {awayFrom(podTerm(corev1.LabelHostname, "web", "s")), nodeLabel(corev1.LabelHostname, "a"), "remove pod anti-affinity app=web by hostname"},
	} {
		t.Run(name, func(t *testing.T) {
			pending := testPod("s/x", "", "1", of("web-2"), c.edit)
			node := testNode("a", "8")
			if c.node != nil {
				c.node(node)
			}
			taken := testPod("other/o", "a", "1", hostPort("", 80, corev1.ProtocolTCP))
			facts := func(context.Context, model.Ref) command.Facts { return command.Facts{Replicas: 2, MaxSurge: 1} }
			e := startEngine(t, Options{Lookups: Lookups{Facts: facts}}, node, taken, pending, set("web-1", "1", taken), set("web-2", "2", pending), testPod("s/o1", "a", "1", of("web-1")))
			found := must(fixesOf(t.Context(), e, report.PodOf(pending.UID)))
			at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Title == c.want })
			if at < 0 || !found.Tried[at].Verified {
				t.Errorf("%s is not among what works: %s", c.want, toldFixes(found))
			}
		})
	}
}
