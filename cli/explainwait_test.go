package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAReasonHasToLastBeforeItIsAnother(t *testing.T) {
	lacksCPU := reason{report.Unschedulable, "NodeResourcesFit"}
	tainted := reason{report.Unschedulable, "TaintToleration"}
	fits := reason{report.Schedulable, ""}
	for _, test := range []struct {
		name  string
		steps []reason // one a second
		want  int      // the step at which it has changed; -1: never
	}{
		{"one that stays", []reason{lacksCPU, lacksCPU, lacksCPU, lacksCPU, lacksCPU}, -1},
		{"another one", []reason{lacksCPU, tainted, tainted, tainted}, 3},
		{"one that comes and goes", []reason{lacksCPU, tainted, lacksCPU, tainted, lacksCPU, lacksCPU, lacksCPU}, -1},
		{"two others, one after the other", []reason{lacksCPU, tainted, {report.Gated, "gate"}, {report.Gated, "gate"}, {report.Gated, "gate"}}, 4},
		{"a node that fits until the scheduler tries", []reason{lacksCPU, fits, fits, fits, fits, fits, fits, fits, fits, fits, fits}, -1},
		{"another verdict of the same plugin", []reason{lacksCPU, {report.Unknown, "NodeResourcesFit"}, {report.Unknown, "NodeResourcesFit"}, {report.Unknown, "NodeResourcesFit"}}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			var track reasonTrack
			got := -1
			for i, step := range test.steps {
				if track.see(step, time.Unix(int64(i), 0)) {
					got = i
					break
				}
			}
			if got != test.want {
				t.Errorf("changed at step %d, want %d", got, test.want)
			}
		})
	}
}

func TestANodeThatStaysFittingIsAnotherReason(t *testing.T) {
	var track reasonTrack
	begin := time.Unix(0, 0)
	track.see(reason{report.Unschedulable, "NodeResourcesFit"}, begin)
	if track.pause(begin) != asksEvery {
		t.Errorf("pauses %s", track.pause(begin))
	}
	fits := reason{report.Schedulable, ""}
	if track.see(fits, begin) || track.see(fits, begin.Add(schedulerTries-1)) || !track.see(fits, begin.Add(schedulerTries)) {
		t.Error("not exactly after the time in which kube-scheduler tries again")
	}
	if got := track.pause(begin.Add(schedulerTries - time.Second)); got != time.Second {
		t.Errorf("pauses %s before the reason has lasted", got)
	}
}

// changingAPI is an API server whose pods change, as watches of them see.
type changingAPI struct {
	*api
	log   []watchedPod
	wakes map[chan struct{}]bool
}

// While the server is lost nobody knows whether the reason is the same.
func TestAWaitThatEndsWhileTheServerIsLostSaysSo(t *testing.T) {
	for lost, want := range map[bool]string{
		true:  "fathom: explain shop/web: unknown whether it has a node after 8s: prod does not answer\n",
		false: "fathom: explain shop/web: no node, and the same reason, after 8s\n",
	} {
		status := model.Status{Server: "prod", Connection: model.Connection{Live: !lost, Heard: time.Unix(1, 0)}}
		var told bytes.Buffer
		streams := &terminal.Streams{Name: "fathom", Out: io.Discard, ErrOut: &told}
		live := &source.Live{Options: source.New(streams), Snapshot: model.NewBuilder().Build(1, status, nil)}
		w := &podWaiter{
			options: &explainOptions{Streams: streams, output: "text", wait: 8 * time.Second}, live: live, follow: live.Follow(),
			pod: model.NewPod(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}),
		}
		if err := w.timedOut(t.Context()); !errors.Is(err, exit.ErrTimedOut) {
			t.Errorf("lost %t: %v", lost, err)
		}
		if got := told.String(); got != want {
			t.Errorf("lost %t: got %q, want %q", lost, got, want)
		}
	}
}

