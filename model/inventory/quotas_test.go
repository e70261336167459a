package inventory

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func quota(name string, hard, used corev1.ResourceList, scopes ...corev1.ResourceQuotaScope) *corev1.ResourceQuota {
	return &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: name},
		Spec:       corev1.ResourceQuotaSpec{Hard: hard, Scopes: scopes},
		Status:     corev1.ResourceQuotaStatus{Hard: hard, Used: used},
	}
}

// snapshotOf is a snapshot of some pods.
func snapshotOf(status model.Status, nodes []*corev1.Node, pods ...*corev1.Pod) *model.Snapshot {
	b := model.NewBuilder()
	for _, node := range nodes {
		b.Node(nil, node)
	}
	for _, pod := range pods {
		b.Pod(nil, pod)
	}
	return b.Build(1, status, nil)
}

// dev are pods of 500m, 1 and 2 cores, each of 1Gi, and one that has ended.
func dev(status model.Status) *model.Snapshot {
	return snapshotOf(status, nil,
		modeltest.NewPod("dev/a", "n1", "500m", "1Gi", 0, func(p *corev1.Pod) {
			p.Annotations = map[string]string{"kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu"}
		}),
		modeltest.NewPod("dev/b", "n1", "1", "1Gi", 0, nil),
		modeltest.NewPod("dev/c", "", "2", "1Gi", 0, nil),
		modeltest.NewPod("dev/d", "n1", "64", "1Gi", 0, func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }),
	)
}

func TestWhatAQuotaAllows(t *testing.T) {
	q := modeltest.Quantities
	for _, test := range []struct {
		name    string
		quota   *corev1.ResourceQuota
		status  model.Status
		fullest string
		percent int // -1: unknown
		more    int64
		by      string
		scopes  []string
	}{
		{
			"the fullest resource counts", quota("a", q("requests.cpu", "10", "pods", "4"), q("requests.cpu", "3500m", "pods", "3")),
			model.Status{},
			"pods", 75, 1, "pods", nil,
		},
		{
			"what is left in pods rounds down", quota("a", q("requests.cpu", "6", "pods", "40"), q("requests.cpu", "3500m", "pods", "3")),
			model.Status{},
			"requests.cpu", 58, 2, "requests.cpu", nil,
		},
		{"cpu is requests.cpu", quota("a", q("cpu", "4"), q("cpu", "3500m")), model.Status{}, "cpu", 87, 0, "cpu", nil},
		{"more than ten times is used", quota("a", q("pods", "2"), q("pods", "23")), model.Status{}, "pods", 1150, 0, "pods", nil},
		{"more is used than is allowed now", quota("a", q("pods", "2"), q("pods", "3")), model.Status{}, "pods", 150, 0, "pods", nil},
		{
			"what no pod uses limits none", quota("a", q("limits.ephemeral-storage", "4Gi", "services", "2"), q("limits.ephemeral-storage", "0", "services", "2")),
			model.Status{},
			"services", 100, -1, "", nil,
		},
		{
			"what is not allowed at all is not full", quota("a", q("services.nodeports", "0", "pods", "30"), q("services.nodeports", "0", "pods", "3")),
			model.Status{},
			"pods", 10, 27, "pods", nil,
		},
		{
			"a quota that allows no pods is full", quota("a", q("pods", "0", "requests.cpu", "10"), q("pods", "0", "requests.cpu", "5")),
			model.Status{},
			"pods", 100, 0, "pods", nil,
		},
		{"so is one that allows no cpu", quota("a", q("requests.cpu", "0"), q("requests.cpu", "0")), model.Status{}, "requests.cpu", 100, 0, "requests.cpu", nil},
		{
			"no status yet", &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "a"}, Spec: corev1.ResourceQuotaSpec{Hard: q("pods", "3")}},
			model.Status{},
			"", -1, -1, "", nil,
		},
		{
			"pods that were not read", quota("a", q("pods", "4"), q("pods", "3")),
			model.Status{Unread: []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}}},
			"pods", 75, -1, "", nil,
		},
		{"pods of another namespace were read", quota("a", q("pods", "4"), q("pods", "3")), model.Status{Namespace: "shop"}, "pods", 75, -1, "", nil},
		{"a scope", quota("a", q("pods", "4"), q("pods", "0"), corev1.ResourceQuotaScopeBestEffort), model.Status{}, "pods", 0, 4, "pods", []string{"BestEffort"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Quotas(dev(test.status), []*corev1.ResourceQuota{test.quota}, nil, true)[0]
			percent, more := -1, int64(-1)
			if got.Percent != nil {
				percent = *got.Percent
			}
			if got.MorePods != nil {
				more = *got.MorePods
			}
			if string(got.Fullest) != test.fullest || percent != test.percent || more != test.more || string(got.LimitedBy) != test.by {
				t.Errorf("%s %d%%, %d more by %s; want %s %d%%, %d more by %s",
					got.Fullest, percent, more, got.LimitedBy, test.fullest, test.percent, test.more, test.by)
			}
			if diff := cmp.Diff(append([]string{}, test.scopes...), got.Scopes); diff != "" {
				t.Errorf("scopes: %s", diff)
			}
		})
	}
}

