package change

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// sameWork reports whether a plan that was made again does what is left of the one
// before it: the same edits, but for those that were made, and the same pods end.
func sameWork(was, is *plan.Plan, ran *plan.Ran) bool {
	left := editsOf(was.Changes)
	if ran != nil {
		for ref := range editsOf(ran.Changed) {
			delete(left, ref)
		}
	}
	return reflect.DeepEqual(left, editsOf(is.Changes)) && maps.Equal(endsOf(was), endsOf(is)) &&
		was.PodsTerminated == is.PodsTerminated && slices.Equal(was.Consents, is.Consents)
}

// editsOf are the edits of changes by their object.
func editsOf(changes []plan.Change) map[model.Ref][]plan.Edit {
	edits := make(map[model.Ref][]plan.Edit, len(changes))
	for _, change := range changes {
		edits[change.Target] = change.Edits
	}
	return edits
}

// endsOf are the pods that a plan ends, and how.
func endsOf(p *plan.Plan) map[types.UID]plan.Termination {
	ends := make(map[types.UID]plan.Termination, len(p.Ends))
	for _, end := range p.Ends {
		ends[end.Pod.Object.UID] = end.How
	}
	return ends
}
