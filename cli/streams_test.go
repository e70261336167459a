package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// forged begins a line where a text with a line break was written as it is.
const forged = "FORGED"

// hostileText holds what a terminal obeys or does not show: colors, a hyperlink, a
// write to the clipboard, a title, eight-bit forms, a bell, a line break, and what
// reorders text or is invisible.
const hostileText = "h\x1b[31mred\x1b]8;;http://x.example\alink\x1b]8;;\a\x1b]52;c;cm0gLXJm\x1b\\\x1b]0;title\a\x1b(0\x1bc" +
	"\u009b31m\u009d0;t\u009c\u0090q\u009c\x7f\b\r\n" + forged + "\u2028" + forged + "\u0085" + forged + "\u202egnp\u2066\u200b\u200d\ufeff\ufe0f\U000e0041\x1b"

// hostileName is such a text as a name, which no slash takes apart.
var hostileName = strings.ReplaceAll(hostileText, "/", "_")

// requireClean wants nothing on a stream that a terminal obeys, and no line that
// begins with what stood behind a line break.
func requireClean(t *testing.T, what string, said []byte) {
	t.Helper()
	if !utf8.Valid(said) {
		t.Errorf("%s: no UTF-8: %.600q", what, said)
	}
	for line := range strings.Lines(string(said)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !model.Drawable(r) }) || strings.HasPrefix(strings.TrimSpace(line), forged) {
			t.Errorf("%s: it wrote %.600q", what, line)
		}
	}
}

// runHostile runs a command line and wants both streams clean.
func runHostile(t *testing.T, stdin string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	ctx := t.Context()
	if len(args) > 0 && args[0] == "metrics" { // it serves until it is cancelled
		within, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		ctx = within
	}
	Run(ctx, append([]string{"fathom"}, args...), strings.NewReader(stdin), &out, &said)
	what := fmt.Sprintf("%.400q", args)
	requireClean(t, what+" on stdout", out.Bytes())
	requireClean(t, what+" on stderr", said.Bytes())
	return out.String(), said.String()
}

// hostileKubeconfig writes a kubeconfig whose names are all hostile. Its current
// context leads to server, as do those of a credential plugin that fails and of
// one that does not exist.
func hostileKubeconfig(t *testing.T, server, token string) string {
	t.Helper()
	plugin := func(command string, args ...string) map[string]any {
		return map[string]any{"exec": map[string]any{
			"apiVersion": "client.authentication.k8s.io/v1", "command": command, "args": args,
			"interactiveMode": "Never", "installHint": "install " + hostileText,
		}}
	}
	named := func(kind, name string, value any) map[string]any { return map[string]any{"name": name, kind: value} }
	context := func(name, user string) map[string]any {
		return named("context", name, map[string]any{"cluster": hostileText, "user": user, "namespace": hostileText})
	}
	text, err := escaped.YAML(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": hostileText,
		"clusters": []any{
			named("cluster", hostileText, map[string]any{"server": server, "insecure-skip-tls-verify": true}),
		},
		"users": []any{
			named("user", hostileText, map[string]any{"token": token}),
			named("user", "failing", plugin("sh", "-c", `printf 'asks \033[31m\302\233m\nline\033]0;x\007\n' >&2; exit 7`)),
			named("user", "missing", plugin("no"+hostileText)),
		},
		"contexts": []any{context(hostileText, hostileText), context("failing", "failing"), context("missing", "missing")},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// hostilePod is a pod that waits, every text of which is hostile.
func hostilePod(name string) corev1.Pod {
	h := hostileText
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns" + hostileName, Name: name, UID: types.UID(name), ResourceVersion: "1", Labels: map[string]string{h: h}, Annotations: map[string]string{h: h},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "o" + hostileName, UID: "owner", Controller: new(true)}},
		},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName, PriorityClassName: h, NodeSelector: map[string]string{h: h},
			Tolerations: []corev1.Toleration{{Key: h, Value: h, Effect: corev1.TaintEffectNoSchedule}},
			Containers: []corev1.Container{{Name: h, Image: h, Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("900"), corev1.ResourceName("example.com/" + h): resource.MustParse("1")},
			}}},
			Volumes: []corev1.Volume{{Name: h, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c" + h}}}},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodPending, Message: h, Reason: h, NominatedNodeName: h,
			Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: h}},
		},
	}
	return p
}

