package fixes

import (
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// deviceRemedies ask for fewer devices, for less of a device, for tainted ones, or for devices of another class,
// as the node has them that has most of the nearest.
func deviceRemedies(q *plugins.Question, rs []plugins.NodeRejection) []option {
	short := mostDevices(q, rs)
	var options []option
	if fewer := fewerDevices(q, short); fewer != nil {
		options = append(options, fewer)
	}
	if len(short) != 1 || short[0].Claim == nil {
		return options
	}
	one := short[0]
	if one.Taint != nil {
		options = append(options, option{remedy.RequestDevices{Of: one, Tolerate: one.Taint}})
	}
	if one.Capacity != nil {
		options = append(options, option{remedy.RequestDevices{Of: one, Less: one.Capacity}})
	}
	admin := one.Claim.Spec.Devices.Requests[one.Request].Exactly.AdminAccess // alternatives cannot have it
	for _, class := range one.Classes {
		if admin == nil || !*admin {
			options = append(options, option{remedy.RequestDevices{Of: one, Class: class, Too: true}})
		}
		options = append(options, option{remedy.RequestDevices{Of: one, Class: class}})
	}
	return options
}

// mostDevices are the shortages of the node that has most of what is short.
func mostDevices(q *plugins.Question, rs []plugins.NodeRejection) (most []plugins.DeviceShortage) {
	best := int64(-1)
	for _, r := range rs[:min(len(rs), groupNodes)] {
		short, free := plugins.DeviceShortages(q, r), int64(0)
		for _, one := range short {
			free += one.Free
		}
		if len(short) > 0 && free > best {
			best, most = free, short
		}
	}
	return most
}

// fewerDevices asks for as many devices as are free; nil where none is, for a request.
func fewerDevices(q *plugins.Question, short []plugins.DeviceShortage) (steps option) {
	for _, one := range short {
		switch {
		case one.Free == 0 || one.Wanted > 0 && one.Free >= one.Wanted:
			return nil
		case one.Claim != nil:
			steps = append(steps, remedy.RequestDevices{Of: one, Count: one.Free})
		default:
			lower, ok := lowerOne(q.Pod, plugins.Figure{Resource: one.Resource, Wanted: one.Wanted, Short: one.Wanted - one.Free})
			if !ok {
				return nil
			}
			steps = append(steps, lower)
		}
	}
	return steps
}
