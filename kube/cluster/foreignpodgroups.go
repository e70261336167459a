package cluster

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/kube/custom"
	reader "github.com/kubectl-fathom/kubectl-fathom/kube/foreignpodgroups"
)

// groupKey is a PodGroup of a scheduler other than kube-scheduler.
type groupKey struct {
	group string
	name  types.NamespacedName
}

// groupOf asks what a scheduler other than kube-scheduler says of the PodGroup that a pod names, at most
// 15 s late; nil where none of their APIs is served. Nothing is asked before a pod names such a group.
func groupOf(ctx context.Context, a *CachedReader, of foreignpodgroups.Subject) *foreignpodgroups.State {
	if a.options.Dynamic == nil {
		return nil
	}
	from := reader.Reader{Dynamic: a.options.Dynamic, Words: a.options.Words}
	groups := knownGroups(ctx, a)
	for _, named := range of.Named {
		if groups != nil {
			switch version, served := custom.Version(groups, named.Kind.Group, named.Kind.Version); {
			case !served:
				continue
			case version == "":
				why := fmt.Sprintf("the server has %s in other versions than %s", named.Kind.Resource(), named.Kind.Version)
				return &foreignpodgroups.State{Group: named.Kind.Group, Name: named.Name, Unread: why}
			}
		}
		key := groupKey{named.Kind.Group, types.NamespacedName{Namespace: of.Namespace, Name: named.Name}}
		found, ok := a.groups.of(ctx, key, func() *foreignpodgroups.State { return from.Get(ctx, named.Kind, of.Namespace, named.Name) })
		if ok {
			return found
		}
	}
	return nil
}
