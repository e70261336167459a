package named

import (
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestANameWithoutTheDomainOfNodesIsCompletedInTheError(t *testing.T) {
	var nodes []*model.Node
	for _, name := range []string{"ip-10-1-1-180.internal", "ip-10-1-1-18.internal"} {
		nodes = append(nodes, &model.Node{Name: name})
	}
	for name, want := range map[string]string{
		"ip-10-1-1-18": "drain ip-10-1-1-18: no such node: did you mean ip-10-1-1-18.internal?",
		"ip-10":        `drain ip-10: no such node: run "fathom get nodes" to list them`,
	} {
		if got := noSuchNode("drain", name, "fathom get nodes", nodes).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
