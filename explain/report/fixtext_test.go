package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// drawnFixes are three fixes, one of which leaves something in the way.
func drawnFixes() *Fixes {
	return &Fixes{Tried: []Fix{
		{
			Title: "request cpu 3.6 instead of 4", Kind: FixRequest, Verified: true, NodesGained: 1, PodsPlaced: 1, Alike: 3,
			Command: "kubectl -n shop set resources deployment/checkout -c app --requests=cpu=3600m",
			Undo:    "kubectl -n shop rollout undo deployment/checkout", Brief: "a rollout of 5 pods",
			Affects: []Affected{{Kind: "Deployment", Namespace: "shop", Name: "checkout", How: "rolls 5 pods: 2 run, 3 wait"}},
		},
		{
			Title: "evict batch/report-1 from std-b-02", Kind: FixEvict, Verified: true, NodesGained: 1, PodsPlaced: 1, Alike: 3,
			Command: "echo '{}' |\nkubectl create --raw /evict -f -", Brief: "it lands on std-a-01",
			Affects: []Affected{{Kind: "Pod", Namespace: "batch", Name: "report-1", How: "lands on std-a-01"}},
		},
		{Title: "uncordon spot-a-01", Kind: FixUncordon, Command: "kubectl uncordon spot-a-01", Remaining: []string{"still memory 2Gi short", "no port 80"}},
		{
			Title: "request cpu 2.8 instead of 4", Kind: FixRequest, NodesGained: 2, Command: "kubectl set resources", Recreates: true,
			Remaining: []string{"4 pending pods may take the room"},
		},
	}}
}

func TestTextTellsTheFirstFixesInALineEach(t *testing.T) {
	r := (&Report{Verdict: Unschedulable, Summary: "No node fits."}).WithFixes(drawnFixes())
	want := `FIXES (simulated): 2 work, 2 do not     FITS  PLACES  SIDE EFFECTS
✓ request cpu 3.6 instead of 4        1 node  1 of 3  a rollout of 5 pods
✓ evict batch/report-1 from std-b-02  1 node  1 of 3  it lands on std-a-01
More: --fixes (4 with their commands), --verbose, --trace
`
	if text := Text(r, 80, TextOptions{}); !strings.Contains(text, "\n\n"+want) {
		t.Errorf("it lacks\n%s\nin\n%s", want, text)
	}
}

func TestTextTellsEveryFixWithItsCommandWhereAsked(t *testing.T) {
	fixes := drawnFixes()
	fixes.Pairs = 5
	r := (&Report{Verdict: Unschedulable, Summary: "No node fits."}).WithFixes(fixes)
	want := `✓ request cpu 3.6 instead of 4         1 node  1 of 3  a rollout of 5 pods
    kubectl -n shop set resources deployment/checkout -c app --requests=cpu=3600m
    affects  deployment/checkout rolls 5 pods: 2 run, 3 wait
    undo     kubectl -n shop rollout undo deployment/checkout
✓ evict batch/report-1 from std-b-02   1 node  1 of 3  it lands on std-a-01
    echo '{}' |
    kubectl create --raw /evict -f -
    affects  batch/report-1 lands on std-a-01
✗ uncordon spot-a-01                        –       –  still memory 2Gi short
    remains  no port 80
✗ request cpu 2.8 instead of 4        2 nodes       –  4 pending pods may take the room
    deletes and recreates the pod
5 two-step fixes were not simulated: enough one-step fixes work.
`
	if text := Text(r, 80, TextOptions{Fixes: true}); !strings.Contains(text, want) || strings.Contains(text, "kubectl needs") {
		t.Errorf("it lacks\n%s\nin\n%s", want, text)
	}
	want += "To reach this cluster, kubectl needs --context prod.\n"
	if text := Text(r, 80, TextOptions{Fixes: true, KubectlFlags: "--context prod"}); !strings.Contains(text, want) {
		t.Errorf("it lacks\n%s\nin\n%s", want, text)
	}
	if text := Text(r, 80, TextOptions{KubectlFlags: "--context prod"}); strings.Contains(text, "kubectl needs") {
		t.Errorf("without commands it says\n%s", text)
	}
}

func TestUncertainFixesThatAreAlikeAreToldOnce(t *testing.T) {
	fixes := &Fixes{}
	for i := range 9 {
		f := Fix{Title: fmt.Sprintf("evict batch/report-%d", i), Kind: FixEvict, NodesGained: 1, PodsPlaced: 1, Unless: []Unless{{}}}
		switch {
		case i == 0:
			f.Verified = true
		case i > 6:
			f.PodsPlaced = 2
		}
		fixes.Tried = append(fixes.Tried, f)
	}
	r := (&Report{Verdict: Unschedulable}).WithFixes(fixes)
	for verbose, want := range map[bool]string{false: "012378", true: "012345678"} {
		text, shown := Text(r, 80, TextOptions{Fixes: true, Verbose: verbose}), ""
		for i := range 9 {
			if strings.Contains(text, fmt.Sprintf("report-%d", i)) {
				shown += strconv.Itoa(i)
			}
		}
		if note := "3 more fixes like those that are not certain: --verbose shows them."; shown != want || strings.Contains(text, note) == verbose {
			t.Errorf("verbose %t: fixes %s, not %s, and the note only where some are left out:\n%s", verbose, shown, want, text)
		}
	}
	fixes.Tried = fixes.Tried[:5]
	if text := Text((&Report{Verdict: Unschedulable}).WithFixes(fixes), 80, TextOptions{Fixes: true}); !strings.Contains(text, "report-4") {
		t.Errorf("a line says that one line is left out:\n%s", text)
	}
}

