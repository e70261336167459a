package explain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestQuotasAreRaisedToWhatAllMissingPodsWant(t *testing.T) {
	tight := quotaOf(map[string]string{"requests.cpu": "20"}, map[string]string{"requests.cpu": "19500m"})
	for _, tc := range []struct {
		name  string
		rules rules
		cpu   string
		want  string
		edits []func(*corev1.Pod)
	}{
		{
			"a quota that is too small",
			rules{quotas: []corev1.ResourceQuota{tight}},
			"1",
			"+ raise quota compute to requests.cpu 21.5 instead of 20",
			nil,
		},
		{
			"two resources, of which one still allows the first pod",
			rules{quotas: []corev1.ResourceQuota{quotaOf(
				map[string]string{"requests.cpu": "20", "requests.memory": "8Gi", "pods": "9"},
				map[string]string{"requests.cpu": "20", "requests.memory": "7Gi", "pods": "7"},
			)}},
			"1",
			"+ raise quota compute to requests.cpu 22 instead of 20 and requests.memory 9Gi instead of 8Gi",
			[]func(*corev1.Pod){requesting(corev1.ResourceMemory, "1Gi")},
		},
		{
			"two quotas, of which one still allows the first pod, and one of other pods",
			rules{quotas: []corev1.ResourceQuota{
				tight,
				quotaOf(map[string]string{"count/pods": "8"}, map[string]string{"count/pods": "7"}, func(q *corev1.ResourceQuota) { q.Name = "objects" }),
				quotaOf(map[string]string{"pods": "0"}, map[string]string{"pods": "0"}, func(q *corev1.ResourceQuota) {
					q.Name, q.Spec.Scopes = "spare", []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
				}),
			}},
			"1",
			"+ raise quota compute to requests.cpu 21.5 instead of 20 and raise quota objects to count/pods 9 instead of 8",
			nil,
		},
		{
			"what a LimitRange fills in",
			rules{
				quotas: []corev1.ResourceQuota{quotaOf(
					map[string]string{"requests.cpu": "20", "limits.memory": "8Gi"}, map[string]string{"requests.cpu": "20", "limits.memory": "6Gi"},
				)},
				limits: []corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: amounts(map[string]string{"memory": "2Gi"})})},
			},
			"1",
			"+ raise quota compute to limits.memory 10Gi instead of 8Gi and requests.cpu 22 instead of 20",
			nil,
		},
		{
			"a quota that allows one of two pods",
			rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"requests.cpu": "20"}, map[string]string{"requests.cpu": "19"})}},
			"1",
			"+ raise quota compute to requests.cpu 21 instead of 20",
			nil,
		},
		{
			"a quota that is too small for a pod that fits no node either",
			rules{quotas: []corev1.ResourceQuota{tight}},
			"8",
			"x raise quota compute to requests.cpu 35.5 instead of 20 | once created, it would be Pending: " +
				"Too large for any node: it requests cpu 8, the largest node has 4 allocatable",
			nil,
		},
		{"no quota", rules{}, "1", "No quota, LimitRange or Pod Security level that can be read rejects the pod now. Fix what kube-apiserver's message names. Its controller tries again within 17 minutes.", nil},
		{
			"a quota that wants a figure that the template lacks",
			rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"limits.cpu": "20"}, map[string]string{"limits.cpu": "1"})}},
			"1",
			"ResourceQuota team-a/compute limits limits.cpu, but container app does not set it. Set it there, or as a default of a LimitRange: raising the quota won't help.",
			nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := startEngine(t, tc.rules.options(), tc.rules.namespace(), testNode("std-a-01", "4"))
			found, err := fixesOf(t.Context(), e, report.PodsNotCreated(refusedPod(tc.cpu, tc.edits...)))
			if err != nil {
				t.Fatal(err)
			}
			for i := range found.Tried {
				found.Tried[i].NodesGained = 0 // told elsewhere
			}
			same(t, toldFixes(found), tc.want)
		})
	}
}

func TestARaisedQuotaNamesItsCommandAndTheWayBack(t *testing.T) {
	r := rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"requests.cpu": "20"}, map[string]string{"requests.cpu": "19500m"})}}
	e := startEngine(t, r.options(), r.namespace(), testNode("std-a-01", "4"))
	fix := must(fixesOf(t.Context(), e, report.PodsNotCreated(refusedPod("1")))).Tried[0]
	same(t, fix.Command, `kubectl -n team-a patch resourcequota/compute --type=merge -p '{"spec":{"hard":{"requests.cpu":"21500m"}}}'`)
	same(t, fix.Undo, `kubectl -n team-a patch resourcequota/compute --type=merge -p '{"spec":{"hard":{"requests.cpu":"20"}}}'`)
	if fix.PodsPlaced != 2 || fix.NodesGained != 1 || fix.Kind != report.FixQuota {
		t.Errorf("places %d of %d, gains %d, kind %s", fix.PodsPlaced, fix.Alike, fix.NodesGained, fix.Kind)
	}
}

