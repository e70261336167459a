package command_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
)

// fakeKubectl writes its arguments and what it reads to a file each, and fails where
// an argument is $FAILING.
const fakeKubectl = `#!/bin/sh
call="$(mktemp "$CALLS/XXXXXXXX")"
cat >"$call.stdin"
printf '%s\0' "$@" >"$call"
for word; do [ "$word" != "$FAILING" ] || exit 1; done
echo "of kubectl"
`

// call is one time that a command runs kubectl.
type call struct {
	Args  []string
	Stdin string // what it reads if it is told to, by -f -
}

// installKubectl puts the fake kubectl on the PATH.
func installKubectl(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "kubectl"), []byte(fakeKubectl), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// shells are those that commands are made for, by what they are run as.
func shells(t *testing.T) [][]string {
	all := [][]string{{"sh", "-c"}, {"bash", "-c"}}
	if _, err := exec.LookPath("zsh"); err != nil {
		t.Log("zsh is not installed: only sh and bash were tried")
		return all
	}
	return append(all, []string{"zsh", "-c"})
}

// run is a command line in a shell, in a new directory of one that is given: the
// calls of kubectl in the order of their words, what was printed, and the directory
// for temporary files.
func run(t rapid.TB, in string, shell []string, line, failing string) (calls []call, printed, temp string, err error) {
	dir, err := os.MkdirTemp(in, "")
	if err != nil {
		t.Fatal(err)
	}
	temp = filepath.Join(dir, "tmp dir")
	record := filepath.Join(dir, "calls")
	for _, made := range []string{temp, record} {
		if err := os.Mkdir(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(shell[0], shell[1], line)
	cmd.Env = append(os.Environ(), "CALLS="+record, "FAILING="+failing, "TMPDIR="+temp)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return recorded(t, record), string(out), temp, err
}

// recorded are the calls that the fake kubectl wrote down.
func recorded(t rapid.TB, record string) []call {
	files, err := filepath.Glob(filepath.Join(record, "*.stdin"))
	if err != nil {
		t.Fatal(err)
	}
	var calls []call
	for _, file := range files {
		words, err := os.ReadFile(strings.TrimSuffix(file, ".stdin"))
		if err != nil {
			t.Fatal(err)
		}
		c := call{Args: strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")}
		if i := slices.Index(c.Args, "-f"); i >= 0 && c.Args[i+1] == "-" {
			read, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c.Stdin = string(read)
		}
		calls = append(calls, c)
	}
	slices.SortFunc(calls, func(a, b call) int { return slices.Compare(a.Args, b.Args) })
	return calls
}

// Each command of the golden file is one line that sh, bash and zsh parse, and run to
// its end with the same calls.
func TestEveryCommandRunsTheSameInBashAndZsh(t *testing.T) {
	installKubectl(t)
	file, err := os.ReadFile(filepath.Join("testdata", "commands.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known, count := shells(t), 0
	for line := range strings.Lines(string(file)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "undo: ")
		if !strings.Contains(line, "kubectl ") {
			continue
		}
		count++
		var first []call
		for i, shell := range known {
			if out, err := exec.Command(shell[0], "-n", "-c", line).CombinedOutput(); err != nil {
				t.Errorf("%s does not parse it: %s\n%s", shell[0], out, line)
			}
			calls, printed, temp, err := run(t, t.TempDir(), shell, line, "")
			if err != nil {
				t.Errorf("%s: %v: %s\n%s", shell[0], err, printed, line)
			}
			for _, c := range calls { // those differ
				for k, word := range c.Args {
					if strings.HasPrefix(word, temp) {
						c.Args[k] = filepath.Base(word)
					}
				}
			}
			if i == 0 {
				first = calls
			}
			if diff := cmp.Diff(first, calls); diff != "" || len(calls) == 0 {
				t.Errorf("%s and %s differ (-%[1]s +%[2]s)\n%s\n%s", known[0][0], shell[0], diff, line)
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d commands were tried", count)
	}
}

// names that objects, keys and values may have, and text that no API server allows
// for them but a file may hold.
var (
	names    = rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?(\.[a-z0-9]{1,4})?`)
	labels   = rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?`)
	keys     = rapid.StringMatching(`([a-z]{1,5}\.[a-z]{1,3}/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,8}[A-Za-z0-9])?`)
	values   = rapid.StringMatching(`([A-Za-z0-9]([A-Za-z0-9_.-]{0,8}[A-Za-z0-9])?)?`)
	anything = rapid.StringOfN(rapid.SampledFrom([]rune("ab=-_/ '\"\\$`!*?[]{}()<>|&;#~%^@+:,.\t\n\x1b\u009béΩ")), 1, 10, -1)
)

// meant is a fix and the calls of kubectl that it was meant to be.
type meant struct {
	pod     *corev1.Pod
	objects []runtime.Object
	step    remedy.Step
	line    []call
	undo    []call // nil where it cannot be undone
}

// drawMeant is a random one.
func drawMeant(t *rapid.T) meant {
	pod := explaintest.Pod(labels.Draw(t, "namespace")+"/"+names.Draw(t, "pod"), "", "4")
	kubectl := func(words ...string) []call { return []call{{Args: words}} }
	key, value, odd := keys.Draw(t, "key"), values.Draw(t, "value"), anything.Draw(t, "odd")
	node := names.Draw(t, "node")
	set := "replicaset/" + names.Draw(t, "owner")
	owned := func() []runtime.Object {
		explaintest.PodControlledBy("apps/v1", "ReplicaSet", set[len("replicaset/"):])(pod)
		return []runtime.Object{replicaSet(pod.Namespace+"/"+set[len("replicaset/"):], pod)}
	}
	evicts := evictions(pod)
	replaced := func() []call { // once the ReplicaSet has seen its new template
		return append([]call{
			{Args: []string{"-n", pod.Namespace, "get", set, "-o", "jsonpath={.metadata.generation}"}},
			{Args: []string{"-n", pod.Namespace, "wait", set, "--for=jsonpath={.status.observedGeneration}=of kubectl"}},
		}, evicts...)
	}
	patches := func(format string, args ...any) []call {
		return kubectl("-n", pod.Namespace, "patch", set, "-p", fmt.Sprintf(`{"spec":{"template":{"spec":`+format+`}}}`, args...))
	}
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		taint := corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffectNoSchedule}
		return meant{
			pod, nil,
			remedy.Untaint{Taint: taint, Nodes: []string{node, "b"}},
			kubectl("taint", "nodes", node, "b", taint.ToString()+"-"), kubectl("taint", "nodes", node, "b", taint.ToString()),
		}
	case 1:
		return meant{pod, nil, remedy.LabelNode{Nodes: []string{node}, Key: key, Value: value}, kubectl("label", "node", node, key+"="+value), kubectl("label", "node", node, key+"-")}
	case 2:
		labelled := []runtime.Object{explaintest.Node(node, "8", explaintest.NodeLabel(key, odd))}
		return meant{
			pod, labelled,
			remedy.LabelNode{Nodes: []string{node}, Key: key, Value: value},
			kubectl("label", "node", node, key+"="+value, "--overwrite"), kubectl("label", "node", node, key+"="+odd, "--overwrite"),
		}
	case 3:
		return meant{pod, nil, remedy.Evict{Pods: []*corev1.Pod{pod}}, evicts, nil}
	case 4:
		pod.Spec.Containers[0].Name = labels.Draw(t, "container")
		resource := corev1.ResourceName("example.com/" + labels.Draw(t, "device"))
		explaintest.Requesting(resource, "4")(pod)
		return meant{
			pod, owned(),
			remedy.LowerRequest{Container: pod.Spec.Containers[0].Name, Resource: resource, To: 3},
			append(kubectl("-n", pod.Namespace, "set", "resources", set, "-c", pod.Spec.Containers[0].Name, "--requests="+string(resource)+"=3"), replaced()...),
			kubectl("-n", pod.Namespace, "set", "resources", set, "-c", pod.Spec.Containers[0].Name, "--requests="+string(resource)+"=4"),
		}
	case 5:
		return meant{
			pod, owned(),
			remedy.Tolerate{Taint: corev1.Taint{Key: odd, Effect: corev1.TaintEffectNoExecute}},
			append(patches(`{"tolerations":[{"effect":"NoExecute","key":%s,"operator":"Exists"}]}`, quotedJSON(odd)), replaced()...), patches(`{"tolerations":null}`),
		}
	}
	explaintest.Selecting(odd, "it's "+odd)(pod)
	return meant{
		pod, owned(),
		remedy.DropSelector{Key: odd, Value: "it's " + odd},
		append(patches(`{"nodeSelector":{%s:null}}`, quotedJSON(odd)), replaced()...), patches(`{"nodeSelector":{%s:%s}}`, quotedJSON(odd), quotedJSON("it's "+odd)),
	}
}

// evictions is the call that evicts a pod.
func evictions(pod *corev1.Pod) []call {
	return []call{{
		Args:  []string{"create", "--raw", "/api/v1/namespaces/" + pod.Namespace + "/pods/" + pod.Name + "/eviction", "-f", "-"},
		Stdin: fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q,"namespace":%q}}`, pod.Name, pod.Namespace),
	}}
}

// quotedJSON is a string as JSON with all but printed ASCII and letters escaped.
func quotedJSON(s string) string {
	escapes := map[rune]string{'"': `\"`, '\\': `\\`, '\t': `\t`, '\n': `\n`, '\x1b': `\u001b`, '\u009b': `\u009b`}
	var b strings.Builder
	for _, r := range s {
		if escape, ok := escapes[r]; ok {
			b.WriteString(escape)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// Whatever the names and values are, both shells call kubectl with the words that
// were meant.
func TestShellsMakeTheWordsThatWereMeant(t *testing.T) {
	installKubectl(t)
	dir, known, kinds := t.TempDir(), shells(t), map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		m := drawMeant(rt)
		maker := startMaker(t, nil, append([]runtime.Object{m.pod}, m.objects...)...)
		c := maker.Of(m.pod, []remedy.Step{m.step})
		kinds[fmt.Sprintf("%T", m.step)]++
		for _, part := range []struct {
			line string
			want []call
		}{{c.Line, m.line}, {c.Undo, m.undo}} {
			if part.want == nil {
				continue
			}
			slices.SortFunc(part.want, func(a, b call) int { return slices.Compare(a.Args, b.Args) })
			for _, shell := range known {
				calls, printed, _, err := run(rt, dir, shell, part.line, "")
				if diff := cmp.Diff(part.want, calls); diff != "" || err != nil {
					rt.Fatalf("%s: %v %s\n%s\n(-meant +called)\n%s", shell[0], err, printed, part.line, diff)
				}
			}
		}
	})
	if len(kinds) < 6 {
		t.Errorf("only these were tried: %v", kinds)
	}
}

// An API server takes any name for an owner, and a value in a node affinity: no
// command is made of what a shell or kubectl would take for something else.
func TestNoCommandIsMadeOfInvalidNames(t *testing.T) {
	bare := explaintest.Pod("shop/bare", "", "4")
	daemon := func(name string) *corev1.Pod {
		return explaintest.Pod("shop/agent", "", "4", explaintest.PodControlledBy("apps/v1", "DaemonSet", name))
	}
	job := explaintest.Pod("shop/job", "", "4", explaintest.PodControlledBy("batch/v1", "Job", "$(reboot)"))
	for _, c := range []struct {
		pod  *corev1.Pod
		step remedy.Step
		why  string
	}{
		{daemon("x;reboot"), lowerCPU, `"x;reboot" is not a valid Kubernetes name`},
		{daemon("--server=http://x"), lowerCPU, `"--server=http://x" is not a valid Kubernetes name`},
		{job, lowerCPU, `"$(reboot)" is not a valid Kubernetes name`},
		{bare, remedy.LabelNode{Nodes: []string{"a"}, Key: "zone", Value: "a b"}, `"a b" is not a valid value in Kubernetes`},
		{bare, remedy.LabelNode{Nodes: []string{"a"}, Key: "--all", Value: "a"}, `"--all" is not a valid key in Kubernetes`},
	} {
		if got := startMaker(t, nil, c.pod).Of(c.pod, []remedy.Step{c.step}); !cmp.Equal(got, command.Command{Why: c.why}) {
			t.Errorf("%s, want %s", said(got), c.why)
		}
	}
}

// Whatever fails while an object is recreated, nothing is deleted before the API
// server accepted the new one, and its manifest is where the command says.
func TestARecreationLosesNothing(t *testing.T) {
	installKubectl(t)
	pod := explaintest.Pod("shop/"+strings.Repeat("long.", 50)+"pod", "", "4", explaintest.Selecting("disktype", "ssd"))
	line := startMaker(t, nil, pod).Of(pod, []remedy.Step{remedy.DropSelector{Key: "disktype", Value: "ssd"}}).Line
	for _, shell := range shells(t) {
		for _, c := range []struct {
			failing string
			deletes bool
		}{{"patch", false}, {"--dry-run=server", false}, {"replace", true}, {"", true}} {
			calls, printed, temp, err := run(t, t.TempDir(), shell, line, c.failing)
			if (err == nil) != (c.failing == "") {
				t.Errorf("%s, %q failing: the command ends with %v", shell[0], c.failing, err)
			}
			deletes := slices.ContainsFunc(calls, func(c call) bool { return c.Args[0] == "replace" })
			if deletes != c.deletes {
				t.Errorf("%s, %q failing: deletes: %t, want %t\n%s", shell[0], c.failing, deletes, c.deletes, printed)
			}
			_, file, says := strings.Cut(printed, "is not recreated: kubectl create -f ")
			if file, _, _ = strings.Cut(file, "\n"); says != c.deletes || says && !isManifest(t, temp, file) {
				t.Errorf("%s, %q failing: the file %s is said: %t, want %t\n%s", shell[0], c.failing, file, says, c.deletes, printed)
			}
		}
	}
}

// isManifest tells whether a file below a directory is what kubectl patch printed,
// which nobody else may read.
func isManifest(t *testing.T, temp, file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Stat(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasPrefix(file, temp+"/") && string(text) == "of kubectl\n" && dir.Mode().Perm() == 0o700
}
