package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// installAsKrew puts the binary where krew would, and a link to it into krew's
// directory on the PATH. It gives the environment of a user of krew.
func installAsKrew(t *testing.T) []string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "krew")
	store, bin := filepath.Join(root, "store", "fathom", "v1.2.3"), filepath.Join(root, "bin")
	for _, dir := range []string{store, bin} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(store, "kubectl-fathom")
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, content, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(bin, "kubectl-fathom")); err != nil {
		t.Fatal(err)
	}
	env := environment(t)
	for i, variable := range env {
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			dirs := append([]string{bin, kubectlAlone(t)}, filepath.SplitList(path)...)
			env[i] = "PATH=" + strings.Join(slices.DeleteFunc(dirs, hasAnother(bin)), string(os.PathListSeparator))
		}
	}
	return append(env, "KREW_ROOT="+root)
}

// kubectlAlone is a directory with nothing but kubectl.
func kubectlAlone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(binaries(t), "kubectl"), filepath.Join(dir, "kubectl")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// hasAnother reports whether another directory than krew's has the plugin: kubectl warns
// of two.
func hasAnother(bin string) func(dir string) bool {
	return func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "kubectl-fathom"))
		return dir != bin && err == nil
	}
}

// inShell runs a line in a shell and gives what it prints on standard output.
func inShell(t *testing.T, env []string, line string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env = env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", line, err, out, stderr.String())
	}
	return string(out)
}

// caveatCommands are the commands that the manifest tells a user to run.
func caveatCommands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../.krew.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// As YAML it is not complete before the archives are filled in.
	text = regexp.MustCompile(`(?s)\n  (platforms:.*|version:[^\n]*)`).ReplaceAll(text, nil)
	var manifest struct {
		Spec struct {
			Caveats string `json:"caveats"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(manifest.Spec.Caveats) {
		if command, ok := strings.CutPrefix(line, "  "); ok {
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	if len(commands) == 0 {
		t.Fatalf("the caveats have no commands:\n%s", manifest.Spec.Caveats)
	}
	return commands
}

func TestKubectlRunsAndCompletesWhatKrewInstalled(t *testing.T) {
	env := installAsKrew(t)
	if out := inShell(t, env, "kubectl plugin list"); !strings.Contains(out, "/krew/bin/kubectl-fathom\n") {
		t.Errorf("kubectl does not find the plugin:\n%s", out)
	}
	if out := inShell(t, env, "kubectl fathom --help"); !strings.Contains(out, "\n  kubectl fathom [COMMAND] [options]\n") {
		t.Errorf("does not call itself kubectl fathom:\n%s", out)
	}
	complete := "kubectl __complete fathom get pend"
	if out := inShell(t, env, complete); strings.Contains(out, "pending") {
		t.Errorf("completes without the link that the caveats tell to make:\n%s", out)
	}
	for _, command := range caveatCommands(t) {
		inShell(t, env, command)
	}
	if out := inShell(t, env, complete); !regexp.MustCompile(`(?m)^pending\b`).MatchString(out) {
		t.Errorf("does not complete:\n%s", out)
	}
}
