package report

import "testing"

func TestScaleUpNeverSaysMoreThanIsKnown(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		known *Provisioning
		want  ScaleUp
	}{
		"no autoscaler":                     {nil, NoAutoscaler},
		"a pod of a DaemonSet":              {&Provisioning{}, AddsNoNode},
		"a NodeClaim of an unknown machine": {&Provisioning{NodeClaims: []NodeClaim{{State: "created"}}}, AddsNode},
		"a NodeClaim that the pod fits":     {&Provisioning{NodeClaims: []NodeClaim{{State: "registered", Fits: &yes}}}, AddsNode},
		"a NodeClaim that it does not fit, and no NodePool": {
			&Provisioning{NodeClaims: []NodeClaim{{State: "registered", Fits: &no}}, NodePools: []NodePool{{RuledOut: &yes}}}, AddsNoNode,
		},
		"a NodeClaim that is deleted, and a NodePool": {
			&Provisioning{NodeClaims: []NodeClaim{{State: "deleting"}}, NodePools: []NodePool{{RuledOut: &no}}}, MayAddNode,
		},
		"a NodeClaim that may not be read": {
			&Provisioning{NodeClaims: []NodeClaim{{State: "unknown"}}, NodePools: []NodePool{{RuledOut: &yes}}, Unknown: []UnknownScale{{Resource: "nodeclaims"}}}, UnknownScaleUp,
		},
		"one NodePool of two":                 {&Provisioning{NodePools: []NodePool{{RuledOut: &yes}, {RuledOut: &no}}}, MayAddNode},
		"no NodePool":                         {&Provisioning{NodePools: []NodePool{{RuledOut: &yes}, {RuledOut: &yes}}}, AddsNoNode},
		"a NodePool of which it is not known": {&Provisioning{NodePools: []NodePool{{RuledOut: &yes}, {}}}, UnknownScaleUp},
		"NodePools that may not be read":      {&Provisioning{Unknown: []UnknownScale{{Resource: "nodepools"}}}, UnknownScaleUp},
		"node groups":                         {&Provisioning{NodeGroups: []NodeGroup{{Name: "std"}}}, MayAddNode},
		"node groups that were not scaled up": {&Provisioning{NodeGroups: []NodeGroup{{Name: "std"}}, NotScaled: []ScaleReason{{Groups: 1}}}, AddsNoNode},
		"node groups that were not scaled up, and an open NodePool": {
			&Provisioning{NodeGroups: []NodeGroup{{Name: "std"}}, NotScaled: []ScaleReason{{Groups: 1}}, NodePools: []NodePool{{RuledOut: &no}}}, MayAddNode,
		},
	} {
		if got := c.known.ScaleUp(); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