// A quota of cpu or memory rejects each pod of which a container does not set it.
func TestWhoUsesTheFullestResourceOfAQuota(t *testing.T) {
	q := modeltest.Quantities
	of := func(owner string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{Kind: "StatefulSet", Name: owner, Controller: new(true)}}
		}
	}
	s := snapshotOf(model.Status{}, nil,
		modeltest.NewPod("dev/db-0", "n1", "2", "1Gi", 0, of("db")), modeltest.NewPod("dev/db-1", "", "2", "1Gi", 0, of("db")),
		modeltest.NewPod("dev/web-0", "n1", "3", "1Gi", 0, of("web")), modeltest.NewPod("dev/bare", "n1", "500m", "1Gi", 0, nil),
		modeltest.NewPod("other/web-0", "n1", "8", "1Gi", 0, of("web")))
	for _, test := range []struct {
		name  string
		quota *corev1.ResourceQuota
		want  []User
	}{
		{"of requests", quota("a", q("requests.cpu", "8"), q("requests.cpu", "7500m")), []User{{"statefulset/db", 2, 4000}, {"statefulset/web", 1, 3000}, {"pod/bare", 1, 500}}},
		{"of pods", quota("a", q("pods", "4"), q("pods", "4")), []User{{"statefulset/db", 2, 2}, {"pod/bare", 1, 1}, {"statefulset/web", 1, 1}}},
		{"of objects", quota("a", q("count/secrets", "1"), q("count/secrets", "1")), nil},
		{"of some pods", quota("a", q("pods", "4"), q("pods", "4"), corev1.ResourceQuotaScopeBestEffort), nil},
	} {
		got := Quotas(s, []*corev1.ResourceQuota{test.quota}, nil, true)[0].Users
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestHowManyPodsAQuotaOfTheirNumberAllowsInANamespaceWithoutPods(t *testing.T) {
	q := modeltest.Quantities
	for _, test := range []struct {
		hard, used string
		want       *int64
	}{{"0", "0", new(int64(0))}, {"2", "2", new(int64(0))}, {"2", "1", new(int64(1))}} {
		got := Quotas(snapshotOf(model.Status{}, nil), []*corev1.ResourceQuota{quota("a", q("pods", test.hard), q("pods", test.used))}, nil, true)[0]
		if diff := cmp.Diff(test.want, got.MorePods); diff != "" {
			t.Errorf("%s of %s pods: %s", test.used, test.hard, diff)
		}
	}
}

func TestAQuotaAllowsNoPodThatDoesNotSetWhatItLimits(t *testing.T) {
	q := modeltest.Quantities
	limiting := func(container corev1.Container) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits = q("cpu", "2")
			if container.Name != "" {
				p.Spec.InitContainers = []corev1.Container{container}
			}
		}
	}
	setting := corev1.Container{Name: "set", Resources: corev1.ResourceRequirements{Requests: q("cpu", "1"), Limits: q("cpu", "0")}}
	whole := func(p *corev1.Pod) {
		p.Spec.Resources = &corev1.ResourceRequirements{Requests: q("cpu", "1"), Limits: q("memory", "1Gi")}
	}
	gives := func(defaults corev1.ResourceList) []*corev1.LimitRange {
		return []*corev1.LimitRange{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "defaults"},
			Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Default: defaults}}},
		}}
	}
	limited := quota("a", q("limits.cpu", "10", "pods", "9"), q("limits.cpu", "4", "pods", "2"))
	for _, test := range []struct {
		name        string
		quota       *corev1.ResourceQuota
		pods        []func(*corev1.Pod)
		limits      []*corev1.LimitRange
		limitsKnown bool
		more        int64 // -1: unknown
		by          string
	}{
		{"all set it", limited, []func(*corev1.Pod){limiting(corev1.Container{}), limiting(setting)}, nil, true, 3, "limits.cpu"},
		{"one of two does not", limited, []func(*corev1.Pod){limiting(setting), nil}, nil, true, 3, "limits.cpu"},
		{"most do not", limited, []func(*corev1.Pod){limiting(setting), nil, nil}, nil, true, 0, "limits.cpu"},
		{"one container of each does not", limited, []func(*corev1.Pod){limiting(corev1.Container{Name: "unset"})}, nil, true, 0, "limits.cpu"},
		{"the pods set resources as a whole", limited, []func(*corev1.Pod){whole, whole}, nil, true, 7, "pods"},
		{"a LimitRange sets it", limited, []func(*corev1.Pod){nil}, gives(q("cpu", "1")), true, 7, "pods"},
		{"a LimitRange sets something else", limited, []func(*corev1.Pod){nil}, gives(q("memory", "1Gi")), true, 0, "limits.cpu"},
		{"LimitRanges were not read", limited, []func(*corev1.Pod){nil}, nil, false, -1, ""},
		{"LimitRanges were not read and need not be", limited, []func(*corev1.Pod){limiting(setting)}, nil, false, 3, "limits.cpu"},
		{
			"the quota counts some pods only", quota("a", q("limits.cpu", "10", "pods", "9"), q("limits.cpu", "4", "pods", "2"), corev1.ResourceQuotaScopeNotTerminating),
			[]func(*corev1.Pod){nil},
			nil, true, -1, "",
		},
		{
			"the quota counts some pods only and is used up", quota("a", q("limits.cpu", "10", "pods", "2"), q("limits.cpu", "4", "pods", "2"), corev1.ResourceQuotaScopeNotTerminating),
			[]func(*corev1.Pod){nil},
			nil, true, 0, "pods",
		},
		{"no status yet", quota("a", q("limits.cpu", "10"), nil), []func(*corev1.Pod){nil}, nil, true, -1, ""},
		{"it has to be set for cpu and memory only", quota("a", q("limits.ephemeral-storage", "1Gi", "pods", "9"), q("limits.ephemeral-storage", "0", "pods", "2")), []func(*corev1.Pod){nil}, nil, true, 7, "pods"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pods := make([]*corev1.Pod, len(test.pods))
			for i, change := range test.pods {
				pods[i] = modeltest.NewPod(fmt.Sprintf("dev/p%d", i), "n1", "1", "1Gi", 0, change)
			}
			got := Quotas(snapshotOf(model.Status{}, nil, pods...), []*corev1.ResourceQuota{test.quota}, test.limits, test.limitsKnown)[0]
			more := int64(-1)
			if got.MorePods != nil {
				more = *got.MorePods
			}
			if more != test.more || string(got.LimitedBy) != test.by {
				t.Errorf("%d more by %q, want %d by %q", more, got.LimitedBy, test.more, test.by)
			}
		})
	}
}

