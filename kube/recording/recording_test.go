package recording

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
)

// began is when the first step of the tests' recordings was taken; the others
// follow a minute apart.
var began = time.Date(2026, 11, 20, 19, 40, 0, 0, time.UTC)

// writeSteps writes a recording, a step for each list of objects.
func writeSteps(t *testing.T, steps ...[]any) string {
	t.Helper()
	dir := t.TempDir()
	for i, objects := range steps {
		taken := began.Add(time.Duration(i) * time.Minute)
		info := snapshot.Info{
			TypeMeta: metav1.TypeMeta{APIVersion: snapshot.APIVersion, Kind: snapshot.Kind},
			Taken:    taken, Context: "prod-eu", Version: "v1.37.1",
			Schedulers: []snapshot.Scheduler{{Name: corev1.DefaultSchedulerName, Alive: true, Known: true}},
		}
		text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": append([]any{info}, objects...)})
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, taken.Format(timeFormat)+".json"), string(text))
	}
	return dir
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// node is one with so much cpu.
func node(name, cpu string) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	return &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{
			Allocatable: room, Capacity: room,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

// pod is one of namespace shop that wants so much cpu; on "" it waits.
func pod(name, cpu, on string) *corev1.Pod {
	p := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(began),
			Labels: map[string]string{"app": name},
		},
		Spec: corev1.PodSpec{
			NodeName: on, SchedulerName: corev1.DefaultSchedulerName,
			Containers: []corev1.Container{{Name: "app", Image: "app:1", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
			}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	if on != "" {
		p.Status.Phase = corev1.PodRunning
	}
	return p
}

func TestStepsAreFilesNamedByTime(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"20261120T194023Z.json.zst", "20261120T193953Z.json.zst", "fathom-prod-eu-20261120T194123Z.yaml.gz", "fathom-prod-20261120T194053Z.yml",
		"notes.txt", "20261120T194023Z.txt", "incident.yaml.gz", ".fathom-1", "120261120T194023Z.json", "20269920T194023Z.json",
	} {
		writeFile(t, filepath.Join(dir, name), "")
	}
	if err := os.Mkdir(filepath.Join(dir, "20261120T204023Z.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range r.Steps {
		names = append(names, filepath.Base(r.Path(i)))
	}
	want := []string{
		"20261120T193953Z.json.zst", "20261120T194023Z.json.zst", "fathom-prod-20261120T194053Z.yml", "fathom-prod-eu-20261120T194123Z.yaml.gz",
	}
	if !slices.Equal(names, want) {
		t.Errorf("steps %v, want %v", names, want)
	}
	if want := time.Date(2026, 11, 20, 19, 40, 23, 0, time.UTC); !r.Steps[1].Taken.Equal(want) {
		t.Errorf("step 2 was taken %v, want %v", r.Steps[1].Taken, want)
	}
	if name := FileName(time.Date(2026, 11, 20, 20, 40, 23, 900, time.FixedZone("", 3600))); name != "20261120T194023Z.json.zst" {
		t.Errorf("a step is named %s", name)
	}
}

func TestADirectoryWithoutStepsIsToldInOneLine(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "notes.txt"), "")
	if _, err := Open(dir); !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a directory without steps: %v", err)
	}
	missing := filepath.Join(dir, "missing")
	if _, err := Open(missing); err == nil || err.Error() != "read "+missing+": no such file or directory" {
		t.Errorf("a directory that is not there: %v", err)
	}
}

func TestARecordingGoesOnWhereOneIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "recording")
	r, err := Prepare(dir)
	if err != nil || len(r.Steps) != 0 {
		t.Fatalf("a new directory: %v, %v", r, err)
	}
	about, err := os.Stat(dir)
	if err != nil || about.Mode().Perm() != 0o700 {
		t.Errorf("others may read it: %v, %v", about, err)
	}
	writeFile(t, filepath.Join(dir, FileName(began)), "")
	writeFile(t, filepath.Join(dir, "notes.txt"), "mine")
	if r, err = Prepare(dir); err != nil || len(r.Steps) != 1 {
		t.Errorf("a directory with a step: %v, %v", r, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("it holds %v, %v", left, err)
	}
	file := filepath.Join(dir, "notes.txt")
	if _, err := Prepare(file); err == nil || err.Error() != "write "+file+": not a directory" {
		t.Errorf("a file: %v", err)
	}
}

func TestABrokenStepLeavesTheOthersReadable(t *testing.T) {
	dir := writeSteps(t, []any{node("std-1", "4")}, []any{node("std-1", "4")}, []any{node("std-1", "4"), node("std-2", "4")})
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, r.Path(1), `{"kind": "List", "items": [`)
	for step, want := range []string{"", "the file is truncated", ""} {
		_, err := r.Read(step, snapshot.ReadOptions{})
		if got := err != nil; got != (want != "") || got && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), r.Steps[step].File)) {
			t.Errorf("step %d: %v, want %q", step, err, want)
		}
	}
}
