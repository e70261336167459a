package plugins_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

func neighbourhood() *bench {
	zone := func(name string) func(*corev1.Node) { return explaintest.NodeLabel("zone", name) }
	return newBench(
		[]*corev1.Node{explaintest.Node("a-1", "4", zone("a")), explaintest.Node("a-2", "4", zone("a")), explaintest.Node("b-1", "4", zone("b")), explaintest.Node("none", "4")},
		[]*corev1.Pod{
			explaintest.Pod("shop/db-0", "b-1", "", explaintest.PodLabel("app", "db")),
			explaintest.Pod("web/front-1", "a-1", "", explaintest.PodLabel("app", "front")),
			explaintest.Pod("web/front-2", "a-2", "", explaintest.PodLabel("app", "front"), explaintest.AwayFrom(explaintest.PodTerm("zone", "noisy", "shop"))),
		},
	)
}

func TestThePodsBehindAnInterPodRuleAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		node        string
		pod         *corev1.Pod
		what, short string
	}{
		"company is elsewhere": {
			"a-1", explaintest.Pod("shop/x", "", "", explaintest.Near(explaintest.PodTerm("zone", "db"))),
			"a-1: pod affinity: no pod matches app=db in zone=a; 1 matches elsewhere (zone=b): shop/db-0", "no app=db pod in its zone",
		},
		"company is nowhere": {
			"a-1", explaintest.Pod("shop/x", "", "", explaintest.Near(explaintest.PodTerm(corev1.LabelHostname, "cache"))),
			"a-1: pod affinity: no pod matches app=cache in kubernetes.io/hostname=a-1 or anywhere else", "no app=cache pod on the node",
		},
		"no label": {
			"none", explaintest.Pod("shop/x", "", "", explaintest.Near(explaintest.PodTerm("zone", "db"))),
			"none: pod affinity: the node has no label zone", "no label zone",
		},
		"away from its own like": {
			"a-1", explaintest.Pod("web/x", "", "", explaintest.PodLabel("app", "front"), explaintest.AwayFrom(explaintest.PodTerm(corev1.LabelHostname, "front"))),
			"a-1: pod anti-affinity: 1 pod matches app=front in kubernetes.io/hostname=a-1: web/front-1", "one per node: web/front-1 runs there",
		},
		"away from others": {
			"a-2", explaintest.Pod("shop/x", "", "", explaintest.AwayFrom(explaintest.PodTerm("zone", "front", "web"))),
			"a-2: pod anti-affinity: 2 pods match app=front in namespace web in zone=a: web/front-1, web/front-2",
			"anti-affinity app=front in namespace web: web/front-1, web/front-2 run there",
		},
		"kept off": {
			"a-1", explaintest.Pod("shop/x", "", "", explaintest.PodLabel("app", "noisy")),
			"a-1: anti-affinity of 1 pod rejects pods that match app=noisy in namespace shop in zone=a: web/front-2",
			"rejected by anti-affinity of web/front-2 (per zone: app=noisy in namespace shop)",
		},
		"a namespace selector": {
			"a-1", explaintest.Pod("shop/x", "", "", explaintest.AwayFrom(corev1.PodAffinityTerm{
				TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "front"}},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "web"}},
			})),
			"a-1: pod anti-affinity: 2 pods match app=front in namespaces with team=web in zone=a: web/front-1, web/front-2",
			"anti-affinity app=front in namespaces with team=web: web/front-1, web/front-2 run there",
		},
		"two rules at once": {
			"a-1", explaintest.Pod("shop/x", "", "", explaintest.PodLabel("app", "noisy"), explaintest.Near(explaintest.PodTerm("zone", "db"))),
			"a-1: pod affinity: no pod matches app=db in zone=a; 1 matches elsewhere (zone=b): shop/db-0; " +
				"anti-affinity of 1 pod rejects pods that match app=noisy in namespace shop in zone=a: web/front-2",
			"no app=db pod in its zone; rejected by anti-affinity of web/front-2 (per zone: app=noisy in namespace shop)",
		},
	} {
		w := neighbourhood().told(t, names.InterPodAffinity, c.pod, c.node)
		if w.What != c.what || w.Short != c.short {
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", name, w.What, w.Short, c.what, c.short)
		}
	}
}