// One command raises all of a quota, for its user would otherwise run it and find the next
// resource used up.
func TestARaisedQuotaIsOneCommandForAllItsResources(t *testing.T) {
	r := rules{quotas: []corev1.ResourceQuota{
		quotaOf(map[string]string{"requests.cpu": "20", "requests.memory": "8Gi"}, map[string]string{"requests.cpu": "19500m", "requests.memory": "7Gi"}),
		quotaOf(map[string]string{"pods": "8"}, map[string]string{"pods": "7"}, func(q *corev1.ResourceQuota) { q.Name = "objects" }),
	}}
	e := startEngine(t, r.options(), r.namespace(), testNode("std-a-01", "4"))
	refused := refusedPod("1", requesting(corev1.ResourceMemory, "1Gi"))
	fix := must(fixesOf(t.Context(), e, report.PodsNotCreated(refused))).Tried[0]
	same(t, fix.Command, `kubectl -n team-a patch resourcequota/compute --type=merge -p '{"spec":{"hard":{"requests.cpu":"21500m","requests.memory":"9Gi"}}}'`+
		` && kubectl -n team-a patch resourcequota/objects --type=merge -p '{"spec":{"hard":{"pods":"9"}}}'`)
	same(t, fix.Undo, `kubectl -n team-a patch resourcequota/objects --type=merge -p '{"spec":{"hard":{"pods":"8"}}}'`+
		` && kubectl -n team-a patch resourcequota/compute --type=merge -p '{"spec":{"hard":{"requests.cpu":"20","requests.memory":"8Gi"}}}'`)
	var affects []string
	for _, a := range fix.Affects {
		affects = append(affects, a.Title()+" "+a.How)
	}
	same(t, strings.Join(affects, "\n"), `resourcequota/compute allows requests.cpu 21.5 and requests.memory 9Gi; other pods in the namespace can use it too
resourcequota/objects allows pods 9; other pods in the namespace can use it too`)
	if !fix.Verified || fix.PodsPlaced != refused.Missing {
		t.Errorf("places %d of %d, verified %v", fix.PodsPlaced, fix.Alike, fix.Verified)
	}
}

// A fix that replaces the pod works only if kube-apiserver lets the new one be created.
func TestAFixWhoseNewPodIsRejectedDoesNotWork(t *testing.T) {
	ratio := limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: amounts(map[string]string{"cpu": "2"})})
	least := limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: amounts(map[string]string{"memory": "1Gi"})})
	allowing := limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: amounts(map[string]string{"cpu": "1"})})
	restricted := map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}
	hostNetwork := func(p *corev1.Pod) { p.Spec.HostNetwork = true }
	for _, tc := range []struct {
		name  string
		rules rules
		edit  func(*corev1.Pod)
		want  string
	}{
		{
			"a ratio that the lower request exceeds",
			rules{limits: []corev1.LimitRange{ratio}},
			bounding(corev1.ResourceCPU, "10"),
			"x request cpu 4 instead of 8 | a | the new pod may be rejected: LimitRange team-a/bounds allows at most 2 for cpu limit / request per Container, container app has limit 10 / request 4 = 2.5",
		},
		{
			"a minimum that the rest of the pod is below",
			rules{limits: []corev1.LimitRange{least}},
			requesting(corev1.ResourceMemory, "1Mi"),
			"x request cpu 4 instead of 8 | a | the new pod may be rejected: LimitRange team-a/bounds requires at least memory 1Gi per Container, container app requests 1Mi",
		},
		{"a minimum that the lower request keeps", rules{limits: []corev1.LimitRange{allowing}}, nil, "+ request cpu 4 instead of 8 | a"},
		{"Pod Security", rules{labels: map[string]string{"pod-security.kubernetes.io/enforce": "baseline"}}, hostNetwork, "x request cpu 4 instead of 8 | a | the new pod may be rejected: namespace team-a enforces Pod Security level baseline, which forbids host namespaces (hostNetwork=true)"},
		{"Pod Security that the whole template breaks", rules{labels: restricted}, nil, "x request cpu 4 instead of 8 | a | the new pod may be rejected: namespace team-a enforces Pod Security level restricted, which forbids allowPrivilegeEscalation != false (container \"app\" must set securityContext.allowPrivilegeEscalation=false), and for 3 more reasons"},
		{"a quota", rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"pods": "1"}, map[string]string{"pods": "1"})}}, nil, "x request cpu 4 instead of 8 | a | the new pod may be rejected: ResourceQuota team-a/compute allows pods 1, 1 used, the pod needs 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pod := testPod("team-a/web", "", "8")
			if tc.edit != nil {
				tc.edit(pod)
			}
			e := startEngine(t, tc.rules.options(), tc.rules.namespace(), testNode("a", "4"), testOwner(pod), pod)
			found := must(fixesOf(t.Context(), e, report.PodOf(pod.UID)))
			same(t, strings.Split(toldFixes(found), "\n")[0], tc.want)
		})
	}
}

