package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/recording"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// newRecorder records a cluster of nothing whose connection the test decides.
func newRecorder(t *testing.T, begins model.Connection) (r *recorder, said *bytes.Buffer, connection *atomic.Pointer[model.Connection]) {
	t.Helper()
	connection = &atomic.Pointer[model.Connection]{}
	connection.Store(&begins)
	client := fake.NewClientset()
	origin := &cluster.Source{
		Factory: informers.NewSharedInformerFactory(client, 0), Client: client, Trace: scheduler.NewUnreadable(),
		Status: func() model.Status {
			return model.Status{Context: "test", Server: "https://10.0.0.1", Connection: *connection.Load()}
		},
	}
	joined, err := cluster.New(t.Context(), origin, cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(joined.Close)
	if err := joined.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	said = &bytes.Buffer{}
	a := newApp(&terminal.Streams{Name: "fathom", ErrOut: said})
	dir := t.TempDir()
	return &recorder{
		snapshotOptions: &snapshotOptions{Streams: a.Streams, source: a.source, file: dir, recording: true, every: time.Second}, live: &source.Live{Cluster: joined, Options: a.source}, progress: terminal.NewProgress(said),
	}, said, connection
}

func TestAStepIsNotTakenWhileTheServerDoesNotAnswer(t *testing.T) {
	lost := model.Connection{Err: "connection refused", Tries: 3}
	r, said, connection := newRecorder(t, model.Connection{Live: true})
	for i, c := range []model.Connection{{Live: true}, lost, lost, {Heard: time.Unix(0, 0)}, {Live: true}} {
		connection.Store(&c)
		if err := r.step(t.Context(), time.Unix(int64(60*i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.finish(nil); err != nil {
		t.Error(err)
	}
	want := `step 1, 00:00:00: 0 objects
fathom: take step at 00:01:00: no answer from https://10.0.0.1: connection refused; trying again
fathom: take step at 00:03:00: no answer from https://10.0.0.1 since 00:00:00; trying again
step 2, 00:04:00: 0 objects; 3 before it failed
` + r.file + `: 2 steps from 1970-01-01 00:00:00 to 00:04:00 UTC, 3 failed, 2 in all. Open it with --from ` + r.file + ".\n"
	if said.String() != want {
		t.Errorf("it said\n%swant\n%s", said, want)
	}
	there, err := recording.Open(r.file)
	if err != nil || len(there.Steps) != 2 {
		t.Errorf("%v, %v", there, err)
	}
}

func TestARecordingWithoutAStepFails(t *testing.T) {
	r, said, _ := newRecorder(t, model.Connection{Err: "connection refused"})
	r.steps = 1
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	err := r.finish(r.run(ctx))
	if err == nil || !strings.HasSuffix(err.Error(), "no step was saved") || !strings.Contains(said.String(), "connection refused") {
		t.Errorf("%v; it said %s", err, said)
	}
}

func TestWhereNoFileCanBeWrittenTheRecordingEnds(t *testing.T) {
	r, _, _ := newRecorder(t, model.Connection{Live: true})
	r.file = filepath.Join(r.file, "gone")
	err := r.finish(r.run(t.Context()))
	if !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), r.file) {
		t.Errorf("%v", err)
	}
}

func TestCtrlCEndsARecordingWell(t *testing.T) {
	dir := t.TempDir()
	config, there := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "recording")
	newAPI(t, config)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	ended := make(chan int, 1)
	var said bytes.Buffer
	go func() {
		args := []string{"fathom", "snapshot", "--kubeconfig", config, "--every", "1h", "-o", there}
		ended <- Run(ctx, args, strings.NewReader(""), io.Discard, &said)
	}()
	deadline := time.After(time.Minute)
	for {
		if r, err := recording.Open(there); err == nil && len(r.Steps) == 1 {
			break
		}
		select {
		case code := <-ended:
			t.Fatalf("it ended with %d: %s", code, said.String())
		case <-deadline:
			t.Fatal("no step was saved")
		case <-time.After(20 * time.Millisecond):
		}
	}
	interrupt()
	if code := <-ended; code != exit.Clear || !strings.Contains(said.String(), there+": 1 step from ") {
		t.Errorf("exit code %d: %s", code, said.String())
	}
}
