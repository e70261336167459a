package session

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// TestExplainInTwentyLines holds the first look at each cause in the demo to 20 lines of 80
// columns.
func TestExplainInTwentyLines(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		clusters := &Demo{Story: demo.Story{Nodes: demo.FewestNodes, Seed: 1, Still: true}}
		cluster, err := clusters.Open(t.Context(), demo.Context)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			cluster.Close()
			time.Sleep(time.Minute) // what waits for a time ends with it
		}()
		time.Sleep(2 * time.Minute) // kube-scheduler tried every pod
		snapshot := newest(t, cluster)
		if len(snapshot.Pending) < 12 {
			t.Fatalf("the demo has %d causes", len(snapshot.Pending))
		}
		var all strings.Builder
		for _, workload := range snapshot.Pending {
			target, name := report.PodOf(workload.Pods[0].Object.UID), workload.Pods[0].FullName()
			if workload.NotCreated != nil {
				target = report.PodsNotCreated(workload.NotCreated)
			}
			parts := report.Nodes | report.FixesPart | report.PreemptionPart
			r, err := cluster.Ask(t.Context(), report.Query{Target: target, Parts: parts})
			if err != nil {
				t.Errorf("explain %s: %v", name, err)
				continue
			}
			text := report.Text(r, 80, report.TextOptions{Now: time.Now()})
			all.WriteString(text + "\n")
			if lines := strings.Count(text, "\n"); lines > 20 {
				t.Errorf("%s takes %d lines", name, lines)
			}
			for line := range strings.Lines(text) {
				if width := ansi.StringWidth(strings.TrimSuffix(line, "\n")); width > 80 {
					t.Errorf("%s: a line of %d columns: %s", name, width, line)
				}
			}
		}
		// The name of the pod that was rejected, and when, are the controller's.
		text := regexp.MustCompile(`(pods "api-[0-9a-f]+)-[a-z0-9]{5}`).ReplaceAllString(all.String(), "$1-xxxxx")
		golden.RequireEqual(t, regexp.MustCompile(`\b\d\d?s ago`).ReplaceAllString(text, "NNs ago"))
	})
}

// newest is the snapshot after which no other comes.
func newest(t *testing.T, cluster interface {
	Next(ctx context.Context) (*model.Snapshot, error)
},
) *model.Snapshot {
	t.Helper()
	var last *model.Snapshot
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		snapshot, err := cluster.Next(ctx)
		cancel()
		if err != nil && last != nil {
			return last
		}
		if err != nil {
			t.Fatal(err)
		}
		last = snapshot
	}
}