// A pod that is resized in place is not created, and LimitRanges are asked about it all the same.
func TestAResizeThatALimitRangeRejectsDoesNotWork(t *testing.T) {
	least := limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: amounts(map[string]string{"cpu": "6"})})
	r := rules{limits: []corev1.LimitRange{least}, labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}
	pod := testPod("team-a/web", "", "8")
	e := startEngine(t, r.options(), r.namespace(), testNode("a", "4"), pod)
	found := must(fixesOf(t.Context(), e, report.PodOf(pod.UID)))
	same(t, strings.Split(toldFixes(found), "\n")[0],
		"x request cpu 4 instead of 8 | a | the pod may be rejected: LimitRange team-a/bounds requires at least cpu 6 per Container, container app requests 4")
}

// What could not be read of the rules is unknown, and the fix does not count as working.
func TestAFixWhoseRulesAreUnreadIsNotVerified(t *testing.T) {
	options := rules{}.options()
	options.LimitRanges = func(context.Context, string) ([]corev1.LimitRange, error) {
		return nil, errors.New("not allowed to list limitranges")
	}
	pod := testPod("team-a/web", "", "8")
	e := startEngine(t, options, testNode("a", "4"), testOwner(pod), pod)
	fix := must(fixesOf(t.Context(), e, report.PodOf(pod.UID))).Tried[0]
	same(t, strings.Join(fix.Remaining, "; "), "unknown: whether a LimitRange allows the new pod: not allowed to list limitranges")
	if fix.Verified || !fix.Open {
		t.Errorf("verified %v, open %v", fix.Verified, fix.Open)
	}
	same(t, fix.Outcome(), "if a LimitRange allows it: rolling update of 1 pod")
}

// A fix that works but for rules that could not be read is simulated with all other pods too, and stands before those
// that depend on these; a budget that could not be read is one more such rule.
func TestAFixIsSimulatedThoughItsRulesAreUnread(t *testing.T) {
	options := rules{}.options()
	options.LimitRanges = func(context.Context, string) ([]corev1.LimitRange, error) {
		return nil, errors.New("the file has no limitranges")
	}
	pod, rival := testPod("team-a/web", "", "8"), testPod("team-a/rival", "", "4", func(p *corev1.Pod) { p.Spec.Priority = new(int32(10)) })
	held := testPod("team-a/held", "a", "4")
	e := startEngineForbidding(t, options, []string{"poddisruptionbudgets"}, testNode("a", "8"), testOwner(pod), pod, held)
	var got []string
	for _, fix := range must(fixesOf(t.Context(), e, report.PodOf(pod.UID))).Tried {
		if fix.Steps == 1 {
			got = append(got, fix.Title+": "+fix.Outcome())
		}
	}
	same(t, strings.Join(got, "\n"), `request cpu 4 instead of 8: if a LimitRange allows it: rolling update of 1 pod
add a node like a: a new node
evict team-a/held from a: if a PodDisruptionBudget allows it: not recreated: no controller owns it`)
	e = startEngine(t, options, testNode("a", "8"), testOwner(pod), pod, held, rival)
	fix := must(fixesOf(t.Context(), e, report.PodOf(pod.UID))).Tried[0]
	if len(fix.Unread) > 0 || fix.Works() {
		t.Errorf("another pod takes the place, and it is said to work if a LimitRange allows it: %+v", fix)
	}
	same(t, fix.Remaining[0], "the pending pod team-a/rival is scheduled there first")
}

