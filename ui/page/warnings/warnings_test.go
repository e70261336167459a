package warnings

import (
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/model/warnings"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

func TestEachWarningLeadsToItsView(t *testing.T) {
	for view, key := range keys {
		if leads, _ := keymap.Default().At(key, keymap.Everywhere); leads.Foot != view && key != ":"+strings.ToLower(view) {
			t.Errorf("%q is said to open %s, and opens %s", key, view, leads.Foot)
		}
	}
	for view, want := range map[string]string{warnings.Taints: "Press 5 for Taints.", warnings.Schedulers: "Type :schedulers for Schedulers."} {
		if got := Leads(&warnings.Warning{View: view}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	watch := &Watch{On: "Nodes"}
	for view, want := range map[string]string{warnings.Taints: " (press 5)", warnings.Schedulers: " (type :schedulers)", warnings.Nodes: ""} {
		if got := watch.more(&warnings.Warning{View: view}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
