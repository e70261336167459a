package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// watched may do everything, and all that it asks to change is noted.
const watched = "watched"

// What fathom asks of a cluster changes nothing: dry runs, and questions about
// rights, which are creates by their verb only.
func TestNothingIsWrittenButDryRuns(t *testing.T) {
	plane := startPlane(t, controlplane.Options{Users: []string{watched}, Audit: true})
	kubectl(t, plane, "", "create", "clusterrolebinding", watched, "--clusterrole=cluster-admin", "--user="+watched)
	kubectl(t, plane, hardCases, "apply", "-f", "-")
	config := kubeconfig(t, plane, watched)
	manifest := "apiVersion: v1\nkind: Pod\nmetadata: {namespace: hard, name: asks}\nspec:\n  containers: [{name: main, image: x}]\n"

	read := fathomWithInput(t, manifest, "explain", "--kubeconfig", config, "-f", "-", "--readonly")
	dry := writes(t, plane)
	if read.code > 1 || len(dry) > 0 {
		t.Errorf("with --readonly: exit code %d, dry runs %v\n%s", read.code, dry, read.stderr)
	}
	for _, args := range [][]string{
		{"explain", "--all", "-A"}, {"explain", "three", "-n", "hard"}, {"get", "nodes"}, {"get", "pods", "-A"}, {"get", "pending", "-A"}, {"get", "access"},
	} {
		r := fathom(t, append(args, "--kubeconfig", config)...)
		if r.code > 1 {
			t.Errorf("%q: exit code %d\n%s", args, r.code, r.stderr)
		}
	}
	s := open(t, 80, 24, "--kubeconfig", config)
	s.shows(`^ \d+ pending: `)
	s.press(enter)
	s.shows(`hard/`)
	s.press(ctrlC)
	s.ends(0)
	if found := writes(t, plane); len(found) > 0 {
		t.Errorf("changes were asked for: %v", found)
	}

	asked := fathomWithInput(t, manifest, "explain", "--kubeconfig", config, "-f", "-")
	dry = writes(t, plane)
	if asked.code > 1 || len(dry) == 0 {
		t.Errorf("explain -f: exit code %d, dry runs %v\n%s", asked.code, dry, asked.stderr)
	}
	for _, w := range dry {
		if !strings.Contains(w.URI, "dryRun=All") {
			t.Errorf("a change was asked for: %+v", w)
		}
	}
	fmt.Printf("%d dry runs and no other change asked for\n", len(dry))
}

// writes are the changes that were asked for, without questions about rights.
func writes(t *testing.T, plane *controlplane.ControlPlane) []controlplane.Write {
	t.Helper()
	all, err := plane.Writes(watched)
	if err != nil {
		t.Fatal(err)
	}
	var found []controlplane.Write
	for _, w := range all {
		if !strings.HasPrefix(w.URI, "/apis/authorization.k8s.io/") && !strings.HasPrefix(w.URI, "/apis/authentication.k8s.io/") {
			found = append(found, w)
		}
	}
	return found
}
