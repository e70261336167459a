package snapshot

import (
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// TestNoEventsOfAnObjectAreKnownWhereTheFileHasOthers: that nothing was said of a pod is known if the file has what was
// said of its namespace, or of several.
func TestNoEventsOfAnObjectAreKnownWhereTheFileHasOthers(t *testing.T) {
	event := func(namespace, pod string) string {
		return `{"apiVersion":"v1","kind":"Event","metadata":{"name":"` + namespace + pod + `","namespace":"` + namespace + `"},
"involvedObject":{"kind":"Pod","namespace":"` + namespace + `","name":"` + pod + `"},"reason":"Scheduled","message":"m","lastTimestamp":"2026-01-01T11:40:00Z"}`
	}
	const node = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`
	for name, c := range map[string]struct {
		items string
		found int
		known bool
	}{
		"none at all":         {"", 0, false},
		"of this pod":         {event("shop", "x"), 1, true},
		"of its namespace":    {event("shop", "y"), 0, true},
		"of another one":      {event("web", "x"), 0, false},
		"of several others":   {event("web", "x") + "," + event("data", "x"), 0, true},
		"of it and of others": {event("web", "x") + "," + event("shop", "x"), 1, true},
	} {
		f, err := Read(strings.NewReader(`{"kind":"List","apiVersion":"v1","items":[`+strings.TrimSuffix(node+","+c.items, ",")+`]}`), ReadOptions{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		found, err := f.Events(t.Context(), model.Ref{Resource: "pods", Namespace: "shop", Name: "x"})
		if len(found) != c.found || (err == nil) != c.known {
			t.Errorf("%s: %d events, %v", name, len(found), err)
		}
	}
}