// Sources drop security contexts, so the pod is read whole for Pod Security.
func TestPodSecurityIsAskedAboutTheWholePod(t *testing.T) {
	r := rules{labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}
	secure := &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false), RunAsNonRoot: new(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	for _, tc := range []struct {
		name  string
		whole func(context.Context, *corev1.Pod) (*corev1.Pod, error)
		want  string
	}{
		{"a pod that it allows", func(_ context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
			whole := pod.DeepCopy()
			whole.Spec.Containers[0].SecurityContext = secure
			return whole, nil
		}, "+ request cpu 4 instead of 8 | a"},
		{"a pod that cannot be read", nil, "x request cpu 4 instead of 8 | a | unknown: whether Pod Security allows the new pod: the pod cannot be read whole here"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			options := r.options()
			options.Whole = tc.whole
			pod := testPod("team-a/web", "", "8")
			e := startEngine(t, options, r.namespace(), testNode("a", "4"), testOwner(pod), pod)
			same(t, strings.Split(toldFixes(must(fixesOf(t.Context(), e, report.PodOf(pod.UID)))), "\n")[0], tc.want)
		})
	}
}

// What a Deployment does with a change of its template is read from it.
func TestFixesFollowTheDeployment(t *testing.T) {
	for _, tc := range []struct {
		name  string
		facts command.Facts
		want  string
	}{
		{"a rolling update", command.Facts{Replicas: 2, MaxSurge: 1}, "+ request cpu 5 instead of 8 | a b | Deployment rolls out to 2 pods: 1 running, 1 pending"},
		{
			"one that is paused",
			command.Facts{Replicas: 2, Paused: true, MaxSurge: 1},
			"x request cpu 5 instead of 8 | a b | deployment/app is paused: its pods get a change only after it is resumed",
		},
		{
			"one that stops all pods",
			command.Facts{Replicas: 2, Recreate: true},
			"+ request cpu 5 instead of 8 | a b | Deployment recreates all 2 pods: 1 running one is stopped first",
		},
		{
			"one in the middle of an update",
			command.Facts{Replicas: 1, MaxSurge: 1},
			"+ request cpu 5 instead of 8 | a b | Deployment rolls out to 1 pod, in place of 2 pods: 1 running, 1 pending",
		},
		{"one that is gone", command.Facts{Gone: true}, "x request cpu 5 instead of 8 | a b | its Deployment app no longer exists"},
		{
			"one that cannot be read",
			command.Facts{Unread: "not allowed to get deployments"},
			"x request cpu 5 instead of 8 | a b | unknown: whether deployment/app is paused: not allowed to get deployments | Deployment rolls out to 2 pods: 1 running, 1 pending",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pod := testPod("shop/web", "", "8")
			set := testOwner(pod)
			running := testPod("shop/web-0", "a", "1")
			running.OwnerReferences = pod.OwnerReferences
			asked := 0
			e := startEngine(t, Options{Lookups: Lookups{Facts: func(_ context.Context, of model.Ref) command.Facts {
				asked++
				same(t, of.Resource+" "+of.Namespace+"/"+of.Name, "deployments shop/app")
				return tc.facts
			}}}, testNode("a", "6"), testNode("b", "5"), set, running, pod)
			found := must(fixesOf(t.Context(), e, report.PodOf(pod.UID)))
			fix := found.Tried[0]
			got, _, _ := strings.Cut(toldFixes(found), "\n")
			for _, affected := range fix.Affects {
				if affected.Kind == "Deployment" {
					got += " | Deployment " + affected.How
				}
			}
			same(t, got, tc.want)
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// A pod with a finalizer is not deleted before somebody removes that, and kubectl replace waits.
func TestARecreatedPodWithAFinalizerIsNotVerified(t *testing.T) {
	pod := testPod("shop/web", "", "1", selecting("disktype", "ssd"), func(p *corev1.Pod) { p.Finalizers = []string{"example.com/hold"} })
	e := startEngine(t, Options{}, testNode("a", "4"), pod)
	for _, fix := range must(fixesOf(t.Context(), e, report.PodOf(pod.UID))).Tried {
		if fix.Recreates {
			same(t, strings.Join(fix.Remaining, "; "), "its finalizer example.com/hold may keep it from being deleted, and the command waits for that")
			if fix.Verified {
				t.Error("verified")
			}
			return
		}
	}
	t.Error("no fix recreates the pod")
}

// A CronJob keeps its template when one of its Jobs is recreated.
func TestAJobOfACronJobNamesIt(t *testing.T) {
	pod := testPod("shop/web", "", "8", podControlledBy("batch/v1", "Job", "nightly-1"))
	e := startEngine(t, Options{Lookups: Lookups{Facts: func(context.Context, model.Ref) command.Facts { return command.Facts{CronJob: "nightly"} }}}, testNode("a", "4"), pod)
	fix := must(fixesOf(t.Context(), e, report.PodOf(pod.UID))).Tried[0]
	last := fix.Affects[len(fix.Affects)-1]
	same(t, last.Kind+" "+last.Name+" "+last.How, "CronJob nightly keeps its template: the Jobs that it creates later do not have the change")
}

// Where all pods are stopped first, a pending one may take the place of one that ran.
func TestAPodIsCountedAsPlacedWhereARunningOneIsStopped(t *testing.T) {
	pod, other := testPod("shop/web", "", "4", selecting("pool", "x")), testPod("shop/web-1", "", "4", selecting("pool", "x"))
	set := testOwner(pod)
	running := testPod("shop/web-0", "a", "4", selecting("pool", "x"))
	other.OwnerReferences, running.OwnerReferences = pod.OwnerReferences, pod.OwnerReferences
	e := startEngine(t, Options{Lookups: Lookups{Facts: func(context.Context, model.Ref) command.Facts { return command.Facts{Replicas: 3, Recreate: true} }}},
		testNode("a", "5", nodeLabel("pool", "x")), testNode("b", "4"), testNode("c", "4"), set, running, pod, other)
	for _, fix := range must(fixesOf(t.Context(), e, report.PodOf(pod.UID))).Tried {
		if fix.Kind == report.FixSelector {
			same(t, fmt.Sprintf("%s: %d of %d, %s", fix.Title, fix.PodsPlaced, fix.Alike, fix.Brief),
				"remove node selector pool=x: 2 of 2, stops all pods, then recreates them")
			return
		}
	}
	t.Error("no fix removes the selector")
}

// Which controller creates its pods first is not known: a raised quota is certain to be enough only
// where it is enough for the missing pods of all of them.
func TestARaisedQuotaMayBeUsedByOtherWorkloadsFirst(t *testing.T) {
	other := func(edits ...func(*corev1.Pod)) *model.NotCreated {
		refused := refusedPod("2", edits...)
		refused.Pod.UID = model.NotCreatedUID("web")
		refused.Pod.OwnerReferences[0].Name, refused.Pod.OwnerReferences[0].UID = "web-9f7", "web"
		return refused
	}
	elsewhere := other(func(p *corev1.Pod) { p.Namespace = "team-b" })
	suspended := other()
	suspended.Queue = "team-a/queue"
	const narrow = "+ raise quota compute to requests.cpu 22 instead of 20"
	for _, tc := range []struct {
		name   string
		limits []corev1.LimitRange
		others []*model.NotCreated
		want   string
	}{
		{"nobody else", nil, nil, narrow},
		{"of another namespace", nil, []*model.NotCreated{elsewhere}, narrow},
		{"that a queue holds", nil, []*model.NotCreated{suspended}, narrow},
		{
			"that a LimitRange rejects",
			[]corev1.LimitRange{limitsOf(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: amounts(map[string]string{"cpu": "1"}), Max: amounts(map[string]string{"cpu": "1"})})},
			[]*model.NotCreated{other()},
			narrow,
		},
		{
			"another workload", nil,
			[]*model.NotCreated{other()},
			"+ raise quota compute to requests.cpu 26 instead of 20, enough for web-9f7 too\n" +
				"? raise quota compute to requests.cpu 22 instead of 20 | the missing pods of web-9f7 may be created first",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := rules{limits: tc.limits, quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"requests.cpu": "20"}, map[string]string{"requests.cpu": "20"})}}
			e := startEngine(t, r.options(), r.namespace(), testNode("std-a-01", "4"))
			answer, err := e.Ask(t.Context(), report.Query{
				Target: report.PodsNotCreated(refusedPod("1")), Parts: report.FixesPart, NotCreated: append(tc.others, refusedPod("1")),
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range answer.Tried.Tried {
				answer.Tried.Tried[i].NodesGained = 0 // told elsewhere
			}
			same(t, toldFixes(answer.Tried), tc.want)
		})
	}
}

// A quota with a scope counts only the pods of that scope.
func TestARaisedQuotaWithAScopeIsNotForTheWholeNamespace(t *testing.T) {
	r := rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"pods": "8"}, map[string]string{"pods": "8"}, func(q *corev1.ResourceQuota) {
		q.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeNotBestEffort}
	})}}
	e := startEngine(t, r.options(), r.namespace(), testNode("std-a-01", "4"))
	fix := must(fixesOf(t.Context(), e, report.PodsNotCreated(refusedPod("1")))).Tried[0]
	same(t, fix.Brief+"; "+fix.Affects[0].How, "quota of all pods in its scope; allows pods 10; other pods in the namespace and in the quota's scope can use it too")
}
