package explain

import (
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
	}{
		{
			"a quota that is too small",
			rules{quotas: []corev1.ResourceQuota{tight}},
			"1",
			"+ raise quota compute to requests.cpu 21.5 instead of 20",
		},
		{
			"a quota that is too small for a pod that fits no node either",
			rules{quotas: []corev1.ResourceQuota{tight}},
			"8",
			"x raise quota compute to requests.cpu 35.5 instead of 20 | once created, it would be Pending: " +
				"Too large for any node: it requests cpu 8, the largest node has 4 allocatable",
		},
		{"no quota", rules{}, "1", "No quota rejects the pod now: there is nothing to raise."},
		{
			"a quota that wants a figure that the template lacks",
			rules{quotas: []corev1.ResourceQuota{quotaOf(map[string]string{"limits.cpu": "20"}, map[string]string{"limits.cpu": "1"})}},
			"1",
			"ResourceQuota team-a/compute limits limits.cpu, but container app does not set it: raising it won't help.",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := startEngine(t, tc.rules.options(), tc.rules.namespace(), testNode("std-a-01", "4"))
			found, err := fixesOf(t.Context(), e, report.PodsNotCreated(refusedPod(tc.cpu)))
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
