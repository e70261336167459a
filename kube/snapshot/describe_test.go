package snapshot

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// TestDescribeShowsAgesAsOfTheFile: kubectl measures ages by the clock of the machine, which is that of another day.
func TestDescribeShowsAgesAsOfTheFile(t *testing.T) {
	const text = `{"kind":"List","apiVersion":"v1","items":[
{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","creationTimestamp":"2001-01-01T00:00:00Z"}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"ends","namespace":"shop","uid":"1","creationTimestamp":"2026-01-01T11:00:00Z","deletionTimestamp":"2026-01-01T12:00:20Z","deletionGracePeriodSeconds":30},
 "spec":{"nodeName":"n1","containers":[{"name":"app"}]},"status":{"phase":"Running"}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"hangs","namespace":"shop","uid":"2","creationTimestamp":"2026-01-01T11:00:00Z","deletionTimestamp":"2026-01-01T11:45:00Z"},
 "spec":{"nodeName":"n1","containers":[{"name":"app"}]},"status":{"phase":"Running"}},
{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"shop"},"involvedObject":{"kind":"Pod","namespace":"shop","name":"ends","uid":"1"},
 "type":"Normal","reason":"Killing","message":"Stopping container app","firstTimestamp":"2026-01-01T11:40:00Z","lastTimestamp":"2026-01-01T11:40:00Z","count":1}]}`
	taken := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	now := time.Now().Truncate(time.Second)
	for _, ago := range []time.Duration{0, 24 * time.Hour, -24 * time.Hour} { // where clocks differ, a file may be of the future
		later := now.Add(-ago).Sub(taken)
		f, err := Read(strings.NewReader(moveTimes(text, later)), ReadOptions{Name: "x", Taken: taken.Add(later)})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ resource, name, want string }{
			{"pods", "ends", "Status:                    Terminating (grace period ends in 20s)\n"},
			{"pods", "ends", "Killing  20m   "},
			{"pods", "hangs", "Status:                    Terminating (lasts 15m)\n"},
			{"pods", "hangs", "Termination Grace Period:  30s\n"},
			{"nodes", "n1", "CreationTimestamp:  Mon, 01 Jan 2001"},
			{"nodes", "n1", " 60m\n"},
		} {
			ref := model.Ref{Resource: c.resource, Name: c.name}
			if c.resource == "pods" {
				ref.Namespace = "shop"
			}
			got, err := f.Describe(t.Context(), ref)
			if err != nil || !strings.Contains(got, c.want) {
				t.Errorf("%s %s taken %s: no %q in %v\n%s", c.resource, c.name, f.Info.Taken, c.want, err, got)
			}
		}
	}
}

// moveTimes is a file that was written so much later.
func moveTimes(text string, later time.Duration) string {
	for _, at := range []string{"2026-01-01T11:00:00Z", "2026-01-01T12:00:20Z", "2026-01-01T11:45:00Z", "2026-01-01T11:40:00Z"} {
		parsed, err := time.Parse(time.RFC3339, at)
		if err != nil {
			panic(err)
		}
		text = strings.ReplaceAll(text, at, parsed.Add(later).UTC().Format(time.RFC3339Nano))
	}
	return text
}
