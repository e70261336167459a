package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
)

// documented is a command of the documentation that does not simply end with code 0
// or 1 on the API server of this test.
type documented struct {
	code  int
	says  string   // part of its standard error
	more  []string // arguments that are added
	until string   // it is interrupted when it has written this
	stdin bool     // it reads the List that kubectl would print
	why   string
}

// onTerminal is a command that needs a terminal: its flags, arguments and files are
// read, and it ends where it would draw or ask.
func onTerminal(why string) documented {
	return documented{code: exit.Usage, says: "terminal", why: why}
}

// watches is a command that prints changes until it is interrupted.
var watches = documented{until: "pending", why: "it watches until ctrl-c"}

// serves is a command that serves until it is interrupted, here on a port that is free.
var serves = documented{until: "/metrics", more: []string{"--listen", "127.0.0.1:0"}, why: "it serves until ctrl-c"}

// special lists the commands that need more than to be run, by their text.
var special = map[string]documented{
	"kubectl fathom": onTerminal("the dashboard"),
	"kubectl fathom --from incident.json.zst":              onTerminal("the dashboard"),
	"kubectl fathom --from incident":                       onTerminal("the dashboard"),
	"kubectl fathom demo":                                  onTerminal("the dashboard"),
	"kubectl fathom demo --nodes 200 --seed 7":             onTerminal("the dashboard"),
	"kubectl fathom demo --lesson preemption":              onTerminal("the dashboard"),
	"kubectl fathom demo --instructor --lesson preemption": onTerminal("the dashboard"),
	"kubectl fathom cordon std-a-02":                       onTerminal("it asks"),
	"kubectl fathom explain checkout-6c9d8b7f4-x2x1p -n shop --wait=5s -o json": {
		code: exit.TimedOut, says: "no node, and the same reason, after 5s", why: "nothing changes here",
	},
	"kubectl fathom get pending -A --watch":                             watches,
	"kubectl fathom get pending -A -w -o json":                          watches,
	"kubectl fathom metrics":                                            serves,
	"kubectl fathom metrics --listen 127.0.0.1:9500 -A":                 serves,
	"kubectl fathom metrics --context admin --listen 127.0.0.1:9501 -A": serves,
	"kubectl fathom snapshot --every 30s -o incident": {
		more: []string{"--steps", "1"}, why: "it records until ctrl-c",
	},
	"kubectl fathom snapshot --every 1m --steps 60 -o incident": {
		more: []string{"--steps", "1", "--every", "1s"}, why: "it records for an hour",
	},
	"kubectl fathom explain --all --from -": {
		code: exit.Unknown, says: "not in the file", stdin: true, why: "a List of nodes and pods leaves verdicts Unknown",
	},
}

// skillPage is how agents learn to ask.
const skillPage = "../docs/skills/kubectl-fathom/SKILL.md"

