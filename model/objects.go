package model

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Objects are objects of the kinds that a Snapshot does not hold.
type Objects struct {
	Lists  map[string][]runtime.Object // by resource, as RBAC names it: "resourcequotas"
	Unread map[string]string           // resource → why it could not be listed
	// Schedulers are those that pods name, and the default one, by that name: whether they
	// are running. Nil unless leases were asked for.
	Schedulers map[string]Liveness
	// Devices are the devices of DRA drivers that nodes have access to, by node, then by
	// DeviceClass. A node has no class of which it has no device. Nil unless deviceclasses,
	// resourceslices and resourceclaims were asked for and could be listed, and where there is
	// no class.
	Devices map[string]map[string]DeviceCount
}

// DeviceCount is how many devices of a DeviceClass a node has access to, and how many of
// these a claim that tolerates no taint could get now.
type DeviceCount struct {
	Free, Total int
	// Unknown: a pool is being updated or is invalid, or a selector cannot be evaluated.
	Unknown bool
}

// Liveness is whether a scheduler is running, by all its signs.
type Liveness struct {
	Alive, Known bool
	Why          string
	Lease        string // the name of the Lease that it would hold
}

// ListOf are the objects of a resource, and why they could not be listed; "" if they
// were. What was not asked for could not be listed either.
func ListOf[T runtime.Object](o *Objects, resource string) (list []T, why string) {
	if o == nil {
		return nil, resource + " are being read"
	}
	if why, unread := o.Unread[resource]; unread {
		return nil, why
	}
	objects, read := o.Lists[resource]
	if !read {
		return nil, resource + " were not asked for"
	}
	list = make([]T, 0, len(objects))
	for _, object := range objects {
		if typed, ok := object.(T); ok {
			list = append(list, typed)
		}
	}
	return list, ""
}

// RenewedAt is when a Lease was last renewed; zero if it never was.
func RenewedAt(lease *coordinationv1.Lease) time.Time {
	if lease.Spec.RenewTime == nil {
		return time.Time{}
	}
	return lease.Spec.RenewTime.Time
}
