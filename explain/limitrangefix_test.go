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
		options := Options{Lookups: Lookups{LimitRanges: func(context.Context, string) ([]corev1.LimitRange, error) { return c.ranges, nil }}}
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

// TestATemplateThatALimitRangeRejectsIsChangedAsItAllows by kube-apiserver's own code, which is asked about the
// changed template, and simulated with all other pods.
func TestATemplateThatALimitRangeRejectsIsChangedAsItAllows(t *testing.T) {
	perContainer := func(edit func(*corev1.LimitRangeItem)) []corev1.LimitRange {
		item := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer}
		edit(&item)
		return []corev1.LimitRange{limitsOf(item)}
	}
	cpu := func(amount string) corev1.ResourceList { return amounts(map[string]string{"cpu": amount}) }
	ratio := perContainer(func(i *corev1.LimitRangeItem) { i.MaxLimitRequestRatio = cpu("4") })
	most := perContainer(func(i *corev1.LimitRangeItem) { i.Max = cpu("2") })
	const set = "kubectl -n team-a set resources deployment/app -c app "
	const nothing = "The pod template itself is rejected: changes to quotas, nodes or other pods won't help."
	for name, c := range map[string]struct {
		rules   rules
		request string
		edit    func(*corev1.Pod)
		want    string
		command string // of the first
	}{
		"a ratio": {
			rules{limits: ratio},
			"250m", bounding(corev1.ResourceCPU, "2"),
			"+ request cpu 500m instead of 250m\n+ limit cpu 1 instead of 2", set + "--requests=cpu=500m",
		},
		"a ratio that leaves no round figure": {
			rules{limits: perContainer(func(i *corev1.LimitRangeItem) { i.MaxLimitRequestRatio = cpu("3") })},
			"250m", bounding(corev1.ResourceCPU, "2"),
			"+ request cpu 670m instead of 250m\n+ limit cpu 750m instead of 2", set + "--requests=cpu=670m",
		},
		"a maximum": {rules{limits: most}, "1", bounding(corev1.ResourceCPU, "3"), "+ limit cpu 2 instead of 3", set + "--limits=cpu=2"},
		"a maximum that the request exceeds too": {
			rules{limits: most}, "3", bounding(corev1.ResourceCPU, "3"), "+ request cpu 2 instead of 3 and limit cpu 2 instead of 3", set + "--requests=cpu=2 --limits=cpu=2",
		},
		"a minimum": {
			rules{limits: perContainer(func(i *corev1.LimitRangeItem) { i.Min = cpu("500m") })},
			"100m", nil,
			"+ request cpu 500m instead of 100m", set + "--requests=cpu=500m",
		},
		"a default limit below the request": {
			rules{limits: perContainer(func(i *corev1.LimitRangeItem) { i.Default = cpu("500m") })},
			"800m", nil,
			"+ limit cpu 800m instead of 500m\n+ request cpu 500m instead of 800m", set + "--limits=cpu=800m",
		},
		"a default request above the limit": {
			rules{limits: perContainer(func(i *corev1.LimitRangeItem) { i.DefaultRequest = cpu("2") })},
			"", bounding(corev1.ResourceCPU, "1"),
			"+ limit cpu 2 instead of 1\n+ request cpu 1 instead of 2", set + "--limits=cpu=2",
		},
		"a default limit below the request, and a maximum below that": {
			rules{limits: perContainer(func(i *corev1.LimitRangeItem) { i.Default, i.Max = cpu("500m"), cpu("600m") })},
			"800m", nil,
			"+ request cpu 600m instead of 800m and limit cpu 600m instead of 500m\n+ request cpu 500m instead of 800m", set + "--requests=cpu=600m --limits=cpu=600m",
		},
		"a minimum of a pod with one container": {
			rules{limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: cpu("500m")})}},
			"100m", nil,
			"+ request cpu 500m instead of 100m", set + "--requests=cpu=500m",
		},
		"a minimum of a pod with several": {
			rules{limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: cpu("500m")})}},
			"100m",
			func(p *corev1.Pod) { p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "logs"}) }, nothing, "",
		},
		"a minimum that no node has": {
			rules{limits: perContainer(func(i *corev1.LimitRangeItem) { i.Min = cpu("5") })},
			"1", nil,
			"x request cpu 5 instead of 1 | still: std-a-01 needs cpu 1.1 more", "",
		},
		"a quota beside it": {
			rules{
				limits: ratio,
				quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"requests.cpu": "20"}, map[string]string{"requests.cpu": "19500m"})},
			},
			"250m", bounding(corev1.ResourceCPU, "2"),
			"+ limit cpu 1 instead of 2\nx request cpu 500m instead of 250m | the new pod may be rejected: ResourceQuota team-a/compute allows requests.cpu 20, 20 used, the pod needs 500m", set + "--limits=cpu=1",
		},
		"two rules that exclude each other": {
			rules{limits: append(most, limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: cpu("3")}))}, "1", bounding(corev1.ResourceCPU, "3"), nothing, "",
		},
		"Pod Security beside it": {
			rules{limits: ratio, labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}, "250m", bounding(corev1.ResourceCPU, "2"), nothing, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			refused := refusedPod(c.request)
			if c.edit != nil {
				c.edit(refused.Pod)
			}
			set := testOwner(refused.Pod)
			running := testPod("team-a/old", "std-a-01", "100m", podControlledBy("apps/v1", "ReplicaSet", set.Name))
			running.Labels = map[string]string{"pod-template-hash": "old"}
			e := startEngine(t, c.rules.options(), c.rules.namespace(), testNode("std-a-01", "4"), set, running)
			found := must(fixesOf(t.Context(), e, report.PodsNotCreated(refused)))
			for i := range found.Tried {
				found.Tried[i].NodesGained = 0 // told elsewhere
			}
			same(t, toldFixes(found), c.want)
			if len(found.Tried) > 0 {
				same(t, found.Tried[0].Command, c.command)
			}
		})
	}
}
