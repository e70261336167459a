package inventory

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// podsOf are the pods that have not ended, by namespace.
func podsOf(s *model.Snapshot) map[string][]*model.Pod {
	pods := map[string][]*model.Pod{}
	for _, pod := range s.Pods {
		if !pod.Finished() {
			pods[pod.Object.Namespace] = append(pods[pod.Object.Namespace], pod)
		}
	}
	return pods
}

// podsKnown reports whether the pods of a namespace could be read; "" is all.
func podsKnown(s *model.Snapshot, namespace string) bool {
	if _, reading := s.Status.Reading["pods"]; reading || s.Status.Namespace != "" && s.Status.Namespace != namespace {
		return false
	}
	return !slices.ContainsFunc(s.Status.Unread, func(u model.Unread) bool { return u.Resource == "pods" && u.Group == "" })
}

// count is how many of some things are so.
func count[T any](all []T, is func(T) bool) int {
	n := 0
	for _, one := range all {
		if is(one) {
			n++
		}
	}
	return n
}
