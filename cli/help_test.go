package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
)

const helpWidth = help.Width // which variables of the same name hide

// mostHelpLines is how many lines help has at most: it fits a terminal.
const mostHelpLines = 40

// fewExamples are commands that three examples make no sense for.
var fewExamples = map[string]int{
	"options": 1, "completion bash": 1, "completion zsh": 1, "completion fish": 1, "completion powershell": 1,
}

// eachCommand calls a test with each command of a new tree, and its path without the
// program's name.
func eachCommand(t *testing.T, test func(t *testing.T, cmd *cobra.Command, path string)) {
	t.Helper()
	root := testRoot()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), root.CommandPath()))
		t.Run("fathom "+path, func(t *testing.T) { test(t, cmd, path) })
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(root)
}

func testRoot() *cobra.Command {
	a := newApp(&terminal.Streams{Name: "kubectl fathom", In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard})
	return a.root([]string{"kubectl-fathom"})
}

func helpOf(t *testing.T, cmd *cobra.Command) string {
	t.Helper()
	var out bytes.Buffer
	if err := help.Write(&out, cmd); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestHelpFitsATerminal(t *testing.T) {
	eachCommand(t, func(t *testing.T, cmd *cobra.Command, _ string) {
		help := helpOf(t, cmd)
		lines := strings.Split(strings.TrimRight(help, "\n"), "\n")
		if len(lines) > mostHelpLines {
			t.Errorf("%d lines, want %d at most:\n%s", len(lines), mostHelpLines, help)
		}
		for _, line := range lines {
			if width := utf8.RuneCountInString(line); width > helpWidth || strings.Contains(line, "\t") {
				t.Errorf("a line of %d columns, or with a tab: %q", width, line)
			}
		}
		if strings.TrimSpace(cmd.Long) == "" || cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("says %q, then %q", cmd.Short, cmd.Long)
		}
	})
}

func TestHelpHasExamplesThatParse(t *testing.T) {
	eachCommand(t, func(t *testing.T, cmd *cobra.Command, path string) {
		var lines []string
		for line := range strings.Lines(cmd.Example) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		want := 3
		if few, ok := fewExamples[path]; ok {
			want = few
		}
		if len(lines) < want {
			t.Errorf("%d examples, want %d: %q", len(lines), want, lines)
		}
		for _, line := range lines {
			exampleParses(t, line)
		}
	})
}

// exampleParses fails if a line of an example names a command, a flag or arguments that do
// not exist.
func exampleParses(t *testing.T, line string) {
	t.Helper()
	line = strings.TrimSuffix(strings.TrimPrefix(line, "source <("), ")")
	line, _, _ = strings.Cut(line, " | ")
	words, ok := strings.CutPrefix(line+" ", "kubectl fathom ")
	if !ok {
		t.Errorf("%q does not call the program", line)
		return
	}
	root := testRoot()
	cmd, args, err := root.Find(strings.Fields(words))
	if err != nil {
		t.Errorf("%q: %v", line, err)
		return
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(args); err != nil {
		t.Errorf("%q: %v", line, err)
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		t.Errorf("%q: %v", line, err)
	}
}

// The flags that connect stand in no command's help, but where all are listed.
func TestHelpShowsTheFlagsOfTheCommandOnly(t *testing.T) {
	global := []string{"--kubeconfig", "--server", "--token", "--as-group", "--insecure-skip-tls-verify"}
	eachCommand(t, func(t *testing.T, cmd *cobra.Command, path string) {
		help := helpOf(t, cmd)
		for _, flag := range global {
			if strings.Contains(help, flag) {
				t.Errorf("shows %s", flag)
			}
		}
		if words := strings.Join(strings.Fields(help), " "); !strings.Contains(words, `Use "kubectl fathom options" for a list of global command-line options (applies to all commands)`) {
			t.Errorf("does not say where the global options are listed:\n%s", help)
		}
		if shows := strings.Contains(help, "-n, --namespace"); shows != slices.Contains([]string{"explain", "get", "nodes", "pods", "pending", "evict", "fit", "label", "metrics"}, path) {
			t.Errorf("shows -n: %v", shows)
		}
	})
	var out bytes.Buffer
	a := newApp(&terminal.Streams{Name: "fathom", In: strings.NewReader(""), Out: &out, ErrOut: io.Discard})
	root := a.root([]string{"fathom", "options"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, flag := range append(global, "--namespace", "--readonly", "--theme", "--from", "--all-namespaces") {
		if !strings.Contains(out.String(), flag) {
			t.Errorf("options do not list %s:\n%s", flag, out.String())
		}
	}
}

func TestRootHelpListsEveryCommandInAGroup(t *testing.T) {
	root := testRoot()
	help := helpOf(t, root)
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.Name())
		}
		if cmd.IsAvailableCommand() && !strings.Contains(help, cmd.Short) {
			t.Errorf("%s is not listed:\n%s", cmd.Name(), help)
		}
	}
}