func TestTextPromisesCommandsOnlyWhereThereAreSome(t *testing.T) {
	for promised, from := range map[bool]int{true: 3, false: 2} {
		fixes := &Fixes{Tried: drawnFixes().Tried[from : from+1]}
		text := Text((&Report{Verdict: Unschedulable}).WithFixes(fixes), 80, TextOptions{})
		if got := strings.Contains(text, "--fixes"); got != promised {
			t.Errorf("commands are promised: %t, not %t:\n%s", got, promised, text)
		}
	}
}

func TestAFixThatAffectsNobodySaysSo(t *testing.T) {
	for want, fix := range map[string]Fix{
		"none":                {Verified: true},
		"recreates the pod":   {Verified: true, Recreates: true},
		"a rollout of 5 pods": {Verified: true, Recreates: true, Brief: "a rollout of 5 pods"},
		"still cpu 1 short":   {Brief: "a rollout of 5 pods", Remaining: []string{"still cpu 1 short"}},
	} {
		if got := fix.Outcome(); got != want {
			t.Errorf("it says %q, not %q", got, want)
		}
	}
}

func TestTextSaysWhyThereIsNothingToTry(t *testing.T) {
	fixes := &Fixes{None: "no node may be read"}
	if text := Text((&Report{Verdict: Unknown}).WithFixes(fixes), 80, TextOptions{}); !strings.Contains(text, "\nFixes: No node may be read.\n") {
		t.Error(text)
	}
	for _, r := range []*Report{(&Report{Verdict: Scheduled}).WithFixes(fixes), {Verdict: Unschedulable}} {
		if text := Text(r, 80, TextOptions{}); strings.Contains(strings.ToLower(text), "fixes") {
			t.Errorf("a text about %s tells of fixes:\n%s", r.Verdict, text)
		}
	}
}

func TestMarkdownHasTheCommandsOfTheFixesThatWork(t *testing.T) {
	text := (&Report{Verdict: Unschedulable}).WithFixes(drawnFixes()).Markdown()
	for _, part := range []string{
		"| ✓ request cpu 3.6 instead of 4 | 1 node | 1 of 3 | a rollout of 5 pods |\n",
		"| ✗ uncordon spot-a-01 | – | – | still memory 2Gi short |\n",
		"evict batch/report-1 from std-b-02:\n\n```\necho '{}' |\nkubectl create --raw /evict -f -\n```\n",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %q:\n%s", part, text)
		}
	}
	if strings.Contains(text, "kubectl uncordon") {
		t.Errorf("it has the command of a fix that does not work:\n%s", text)
	}
}

func TestFixesInJSONAreThereOnceAskedForAndNeverNull(t *testing.T) {
	encode := func(r *Report) string {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	bare := &Report{Verdict: Unschedulable}
	if text := encode(bare.WithFixes(&Fixes{None: "it fits"})); !strings.Contains(text, `"fixes":[]`) {
		t.Errorf("fixes are not an empty list: %s", text)
	}
	if text := encode(bare); strings.Contains(text, `"fixes"`) {
		t.Errorf("fixes that nobody asked for: %s", text)
	}
	want := `{"title":"uncordon spot-a-01","kind":"uncordon","command":"kubectl uncordon spot-a-01","verified":false,"simulated":false,"recreates":false,` +
		`"nodesGained":0,"podsPlaced":0,"affects":[],"remaining":["still memory 2Gi short","no port 80"],"unless":[]}`
	if text := encode(bare.WithFixes(drawnFixes())); !strings.Contains(text, want) {
		t.Errorf("it lacks %s:\n%s", want, text)
	}
}

func TestAFixNamesWhomItAffects(t *testing.T) {
	for want, affected := range map[string]Affected{
		"deployment/checkout": {Kind: "Deployment", Namespace: "shop", Name: "checkout"},
		"batch/report-1":      {Kind: "Pod", Namespace: "batch", Name: "report-1"},
		"node/std-a-01":       {Kind: "Node", Name: "std-a-01"},
	} {
		if got := affected.Title(); got != want {
			t.Errorf("%q is named %q", want, got)
		}
	}
}

func TestTheSentenceOfFixesSaysWhatWasNotTried(t *testing.T) {
	fix := func(n int, verified bool) []Fix {
		fixes := make([]Fix, n)
		for i := range fixes {
			fixes[i].Verified = verified
		}
		return fixes
	}
	const stopped = "stopped after 200 ms with 12 of 30 candidates tried"
	for _, test := range []struct {
		fixes Fixes
		want  string
	}{
		{Fixes{}, "There is no fix to simulate."},
		{Fixes{Stopped: stopped}, "No fix was simulated: " + stopped + "."},
		{Fixes{Tried: fix(1, false), Stopped: stopped}, "No fix works: 1 simulated, none is enough; " + stopped + "."},
		{Fixes{Tried: fix(12, false), Stopped: stopped}, "No fix works: 12 simulated, none is enough; " + stopped + "."},
		{Fixes{Tried: fix(2, true), Stopped: stopped}, "2 fixes work; " + stopped + "."},
		{Fixes{Tried: fix(1, false)}, "No fix works: 1 simulated, none is enough."},
		{Fixes{None: "the pod fits already."}, "The pod fits already."},
	} {
		if got := test.fixes.Sentence(); got != test.want {
			t.Errorf("it says %q, not %q", got, test.want)
		}
	}
}
