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
