package snapshot

import (
	"strings"
	"testing"
)

func TestEventsOfPreemptionsAreThoseOfTheNamespace(t *testing.T) {
	event := func(namespace, name, reason string) string {
		return `{"kind":"Event","apiVersion":"v1","metadata":{"namespace":"` + namespace + `","name":"` + name + `"},"reason":"` + reason +
			`","involvedObject":{"kind":"Pod","namespace":"` + namespace + `","name":"web"}}`
	}
	f, err := Read(strings.NewReader(nodeJSON+podJSON+event("shop", "a", "Preempted")+event("shop", "b", "Killing")+event("other", "c", "Preempted")), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if found := preemptedIn(f, "shop"); len(found) != 1 || found[0].Name != "a" {
		t.Errorf("found %v", found)
	}
}

// Which pods preempted those that a pending pod replaces is told from a snapshot as it is live.
func TestASnapshotHasTheEventsOfPreemptions(t *testing.T) {
	owned := `"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"rs","controller":true}]`
	pending := func(namespace, metadata string) string {
		return `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"` + namespace + `","name":"web","uid":"` + namespace + `"` + metadata + `},` +
			`"spec":{"restartPolicy":"Always","containers":[{"name":"a"}]},"status":{"phase":"Pending"}}`
	}
	event := func(namespace, name, reason string) string {
		return `{"kind":"Event","apiVersion":"v1","metadata":{"namespace":"` + namespace + `","name":"` + name + `"},"reason":"` + reason +
			`","involvedObject":{"kind":"Pod","namespace":"` + namespace + `","name":"old","uid":"gone"},` +
			`"related":{"kind":"Pod","namespace":"prod","name":"api","uid":"api"}}`
	}
	f, err := Read(strings.NewReader(nodeJSON+pending("shop", ","+owned)+pending("bare", "")+
		event("shop", "a", "Preempted")+event("shop", "b", "Killing")+event("bare", "c", "Preempted")+event("other", "d", "Preempted")), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	source, err := f.Source()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(strings.NewReader(written(t, taken(t, source), JSON)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if found := preemptedIn(again, "shop"); len(found) != 1 || found[0].Name != "a" || found[0].Related == nil || found[0].Related.UID != "api" {
		t.Errorf("in shop are %v", found)
	}
	for _, namespace := range []string{"bare", "other"} { // what no pending pod replaces
		if found := preemptedIn(again, namespace); len(found) > 0 {
			t.Errorf("in %s are %v", namespace, found)
		}
	}
}