// Where no pod matches an affinity, the workload that would create such pods is named, with why there are
// none: it has no replicas, or none of them has a node.
func TestWhyNoPodMatchesAnAffinity(t *testing.T) {
	template := func(app string) corev1.PodTemplateSpec {
		return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}}}
	}
	set := func(namespace, name, app string, replicas int32, deployment string) *appsv1.ReplicaSet {
		made := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, Template: template(app)}}
		if deployment != "" {
			made.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: deployment, Controller: new(true)}}
		}
		return made
	}
	others := []*appsv1.ReplicaSet{set("web", "cache-1", "cache", 0, "cache"), set("shop", "front-1", "front", 0, "front")}
	for name, c := range map[string]struct {
		sets []*appsv1.ReplicaSet
		why  string
	}{
		"no workload":                    {nil, ""},
		"a Deployment that is scaled in": {[]*appsv1.ReplicaSet{set("shop", "cache-1", "cache", 0, "cache"), set("shop", "cache-2", "cache", 0, "cache")}, ": Deployment shop/cache has no replicas"},
		"its pods have no node":          {[]*appsv1.ReplicaSet{set("shop", "cache-1", "cache", 0, "cache"), set("shop", "cache-2", "cache", 3, "cache")}, ": no pod of Deployment shop/cache is on a node"},
		"a newer template matches not":   {[]*appsv1.ReplicaSet{set("shop", "cache-1", "cache", 0, "cache"), set("shop", "cache-2", "store", 3, "cache")}, ""},
		"an update is under way":         {[]*appsv1.ReplicaSet{set("shop", "cache-1", "store", 1, "cache"), set("shop", "cache-2", "cache", 3, "cache")}, ""},
		"its template may have changed":  {[]*appsv1.ReplicaSet{set("shop", "a", "cache", 1, "")}, ""},
		"one of two has replicas":        {[]*appsv1.ReplicaSet{set("shop", "a-1", "cache", 0, "a"), set("shop", "b-1", "cache", 1, "b")}, ": no pod of Deployment shop/b is on a node"},
	} {
		b := neighbourhood()
		for _, made := range append(c.sets, others...) {
			if err := b.factory.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(made); err != nil {
				t.Fatal(err)
			}
		}
		w := b.told(t, names.InterPodAffinity, explaintest.Pod("shop/x", "", "", explaintest.Near(explaintest.PodTerm("zone", "cache"))), "a-1")
		short := "no app=cache pod" + c.why
		if c.why == "" {
			short = "no app=cache pod in its zone"
		}
		if what := "a-1: pod affinity: no pod matches app=cache in zone=a or anywhere else" + c.why; w.What != what || w.Short != short {
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", name, w.What, w.Short, what, short)
		}
	}
}

// Where no pod matches an affinity, those are told that would but for their namespace: that is how a
// namespace that has lost a label, or a forgotten namespaceSelector, shows.
func TestPodsThatMatchButForTheirNamespaceAreTold(t *testing.T) {
	term := func(app, key, value string, named ...string) corev1.PodAffinityTerm {
		made := explaintest.PodTerm("zone", app, named...)
		made.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{app}}}}
		if key != "" {
			made.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
		}
		return made
	}
	for name, c := range map[string]struct {
		terms       []corev1.PodAffinityTerm
		what, short string
	}{
		"the label has another value": {
			[]corev1.PodAffinityTerm{term("front", "team", "shop")},
			"no pod matches app=front in namespaces with team=shop in zone=a or anywhere else; 2 match in namespace web, which is not selected: it has team=web",
			"no app=front pod in namespaces with team=shop: 2 are in web",
		},
		"the key has another prefix": {
			[]corev1.PodAffinityTerm{term("front", "example.com/team", "web")},
			"no pod matches app=front in namespaces with example.com/team=web in zone=a or anywhere else; 2 match in namespace web, which is not selected: it has team=web",
			"no app=front pod in namespaces with example.com/team=web: 2 are in web",
		},
		"another key has the value": {
			[]corev1.PodAffinityTerm{term("front", "owner", "web")},
			"no pod matches app=front in namespaces with owner=web in zone=a or anywhere else; 2 match in namespace web, which is not selected: it has team=web",
			"no app=front pod in namespaces with owner=web: 2 are in web",
		},
		"no such label": {
			[]corev1.PodAffinityTerm{term("front", "env", "prod")},
			"no pod matches app=front in namespaces with env=prod in zone=a or anywhere else; 2 match in namespace web, which is not selected: it has no label env",
			"no app=front pod in namespaces with env=prod: 2 are in web",
		},
		"only its own namespace": {
			[]corev1.PodAffinityTerm{term("front", "", "")},
			"no pod matches app=front in the pod's namespace in zone=a or anywhere else; 2 match in namespace web, which is not selected",
			"no app=front pod in the pod's namespace: 2 are in web",
		},
		"another name": {
			[]corev1.PodAffinityTerm{term("db", "", "", "data", "web")},
			"no pod matches app=db in namespaces data, web in zone=a or anywhere else; 1 matches in namespace shop, which is not selected",
			"no app=db pod in namespaces data, web: 1 is in shop",
		},
		"by name and by label": {
			[]corev1.PodAffinityTerm{term("db", "team", "web", "data")},
			"no pod matches app=db in namespace data and namespaces with team=web in zone=a or anywhere else; 1 matches in namespace shop, which is not selected: it has team=shop",
			"no app=db pod in namespace data and namespaces with team=web: 1 is in shop",
		},
		"no pod anywhere": {
			[]corev1.PodAffinityTerm{term("cache", "team", "web")},
			"no pod matches app=cache in namespaces with team=web in zone=a or anywhere else",
			"no app=cache pod in namespaces with team=web in its zone",
		},
		"one pod has to match all terms": {
			[]corev1.PodAffinityTerm{term("front", "team", "shop"), term("db", "team", "shop")},
			"no pod matches app=front and app=db in namespaces with team=shop in zone=a or anywhere else",
			"no app=front and app=db pod in namespaces with team=shop in its zone",
		},
	} {
		w := neighbourhood().told(t, names.InterPodAffinity, explaintest.Pod("shop/x", "", "", explaintest.Near(c.terms...)), "a-1")
		what, _, _ := strings.Cut(w.What, "; pod affinity")
		if what != "a-1: pod affinity: "+c.what || w.Short != c.short {
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", name, w.What, w.Short, c.what, c.short)
		}
	}
}

