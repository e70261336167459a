package cli

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// sameWork tells whether a plan that was made anew does what is left of the one
// before it: the same edits, but for those that were made, and the same pods end.
func sameWork(was, is *model.Plan, ran *model.Ran) bool {
	left := editsOf(was.Changes)
	if ran != nil {
		for ref := range editsOf(ran.Changed) {
			delete(left, ref)
		}
	}
	return reflect.DeepEqual(left, editsOf(is.Changes)) && maps.Equal(endsOf(was), endsOf(is)) &&
		was.Ending == is.Ending && slices.Equal(was.Consents, is.Consents)
}

// editsOf are the edits of changes by their object.
func editsOf(changes []model.Change) map[model.Ref][]model.Edit {
	edits := make(map[model.Ref][]model.Edit, len(changes))
	for _, change := range changes {
		edits[change.Target] = change.Edits
	}
	return edits
}

// endsOf are the pods that a plan ends, and how.
func endsOf(plan *model.Plan) map[types.UID]model.Ending {
	ends := make(map[types.UID]model.Ending, len(plan.Ends))
	for _, end := range plan.Ends {
		ends[end.Pod.Object.UID] = end.How
	}
	return ends
}
