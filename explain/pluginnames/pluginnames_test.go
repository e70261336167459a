package pluginnames_test

import (
	"os"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
)

// TestEachHeadIsDocumented wants the head of each plugin's column beside its plugin in
// docs/guide/pending.md.
func TestEachHeadIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/pending.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, plugin := range pluginnames.Headed() {
		if row := "| `" + pluginnames.Head(plugin) + "` | " + plugin; !strings.Contains(string(page), row) {
			t.Errorf("the page does not have %q", row)
		}
	}
}
