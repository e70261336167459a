package explain

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// refusedPod is what a ReplicaSet would create two of, changed by the edits.
func refusedPod(cpu string, edits ...func(*corev1.Pod)) *model.NotCreated {
	pod := testPod("team-a/", "", cpu, edits...)
	pod.UID, pod.GenerateName = model.NotCreatedUID("rs"), "api-6c9-"
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "api-6c9", UID: "rs", Controller: new(true)}}
	return &model.NotCreated{
		Pod: pod, Wanted: 4, Missing: 2, Since: testNow.Add(-9 * time.Minute), Last: testNow.Add(-30 * time.Second),
		Message: `pods "api-6c9-" is forbidden: for some reason`,
	}
}

func quotaOf(hard, used map[string]string, edits ...func(*corev1.ResourceQuota)) corev1.ResourceQuota {
	quota := corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "compute"},
		Status:     corev1.ResourceQuotaStatus{Hard: amounts(hard), Used: amounts(used)},
	}
	for _, edit := range edits {
		edit(&quota)
	}
	quota.Spec.Hard = quota.Status.Hard
	return quota
}

func amounts(texts map[string]string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, text := range texts {
		list[corev1.ResourceName(name)] = resource.MustParse(text)
	}
	return list
}

func limitsOf(item corev1.LimitRangeItem) corev1.LimitRange {
	return corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "bounds"},
		Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}},
	}
}

// rules are what a namespace has, for an engine to hear of.
type rules struct {
	quotas []corev1.ResourceQuota
	limits []corev1.LimitRange
	labels map[string]string
}

func (r rules) options() Options {
	return Options{
		Lookups: Lookups{
			Quotas:      func(context.Context, string) ([]corev1.ResourceQuota, error) { return r.quotas, nil },
			LimitRanges: func(context.Context, string) ([]corev1.LimitRange, error) { return r.limits, nil },
			Whole:       func(_ context.Context, pod *corev1.Pod) (*corev1.Pod, error) { return pod, nil },
		},
	}
}

func (r rules) namespace() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-a", Labels: r.labels}}
}

func bounding(name corev1.ResourceName, amount string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Limits = amounts(map[string]string{string(name): amount})
	}
}

