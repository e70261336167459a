package explain

import (
	"strings"
	"testing"
)

func TestMarkdownAnswersFirstAndKeepsTablesWhole(t *testing.T) {
	refused := false
	r := &Report{
		Pod:              PodRef{Namespace: "shop", Name: "checkout-x2x1p", QOSClass: "Burstable", Requests: map[string]string{"memory": "8Gi", "cpu": "4"}},
		Verdict:          Unschedulable,
		Summary:          "No node fits. Nearest: std-b-02, cpu 350m short.",
		SchedulerMessage: "0/3 nodes are available: 3 Insufficient cpu.",
		Observed:         Observed{Message: "0/3 nodes are available: 3 Insufficient \x1b[31mmemory."},
		Plugins:          []PluginResult{{Name: "NodePorts"}, {Name: "NodeResourcesFit", Refuses: 3, Alone: 3}},
		Groups: []Group{{
			Count: 3, Nodes: []string{"std-b-02"}, Fits: &refused,
			Refusals: []Refusal{{Plugin: "NodeResourcesFit"}},
			Words:    "std-b-02: cpu 350m short | <b>",
		}},
	}
	got := r.Markdown()
	want := "### `shop/checkout-x2x1p`: Unschedulable\n\n" +
		"No node fits. Nearest: std-b-02, cpu 350m short.\n\n" +
		"requests cpu 4, memory 8Gi · Burstable · priority 0\n"
	if !strings.HasPrefix(got, want) {
		t.Errorf("it begins\n%s\nwant\n%s", got, want)
	}
	for _, part := range []string{
		"| 3 | NodeResourcesFit | std-b-02: cpu 350m short \\| &lt;b> |\n",
		"| NodeResourcesFit | 3 | 3 |\n",
		"> 0/3 nodes are available: 3 Insufficient cpu.\n",
		"> 0/3 nodes are available: 3 Insufficient memory.\n",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("it lacks %q:\n%s", part, got)
		}
	}
	if strings.Contains(got, "NodePorts") {
		t.Errorf("it names a plugin that refuses nothing:\n%s", got)
	}
}

func TestPodTitleNamesTheOwnerOfAPodThatWasNotCreated(t *testing.T) {
	p := PodRef{Namespace: "shop", Owner: &OwnerRef{Kind: "Deployment", Name: "cart"}}
	if got, want := p.Title(), "shop/cart (Deployment)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
