package explain

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
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
		{"no quota", rules{}, "1", "No quota rejects the pod now: there is nothing to raise.", nil},
		{
			"a quota that wants a figure that the template lacks",
			rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"limits.cpu": "20"}, map[string]string{"limits.cpu": "1"})}},
			"1",
			"ResourceQuota team-a/compute limits limits.cpu, but container app does not set it: raising it won't help.",
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