func TestRefusedPodsAreToldByWhatRefusesThem(t *testing.T) {
	restricted := map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}
	baseline := map[string]string{"pod-security.kubernetes.io/enforce": "baseline"}
	cpuQuota := quotaOf(map[string]string{"requests.cpu": "20"}, map[string]string{"requests.cpu": "19500m"})
	privileged := func(p *corev1.Pod) {
		p.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: new(true)}
	}
	for _, test := range []struct {
		name         string
		rules        rules
		pod          *model.NotCreated
		summary, why string
		numbers      report.Number // of the first rejection
	}{
		{
			"a quota that is used up",
			rules{quotas: []corev1.ResourceQuota{cpuQuota}},
			refusedPod("1"),
			"ResourceQuota team-a/compute allows requests.cpu 20, 19.5 used, the pod needs 1.", "quota | compute: requests.cpu",
			report.Number{Resource: "requests.cpu", Wanted: "1", Requested: "19500m", Allocatable: "20", Short: "500m"},
		},
		{
			"a quota of two resources",
			rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"pods": "1", "memory": "1Gi"}, map[string]string{"pods": "1", "memory": "1Gi"})}},
			refusedPod("1", requesting(corev1.ResourceMemory, "512Mi")),
			"ResourceQuota team-a/compute allows memory 1Gi, 1Gi used, the pod needs 512Mi.", "quota | compute: memory, pods",
			report.Number{Resource: "memory", Wanted: "512Mi", Requested: "1Gi", Allocatable: "1Gi", Short: "512Mi"},
		},
		{
			"a quota on what the pod leaves open",
			rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"limits.memory": "1Gi"}, map[string]string{"limits.memory": "0"})}},
			refusedPod("1"),
			"ResourceQuota team-a/compute limits limits.memory, but container app does not set it.", "quota | compute: limits.memory not set",
			report.Number{Resource: "limits.memory", Wanted: "", Requested: "0", Allocatable: "1Gi", Short: ""},
		},
		{
			"a quota on all that the pod leaves open",
			rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"limits.memory": "1Gi", "requests.cpu": "8", "requests.memory": "2Gi", "limits.cpu": "9"},
				map[string]string{"limits.memory": "0", "requests.cpu": "0", "requests.memory": "0", "limits.cpu": "0"})}},
			refusedPod("1"),
			"ResourceQuota team-a/compute limits limits.cpu, limits.memory, requests.memory, but container app does not set them.",
			"quota | compute: limits.cpu, limits.memory, requests.memory not set",
			report.Number{Resource: "limits.cpu", Wanted: "", Requested: "0", Allocatable: "9", Short: ""},
		},
		{
			"a quota that nobody has counted",
			rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"pods": "5"}, nil)}},
			refusedPod("1"),
			"ResourceQuota team-a/compute limits pods, but its usage is not calculated yet.", "quota | compute: pods",
			report.Number{Resource: "pods", Wanted: "1", Requested: "", Allocatable: "5", Short: ""},
		},
		{
			"a quota for other pods, and one for these",
			rules{quotas: []corev1.ResourceQuota{
				quotaOf(map[string]string{"pods": "0"}, map[string]string{"pods": "0"}, func(q *corev1.ResourceQuota) {
					q.Name, q.Spec.Scopes = "spare", []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
				}),
				cpuQuota,
			}},
			refusedPod("1"), "ResourceQuota team-a/compute allows requests.cpu 20, 19.5 used, the pod needs 1.", "quota | compute: requests.cpu",
			report.Number{Resource: "requests.cpu", Wanted: "1", Requested: "19500m", Allocatable: "20", Short: "500m"},
		},
		{
			"a request that a LimitRange fills in, beyond the quota",
			rules{
				quotas: []corev1.ResourceQuota{cpuQuota},
				limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, DefaultRequest: amounts(map[string]string{"cpu": "2"})})},
			},
			refusedPod(""), "ResourceQuota team-a/compute allows requests.cpu 20, 19.5 used, the pod needs 2.", "quota | compute: requests.cpu",
			report.Number{Resource: "requests.cpu", Wanted: "2", Requested: "19500m", Allocatable: "20", Short: "1500m"},
		},
		{
			"a limit beyond the greatest of a LimitRange, which is told before the quota",
			rules{
				quotas: []corev1.ResourceQuota{cpuQuota},
				limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: amounts(map[string]string{"cpu": "500m"})})},
			},
			refusedPod("1", bounding(corev1.ResourceCPU, "2")),
			"LimitRange team-a/bounds allows at most cpu 500m per Container, container app has limit 2.", "limit range | bounds: max cpu 500m",
			report.Number{Resource: "cpu", Wanted: "2", Requested: "", Allocatable: "500m", Short: ""},
		},
		{
			"no limit, where a LimitRange has a greatest of pods",
			rules{limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: amounts(map[string]string{"cpu": "6"})})}},
			refusedPod("1"),
			"LimitRange team-a/bounds allows at most cpu 6 per Pod, the pod has no limit.", "limit range | bounds: max cpu 6, has no limit",
			report.Number{Resource: "cpu", Wanted: "", Requested: "", Allocatable: "6", Short: ""},
		},
		{
			"no limit, where a LimitRange of a file has a greatest: kube-apiserver would have made it the default",
			rules{limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: amounts(map[string]string{"cpu": "6"})})}},
			refusedPod("1"),
			`kube-apiserver rejected it 30s ago: pods "api-6c9-" is forbidden: for some reason.`, `admission | pods "api-6c9-" is forbidden: for some reason`,
			report.Number{},
		},
		{
			"a limit that a LimitRange fills in, below the request",
			rules{limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: amounts(map[string]string{"memory": "256Mi"})})}},
			refusedPod("1", requesting(corev1.ResourceMemory, "300Mi")),
			"LimitRange team-a/bounds gives container app memory limit 256Mi, below its request 300Mi.", "limit range | bounds: default memory limit 256Mi, request 300Mi",
			report.Number{Resource: "memory", Wanted: "300Mi", Requested: "", Allocatable: "256Mi", Short: ""},
		},
		{
			"a request that a LimitRange fills in, above the limit",
			rules{limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, DefaultRequest: amounts(map[string]string{"cpu": "2"})})}},
			refusedPod("", bounding(corev1.ResourceCPU, "1")),
			"LimitRange team-a/bounds gives container app cpu request 2, above its limit 1.", "limit range | bounds: default cpu request 2, limit 1",
			report.Number{Resource: "cpu", Wanted: "2", Requested: "", Allocatable: "1", Short: ""},
		},
		{
			"a pod below the least of a LimitRange",
			rules{limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: amounts(map[string]string{"memory": "64Mi"})})}},
			refusedPod("1", requesting(corev1.ResourceMemory, "16Mi")),
			"LimitRange team-a/bounds requires at least memory 64Mi per Pod, the pod requests 16Mi.", "limit range | bounds: min memory 64Mi",
			report.Number{Resource: "memory", Wanted: "16Mi", Requested: "", Allocatable: "64Mi", Short: ""},
		},
		{
			"a limit too far from its request",
			rules{limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: amounts(map[string]string{"cpu": "2"})})}},
			refusedPod("1", bounding(corev1.ResourceCPU, "3")),
			"LimitRange team-a/bounds allows at most 2 for cpu limit / request per Container, container app has limit 3 / request 1 = 3.", "limit range | bounds: ratio cpu 2",
			report.Number{Resource: "cpu", Wanted: "3", Requested: "", Allocatable: "2", Short: ""},
		},
		{
			"a privileged container",
			rules{labels: baseline},
			refusedPod("1", privileged),
			`namespace team-a enforces Pod Security level baseline, which forbids privileged (container "app" must not set securityContext.privileged=true).`,
			"pod security | baseline forbids privileged",
			report.Number{},
		},
		{
			"several checks of one level",
			rules{labels: restricted},
			refusedPod("1"),
			`namespace team-a enforces Pod Security level restricted, which forbids allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false) and 3 more.`,
			"pod security | restricted forbids allowPrivilegeEscalation != false; restricted forbids unrestricted capabilities; " +
				"restricted forbids runAsNonRoot != true; restricted forbids seccompProfile",
			report.Number{},
		},
		{
			"what nothing explains",
			rules{},
			refusedPod("1"),
			`kube-apiserver rejected it 30s ago: pods "api-6c9-" is forbidden: for some reason.`,
			`admission | pods "api-6c9-" is forbidden: for some reason`,
			report.Number{},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := startEngine(t, test.rules.options(), aNode("a", "4"), test.rules.namespace())
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodsNotCreated(test.pod)})
			if err != nil {
				t.Fatal(err)
			}
			same(t, string(r.Verdict), string(report.NotCreated))
			same(t, r.Summary, "Not created: "+test.summary)
			same(t, r.State, "not created")
			same(t, rowOf(r), test.why)
			same(t, r.Pod.Name+r.Pod.UID, "")
			var numbers report.Number
			for _, rejection := range r.Admission.Rejections[:min(1, len(r.Admission.Rejections))] {
				for _, numbers = range rejection.Numbers {
					break
				}
			}
			if numbers != test.numbers {
				t.Errorf("numbers %+v, want %+v", numbers, test.numbers)
			}
			if len(r.Unknown) > 0 {
				t.Errorf("unknown: %+v", r.Unknown)
			}
		})
	}
}

