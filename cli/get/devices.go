package get

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// devices lists the claims of the scope that have no devices; without a namespace also
// what drivers offer, and the DeviceClasses.
func devices(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	objects, err := live.Objects(ctx, inventory.DeviceResources...)
	if err != nil {
		return nil, fmt.Errorf("get devices: %w", err)
	}
	if why, unread := objects.Unread["resourceslices"]; unread {
		return nil, errors.New("get devices: " + why)
	}
	l := &output.List{
		Kind:  "DeviceList",
		Heads: []string{"KIND", "NAMESPACE", "NAME", "NODE", "DRIVER", "DEVICES", "ALLOCATED", "FREE", "CLASSES"},
		More:  []string{"TAINTED", "CLAIMS", "PENDING CLAIMS"},
		Empty: g.scope.Empty("devices or ResourceClaims without devices"),
	}
	names := map[string]string{inventory.PoolKind: "resourceslice", inventory.DeviceClaimKind: "resourceclaim", inventory.ClassKind: "deviceclass"}
	for _, d := range inventory.Devices(objects) {
		object, err := meta.Accessor(d.Object)
		if err != nil || !g.scope.Takes(d.Namespace, object.GetLabels()) {
			continue
		}
		figure := func(n *int, kinds ...string) string {
			if !slices.Contains(kinds, d.Kind) {
				return "-"
			}
			return figureOr(n)
		}
		l.Add(d,
			d.Kind,
			orNone(d.Namespace),
			d.Name,
			orNone(d.Node),
			orNone(d.Driver),
			figure(d.Devices, inventory.PoolKind, inventory.ClassKind),
			figure(d.Allocated, inventory.PoolKind),
			figure(d.Free, inventory.PoolKind, inventory.ClassKind),
			orNone(strings.Join(d.Classes, ",")),
			strconv.Itoa(d.Tainted),
			figure(d.Claims, inventory.ClassKind),
			figure(d.PendingClaims, inventory.ClassKind),
		)
		l.Names = append(l.Names, names[d.Kind]+".resource.k8s.io/"+object.GetName())
	}
	return l, nil
}
