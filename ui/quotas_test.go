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
