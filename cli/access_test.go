package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/docs"
)

// right is one that a row of get access asks for, or a rule of a ClusterRole grants.
type right struct{ Verb, Group, Resource, Name string }

// granted are the rights of docs/clusterrole.yaml.
func granted(t *testing.T) (all []right) {
	t.Helper()
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(docs.ClusterRole, &role); err != nil {
		t.Fatal(err)
	}
	for _, rule := range role.Rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range names {
					for _, verb := range rule.Verbs {
						all = append(all, right{verb, group, resource, name})
					}
				}
			}
		}
	}
	return all
}

// TestTheClusterRoleGrantsWhatGetAccessNeeds, each row that reads, and no list or watch beside them.
func TestTheClusterRoleGrantsWhatGetAccessNeeds(t *testing.T) {
	config := filepath.Join(t.TempDir(), "kubeconfig")
	newAPI(t, config)
	var out, said bytes.Buffer
	if code := Run(t.Context(), []string{"fathom", "get", "access", "-o", "json", "--kubeconfig", config}, strings.NewReader(""), &out, &said); code != 0 {
		t.Fatalf("exit code %d: %s", code, &said)
	}
	var access struct{ Items []right }
	if err := json.Unmarshal(out.Bytes(), &access); err != nil {
		t.Fatal(err)
	}
	grants := granted(t)
	reads := func(r right) bool { return r.Verb == "get" || r.Verb == "list" || r.Verb == "watch" }
	for _, row := range access.Items {
		if slices.Contains(grants, row) != reads(row) {
			t.Errorf("get access has the row %v, of the ClusterRole's: %t", row, !reads(row))
		}
	}
	for _, grant := range grants {
		if grant.Verb != "get" && !slices.Contains(access.Items, grant) { // get is for d and y too, where rows ask for list
			t.Errorf("the ClusterRole grants %v, of which get access has no row", grant)
		}
	}
}