// hostileObjects are nodes and pods, every text of which is hostile.
func hostileObjects() (nodes []corev1.Node, pods []corev1.Pod) {
	h := hostileText
	room := corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("8Gi"), "pods": resource.MustParse("110")}
	for _, name := range []string{"a" + hostileName, "b" + hostileName} {
		node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), ResourceVersion: "1", Labels: map[string]string{
			h: h, corev1.LabelHostname: h, corev1.LabelTopologyZone: h, corev1.LabelInstanceTypeStable: h, "pool": h, "node-role.kubernetes.io/" + h: "",
		}}}
		node.Status.Allocatable, node.Status.Capacity, node.Status.NodeInfo.KubeletVersion = room, room, h
		node.Status.Conditions = []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: h, Message: h}, {Type: corev1.NodeConditionType(h), Status: corev1.ConditionTrue, Message: h},
		}
		node.Spec.Taints = []corev1.Taint{{Key: "k" + h, Value: h, Effect: corev1.TaintEffectNoSchedule}}
		nodes = append(nodes, node)
	}
	gated, foreign, running, init := hostilePod("gated"+hostileName), hostilePod("foreign"+hostileName), hostilePod("runs"+hostileName), hostilePod("starts"+hostileName)
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: h}}
	foreign.Spec.SchedulerName = h
	running.Spec.NodeName, running.Status.Phase = nodes[0].Name, corev1.PodRunning
	init.Spec.NodeName = nodes[0].Name
	init.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: h, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: h, Message: h}}}}
	return nodes, []corev1.Pod{hostilePod("waits" + hostileName), gated, foreign, running, init}
}

// hostileFile writes these objects as kubectl get -o json does.
func hostileFile(t *testing.T) string {
	t.Helper()
	nodes, pods := hostileObjects()
	var items []any
	for i := range nodes {
		nodes[i].TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}
		items = append(items, nodes[i])
	}
	for i := range pods {
		pods[i].TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		items = append(items, pods[i])
	}
	items = append(items, map[string]any{"apiVersion": "x/v1", "kind": "K" + hostileText, "metadata": map[string]any{"name": hostileText}})
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// commandLines are command lines of every command of the tree, with a hostile
// text as each argument and as the value of each flag. A flag that all commands
// have is given to get.
func commandLines(t *testing.T) (lines [][]string) {
	t.Helper()
	usual := map[string][]string{
		"explain": {"shop/waits"}, "get": {"pods"}, "cordon": {"std-1", "--plan"}, "uncordon": {"gpu-1", "--plan"}, "drain": {"std-1", "--plan"},
		"taint": {"std-1", "a=b:NoSchedule", "--plan"}, "label": {"node", "std-1", "a=b", "--plan"}, "evict": {"shop/runs", "--plan"},
	}
	a := newApp(&terminal.Streams{Name: "fathom", In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard})
	root := a.root([]string{"fathom"})
	root.InitDefaultCompletionCmd()
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		line := func(more ...string) { lines = append(lines, append(append([]string{}, path...), more...)) }
		h := hostileText
		for _, arguments := range [][]string{{}, {"--help"}, {h}, {h, h}, {"shop/" + h}, {"node/" + h}, {"node", h, h + "=" + h}, {"std-1", h + "=" + h + ":NoSchedule", h + "-"}, {"--" + h}, {"-" + h}} {
			line(arguments...)
			line(append(arguments, "--plan")...)
		}
		flags := cmd.LocalFlags()
		flags.VisitAll(func(f *pflag.Flag) {
			if cmd.Root().PersistentFlags().Lookup(f.Name) == nil {
				line(append([]string{"--" + f.Name + "=" + h}, usual[cmd.Name()]...)...)
			}
		})
		for _, child := range cmd.Commands() {
			walk(child, append(append([]string{}, path...), child.Name()))
		}
	}
	walk(root, nil)
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		lines = append(lines, []string{"get", "pods", "--" + f.Name + "=" + hostileText}, []string{"cordon", "std-1", "--plan", "--" + f.Name, hostileText})
	})
	return lines
}

