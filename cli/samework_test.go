package cli

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAPlanThatIsMadeAnewDoesTheSameOrNot(t *testing.T) {
	cordon := func(node, version string) model.Change {
		return model.Change{Target: model.NodeRef(node), ResourceVersion: version, Edits: []model.Edit{{Path: []string{"spec", "unschedulable"}, To: true}}}
	}
	ends := func(uids ...types.UID) []model.End {
		var list []model.End
		for _, uid := range uids {
			list = append(list, model.End{Pod: model.NewPod(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}}), How: model.Evicted})
		}
		return list
	}
	was := model.Plan{Changes: []model.Change{cordon("a", "1"), cordon("b", "1")}, Ends: ends("x", "y"), Ending: 2}
	for name, test := range map[string]struct {
		change func(*model.Plan)
		ran    *model.Ran
		want   bool
	}{
		"only the versions are others": {func(p *model.Plan) { p.Changes = []model.Change{cordon("a", "2"), cordon("b", "3")} }, nil, true},
		"the pods in another order":    {func(p *model.Plan) { p.Ends = ends("y", "x") }, nil, true},
		"what was made is left out":    {func(p *model.Plan) { p.Changes = p.Changes[1:] }, &model.Ran{Changed: was.Changes[:1]}, true},
		"somebody else has made it":    {func(p *model.Plan) { p.Changes = p.Changes[1:] }, nil, false},
		"another pod ends":             {func(p *model.Plan) { p.Ends = ends("x", "z") }, nil, false},
		"one pod more ends":            {func(p *model.Plan) { p.Ends, p.Ending = ends("x", "y", "z"), 3 }, nil, false},
		"something more is lost":       {func(p *model.Plan) { p.Consents = []model.Consent{{Words: "end 1 pod"}} }, nil, false},
		"the field gets another value": {func(p *model.Plan) { p.Changes[1].Edits = []model.Edit{{Path: []string{"spec", "unschedulable"}}} }, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			is := was
			is.Changes = append([]model.Change(nil), was.Changes...)
			test.change(&is)
			if got := sameWork(&was, &is, test.ran); got != test.want {
				t.Errorf("the same work: %v", got)
			}
		})
	}
}