// watchedPod is one event of a watch.
type watchedPod struct {
	Type   string     `json:"type"`
	Object corev1.Pod `json:"object"`
}

// ServeHTTP answers watches of pods, and leaves all else.
func (a *changingAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if r.URL.Path != "/api/v1/pods" || query.Get("watch") == "" || query.Get("sendInitialEvents") != "" {
		a.api.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	wake := make(chan struct{}, 1)
	a.mu.Lock()
	a.wakes[wake] = true
	a.mu.Unlock()
	for sent := 0; ; {
		a.mu.Lock()
		due := a.log[sent:]
		sent = len(a.log)
		a.mu.Unlock()
		for _, event := range due { // the list of these tests is always of version 1
			_ = json.NewEncoder(w).Encode(event)
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-wake:
		case <-r.Context().Done():
			return
		}
	}
}

// change changes a pod and lets the watches see it.
func (a *changingAPI) change(kind string, name string, edit func(*corev1.Pod)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.pods {
		if a.pods[i].Name != name {
			continue
		}
		edit(&a.pods[i])
		a.pods[i].ResourceVersion = fmt.Sprint(len(a.log) + 2)
		a.pods[i].Kind, a.pods[i].APIVersion = "Pod", "v1"
		a.log = append(a.log, watchedPod{kind, *a.pods[i].DeepCopy()})
	}
	for wake := range a.wakes {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// toldBuffer keeps what is written, and can be waited on.
type toldBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func newToldBuffer() *toldBuffer { return &toldBuffer{more: make(chan struct{}, 1)} }

// Write implements io.Writer.
func (b *toldBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.more <- struct{}{}:
	default:
	}
	return b.text.Write(p)
}

// String is what was written so far.
func (b *toldBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// await waits until something was written.
func (b *toldBuffer) await(t *testing.T, words string) {
	t.Helper()
	deadline := time.After(time.Minute)
	for !strings.Contains(b.String(), words) {
		select {
		case <-b.more:
		case <-deadline:
			t.Fatalf("%q was not written, but:\n%s", words, b)
		}
	}
}

// running is a command that runs until it ends by itself or is interrupted.
type running struct {
	out, words *toldBuffer
	interrupt  context.CancelFunc
	ended      chan int
}

// starts runs a command line against a server whose pods can be changed.
func starts(t *testing.T, args ...string) (*changingAPI, *running) {
	t.Helper()
	objects := &changingAPI{api: newObjects(t), wakes: map[chan struct{}]bool{}}
	config := troubled(t, func(w http.ResponseWriter, r *http.Request) bool {
		objects.ServeHTTP(w, r)
		return true
	})
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "config"))
	ctx, interrupt := context.WithCancel(t.Context())
	t.Cleanup(interrupt)
	run := &running{out: newToldBuffer(), words: newToldBuffer(), interrupt: interrupt, ended: make(chan int, 1)}
	go func() {
		args := append([]string{"fathom", "--kubeconfig", config}, args...)
		run.ended <- Run(ctx, args, strings.NewReader(""), io.Writer(run.out), run.words)
	}()
	return objects, run
}

// ends waits for the end of a command, and wants an exit code.
func (r *running) ends(t *testing.T, want int) {
	t.Helper()
	if code := <-r.ended; code != want {
		t.Errorf("exit code %d, want %d:\n%s%s", code, want, r.out, r.words)
	}
}

const waitingWords = "shop/waits: Unschedulable: "

func TestExplainWaitsForANode(t *testing.T) {
	objects, run := starts(t, "explain", "waits", "--wait")
	run.words.await(t, waitingWords)
	objects.change("MODIFIED", "waits", func(p *corev1.Pod) { p.Spec.NodeName = "std-1" })
	run.ends(t, exit.Clear)
	if got := run.out.String(); got != "shop/waits: bound to std-1\n" {
		t.Errorf("writes %q", got)
	}
	if got := run.words.String(); !strings.Contains(got, "Waiting until it has a node or the reason changes, at most 10m.\n") {
		t.Errorf("says %q", got)
	}
}

func TestExplainWaitsForAnotherReason(t *testing.T) {
	objects, run := starts(t, "explain", "waits", "--wait=0", "-o", "json")
	run.words.await(t, waitingWords)
	objects.change("MODIFIED", "waits", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/gate"}} })
	run.ends(t, exit.Changed)
	var answer report.Report
	if err := json.Unmarshal([]byte(run.out.String()), &answer); err != nil || answer.Verdict != report.Gated || answer.Fixes == nil {
		t.Errorf("%v: %s", err, run.out)
	}
	if got := run.words.String(); !strings.Contains(got, "shop/waits: the reason changed; it was Unschedulable, NodeResourcesFit,TaintToleration\n") {
		t.Errorf("says %q", got)
	}
}

func TestExplainWaitEndsWhenThePodIsDeletedOrReplaced(t *testing.T) {
	for name, change := range map[string]func(*changingAPI){
		"deleted": func(a *changingAPI) { a.change("DELETED", "waits", func(*corev1.Pod) {}) },
		"replaced": func(a *changingAPI) {
			a.change("DELETED", "waits", func(*corev1.Pod) {})
			a.change("ADDED", "waits", func(p *corev1.Pod) { p.UID, p.Spec.NodeName = "another", "std-1" })
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects, run := starts(t, "explain", "waits", "--wait", "-o", "json")
			run.words.await(t, waitingWords)
			change(objects)
			run.ends(t, exit.Deleted)
			if got := run.words.String(); !strings.HasSuffix(got, "fathom: explain shop/waits: the pod was deleted before it had a node\n") {
				t.Errorf("says %q", got)
			}
			if got := run.out.String(); !strings.Contains(got, `"verdict": "Unschedulable"`) {
				t.Errorf("writes %q", got)
			}
		})
	}
}

func TestExplainWaitIsInterrupted(t *testing.T) {
	_, run := starts(t, "explain", "waits", "--wait")
	run.words.await(t, waitingWords)
	run.interrupt()
	run.ends(t, exit.Unknown)
	if got := run.words.String(); run.out.String() != "" || !strings.HasSuffix(got, "fathom: interrupted\n") {
		t.Errorf("says %q", got)
	}
}

func TestExplainWaitOutlastsALostServer(t *testing.T) {
	var out, words bytes.Buffer
	a := newApp(&terminal.Streams{Name: "fathom", Out: &out, ErrOut: &words})
	pod := podOf("shop", "waits", "1", "", corev1.PodPending)
	lost := model.Status{Server: "https://10.0.0.1", Connection: model.Connection{Err: "connection refused", Tries: 9}}
	live := &source.Live{Options: a.source}
	w := &podWaiter{options: &explainOptions{Streams: a.Streams, output: "text"}, live: live, follow: live.Follow(), pod: &model.Pod{Object: &pod}}
	for range 2 { // the pod is in no snapshot of before, and nobody is asked
		w.live.Snapshot = &model.Snapshot{Status: lost}
		if done, err := w.look(t.Context()); done || err != nil {
			t.Fatalf("%v, %v", done, err)
		}
	}
	bound := *pod.DeepCopy()
	bound.Spec.NodeName = "std-1"
	w.live.Snapshot = &model.Snapshot{
		Pods:   []*model.Pod{{Object: &bound}},
		Status: model.Status{Server: "https://10.0.0.1", Connection: model.Connection{Live: true}},
	}
	if done, err := w.look(t.Context()); !done || err != nil || out.String() != "shop/waits: bound to std-1\n" {
		t.Errorf("%v, %v: %q", done, err, out.String())
	}
	if want := "fathom: no answer from https://10.0.0.1: connection refused; trying again\nhttps://10.0.0.1 answers again\n"; words.String() != want {
		t.Errorf("says %q, want %q", words.String(), want)
	}
}
