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