// What a quota counts of claims that are made for pods is not known: their templates are not read.
func TestHowManyPodsAQuotaAllowsIsUnknownWhereItCountsTheirClaims(t *testing.T) {
	q := modeltest.Quantities
	claims := func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new("gpu")}}
	}
	shares := func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: new("gpu")}}
	}
	extended := func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = q("example.com/gpu", "1") }
	stores := func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
	}
	const ofClass, implicit = "gpu.deviceclass.resource.k8s.io/devices", "requests.deviceclass.resource.kubernetes.io/gpu"
	for _, test := range []struct {
		name     string
		resource string
		left     string // of pods
		pods     []func(*corev1.Pod)
		more     int64 // -1: unknown
	}{
		{"devices of a class", ofClass, "7", []func(*corev1.Pod){claims}, -1},
		{"devices by the name of their class", implicit, "7", []func(*corev1.Pod){claims}, -1},
		{"devices by a resource that their class may serve", "requests.example.com/gpu", "7", []func(*corev1.Pod){claims}, -1},
		{"claims of devices", "count/resourceclaims.resource.k8s.io", "7", []func(*corev1.Pod){claims}, -1},
		{"extended resources, for which claims may be made", ofClass, "7", []func(*corev1.Pod){extended}, -1},
		{"claims of volumes", "persistentvolumeclaims", "7", []func(*corev1.Pod){stores}, -1},
		{"storage", "fast.storageclass.storage.k8s.io/requests.storage", "7", []func(*corev1.Pod){stores}, -1},
		{"none is left of something else", ofClass, "0", []func(*corev1.Pod){claims}, 0},
		{"few pods have claims", ofClass, "7", []func(*corev1.Pod){claims, nil, nil}, 7},
		{"the pods share a claim that exists", ofClass, "7", []func(*corev1.Pod){shares}, 7},
		{"volumes for claims of devices", "requests.storage", "7", []func(*corev1.Pod){claims}, 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			pods := make([]*corev1.Pod, len(test.pods))
			for i, change := range test.pods {
				pods[i] = modeltest.NewPod(fmt.Sprintf("dev/p%d", i), "n1", "1", "1Gi", 0, change)
			}
			limited := quota("a", q(test.resource, "9", "pods", test.left), q(test.resource, "4", "pods", "0"))
			got := Quotas(snapshotOf(model.Status{}, nil, pods...), []*corev1.ResourceQuota{limited}, nil, true)[0]
			more := int64(-1)
			if got.MorePods != nil {
				more = *got.MorePods
			}
			if more != test.more || (got.LimitedBy == "") != (more < 0) {
				t.Errorf("%d more by %q, want %d", more, got.LimitedBy, test.more)
			}
		})
	}
}

