package change

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

func TestAPlanThatIsMadeAnewDoesTheSameOrNot(t *testing.T) {
	cordon := func(node, version string) plan.Change {
		return plan.Change{Target: plan.NodeRef(node), ResourceVersion: version, Edits: []plan.Edit{{Path: []string{"spec", "unschedulable"}, To: true}}}
	}
	ends := func(uids ...types.UID) []plan.End {
		var list []plan.End
		for _, uid := range uids {
			list = append(list, plan.End{Pod: model.NewPod(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}}), How: plan.Evicted})
		}
		return list
	}
	was := plan.Plan{Changes: []plan.Change{cordon("a", "1"), cordon("b", "1")}, Ends: ends("x", "y"), PodsTerminated: 2}
	for name, test := range map[string]struct {
		change func(*plan.Plan)
		ran    *plan.Ran
		want   bool
	}{
		"only the versions are others": {func(p *plan.Plan) { p.Changes = []plan.Change{cordon("a", "2"), cordon("b", "3")} }, nil, true},
		"the pods in another order":    {func(p *plan.Plan) { p.Ends = ends("y", "x") }, nil, true},
		"what was made is left out":    {func(p *plan.Plan) { p.Changes = p.Changes[1:] }, &plan.Ran{Changed: was.Changes[:1]}, true},
		"somebody else has made it":    {func(p *plan.Plan) { p.Changes = p.Changes[1:] }, nil, false},
		"another pod ends":             {func(p *plan.Plan) { p.Ends = ends("x", "z") }, nil, false},
		"one pod more ends":            {func(p *plan.Plan) { p.Ends, p.PodsTerminated = ends("x", "y", "z"), 3 }, nil, false},
		"something more is lost":       {func(p *plan.Plan) { p.Consents = []plan.Consent{{Words: "end 1 pod"}} }, nil, false},
		"the field gets another value": {func(p *plan.Plan) { p.Changes[1].Edits = []plan.Edit{{Path: []string{"spec", "unschedulable"}}} }, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			is := was
			is.Changes = append([]plan.Change(nil), was.Changes...)
			test.change(&is)
			if got := sameWork(&was, &is, test.ran); got != test.want {
				t.Errorf("the same work: %v", got)
			}
		})
	}
}
