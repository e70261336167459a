package get

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// volumes lists the claims of the scope; without a namespace also the volumes, the attach limits of
// nodes and the StorageClasses.
func volumes(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	objects, err := live.Objects(ctx, inventory.VolumeResources...)
	if err != nil {
		return nil, fmt.Errorf("get volumes: %w", err)
	}
	for _, resource := range inventory.VolumeResources[:2] { // without classes and nodes the rest is known
		if why, unread := objects.Unread[resource]; unread {
			return nil, errors.New("get volumes: " + why)
		}
	}
	l := &output.List{
		Kind:  "VolumeList",
		Heads: []string{"KIND", "NAMESPACE", "NAME", "STATE", "CLASS", "SIZE", "ZONE", "WHY"},
		More:  []string{"BOUND TO", "ATTACHED", "LIMIT"},
		Empty: g.scope.Empty("volumes"),
	}
	names := map[string]string{inventory.ClaimKind: "persistentvolumeclaim/", inventory.VolumeKind: "persistentvolume/", inventory.NodeKind: "csinode.storage.k8s.io/", inventory.StorageClassKind: "storageclass.storage.k8s.io/"}
	for _, v := range slices.Concat(inventory.Volumes(live.Snapshot, objects), inventory.BoundAndClasses(live.Snapshot, objects)) {
		object, err := meta.Accessor(v.Object)
		if err != nil || !g.scope.Takes(v.Namespace, object.GetLabels()) {
			continue
		}
		size, state, class := "-", v.Phase, v.Class
		if v.Capacity != nil {
			size = v.Capacity.String()
		}
		attached, limit := "-", "-"
		if v.Kind == inventory.NodeKind {
			attached, limit, class = figureOr(v.Attached), "<none>", v.Driver
			if v.Limit != nil {
				limit = figureOr(v.Limit)
			}
			state = attached + "/" + limit
		}
		why := v.Why
		if v.Provision != nil {
			state, why = "-", v.Provision.Words()
		}
		l.Add(v,
			v.Kind,
			orNone(v.Namespace),
			v.Name,
			orUnknown(state),
			orNone(class),
			size,
			orNone(strings.Join(v.Zones, ",")),
			orNone(why),
			orNone(v.BoundTo),
			attached,
			limit,
		)
		l.Names = append(l.Names, names[v.Kind]+v.Name)
	}
	return l, nil
}

// orUnknown is what a cell shows for what is not known.
func orUnknown(text string) string {
	if text == "" {
		return model.UnknownFigure
	}
	return text
}