// Whatever is in a kubeconfig, on the command line, in an API server's answer or in
// a file: what leaves the program is clean on both streams.
func TestNothingButCleanedTextLeavesTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 11 s: runs each command many times")
	}
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, dir)
	}
	t.Run("a usual cluster, hostile arguments and flags", func(t *testing.T) {
		kubeconfig := filepath.Join(dir, "kubeconfig")
		newAPI(t, kubeconfig)
		t.Setenv("KUBECONFIG", kubeconfig)
		t.Chdir(dir) // some write files
		for _, line := range commandLines(t) {
			runHostile(t, hostileText, line...)
		}
	})
	t.Run("a hostile kubeconfig and hostile objects", func(t *testing.T) {
		api := newObjects(t)
		t.Chdir(dir)
		nodes, pods := hostileObjects()
		api.nodes, api.pods = append(api.nodes, nodes...), append(api.pods, pods...)
		server := httptest.NewTLSServer(api)
		t.Cleanup(server.Close)
		t.Setenv("KUBECONFIG", hostileKubeconfig(t, server.URL, "admin"))
		runHostileReads(t, false)
		for _, line := range [][]string{
			{"get", "access"},
			{"version"},
			{"snapshot", "-o", hostileName + ".yaml"},
			{"snapshot", "-o", "-"},
			{"snapshot", "-o", hostileName + ".yaml"},
			{"snapshot", "--every", "1s", "--steps", "1", "-o", "rec" + hostileName},
			{"get", "pods", "--from", "rec" + hostileName},
			{"get", "pods", "--context", "missing"},
			{"cordon", nodes[0].Name, "--plan"},
			{"drain", nodes[0].Name, "--plan"},
			{"drain", nodes[0].Name, "--plan", "-o", "json"},
			{"evict", "ns" + hostileName + "/runs" + hostileName, "--plan"},
			{"label", "node", nodes[0].Name, "a=b", "--plan"},
			{"taint", nodes[0].Name, "a=b:NoExecute", "--plan"},
			{"cordon", "std-1", "--yes"},
			{"explain", "-f", "-"},
		} {
			runHostile(t, hostileText, line...)
		}
	})
	t.Run("a server that refuses with hostile words", func(t *testing.T) {
		for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError} {
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Warning"] = []string{`299 - "` + strings.ReplaceAll(strings.ReplaceAll(hostileText, "\n", ""), "\r", "") + `"`}
				refuse(w, code, metav1.StatusReason(hostileText), hostileText)
			}))
			t.Setenv("KUBECONFIG", hostileKubeconfig(t, server.URL, "admin"))
			for _, line := range [][]string{{"get", "pods"}, {"get", "access"}, {"explain", "--all"}, {"cordon", "a", "--yes"}, {"version"}} {
				runHostile(t, "", line...)
			}
			server.Close()
		}
	})
	t.Run("a hostile file", func(t *testing.T) {
		t.Setenv("KUBECONFIG", "none")
		runHostileReads(t, true)
	})
	t.Run("hostile manifests", func(t *testing.T) {
		t.Setenv("KUBECONFIG", "none")
		state := hostileFile(t)
		pod := hostilePod("waits" + hostileName)
		pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		whole, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		quoted, _ := json.Marshal(hostileText)
		for _, manifest := range []string{
			string(whole), hostileText, `{"apiVersion":"v1","kind":"Pod",` + string(quoted) + `:1}`, `{"apiVersion":"v1","kind":` + string(quoted) + `}`,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"restartPolicy":` + string(quoted) + `,"containers":[{"name":"a","image":"a"}],"schedulerName":"x"}}`,
		} {
			runHostile(t, manifest, "explain", "-f", "-", "--from", state)
			runHostile(t, manifest, "explain", "--all", "--from", "-")
			runHostile(t, manifest, "demo", "--lesson", "-")
		}
	})
}

// runHostileReads runs what reads a cluster, or a file, that is hostile.
func runHostileReads(t *testing.T, file bool) {
	t.Helper()
	var from []string
	if file {
		from = []string{"--from", hostileFile(t)}
	}
	for _, line := range [][]string{
		{"explain", "--all"},
		{"explain", "--all", "-A", "--nodes", "--trace", "--fixes"},
		{"explain", "--all", "-A", "-o", "markdown", "--trace", "--fixes"},
		{"explain", "ns" + hostileName + "/waits" + hostileName},
		{"explain", "nothing"},
		{"explain", "waits" + hostileName},
		{"explain", "deployment/" + hostileText},
		{"get", "nodes"},
		{"get", "pods"},
		{"get", "pods", "-n", hostileText},
		{"get", "pods", "-A"},
		{"get", "pending"},
		{"get", "pending", "-A"},
		{"get", "pending", "-n", "x" + hostileText},
	} {
		runHostile(t, "", append(line, from...)...)
	}
	_, pods := hostileObjects()
	for _, form := range []string{"json", "yaml"} {
		stdout, _ := runHostile(t, "", append([]string{"explain", "ns" + hostileName + "/waits" + hostileName, "-o", form, "--fixes", "--trace"}, from...)...)
		var report struct {
			Pod      struct{ Namespace, Name string }
			Observed struct{ Message string }
		}
		decode := json.Unmarshal
		if form == "yaml" {
			decode = func(text []byte, into any) error { return yaml.Unmarshal(text, into) }
		}
		if err := decode([]byte(stdout), &report); err != nil {
			t.Errorf("%v in %.300q", err, stdout)
		}
		if report.Pod.Namespace != pods[0].Namespace || report.Pod.Name != pods[0].Name || report.Observed.Message != hostileText {
			t.Errorf("explain -o %s is not true to the pod: %q", form, report)
		}
	}
	stdout, _ := runHostile(t, "", append([]string{"get", "pods", "-A", "-o", "json"}, from...)...)
	var list struct {
		Items []struct{ Namespace, Name, Node string }
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Errorf("%v in %.300q", err, stdout)
	}
	found := false
	for _, item := range list.Items {
		found = found || reflect.DeepEqual(item, struct{ Namespace, Name, Node string }{pods[3].Namespace, pods[3].Name, pods[3].Spec.NodeName})
	}
	if !found {
		t.Errorf("get pods -o json is not true to the pods: %q", list.Items)
	}
	runHostile(t, "", append([]string{"get", "nodes", "-o", "json"}, from...)...)
	runHostile(t, "", append([]string{"get", "pending", "-A", "-o", "json"}, from...)...)
	runHostile(t, "", append([]string{"explain", "--all", "-A", "-o", "yaml", "--fixes"}, from...)...)
}

// What libraries and credential plugins write to standard error by themselves is
// seen of the whole program only.
func TestNothingButCleanedTextLeavesTheProcess(t *testing.T) {
	server := httptest.NewTLSServer(newObjects(t))
	t.Cleanup(server.Close)
	kubeconfig := hostileKubeconfig(t, server.URL, "admin")
	for _, args := range [][]string{
		{"get", "pods", "--context", "failing"},
		{"get", "pods", "--context", "missing"},
		{"get", "pods", "-n", strings.ReplaceAll(hostileText, "\x00", "")},
		{"__complete", "--" + hostileText, ""},
		{"__complete", hostileText, hostileText},
		{"__complete", "get", "--" + hostileText + "="},
		{"__complete", "cordon", hostileText, ""},
		{"completion", hostileText},
		{hostileText},
	} {
		cmd := exec.Command("fathom", args...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+t.TempDir())
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		_ = cmd.Run() // most fail
		what := fmt.Sprintf("%.300q", args)
		requireClean(t, what+" on stdout", out.Bytes())
		requireClean(t, what+" on stderr", said.Bytes())
		if args[len(args)-1] == "failing" && !strings.Contains(said.String(), "asks") {
			t.Errorf("what the credential plugin says is lost: %s", said.String())
		}
	}
}

func TestScriptsOfShellsLeaveTheProgramWhole(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var whole bytes.Buffer
		a := newApp(&terminal.Streams{Name: "fathom", In: strings.NewReader(""), Out: &whole, ErrOut: io.Discard})
		if err := a.root([]string{"fathom", "completion", shell}).ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		var out, said bytes.Buffer
		Run(t.Context(), []string{"fathom", "completion", shell}, nil, &out, &said)
		if whole.Len() < 1000 || out.String() != whole.String() {
			t.Errorf("the script of %s is changed on its way", shell)
		}
	}
}

func TestAStreamIsCleanHoweverItIsWritten(t *testing.T) {
	pieces := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]string{
		"\x1b", "[", "31m", "\a", "\u009b", "\u202e", "ok", "é", "日本", "😀", "\xff", "\xe6", "\n", "\t", "\r", "\x7f", "\U000e0041",
	}), rapid.String()))
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(pieces.Draw(rt, "text"), "")
		var out bytes.Buffer
		s := terminal.NewStream(&out)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "bytes")
			if written, err := s.Write([]byte(rest[:n])); written != n || err != nil {
				rt.Fatalf("%d, %v", written, err)
			}
			rest = rest[n:]
		}
		for _, r := range out.String() {
			if r != '\n' && r != '\t' && !model.Drawable(r) {
				rt.Fatalf("%q becomes %q", text, out.String())
			}
		}
		clean := strings.Map(func(r rune) rune {
			if r == '\n' || r == '\t' || model.Drawable(r) {
				return r
			}
			return -1
		}, text)
		if clean == text && utf8.ValidString(text) && out.String() != text {
			rt.Fatalf("%q, which is clean, becomes %q", text, out.String())
		}
	})
}
