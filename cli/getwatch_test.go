package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

func gate(p *corev1.Pod) {
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/gate"}}
}
func bind(p *corev1.Pod)    { p.Spec.NodeName = "std-1" }
func nothing(p *corev1.Pod) {}

// begin is a pod that runs.
func begin(p *corev1.Pod) {
	running := podOf(p.Namespace, p.Name, "1", "std-1", corev1.PodRunning)
	p.Spec.NodeName, p.Status = "std-1", running.Status
}

// lineWith is the line of a text that has a word; "" where none has.
func lineWith(text, word string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			return line
		}
	}
	return ""
}

func TestGetPendingWatchPrintsALineAChange(t *testing.T) {
	objects, run := starts(t, "get", "pending", "-n", "shop", "--watch")
	run.out.await(t, "pending     shop        waits")
	for _, step := range []struct {
		kind, pod string
		edit      func(*corev1.Pod)
		want      string
	}{
		{"MODIFIED", "waits", gate, "changed "},
		{"MODIFIED", "fits", bind, "scheduled"},
		{"MODIFIED", "fits", begin, "started on std-1"},
		{"DELETED", "waits", nothing, "deleted\n"},
		{"ADDED", "runs", func(p *corev1.Pod) { *p = podOf("shop", "runs", "99", "", corev1.PodPending) }, "appeared "},
		{"MODIFIED", "runs", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, "not pending any more\n"},
	} {
		objects.change(step.kind, step.pod, step.edit)
		run.out.await(t, step.want)
	}
	run.interrupt()
	run.ends(t, exit.Clear)
	if line := lineWith(run.out.String(), "deleted"); !slices.Equal(strings.Fields(line), []string{"gone", "shop", "waits", "1", "0", "<unknown>", "deleted"}) {
		t.Errorf("a deleted pod gives %q", line)
	}
	if got := run.out.String(); strings.Count(got, "EVENT ") != 1 || !strings.HasPrefix(got, "EVENT ") || strings.Contains(run.words.String(), "interrupted") {
		t.Errorf("the heads do not stand once at the beginning:\n%s%s", got, run.words)
	}
}

func TestGetPendingWatchWritesAnObjectALine(t *testing.T) {
	objects, run := starts(t, "get", "pending", "-n", "shop", "-w", "-o", "json")
	run.out.await(t, `"pods":["waits"]`)
	objects.change("MODIFIED", "waits", begin)
	run.out.await(t, `"event":"scheduled"`)
	run.interrupt()
	run.ends(t, exit.Clear)
	var events []string
	for line := range strings.Lines(run.out.String()) {
		var event struct {
			Kind, Event, Why string
			Pods             []string
			NodeName         string
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.Kind != "PendingEvent" {
			t.Fatalf("%v: %s", err, line)
		}
		events = append(events, event.Event+" "+event.Pods[0]+" "+event.NodeName)
	}
	if got := strings.Join(events, ", "); got != "pending fits , pending waits , changed fits , scheduled waits std-1" {
		t.Errorf("the events are %s", got)
	}
}

func TestGetPendingWatchFollowsResizes(t *testing.T) {
	objects, run := starts(t, "get", "pending", "-n", "shop", "--watch")
	run.out.await(t, "pending     shop        waits")
	for _, step := range []struct {
		edit func(*corev1.Pod)
		want string
	}{
		{func(p *corev1.Pod) { begin(p); resizing(p) }, "bound to std-1"},
		{begin, "resize over on std-1"},
		{func(p *corev1.Pod) {
			resizing(p)
			p.Status.Conditions[len(p.Status.Conditions)-1].Reason = corev1.PodReasonInfeasible
		}, "infeasible"},
		{func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, "terminates"},
	} {
		objects.change("MODIFIED", "fits", step.edit)
		run.out.await(t, step.want)
	}
	run.interrupt()
	run.ends(t, exit.Clear)
	var events []string
	for line := range strings.Lines(run.out.String()) {
		if fields := strings.Fields(line); slices.Contains(fields, "fits") {
			events = append(events, fields[0])
		}
	}
	if got := strings.Join(events, " "); got != "pending appeared scheduled resized appeared gone" {
		t.Errorf("the events are %s:\n%s", got, run.out.String())
	}
}

// closedPipe is a standard output that nobody reads.
type closedPipe struct{}

// Write implements io.Writer.
func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestGetPendingWatchEndsQuietlyWhereNobodyReads(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	newAPI(t, config)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var words bytes.Buffer
	args := []string{"fathom", "--kubeconfig", config, "get", "pending", "-w"}
	if code := Run(t.Context(), args, strings.NewReader(""), closedPipe{}, &words); code != exit.Clear || strings.Contains(words.String(), "pipe") {
		t.Errorf("exit code %d: %s", code, &words)
	}
}