// TestWhatCannotBeReadMayRejectAPod where nothing that was read does: an old rejection is only taken for
// out of date where a rule has changed since.
func TestWhatCannotBeReadMayRejectAPod(t *testing.T) {
	const otherRules = "no quota, LimitRange or Pod Security level that can be read would reject it now; other rules of kube-apiserver may (a webhook, a policy"
	const keeps, again = "; its controller keeps trying", "; its controller tries again within 17 minutes"
	required := ", or a quota that it requires for priority class system-node-critical)"
	fact := "no ResourceQuota of namespace team-a has priority class system-node-critical in its scope; some clusters require one for it"
	refused := func() *model.NotCreated {
		return refusedPod("1", func(p *corev1.Pod) { p.Spec.PriorityClassName = "system-node-critical" })
	}
	large := func(edits ...func(*corev1.ResourceQuota)) rules {
		return rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"pods": "9"}, map[string]string{"pods": "1"}, edits...)}}
	}
	scoped := func(class string) func(*corev1.ResourceQuota) {
		return func(q *corev1.ResourceQuota) {
			q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{{
				ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn, Values: []string{class},
			}}}
		}
	}
	written := func(after time.Duration) func(*corev1.ResourceQuota) {
		return func(q *corev1.ResourceQuota) {
			q.ManagedFields = []metav1.ManagedFieldsEntry{{Time: new(metav1.NewTime(refused().Last.Add(after)))}}
		}
	}
	for name, c := range map[string]struct {
		rules      rules
		want, fact string
	}{
		"no quota":                 {rules{}, otherRules + required + keeps, fact},
		"a quota without scopes":   {large(), otherRules + required + keeps, fact},
		"a quota of another class": {large(scoped("other")), otherRules + required + keeps, fact},
		"a quota of the class":     {large(scoped("system-node-critical")), otherRules + ")" + keeps, ""},
		"a quota written before":   {large(written(-time.Second)), otherRules + required + keeps, fact},
		"a quota written since":    {large(written(time.Second)), strings.Replace(otherRules, ", LimitRange or Pod Security level", " or LimitRange", 1) + required + again, fact},
	} {
		r, err := startEngine(t, c.rules.options(), aNode("a", "4"), c.rules.namespace()).Ask(t.Context(), report.Query{Target: report.PodsNotCreated(refused())})
		if err != nil {
			t.Fatal(err)
		}
		stale := strings.Contains(r.Summary, "30s ago, before a quota or LimitRange changed: ")
		if stale != strings.HasSuffix(c.want, again) || stale != strings.HasPrefix(r.Why, "a quota or LimitRange changed since: ") || !slices.Contains(r.Facts, c.want) || slices.Contains(r.Facts, fact) != (c.fact != "") {
			t.Errorf("%s: %q, %q", name, r.Summary, r.Facts)
		}
	}
}