// docPages are the pages whose commands are run.
func docPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../docs/guide/*.md")
	if err != nil || len(pages) < 8 {
		t.Fatalf("pages of the guide: %v, %v", pages, err)
	}
	return append(pages, "../README.md", "../docs/user-guide.md", skillPage)
}

// TestDocumentedCommandsRun runs each fenced kubectl fathom command of the README and
// the user guide, those of one page in one directory and in their order. Commands in
// running text may have placeholders, so only their subcommand and flags are checked.
func TestDocumentedCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 14 s: runs each command of the documentation")
	}
	used := map[string]bool{}
	for _, page := range docPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			inDocDirectory(t)
			for _, command := range fencedCommands(string(text)) {
				used[command] = true
				runDocumented(t, command)
			}
			for _, command := range inlineCommands(string(text)) {
				if err := parses(command); err != nil {
					t.Errorf("`%s`: %v", command, err)
				}
			}
			for _, flag := range inlineFlags(string(text)) {
				if !knownFlag(flag) {
					t.Errorf("`%s`: no command has this flag", flag)
				}
			}
		})
	}
	for command := range special {
		if !used[command] {
			t.Errorf("no page has the command %q any more: take it from the list", command)
		}
	}
}

// TestUndocumentedCommandsFail holds the test above to failing for what does not exist.
func TestUndocumentedCommandsFail(t *testing.T) {
	for _, command := range []string{
		"kubectl fathom explane POD", "kubectl fathom explain POD --nods", "kubectl fathom get nodes --plan", "kubectl-fathom --lesson x",
	} {
		if err := parses(command); err == nil {
			t.Errorf("%s: no error", command)
		}
	}
	if knownFlag("--nods") || !knownFlag("--plan") {
		t.Error("the flags that are known are not those of the commands")
	}
}

// inDocDirectory makes an API server of the objects that the documentation names,
// and a directory with the files that it names.
func inDocDirectory(t *testing.T) {
	t.Helper()
	objects := newObjects(t)
	for _, name := range []string{"std-a-01", "std-a-02", "std-b-02"} {
		node := objects.nodes[0].DeepCopy()
		node.Name, node.UID = name, types.UID(name)
		node.Labels = map[string]string{corev1.LabelHostname: name}
		objects.nodes = append(objects.nodes, *node)
	}
	objects.pods = append(objects.pods,
		podOf("shop", "checkout-6c9d8b7f4-x2x1p", "9", "", corev1.PodPending),
		ofSet(podOf("shop", "cart-7b5c4d9f8-2kq8x", "1", "std-b-02", corev1.PodRunning)))
	dir := t.TempDir()
	serve(t, filepath.Join(dir, "kubeconfig"), objects)
	t.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, filepath.Join(dir, name))
	}
	t.Chdir(dir)
	const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: new, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: new}}
  template:
    metadata: {labels: {app: new}}
    spec: {containers: [{name: app, image: "app:1"}]}
`
	list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": listed(t, objects)})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"deployment.yaml": deployment, "list.json": string(list)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// listed are nodes and pods as kubectl get prints them: with their kinds.
func listed(t *testing.T, objects *api) []map[string]any {
	t.Helper()
	var items []map[string]any
	add := func(kind string, object any) {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		item := map[string]any{}
		if err := json.Unmarshal(text, &item); err != nil {
			t.Fatal(err)
		}
		item["apiVersion"], item["kind"] = "v1", kind
		items = append(items, item)
	}
	for _, node := range objects.nodes {
		add("Node", node)
	}
	for _, pod := range objects.pods {
		add("Pod", pod)
	}
	return items
}

// runDocumented runs one command and wants code 0 or 1, or what the list says.
func runDocumented(t *testing.T, command string) {
	t.Helper()
	words, err := shellWords(command)
	if err != nil {
		t.Errorf("%s: %v", command, err)
		return
	}
	want, isSpecial := special[command]
	var stdin io.Reader = strings.NewReader("")
	if want.stdin {
		file, err := os.Open("list.json")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		stdin = file
	}
	var out, said bytes.Buffer
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	code := Run(ctx, slices.Concat([]string{"kubectl-fathom"}, words, want.more), stdin, interrupting{&out, want.until, interrupt}, &said)
	switch {
	case isSpecial && (code != want.code || !strings.Contains(said.String(), want.says)):
		t.Errorf("%s: code %d, want %d and %q (%s):\n%s", command, code, want.code, want.says, want.why, said.String())
	case !isSpecial && code != 0 && code != 1:
		t.Errorf("%s: code %d:\n%s", command, code, said.String())
	}
}

// interrupting is an output that interrupts its command after some words.
type interrupting struct {
	out       *bytes.Buffer
	until     string // "": never
	interrupt func()
}

// Write implements io.Writer.
func (i interrupting) Write(p []byte) (int, error) {
	n, err := i.out.Write(p)
	if i.until != "" && strings.Contains(i.out.String(), i.until) {
		i.interrupt()
	}
	return n, err
}

var (
	fence      = regexp.MustCompile("(?ms)^ *```[a-z]*\n(.*?)^ *```")
	codeSpan   = regexp.MustCompile("`([^`\n]+)`")
	comment    = regexp.MustCompile(`\s+#.*$`)
	fathomCall = regexp.MustCompile(`^kubectl[ -]fathom( |$)`)
	flagSpan   = regexp.MustCompile(`^--[a-z][a-z0-9-]*`)
)

// fencedCommands are the commands of code blocks, without comments, each as it
// stands between pipes.
func fencedCommands(text string) (commands []string) {
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			line = comment.ReplaceAllString(strings.TrimSpace(line), "")
			for part := range strings.SplitSeq(line, " | ") {
				if fathomCall.MatchString(part) {
					commands = append(commands, part)
				}
			}
		}
	}
	return commands
}

// inlineCommands are the commands of running text; of a choice the first.
func inlineCommands(text string) (commands []string) {
	for _, span := range spans(text) {
		if fathomCall.MatchString(span) {
			commands = append(commands, span)
		}
	}
	return commands
}

// inlineFlags are the flags that running text names by themselves.
func inlineFlags(text string) (flags []string) {
	for _, span := range spans(text) {
		if flag := flagSpan.FindString(span); flag != "" {
			flags = append(flags, flag)
		}
	}
	return flags
}

// spans are the pieces of code in running text.
func spans(text string) (found []string) {
	for _, span := range codeSpan.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		found = append(found, span[1])
	}
	return found
}

// shellWords are the arguments of a command after the program's name. No command of the
// documentation needs more of a shell than single quotes.
func shellWords(command string) (words []string, err error) {
	rest := strings.TrimSpace(command[len("kubectl fathom"):])
	for rest != "" {
		var word, after string
		var quoted bool
		if inner, isQuoted := strings.CutPrefix(rest, "'"); isQuoted {
			word, after, quoted = strings.Cut(inner, "'")
			if !quoted {
				return nil, fmt.Errorf("a quote is not closed")
			}
		} else {
			word, after, _ = strings.Cut(rest, " ")
		}
		if !quoted && strings.ContainsAny(word, `"$&;<>()`+"`") {
			return nil, fmt.Errorf("%s needs a shell", word)
		}
		words, rest = append(words, word), strings.TrimSpace(after)
	}
	return words, nil
}

// tree is the whole command line, with the commands that cobra adds.
func tree() *cobra.Command {
	root := newApp(&terminal.Streams{Name: "kubectl fathom", In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard}).root(nil)
	root.InitDefaultCompletionCmd("completion")
	root.InitDefaultHelpCmd()
	return root
}

// parses finds a command and reads its flags. Its other words may be placeholders.
func parses(command string) error {
	words, err := shellWords(strings.NewReplacer(`\|`, " ", "...", "").Replace(command))
	if err != nil {
		return err
	}
	root := tree()
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if cmd == root && len(cmd.Flags().Args()) > 0 {
		return fmt.Errorf("no command %s", cmd.Flags().Arg(0))
	}
	return nil
}

// knownFlag tells whether any command has a flag, --help included.
func knownFlag(flag string) bool {
	name := strings.TrimPrefix(flag, "--")
	var has func(*cobra.Command) bool
	has = func(cmd *cobra.Command) bool {
		for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			if flags.Lookup(name) != nil {
				return true
			}
		}
		return slices.ContainsFunc(cmd.Commands(), has)
	}
	return name == "help" || has(tree())
}