// What could not be read is unknown: a namespace whose labels are not known may be selected.
func TestNothingIsSaidOfNamespacesThatCouldNotBeRead(t *testing.T) {
	term := explaintest.PodTerm("zone", "front")
	term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "shop"}}
	q, rs := neighbourhood().rejections(t, names.InterPodAffinity, explaintest.Pod("shop/x", "", "", explaintest.Near(term)))
	q.Listers.Forbidden = map[string]string{"namespaces": "forbidden"}
	at := slices.IndexFunc(rs, func(r plugins.NodeRejection) bool { return r.Name() == "a-1" })
	w := plugins.Explainers[names.InterPodAffinity].Words(q, rs[at:at+1])
	explaintest.Same(t, w.Short, "no app=front pod in namespaces with team=shop in its zone")
}

// A pod that matches on a node without the topology's label is on a node.
func TestAPodWithoutADomainIsOnANode(t *testing.T) {
	b := newBench([]*corev1.Node{explaintest.Node("a", "4", explaintest.NodeLabel("zone", "a")), explaintest.Node("none", "4")},
		[]*corev1.Pod{explaintest.Pod("shop/cache-0", "none", "", explaintest.PodLabel("app", "cache"))})
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cache"}, Spec: appsv1.ReplicaSetSpec{
		Replicas: new(int32(0)), Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "cache"}}},
	}}
	if err := b.factory.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(set); err != nil {
		t.Fatal(err)
	}
	w := b.told(t, names.InterPodAffinity, explaintest.Pod("shop/x", "", "", explaintest.Near(explaintest.PodTerm("zone", "cache"))), "a")
	explaintest.Same(t, w.Short, "no app=cache pod in its zone")
}

func TestManyPodsAreNamedUpToTenAndCounted(t *testing.T) {
	var pods []*corev1.Pod
	for i := range 12 {
		pods = append(pods, explaintest.Pod(fmt.Sprintf("web/front-%02d", i), "n", "", explaintest.PodLabel("app", "front")))
	}
	w := newBench([]*corev1.Node{explaintest.Node("n", "4")}, pods).
		told(t, names.InterPodAffinity, explaintest.Pod("web/x", "", "", explaintest.AwayFrom(explaintest.PodTerm(corev1.LabelHostname, "front"))), "n")
	explaintest.Same(t, w.What, "n: pod anti-affinity: 12 pods match app=front in kubernetes.io/hostname=n: web/front-00, web/front-01, web/front-02, web/front-03, "+
		"web/front-04, web/front-05, web/front-06, web/front-07, web/front-08, web/front-09 and 2 more")
	explaintest.Same(t, w.Short, "anti-affinity app=front: web/front-00, web/front-01, web/front-02 and 9 more run there")
}

func TestOnePerNodeIsToldOnceForAllNodes(t *testing.T) {
	pod := explaintest.Pod("web/x", "", "", explaintest.PodLabel("app", "front"), explaintest.AwayFrom(explaintest.PodTerm(corev1.LabelHostname, "front")))
	w := neighbourhood().toldTogether(t, names.InterPodAffinity, pod, "a-1", "a-2")
	explaintest.Same(t, w.Short, "one per node: each has one")
}

func TestANominatedNeighbourCounts(t *testing.T) {
	front := explaintest.PodLabel("app", "front")
	away := explaintest.AwayFrom(explaintest.PodTerm(corev1.LabelHostname, "front"))
	b := newBench([]*corev1.Node{explaintest.Node("n", "4"), explaintest.Node("m", "4")}, []*corev1.Pod{explaintest.Pod("web/first", "", "", front, explaintest.NominatedTo("n"))})
	w := b.told(t, names.InterPodAffinity, explaintest.Pod("web/x", "", "", front, away), "n")
	explaintest.Same(t, w.What, "n: pod anti-affinity: 1 pod matches app=front in kubernetes.io/hostname=n: web/first (counting web/first, nominated to it)")
}