func TestFactsOfARefusedPodTellTheSumAndWhatWouldBe(t *testing.T) {
	rules := rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"requests.cpu": "20"}, map[string]string{"requests.cpu": "19500m"})}}
	for _, test := range []struct{ node, would string }{
		{"4", ", it would fit 1 node: a."},
		{"500m", ": Too large for any node: it requests cpu 1, the largest node has 500m allocatable."},
	} {
		r, err := startEngine(t, rules.options(), aNode("a", test.node), rules.namespace()).Ask(t.Context(), report.Query{Target: report.PodsNotCreated(refusedPod("1"))})
		if err != nil {
			t.Fatal(err)
		}
		same(t, strings.Join(r.Facts, "\n"), `ResourceQuota team-a/compute lacks requests.cpu 500m: the pod needs 1, free 500m = hard 20 − used 19.5
replicaset/api-6c9 needs 4 pods; 2 of them could not be created for 9m
kube-apiserver's message, 30s ago: pods "api-6c9-" is forbidden: for some reason
If it were created`+test.would)
	}
}

func TestWhatRefusesAPodIsUnknownWhereItMayNotBeRead(t *testing.T) {
	forbidden := func(resource string) error { return errors.New("not allowed to list " + resource) }
	options := Options{
		Lookups: Lookups{
			Quotas:      func(context.Context, string) ([]corev1.ResourceQuota, error) { return nil, forbidden("resourcequotas") },
			LimitRanges: func(context.Context, string) ([]corev1.LimitRange, error) { return nil, forbidden("limitranges") },
		},
	}
	e := startEngineForbidding(t, options, []string{"namespaces"}, aNode("a", "4"))
	r, err := e.Ask(t.Context(), report.Query{Target: report.PodsNotCreated(refusedPod("1"))})
	if err != nil {
		t.Fatal(err)
	}
	same(t, r.Summary, "Not created: kube-apiserver rejected it 30s ago; the reason is unknown: not allowed to list limitranges.")
	var open []string
	for _, part := range r.Unknown {
		open = append(open, part.Resource+" "+strings.Join(part.Plugins, ","))
	}
	same(t, strings.Join(open, "; "), "limitranges LimitRanger; namespaces PodSecurity; resourcequotas ResourceQuota")
}

