package named

import (
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestTheErrorSaysWhichNodeIsMeant(t *testing.T) {
	var nodes []*model.Node
	for _, name := range []string{"ip-10-1-1-180.internal", "ip-10-1-1-18.internal", "worker-a", "std-1", "std-2", "std-3", "std-4"} {
		nodes = append(nodes, &model.Node{Name: name})
	}
	for name, want := range map[string]string{
		"ip-10-1-1-18": "drain ip-10-1-1-18: no such node; did you mean ip-10-1-1-18.internal?",
		"wroker-a":     "drain wroker-a: no such node; did you mean worker-a?",
		"std-5":        `drain std-5: no such node: run "fathom get nodes" to list them`, // as near to four
		"ip-10":        "drain ip-10: no such node; did you mean ip-10-1-1-180.internal, ip-10-1-1-18.internal?",
		"ip-11":        `drain ip-11: no such node: run "fathom get nodes" to list them`,
	} {
		if got := noSuchNode("drain", name, "fathom get nodes", nodes).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
