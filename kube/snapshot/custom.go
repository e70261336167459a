package snapshot

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	groupreader "github.com/kubectl-fathom/kubectl-fathom/kube/foreignpodgroups"
	autoscalers "github.com/kubectl-fathom/kubectl-fathom/kube/provisioning"
)

// custom are the custom resources of a List of kubectl that explanations quote. A file of fathom's own has
// what they said in its first item.
type custom struct {
	pools  []provisioning.NodePool
	claims []provisioning.NodeClaim
	groups map[groupKey]*foreignpodgroups.State
}

// groupKey is a PodGroup of a scheduler other than kube-scheduler.
type groupKey struct{ group, namespace, name string }

// add takes in a custom resource; false of a kind that nothing here reads.
func (c *custom) add(raw []byte, gvk schema.GroupVersionKind) (known bool, err error) {
	shape, of := autoscalers.Shapes[gvk], groupKind(gvk)
	switch {
	case of != nil:
		shape = groupreader.Shape
	case shape == nil:
		return false, nil
	}
	if err := CheckAmounts(raw, shape); err != nil {
		return true, fmt.Errorf("%s %w", gvk.Kind, err)
	}
	var object unstructured.Unstructured
	if err := utiljson.Unmarshal(raw, &object.Object); err != nil {
		return true, fmt.Errorf("%s: %w", gvk.Kind, err)
	}
	switch {
	case object.GetName() == "":
		return true, errNoName(gvk.Kind)
	case of != nil:
		return true, c.addGroup(of, &object)
	case gvk.Kind == "NodePool":
		pool, err := autoscalers.PoolOf(&object)
		if err != nil {
			return true, fmt.Errorf("%s %s: %w", gvk.Kind, object.GetName(), err)
		}
		c.pools = slices.DeleteFunc(c.pools, func(p provisioning.NodePool) bool { return p.Name == pool.Name }) // the last one counts
		c.pools = append(c.pools, *pool)
		return true, nil
	}
	claim, err := autoscalers.ClaimOf(&object)
	if err != nil {
		return true, fmt.Errorf("%s %s: %w", gvk.Kind, object.GetName(), err)
	}
	c.claims = slices.DeleteFunc(c.claims, func(other provisioning.NodeClaim) bool { return other.Name == claim.Name })
	c.claims = append(c.claims, *claim)
	return true, nil
}

// groupKind is the kind of PodGroups that an object is of; nil of others.
func groupKind(gvk schema.GroupVersionKind) *foreignpodgroups.Kind {
	at := slices.IndexFunc(foreignpodgroups.Kinds, func(k *foreignpodgroups.Kind) bool {
		return k.Group == gvk.Group && k.Version == gvk.Version && gvk.Kind == "PodGroup"
	})
	if at < 0 {
		return nil
	}
	return foreignpodgroups.Kinds[at]
}

func (c *custom) addGroup(of *foreignpodgroups.Kind, object *unstructured.Unstructured) error {
	s := &foreignpodgroups.State{Group: of.Group, Name: object.GetName()}
	if err := groupreader.Fill(s, object); err != nil {
		return err
	}
	if c.groups == nil {
		c.groups = map[groupKey]*foreignpodgroups.State{}
	}
	c.groups[groupKey{of.Group, object.GetNamespace(), object.GetName()}] = s
	return nil
}

// autoscaling is what a List of kubectl tells of autoscalers; nil where it has no NodePools. Of those it
// may not have all.
func (c *custom) autoscaling() *provisioning.State {
	if len(c.pools) == 0 {
		return nil
	}
	slices.SortFunc(c.pools, func(a, b provisioning.NodePool) int { return strings.Compare(a.Name, b.Name) })
	return &provisioning.State{Karpenter: &provisioning.Karpenter{NodePools: c.pools, Claims: c.claims}}
}

// group is what a List of kubectl tells of the PodGroup that a pod names.
func (c *custom) group(of foreignpodgroups.Subject) *foreignpodgroups.State {
	for _, named := range of.Named {
		if s := c.groups[groupKey{named.Kind.Group, of.Namespace, named.Name}]; s != nil {
			return s
		}
	}
	named := of.Named[0]
	return &foreignpodgroups.State{Group: named.Kind.Group, Name: named.Name, Unread: fmt.Sprintf("%s %s is not in the file", named.Kind.Resource(), named.Name)}
}