func TestOnlyPodsInTheScopesOfAQuotaAreOfItsSize(t *testing.T) {
	s := snapshotOf(model.Status{}, nil,
		modeltest.NewPod("dev/a", "n", "4", "1Gi", 0, nil), modeltest.NewPod("dev/b", "n", "4", "1Gi", 0, nil),
		modeltest.NewPod("dev/c", "n", "500m", "1Gi", 0, func(p *corev1.Pod) { p.Spec.PriorityClassName = "high" }))
	object := quota("a", modeltest.Quantities("requests.cpu", "1500m", "pods", "9"), modeltest.Quantities("requests.cpu", "500m", "pods", "1"))
	object.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
		{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn, Values: []string{"high"}},
	}}
	got := Quotas(s, []*corev1.ResourceQuota{object}, nil, true)[0]
	if got.Pods != 1 || got.MorePods == nil || *got.MorePods != 2 || len(got.Users) != 1 || got.Users[0].Name != "pod/c" {
		t.Errorf("%d more like %d pods, users %v", *got.MorePods, got.Pods, got.Users)
	}
}

func TestScopesThatSelectPriorityClasses(t *testing.T) {
	object := quota("a", modeltest.Quantities("pods", "4"), nil)
	object.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
		{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn, Values: []string{"high", "low"}},
		{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpExists},
	}}
	got := Quotas(dev(model.Status{}), []*corev1.ResourceQuota{object}, nil, true)[0].Scopes
	if diff := cmp.Diff([]string{"PriorityClass In high,low", "PriorityClass Exists"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhichQuotasLimitNoPods(t *testing.T) {
	q := modeltest.Quantities
	for _, test := range []struct {
		name string
		hard corev1.ResourceList
		pods bool // there are some
		want bool
	}{
		{"objects", q("count/deployments.apps", "10", "services", "3"), false, true},
		{"a StorageClass's storage", q("count/deployments.apps", "10", "gp3.storageclass.storage.k8s.io/requests.storage", "1Gi"), true, true},
		{"claims that later pods may make", q("persistentvolumeclaims", "10"), false, false},
		{"pods", q("services", "3", "pods", "1"), true, false},
		{"cpu", q("requests.cpu", "3"), true, false},
		{"what no pod has", q("limits.ephemeral-storage", "1Gi"), true, false},
		{"an extended resource", q("requests.example.com/gpu", "1"), true, false},
		{"claims of devices", q("count/resourceclaims.resource.k8s.io", "1"), true, false},
	} {
		s := snapshotOf(model.Status{}, nil)
		if test.pods {
			s = dev(model.Status{})
		}
		if got := Quotas(s, []*corev1.ResourceQuota{quota("a", test.hard, corev1.ResourceList{})}, nil, true)[0].LimitsNoPods; got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}

func TestDefaultsOfALimitRangeAndWhoGotThem(t *testing.T) {
	q := modeltest.Quantities
	limits := []*corev1.LimitRange{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "defaults"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
			{Type: corev1.LimitTypeContainer, DefaultRequest: q("cpu", "100m"), Default: q("cpu", "1")},
			{Type: corev1.LimitTypePod, Max: q("cpu", "8")},
		}},
	}, {
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "no-defaults"},
		Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Max: q("cpu", "8")}}},
	}}
	got := Quotas(dev(model.Status{}), nil, limits, true)
	if len(got) != 1 || got[0].Name != "" || got[0].Object != nil {
		t.Fatalf("a namespace without a quota: %+v", got)
	}
	want := []Defaults{{Name: "defaults", Requests: q("cpu", "100m"), Limits: q("cpu", "1")}}
	if diff := cmp.Diff(want, got[0].LimitRanges); diff != "" {
		t.Error(diff)
	}
	if pods := got[0].DefaultedPods; pods == nil || *pods != 1 {
		t.Errorf("%v pods got defaults, want 1", pods)
	}
	unknown := Quotas(dev(model.Status{}), []*corev1.ResourceQuota{quota("a", q("pods", "4"), nil)}, nil, false)
	if unknown[0].LimitRanges != nil {
		t.Errorf("LimitRanges that were not read: %v", unknown[0].LimitRanges)
	}
}

