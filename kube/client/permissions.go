package client

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// probeTime is how long the server has to say whether a kind may be listed.
// Past that the kind counts as allowed: its list will tell.
const probeTime = 5 * time.Second

// permission is what a user may do with a kind.
type permission int

const (
	allowed      permission = iota // it is listed
	forbidden                      // the server refuses to list it
	absent                         // the server does not have it
	otherVersion                   // the server has its group, in other versions only
)

// scope is what of a cluster the user may read.
type scope struct {
	namespace   string // only objects of this one; "" is all
	permissions map[schema.GroupVersionResource]permission
	groups      *metav1.APIGroupList // that the server has; nil where it was not asked
	resources   []watchedResource    // that were asked about
}

// podKind and nodeKind decide the scope.
var (
	nodeResource = watchedResources[0]
	podResource  = watchedResources[1]
)

// listPermissions finds out what the user may list, by listing it.
type listPermissions struct {
	lists     kubernetes.Interface
	discovery discovery.DiscoveryInterface
	target    *target
	resources []watchedResource
}

// may asks for one object of the kind.
func (p *listPermissions) may(ctx context.Context, k watchedResource, namespace string) permission {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	_, err := k.open(p.lists, namespace).list(ctx, metav1.ListOptions{Limit: 1})
	switch {
	case apierrors.IsForbidden(err):
		return forbidden
	case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err):
		return absent
	}
	return allowed
}

// survey asks for every kind at once: in all namespaces first, and where pods
// are forbidden there, in the context's. A server without pods or nodes is no
// Kubernetes API server, and not a cluster that has none.
func (p *listPermissions) survey(ctx context.Context) (*scope, error) {
	s := &scope{resources: p.resources}
	s.permissions, s.groups = p.mayAll(ctx, "")
	if s.permissions[podResource.gvr] == forbidden {
		here, groups := p.mayAll(ctx, p.target.namespace)
		if here[podResource.gvr] == allowed {
			s.namespace, s.permissions, s.groups = p.target.namespace, here, cmp.Or(groups, s.groups)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, k := range []watchedResource{podResource, nodeResource} {
		if s.permissions[k.gvr] == absent || s.permissions[k.gvr] == otherVersion {
			return nil, failf(ErrUnreachable, nil, "list %s: %s", k.gvr.Resource,
				NotAnAPI(p.target.config.Host, "no list of "+k.gvr.Resource))
		}
	}
	if s.permissions[podResource.gvr] == forbidden && s.permissions[nodeResource.gvr] == forbidden {
		return nil, failf(ErrForbidden, nil,
			"%s is not allowed to list nodes, or pods in all namespaces or in %s: choose a namespace with -n, or ask for the permissions that \"kubectl fathom get access -o yaml\" prints",
			userName(ctx, p.lists, p.target), p.target.namespace)
	}
	return s, nil
}

// mayAll asks for every kind in a namespace, and for the groups that the server has if it does not
// have some kind.
func (p *listPermissions) mayAll(ctx context.Context, namespace string) (map[schema.GroupVersionResource]permission, *metav1.APIGroupList) {
	found := make([]permission, len(p.resources))
	var asking sync.WaitGroup
	for i, k := range p.resources {
		asking.Go(func() {
			defer utilruntime.HandleCrash()
			found[i] = p.may(ctx, k, namespace)
		})
	}
	asking.Wait()
	var groups *metav1.APIGroupList
	rights := make(map[schema.GroupVersionResource]permission, len(p.resources))
	for i, k := range p.resources {
		if found[i] == absent && groups == nil {
			groups, _ = await(ctx, p.discovery.ServerGroups) // if not, absent it is
		}
		if found[i] == absent && k.gvr != compositePodGroups.gvr && servedOtherwise(groups, k.gvr) {
			found[i] = otherVersion
		}
		rights[k.gvr] = found[i]
	}
	return rights, groups
}

// servedOtherwise says that objects of the kind may be there, in a version that
// is not read here.
func servedOtherwise(groups *metav1.APIGroupList, of schema.GroupVersionResource) bool {
	if groups == nil {
		return false
	}
	for _, group := range groups.Groups {
		if group.Name == of.Group {
			return !slices.ContainsFunc(group.Versions, func(v metav1.GroupVersionForDiscovery) bool { return v.Version == of.Version })
		}
	}
	return false
}

// why says why a kind is not listed; "" if it is, or if there is none of it.
func (s *scope) why(k watchedResource) string {
	switch s.permissions[k.gvr] {
	case forbidden:
		return notAllowed("list", k)
	case otherVersion:
		return fmt.Sprintf("the server does not serve the version of %s that fathom reads, %s", k.gvr.Resource, k.gvr.GroupVersion())
	}
	return ""
}

// unread lists the kinds that cannot be read, or only in part.
func (s *scope) unread() []model.Unread {
	var list []model.Unread
	if s.namespace != "" {
		list = append(list, podResource.unread("not allowed to list pods in all namespaces; only those of "+s.namespace+" are read"))
	}
	for _, k := range s.resources {
		if why := s.why(k); why != "" {
			list = append(list, k.unread(why))
		}
	}
	return list
}

func (k watchedResource) unread(why string) model.Unread {
	return model.Unread{Resource: k.gvr.Resource, Group: k.gvr.Group, Why: why}
}

// right is one to list a kind in a namespace; "" is all of them.
type right struct {
	resource  schema.GroupVersionResource
	namespace string
}

// have remembers the rights that the user has.
func (c *Client) have(found *scope) {
	for k, permission := range found.permissions {
		if permission == allowed {
			c.rights.Store(right{k, found.namespace}, true)
		}
	}
}

// had reports whether the user could list a kind there before.
func (c *Client) had(k watchedResource, namespace string) bool {
	if _, ok := c.rights.Load(right{k.gvr, namespace}); ok {
		return true
	}
	_, ok := c.rights.Load(right{k.gvr, ""})
	return ok
}
