package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

// pooled are two nodes with labels of pools.
const pooled = `apiVersion: v1
kind: Node
metadata: {name: a, labels: {pool: plain, team.example/pool: own}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {pool: plain}}
`

func TestGetNodesTellsThePoolByTheLabelThatIsSet(t *testing.T) {
	for settings, want := range map[string]map[string]string{
		"":                                    {"a": "plain", "b": "plain"},
		"pool-label: team.example/pool\n":     {"a": "own", "b": "plain"},
		"pool-label: other.example/pool\n":    {"a": "plain", "b": "plain"},
		"theme: dark\npool-label: \"pool\"\n": {"a": "plain", "b": "plain"},
	} {
		home := t.TempDir()
		t.Setenv("XDG_CONFIG_HOME", home)
		xdg.Reload()
		if err := os.MkdirAll(filepath.Join(home, "fathom"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "fathom", "config.yaml"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(home, "nodes.yaml")
		if err := os.WriteFile(file, []byte(pooled), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, words bytes.Buffer
		if code := Run(t.Context(), []string{"fathom", "get", "nodes", "-o", "json", "--from", file}, strings.NewReader(""), &out, &words); code != 0 {
			t.Fatalf("code %d: %s", code, words.String())
		}
		var list struct {
			Items []struct{ Name, Pool string }
		}
		if err := json.Unmarshal(out.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, node := range list.Items {
			got[node.Name] = node.Pool
		}
		if !maps.Equal(got, want) {
			t.Errorf("%q: pools are %v, want %v", settings, got, want)
		}
	}
}

// states are nodes that are new, being removed and Ready, all of them Ready by their condition.
const states = `apiVersion: v1
kind: Node
metadata: {name: a}
spec: {taints: [{key: node.cloudprovider.kubernetes.io/uninitialized, effect: NoSchedule}]}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {karpenter.sh/capacity-type: spot}}
spec: {unschedulable: true, taints: [{key: ToBeDeletedByClusterAutoscaler, effect: NoSchedule}]}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: c}
status: {conditions: [{type: Ready, status: "True"}]}
`

// TestGetNodesTellsStatesAndCapacityTypes as the dashboard does.
func TestGetNodesTellsStatesAndCapacityTypes(t *testing.T) {
	for _, test := range []struct {
		file string
		want []string // the beginning of each line, and its end
	}{
		{states, []string{"NAME|CAPACITY", "a      new: not initialized |<none>", "b      removing: scale-down |spot", "c      Ready |<none>"}},
		{pooled, []string{"NAME|REQUESTED", "a|", "b|"}},
	} {
		file := filepath.Join(t.TempDir(), "nodes.yaml")
		if err := os.WriteFile(file, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, words bytes.Buffer
		if code := Run(t.Context(), []string{"fathom", "get", "nodes", "-o", "wide", "--from", file}, strings.NewReader(""), &out, &words); code != 0 {
			t.Fatalf("code %d: %s", code, words.String())
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != len(test.want) {
			t.Fatal(out.String())
		}
		for i, line := range lines {
			if begins, ends, _ := strings.Cut(test.want[i], "|"); !strings.HasPrefix(line, begins) || !strings.HasSuffix(strings.TrimSpace(line), ends) {
				t.Errorf("%q, want %q", line, test.want[i])
			}
		}
	}
}
