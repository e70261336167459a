package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

// oneOfEach is a node and a pod on it.
const oneOfEach = `apiVersion: v1
kind: Node
metadata: {name: a}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop}
spec: {nodeName: a, containers: [{name: c, image: i}]}
`

func TestConfigCheckRejectsTheHeadsOfGet(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	xdg.Reload()
	file := filepath.Join(home, "state.yaml")
	if err := os.WriteFile(file, []byte(oneOfEach), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(stdin string, args ...string) (int, string) {
		var out, words bytes.Buffer
		code := Run(t.Context(), append([]string{"fathom"}, args...), strings.NewReader(stdin), &out, &words)
		return code, out.String()
	}
	for _, view := range []string{"nodes", "pods"} {
		code, list := run("", "get", view, "-o", "wide", "--from", file)
		line, _, _ := strings.Cut(list, "\n")
		heads := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
		if code != 0 || len(heads) < 13 {
			t.Fatalf("get %s: code %d, heads %q", view, code, heads)
		}
		for _, head := range append(heads, "MINE") {
			code, says := run(fmt.Sprintf("columns: {%s: [{label: x, head: %q}]}\n", view, head), "config", "check", "-")
			if wrong := strings.Contains(says, head+" is the head of a built-in column"); (code == 2) != wrong || wrong != (head != "MINE") {
				t.Errorf("%s: the head %s: code %d, %s", view, head, code, says)
			}
		}
	}
}
