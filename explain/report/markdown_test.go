package report

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMarkdownAnswersFirstAndKeepsTablesWhole(t *testing.T) {
	refused := false
	r := &Report{
		Pod:              PodRef{Namespace: "shop", Name: "checkout-x2x1p", QOSClass: "Burstable", Requests: map[string]string{"memory": "8Gi", "cpu": "4"}},
		Verdict:          Unschedulable,
		Summary:          "No node fits. Nearest: std-b-02, cpu 350m short.",
		SchedulerMessage: "0/3 nodes are available: 3 Insufficient cpu.",
		Observed:         Observed{Message: "0/3 nodes are available: 3 ```Insufficient \x1b[31mmemory."},
		Plugins:          []PluginResult{{Name: "NodePorts"}, {Name: "NodeResourcesFit", Rejects: 3, Alone: 3}},
		Groups: []Group{{
			Count: 3, Nodes: []string{"std-b-02"}, Fits: &refused,
			Rejections: []Rejection{{Plugin: "NodeResourcesFit"}},
			Words:      "std-b-02: cpu 350m short | <b>",
		}},
	}
	got := r.Markdown()
	want := "### `shop/checkout-x2x1p`: Unschedulable\n\n" +
		"No node fits. Nearest: std-b-02, cpu 350m short.\n\n" +
		"requests cpu 4, memory 8Gi · Burstable · priority 0\n\n" +
		"kube-scheduler's message: 0/3 nodes are available: 3 \\`\\`\\`Insufficient memory.\n"
	if !strings.HasPrefix(got, want) {
		t.Errorf("it begins\n%s\nwant\n%s", got, want)
	}
	for _, part := range []string{
		"| 3 | std-b-02 | ✗ | std-b-02: cpu 350m short \\| \\<b\\> |\n",
		"```\n0/3 nodes are available: 3 Insufficient cpu.\n```\n",
		"````\n0/3 nodes are available: 3 ```Insufficient memory.\n````\n",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("it lacks %q:\n%s", part, got)
		}
	}
	if strings.Contains(got, "NodePorts") {
		t.Errorf("it names a plugin that refuses nothing:\n%s", got)
	}
}

// TestNoTextOfTheClusterBreaksTheMarkdown counts what Markdown would act on.
func TestNoTextOfTheClusterBreaksTheMarkdown(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("|`\n\r\x1b\\*_<>[]~&a ")))
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(label string) string { return text.Draw(rt, label) }
		rejection := Rejection{Plugin: draw("plugin"), What: draw("what")}
		r := &Report{
			Pod: PodRef{Namespace: "shop", Name: draw("pod")}, Summary: "No node fits.", SchedulerMessage: draw("message"),
			Facts: []string{draw("fact")}, Plugins: []PluginResult{{Name: draw("plugin name"), Rejects: 1}},
			Groups: []Group{{Count: 1, Nodes: []string{draw("node")}, Fits: new(false), Words: draw("words"), Rejections: []Rejection{rejection}}},
		}
		bare := regexp.MustCompile(`\\.`)
		var fence string
		rows := map[int]int{} // bars in a row → rows
		for line := range strings.Lines(r.Markdown()) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case fence != "":
				if line == fence {
					fence = ""
				}
			case strings.HasPrefix(line, "```"):
				fence = line
			case strings.HasPrefix(line, "| "):
				rows[strings.Count(bare.ReplaceAllString(line, ""), "|")]++
			case strings.HasPrefix(line, "### `"):
				if strings.Count(line, "`") != 2 {
					rt.Fatalf("the heading is not whole: %q", line)
				}
			case strings.ContainsAny(bare.ReplaceAllString(line, ""), "`*<["):
				rt.Fatalf("markup got through: %q", line)
			}
		}
		if fence != "" || rows[5] != 2 || len(rows) != 1 {
			rt.Fatalf("fence %q open, rows by bars %v:\n%s", fence, rows, r.Markdown())
		}
	})
}

func TestPodTitleNamesTheOwnerOfAPodThatWasNotCreated(t *testing.T) {
	p := PodRef{Namespace: "shop", Owner: &OwnerRef{Kind: "Deployment", Name: "cart"}}
	if got, want := p.Title(), "shop/cart (Deployment)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVictimsAreAListInMarkdown(t *testing.T) {
	r := &Report{
		Pod: PodRef{Namespace: "shop", Name: "x"}, Verdict: Preempting,
		Preemption: &Preemption{Possible: true, Node: "n1", Victims: []Victim{{Namespace: "a", Name: "one"}, {Namespace: "a", Name: "two"}}},
	}
	want := "Preemption has chosen n1. Being evicted:\n\n- a/one"
	got := r.Markdown()
	if !strings.Contains(got, want) || !strings.Contains(got, "\n- a/two") || strings.Contains(got, "\n\n- a/two") {
		t.Errorf("the victims are no list of two items below %q:\n%s", want, got)
	}
}
