package cli

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

// k9sPlugin is what k9s reads of a plugin.
type k9sPlugin struct {
	ShortCut    string   `json:"shortCut"`
	Description string   `json:"description"`
	Scopes      []string `json:"scopes"`
	Command     string   `json:"command"`
	Args        []string `json:"args"`
	Background  bool     `json:"background"`
	Confirm     bool     `json:"confirm"`
}

// k9sVariable is a variable that k9s replaces in arguments.
var k9sVariable = regexp.MustCompile(`\$!?[\w-]+`)

// TestK9sPluginsRun replaces the variables as k9s does, and runs what is before the pager.
func TestK9sPluginsRun(t *testing.T) {
	text, err := os.ReadFile("../docs/k9s-plugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Plugins map[string]k9sPlugin `json:"plugins"`
	}
	if err := yaml.UnmarshalStrict(text, &file); err != nil || len(file.Plugins) == 0 {
		t.Fatalf("%d plugins: %v", len(file.Plugins), err)
	}
	inDocDirectory(t)
	keys := map[string]string{}
	for name, plugin := range file.Plugins {
		values := map[string]map[string]string{
			"pods":  {"$NAME": "checkout-6c9d8b7f4-x2x1p", "$NAMESPACE": "shop", "$CONTEXT": "admin"},
			"nodes": {"$NAME": "std-a-01", "$CONTEXT": "admin"},
		}
		if len(plugin.Scopes) != 1 || values[plugin.Scopes[0]] == nil || plugin.Description == "" || plugin.Background || plugin.Command != "sh" || len(plugin.Args) != 2 {
			t.Errorf("%s: %+v", name, plugin)
			continue
		}
		key := plugin.Scopes[0] + " " + plugin.ShortCut
		if other, taken := keys[key]; taken {
			t.Errorf("%s and %s have the same key", name, other)
		}
		keys[key] = name
		command := k9sVariable.ReplaceAllStringFunc(plugin.Args[1], func(variable string) string {
			value, ok := values[plugin.Scopes[0]][variable]
			if !ok {
				t.Errorf("%s: k9s has no %s here", name, variable)
			}
			return value
		})
		command, paged := strings.CutSuffix(command, " 2>&1 | less -R")
		if !paged || plugin.Args[0] != "-c" {
			t.Errorf("%s: %q does not end in the pager", name, plugin.Args)
		}
		words, err := shellWords(command)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var out, said bytes.Buffer
		if code := Run(t.Context(), append([]string{"kubectl-fathom"}, words...), strings.NewReader(""), &out, &said); code != exit.Clear && code != exit.Blocked || out.Len() == 0 {
			t.Errorf("%s: exit code %d: %s", name, code, &said)
		}
		if slices.Contains(words, "--yes") || slices.Contains(words, "drain") && !slices.Contains(words, "--plan") {
			t.Errorf("%s changes the cluster: %s", name, command)
		}
	}
}

// TestTheSkillHasWhatAgentsRead checks the front matter by the rules of Agent Skills; its
// commands are run with those of the guide.
func TestTheSkillHasWhatAgentsRead(t *testing.T) {
	text, err := os.ReadFile(skillPage)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.SplitN(string(text), "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		t.Fatal("no front matter")
	}
	var about struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	if err := yaml.UnmarshalStrict([]byte(parts[1]), &about); err != nil {
		t.Fatal(err)
	}
	const longest = 1024
	if about.Name != "kubectl-fathom" || about.Description == "" || len(about.Description) > longest {
		t.Errorf("%q, a description of %d characters", about.Name, len(about.Description))
	}
	for _, command := range fencedCommands(parts[2]) {
		if strings.Contains(command, "--yes") || strings.Contains(command, " drain ") && !strings.Contains(command, "--plan") {
			t.Errorf("%s changes the cluster", command)
		}
	}
}