// TestAClassThatDoesNotExistIsTheReason why pods are not created, where that can be read; nothing but
// the class would help.
func TestAClassThatDoesNotExistIsTheReason(t *testing.T) {
	pod := refusedPod("1", func(p *corev1.Pod) { p.Spec.PriorityClassName = "gone" })
	for name, c := range map[string]struct {
		missing       []report.Rejection
		err           error
		summary, help string
		blocked       string
	}{
		"missing": {
			[]report.Rejection{admission.NotThere("Priority", "PriorityClass gone")},
			nil,
			"Not created: PriorityClass gone does not exist.",
			"PriorityClass gone does not exist: create it, or change what the pod names. Changes to quotas, nodes or other pods won't help.",
			"admission | PriorityClass gone does not exist",
		},
		"missing in a file": {
			[]report.Rejection{admission.NotThere("Priority", "PriorityClass gone")},
			nil,
			"Not created: PriorityClass gone does not exist.",
			"PriorityClass gone does not exist: create it, or change what the pod names. Changes to quotas, nodes or other pods won't help.",
			"admission | PriorityClass gone does not exist",
		},
		"unread": {
			nil, errors.New("not allowed to list replicasets"),
			`Not created: kube-apiserver rejected it 30s ago: pods "api-6c9-" is forbidden: for some reason.`,
			"No quota, LimitRange or Pod Security level that can be read rejects the pod now. If kube-apiserver requires a quota for priority class gone, create one with this class in its scope in namespace team-a.",
			`admission | pods "api-6c9-" is forbidden: for some reason`,
		},
	} {
		options := rules{}.options()
		options.Created = func(_ context.Context, namespace string, by *metav1.OwnerReference) (*corev1.Pod, []report.Rejection, error) {
			if namespace != "team-a" || by.Name != "api-6c9" {
				t.Errorf("%s: it asks for %s of %s", name, by.Name, namespace)
			}
			return pod.Pod, c.missing, c.err
		}
		if name == "missing in a file" {
			options.Created, options.MissingClasses = nil, func(context.Context, *corev1.Pod) []report.Rejection { return c.missing }
		}
		e := startEngine(t, options, testNode("a", "4"), rules{}.namespace())
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodsNotCreated(pod), Parts: report.FixesPart})
		if err != nil {
			t.Fatal(err)
		}
		if r.Summary != c.summary || toldFixes(r.Tried) != c.help || rowOf(r) != c.blocked {
			t.Errorf("%s: got\n%s\n%s\n%s\nwant\n%s\n%s\n%s", name, r.Summary, toldFixes(r.Tried), rowOf(r), c.summary, c.help, c.blocked)
		}
	}
}

// TestWhatARolloutChangedIsToldOfPodsThatWereNotCreated too: a quota may reject what the new template requests.
func TestWhatARolloutChangedIsToldOfPodsThatWereNotCreated(t *testing.T) {
	set := func(name, uid, revision, cpu string) *appsv1.ReplicaSet {
		made := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{
			Namespace: "team-a", Name: name, UID: types.UID(uid), Annotations: map[string]string{"deployment.kubernetes.io/revision": revision},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "api", UID: "d", Controller: new(true)}},
		}}
		made.Spec.Template.Spec = testPod("team-a/t", "", cpu).Spec
		return made
	}
	full := rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"requests.cpu": "1"}, map[string]string{"requests.cpu": "1"})}}
	old := testPod("team-a/api-1", "a", "1", podControlledBy("apps/v1", "ReplicaSet", "old"))
	e := startEngine(t, full.options(), testNode("a", "4"), full.namespace(), old, set("api-111", "old", "1", "1"), set("api-6c9", "rs", "2", "2"))
	r := must(e.Ask(t.Context(), report.Query{Target: report.PodsNotCreated(refusedPod("2"))}))
	same(t, report.RolloutSentence(r, testNow), "deployment/api changed: cpu request 2 instead of 1; 1 old pod runs.")
}