func TestTheFullestQuotaIsFirst(t *testing.T) {
	q := modeltest.Quantities
	got := Quotas(dev(model.Status{}), []*corev1.ResourceQuota{
		quota("b", q("pods", "4"), q("pods", "1")), quota("unknown", q("pods", "4"), nil), quota("full", q("pods", "4"), q("pods", "4")), quota("a", q("pods", "4"), q("pods", "1")),
	}, nil, true)
	var names []string
	for _, quota := range got {
		names = append(names, quota.Name)
	}
	if diff := cmp.Diff([]string{"full", "a", "b", "unknown"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestAQuotaIsWrittenAsItsStatusIs(t *testing.T) {
	q := modeltest.Quantities
	object := quota("a", q("requests.memory", "1536Mi", "requests.cpu", "4"), q("requests.memory", "1Gi", "requests.cpu", "3500m"))
	text, err := json.Marshal(Quotas(dev(model.Status{}), []*corev1.ResourceQuota{object}, nil, true)[0])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"namespace":"dev","name":"a","scopes":[],"hard":{"requests.cpu":"4","requests.memory":"1536Mi"},` +
		`"used":{"requests.cpu":"3500m","requests.memory":"1Gi"},"fullest":"requests.cpu","percent":87,` +
		`"usualPod":{"requests.cpu":"1","requests.memory":"1Gi"},"morePods":0,"limitedBy":"requests.cpu","limitRanges":[],"defaultedPods":1,"podsWithDefaults":[{"name":"a"}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}
