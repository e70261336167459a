package get

import (
	"cmp"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/docs"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
)

func compareAccess(a, b client.Access) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Verb, b.Verb))
}

// Rules that are gathered again grant what they were made of, no more and no less,
// whichever permissions lack.
func TestGatheredRulesGrantExactlyWhatLacks(t *testing.T) {
	var all rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(docs.ClusterRole, &all); err != nil {
		t.Fatal(err)
	}
	rights := flattened(all.Rules)
	if len(rights) < 50 {
		t.Fatalf("%d permissions", len(rights))
	}
	for step := 1; step < 8; step++ {
		var lacks []client.Access
		for i := 0; i < len(rights); i += step {
			lacks = append(lacks, rights[i])
		}
		got := flattened(gathered(lacks))
		slices.SortFunc(got, compareAccess)
		slices.SortFunc(lacks, compareAccess)
		if !slices.Equal(got, lacks) {
			t.Errorf("every %d. permission: rules grant\n%v, want\n%v", step, got, lacks)
		}
	}
}
