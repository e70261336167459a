package explain

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// withSidecars gives a pod two containers of which a LimitRange set the requests.
func withSidecars(pod *corev1.Pod, cpu string) *corev1.Pod {
	for _, name := range []string{"logs", "reload"} {
		c := corev1.Container{Name: name}
		if cpu != "" {
			c.Resources.Requests = amounts(map[string]string{"cpu": cpu})
		}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
	}
	if cpu != "" {
		pod.Annotations = map[string]string{
			"kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu request for container logs; cpu request for container reload",
		}
	}
	return pod
}

// defaultsOf is a LimitRange that gives containers a request of cpu.
func defaultsOf(name, cpu string, edits ...func(*corev1.LimitRangeItem)) corev1.LimitRange {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, DefaultRequest: amounts(map[string]string{"cpu": cpu})}
	for _, edit := range edits {
		edit(&item)
	}
	of := limitsOf(item)
	of.Name, of.Namespace = name, "shop"
	return of
}

// TestALimitRangeIsNamedWhereOnlyOneCanHaveSetARequest with the containers that it set the request of.
func TestALimitRangeIsNamedWhereOnlyOneCanHaveSetARequest(t *testing.T) {
	newer := defaultsOf("newer", "4")
	newer.CreationTimestamp = metav1.NewTime(testNow.Add(time.Hour))
	memory := defaultsOf("memory", "4", func(i *corev1.LimitRangeItem) { i.DefaultRequest = amounts(map[string]string{"memory": "1Gi"}) })
	for name, c := range map[string]struct {
		ranges []corev1.LimitRange
		want   string
	}{
		"one":                          {[]corev1.LimitRange{defaultsOf("defaults", "4"), memory}, "LimitRange defaults for logs and reload."},
		"another from after the pod":   {[]corev1.LimitRange{defaultsOf("defaults", "4"), newer}, "LimitRange defaults for logs and reload."},
		"two":                          {[]corev1.LimitRange{defaultsOf("defaults", "4"), defaultsOf("others", "4")}, "a LimitRange for logs and reload."},
		"one that has changed since":   {[]corev1.LimitRange{defaultsOf("defaults", "1")}, "a LimitRange for logs and reload."},
		"none that could be read":      {nil, "a LimitRange for logs and reload."},
		"one that sets something else": {[]corev1.LimitRange{memory}, "a LimitRange for logs and reload."},
	} {
		pod := withSidecars(testPod("shop/web", "", "1"), "4")
		options := Options{LimitRanges: func(context.Context, string) ([]corev1.LimitRange, error) { return c.ranges, nil }}
		r := mustExplain(t, startEngine(t, options, testNode("a", "8"), pod), pod)
		if want := "Of the request of cpu 9, 8 was set by " + c.want; !strings.HasSuffix(r.Summary, want) {
			t.Errorf("%s: %q", name, r.Summary)
		}
	}
}

// TestRequestsOfALimitRangeAreStatedInTheTemplate where the template, as it was read, leaves them open:
// as running pods have them, or else in what the node has left. LimitRanges are asked about the result.
func TestRequestsOfALimitRangeAreStatedInTheTemplate(t *testing.T) {
	const patch = `kubectl -n shop patch deployment/app -p '{"spec":{"template":{"spec":{"containers":[` +
		`{"name":"logs","resources":{"requests":{"cpu":"CPU"}}},{"name":"reload","resources":{"requests":{"cpu":"CPU"}}}]}}}}'`
	running := func(cpu string) *corev1.Pod {
		return withSidecars(testPod("shop/old", "b", "1", podControlledBy("apps/v1", "ReplicaSet", "app-1")), cpu)
	}
	least := func(cpu string) func(*corev1.LimitRangeItem) {
		return func(i *corev1.LimitRangeItem) { i.Min = amounts(map[string]string{"cpu": cpu}) }
	}
	for name, c := range map[string]struct {
		running  *corev1.Pod
		template string // what it states for the sidecars
		ranges   []corev1.LimitRange
		want     string // "": it is not offered
		command  string
	}{
		"as running pods have it": {running("100m"), "", []corev1.LimitRange{defaultsOf("defaults", "4")}, "+ request cpu 1.2 instead of 9 (logs, reload)", strings.ReplaceAll(patch, "CPU", "100m")},
		"no pod tells":            {nil, "", []corev1.LimitRange{defaultsOf("defaults", "4")}, "+ request cpu 8 instead of 9 (logs, reload)", strings.ReplaceAll(patch, "CPU", "3500m")},
		"less than a minimum": {
			running("100m"), "",
			[]corev1.LimitRange{defaultsOf("defaults", "4", least("200m"))},
			"x request cpu 1.2 instead of 9 (logs, reload) | the new pod may be rejected: LimitRange shop/defaults requires at least cpu 200m per Container, container logs requests 100m, and for 1 more reason",
			strings.ReplaceAll(patch, "CPU", "100m"),
		},
		"the template states them": {running("100m"), "4", []corev1.LimitRange{defaultsOf("defaults", "4")}, "", ""},
	} {
		pod := testPod("shop/web", "", "1")
		set := testOwner(withSidecars(pod.DeepCopy(), c.template))
		testOwner(pod)
		withSidecars(pod, "4")
		objects := []runtime.Object{testNode("a", "8"), testNode("b", "4"), set, pod}
		if c.running != nil {
			objects = append(objects, c.running)
		}
		e := startEngine(t, rules{limits: c.ranges}.options(), append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})...)
		var got, command string
		for _, fix := range must(fixesOf(t.Context(), e, report.PodOf(pod.UID))).Tried {
			if strings.Contains(fix.Title, "(logs, reload)") {
				fix.NodesGained = 0 // told elsewhere
				got, command = toldFixes(&report.Fixes{Tried: []report.Fix{fix}}), fix.Command
			}
		}
		same(t, name+": "+got, name+": "+c.want)
		same(t, name+": "+command, name+": "+c.command)
	}
}
