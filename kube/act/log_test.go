package act

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clientgotesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// logging is an Actor on n1 that logs to the file.
func logging(file string, change func(*Options)) *Actor {
	a, client := newTestActor(node("n1", nil))
	options := a.Options
	options.Log, options.User, options.Context = NewLog(file), "anna", "staging"
	options.Writer = client
	if change != nil {
		change(&options)
	}
	return New(options)
}

func TestWhatWasDoneIsReadBackInTheNextRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "fathom", "activity.jsonl")
	a := logging(file, nil)
	_, yes := confirmed(t, a)
	if _, err := a.Run(t.Context(), yes); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"user":"anna","context":"staging","action":"cordon n1","result":"done","ok":true}` + "\n"; !strings.HasSuffix(string(text), want) {
		t.Errorf("the log holds %s", text)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("its mode is %o", got)
	}
	if now := a.Activity(); len(now) != 1 || now[0].Undo == nil || now[0].ID != 1 {
		t.Errorf("this run's activity is %+v", now)
	}
	later := logging(file, nil).Activity()
	if len(later) != 1 || later[0].Undo != nil || later[0].ID != 0 || later[0].Did != "cordon n1" {
		t.Errorf("a later run's activity is %+v", later)
	}
}

func TestAnEarlierDrainIsReadBackAsItEnded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "activity.jsonl")
	var text strings.Builder
	for _, line := range []string{
		`"at":"2026-11-20T14:02:31.5Z","user":"anna","context":"c","action":"drain n1","result":"running","ok":true`,
		`"at":"2026-11-20T14:02:33Z","user":"anna","context":"c","action":"cordon n2","result":"done","ok":true`,
		`"at":"2026-11-20T14:02:31.5Z","user":"anna","context":"c","action":"drain n1","result":"3 of 4 evicted, stopped","ok":false`,
		`"at":"2026-11-20T14:05:00Z","user":"anna","context":"c","action":"drain n1","result":"running","ok":true`,
	} {
		text.WriteString("{" + line + "}\n")
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range logging(file, nil).Activity() {
		got = append(got, entry.Did+": "+entry.Result)
	}
	want := []string{"drain n1: begun; its end is not logged", "cordon n2: done", "drain n1: 3 of 4 evicted, stopped"}
	if !slices.Equal(got, want) {
		t.Errorf("the activity is %q, want %q", got, want)
	}
}

func TestBrokenLinesAreLeftOutAndCounted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "activity.jsonl")
	var text strings.Builder
	for i := range mostEarlier + 5 {
		fmt.Fprintf(&text, `{"at":"2026-11-20T14:02:31Z","user":"anna","context":"c","action":"cordon n%d","result":"do\u001b[31mne","ok":true}`+"\n", i)
	}
	text.WriteString("no JSON\n{}\n\n" + `{"at":"2026-11-20T14:02:31Z","action":"cut o`)
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	a := logging(file, nil)
	entries := a.Activity()
	if len(entries) != mostEarlier+1 {
		t.Fatalf("%d entries", len(entries))
	}
	if got := entries[0]; got.Did != "read the activity log" || got.OK || !strings.Contains(got.Result, "skipped 3 broken lines") {
		t.Errorf("the newest entry is %+v", got)
	}
	if got := entries[1]; got.Did != fmt.Sprintf("cordon n%d", mostEarlier+4) || got.Result != "done" {
		t.Errorf("the newest of earlier runs is %+v", got)
	}

	_, yes := confirmed(t, a)
	if _, err := a.Run(t.Context(), yes); err != nil {
		t.Fatal(err)
	}
	if got := logging(file, nil).Activity()[1]; got.Did != "cordon n1" {
		t.Errorf("after a line that was cut off stands %+v", got)
	}
}

func TestOnlyTheEndOfALongLogIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "activity.jsonl")
	line := func(n int) string {
		return fmt.Sprintf(`{"at":"2026-11-20T14:02:31.%06dZ","user":"","context":"","action":"`, n+1) + strings.Repeat("x", 4000) + `","result":"done","ok":true}` + "\n"
	}
	var text strings.Builder
	for n := range 1000 {
		text.WriteString(line(n))
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	entries, broken, err := NewLog(file).earlier()
	if most := mostRead / len(line(0)); err != nil || broken != 0 || len(entries) != most {
		t.Errorf("%d entries, %d broken lines, %v; want %d entries", len(entries), broken, err, most)
	}
}

func TestALogThatCannotBeWrittenStopsNobodyAndIsToldOnce(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := logging(filepath.Join(blocked, "activity.jsonl"), nil)
	action := plan.Action(plan.Cordon{Nodes: []string{"n1"}})
	for range 2 {
		plan, err := a.Plan(t.Context(), action)
		if err != nil {
			t.Fatal(err)
		}
		yes, err := plan.Confirm(plan.Question("staging", false), "y", nil)
		if err != nil {
			t.Fatal(err)
		}
		ran, err := a.Run(t.Context(), yes)
		if err != nil {
			t.Fatal(err)
		}
		action = ran.Entry.Undo
	}
	told := 0
	for _, entry := range a.Activity() {
		if entry.Did == "write the activity log" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times: %+v", told, a.Activity())
	}
}

func TestServersWordsAreLoggedCleanAndWithoutAnnotations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "activity.jsonl")
	client := fake.NewClientset(node("n1", nil))
	client.PrependReactor("patch", "nodes", func(clientgotesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "n1", errors.New("not\x1b[2J\nwith hunter2"))
	})
	a := logging(file, func(o *Options) { o.Writer = client })
	p, yes := confirmed(t, a)
	p.Changes[0].Edits = append(p.Changes[0].Edits, plan.Edit{Path: []string{"metadata", "annotations", "password"}, To: "hunter2"})
	if _, err := a.Run(t.Context(), yes); err == nil {
		t.Fatal("it was run")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); strings.Contains(got, "hunter2") || strings.Contains(got, "u001b") || !strings.Contains(got, "not with …") {
		t.Errorf("the log holds %s", got)
	}
}

func TestEntriesOfSeveralProgramsDoNotMix(t *testing.T) {
	file := filepath.Join(t.TempDir(), "activity.jsonl")
	done := make(chan error)
	const programs, each = 4, 50
	for range programs {
		go func() {
			log := NewLog(file)
			var err error
			for range each {
				err = errors.Join(err, log.add(plan.Entry{At: time.Now(), Did: strings.Repeat("cordon ", 50)}))
			}
			done <- err
		}()
	}
	for range programs {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	entries, broken, err := NewLog(file).earlier()
	if len(entries) != programs*each || broken > 0 || err != nil {
		t.Errorf("%d entries, %d broken lines, %v", len(entries), broken, err)
	}
}

func TestWhatBecameOfTheFixedPodIsLogged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "activity.jsonl")
	a := logging(file, nil)
	_, yes := confirmed(t, a)
	ran, err := a.Run(t.Context(), yes)
	if err != nil {
		t.Fatal(err)
	}
	a.Followed(ran.Entry.ID, "cart-\x1b[2J0 on n1")
	a.Followed(ran.Entry.ID, a.Activity()[0].Then) // the same again is no news
	a.Followed(ran.Entry.ID+1, "another change")
	if got := a.Activity(); len(got) != 1 || got[0].Came() != "done → cart-0 on n1" || got[0].Undo == nil {
		t.Errorf("this run's activity is %+v", got)
	}
	later := logging(file, nil).Activity()
	if len(later) != 1 || later[0].Came() != "done → cart-0 on n1" {
		t.Errorf("a later run's activity is %+v", later)
	}
}
