package ui

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// quota is a ResourceQuota whose status is known.
func quota(namespace, name string, hard, used corev1.ResourceList, scopes ...corev1.ResourceQuotaScope) *corev1.ResourceQuota {
	return &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       corev1.ResourceQuotaSpec{Hard: hard, Scopes: scopes},
		Status:     corev1.ResourceQuotaStatus{Hard: hard, Used: used},
	}
}

// withQuotas is prod-eu with a quota that is full, one that is nearly full, one without a
// status yet, and a LimitRange in two namespaces, one of which has no quota.
func withQuotas(s *model.Snapshot) *fakeCluster {
	q := modeltest.Quantities
	limits := func(namespace string) *corev1.LimitRange {
		return &corev1.LimitRange{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "defaults"},
			Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
				Type: corev1.LimitTypeContainer, DefaultRequest: q("cpu", "100m", "memory", "256Mi"), Default: q("memory", "1Gi"),
			}}},
		}
	}
	pending := quota("ml", "new", q("pods", "10"), nil)
	pending.Status = corev1.ResourceQuotaStatus{}
	return &fakeCluster{reports: verdictsOf(s), objects: map[string][]runtime.Object{
		"resourcequotas": {
			quota("search", "best-effort", q("pods", "10"), q("pods", "0"), corev1.ResourceQuotaScopeBestEffort),
			quota("batch", "compute", q("requests.cpu", "16", "requests.memory", "64Gi", "pods", "20", "services.nodeports", "0"),
				q("requests.cpu", "15500m", "requests.memory", "33Gi", "pods", "4", "services.nodeports", "0")),
			quota("shop", "compute", q("requests.cpu", "6", "limits.memory", "32Gi", "pods", "12"), q("requests.cpu", "5200m", "limits.memory", "3Gi", "pods", "7")),
			pending,
		},
		"limitranges": {limits("shop"), limits("web")},
	}}
}

func TestQuotasScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := newProdEU().snapshot()
			app := newTestAppWith(t, size.width, size.height, s, withQuotas(s), nil)
			press(t, app, "8")
			requireScreen(t, app)
		})
	}
}

func TestDefaultsOfTheSelectedQuotasNamespace(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, withQuotas(s), func(o *Options) { o.Namespace = "shop" })
	press(t, app, "8")
	requireScreen(t, app)
}

func TestQuotasThatMayNotBeListedAreUnknown(t *testing.T) {
	s := newProdEU().snapshot()
	c := withQuotas(s)
	c.unread = map[string]string{"resourcequotas": "not allowed to list resourcequotas"}
	app := newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "8")
	requireScreen(t, app)
}

func TestQuotasAreShownWithoutTheRightToListLimitRanges(t *testing.T) {
	s := newProdEU().snapshot()
	c := withQuotas(s)
	c.unread = map[string]string{"limitranges": "not allowed to list limitranges"}
	app := newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "8")
	requireScreen(t, app)
}

// A quota is as full on the page as in the lists, also one that allows nothing, and one that was lowered.
func TestTheShareOfAQuotaIsTheSameEverywhere(t *testing.T) {
	q := modeltest.Quantities
	for _, test := range []struct {
		hard, used string
		want       []string
	}{
		{"0", "0", []string{"100% 0 of 0", "100% 0 of 0, none allowed"}},
		{"0", "3", []string{"100% 3 of 0", "100% 3 of 0, 3 over the limit"}},
		{"2", "23", []string{">999% 23 of 2", ">999% 23 of 2, 21 over the limit"}},
	} {
		s := newProdEU().snapshot()
		cluster := &fakeCluster{reports: verdictsOf(s), objects: map[string][]runtime.Object{
			"resourcequotas": {quota("shop", "compute", q("pods", test.hard), q("pods", test.used))},
		}}
		app := newTestAppWith(t, 120, 40, s, cluster, nil)
		press(t, app, "8")
		text := strings.Join(strings.Fields(screen(app)), " ")
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s of %s: want %q in\n%s", test.used, test.hard, want, screen(app))
			}
		}
	}
}

// A quota of objects that are no pods limits none.
func TestAQuotaThatLimitsNoPodsSaysSo(t *testing.T) {
	s := newProdEU().snapshot()
	q := modeltest.Quantities
	cluster := &fakeCluster{reports: verdictsOf(s), objects: map[string][]runtime.Object{
		"resourcequotas": {quota("shop", "objects", q("count/deployments.apps", "10"), q("count/deployments.apps", "2"))},
	}}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	press(t, app, "8")
	if text := screen(app); !strings.Contains(text, "limits no pods") || strings.Contains(text, "unknown") || strings.Contains(text, "?  ") {
		t.Errorf("a quota of deployments:\n%s", text)
	}
}

// What a LimitRange gives is not what pods got: that is in their annotation.
func TestWhatPodsGotOfALimitRangeIsByTheirAnnotation(t *testing.T) {
	s := newProdEU().snapshot()
	for _, pod := range s.Pods {
		if pod.Object.Namespace == "shop" {
			pod.Object.Annotations = map[string]string{"kubernetes.io/limit-ranger": "LimitRanger plugin set: memory limit for container app"}
		}
	}
	app := newTestAppWith(t, 120, 40, s, withQuotas(s), func(o *Options) { o.Namespace = "shop" })
	press(t, app, "8")
	text := strings.Join(strings.Fields(screen(app)), " ")
	for _, want := range []string{"LimitRange defaults gives containers without their own: requests cpu 100m, memory 256Mi, limits memory 1Gi", "0 pods got requests,", "pods got limits;"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, screen(app))
		}
	}
}

// A full quota is not shown as over its limit, however its amounts are rounded.
func TestAFullQuotaIsNotOverItsLimit(t *testing.T) {
	s := newProdEU().snapshot()
	q := modeltest.Quantities
	cluster := &fakeCluster{reports: verdictsOf(s), objects: map[string][]runtime.Object{
		"resourcequotas": {quota("shop", "compute", q("limits.memory", "2400Mi"), q("limits.memory", "2400Mi"))},
	}}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	press(t, app, "8")
	if got := screen(app); !strings.Contains(got, "2.3Gi of 2.3Gi") {
		t.Errorf("2400Mi of 2400Mi:\n%s", got)
	}
}
