package model

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestCapacityTypesOfEachProviderReadTheSame(t *testing.T) {
	for _, c := range []struct{ label, value, want string }{
		{"karpenter.sh/capacity-type", "spot", "spot"},
		{"karpenter.sh/capacity-type", "on-demand", "on-demand"},
		{"karpenter.sh/capacity-type", "reserved", "reserved"},
		{"eks.amazonaws.com/capacityType", "SPOT", "spot"},
		{"eks.amazonaws.com/capacityType", "ON_DEMAND", "on-demand"},
		{"eks.amazonaws.com/capacityType", "CAPACITY_BLOCK", "capacity-block"},
		{"cloud.google.com/gke-spot", "true", "spot"},
		{"cloud.google.com/gke-spot", "false", ""},
		{"cloud.google.com/gke-preemptible", "true", "preemptible"},
		{"cloud.google.com/gke-provisioning", "spot", "spot"},
		{"cloud.google.com/gke-provisioning", "standard", "on-demand"},
		{"kubernetes.azure.com/scalesetpriority", "spot", "spot"},
		{"kubernetes.azure.com/scalesetpriority", "regular", "on-demand"},
		{"node.kubernetes.io/lifecycle", "spot", "spot"},
		{"node.kubernetes.io/lifecycle", "normal", "on-demand"},
		{"example.com/capacity", "spot", ""},
	} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{c.label: c.value}}}
		if got := newNode(node, "").CapacityType; got != c.want {
			t.Errorf("%s=%s is %q, want %q", c.label, c.value, got, c.want)
		}
	}
	both := map[string]string{"cloud.google.com/gke-spot": "true", "cloud.google.com/gke-provisioning": "standard"}
	if got := newNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: both}}, "").CapacityType; got != "spot" {
		t.Errorf("a spot node that was provisioned as standard is %q", got)
	}
}

func TestANodeIsNewAtItsBeginningAndGoingAtItsEnd(t *testing.T) {
	ready := func(status corev1.ConditionStatus) []corev1.NodeCondition {
		return []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	}
	for name, c := range map[string]struct {
		conditions []corev1.NodeCondition
		taints     []string
		deleted    bool
		want       string
	}{
		"ready":              {conditions: ready(corev1.ConditionTrue)},
		"not ready":          {conditions: ready(corev1.ConditionFalse)},
		"silent":             {conditions: ready(corev1.ConditionUnknown)},
		"without conditions": {want: "new: not initialized"},
		"another condition":  {conditions: []corev1.NodeCondition{{Type: corev1.NodeDiskPressure}}, want: "new: not initialized"},
		"no cloud provider yet": {
			conditions: ready(corev1.ConditionTrue), taints: []string{"node.cloudprovider.kubernetes.io/uninitialized"},
			want: "new: not initialized",
		},
		"scaled down":       {conditions: ready(corev1.ConditionTrue), taints: []string{"a", "ToBeDeletedByClusterAutoscaler"}, want: "removing: scale-down"},
		"only a candidate":  {conditions: ready(corev1.ConditionTrue), taints: []string{"DeletionCandidateOfClusterAutoscaler"}},
		"Karpenter":         {conditions: ready(corev1.ConditionTrue), taints: []string{"karpenter.sh/disrupted"}, want: "removing: disrupted"},
		"Karpenter, before": {conditions: ready(corev1.ConditionTrue), taints: []string{"karpenter.sh/disruption"}, want: "removing: disrupted"},
		"an agent restarts": {conditions: ready(corev1.ConditionTrue), taints: []string{"node.cilium.io/agent-not-ready"}},
		"deleted":           {conditions: ready(corev1.ConditionTrue), deleted: true, want: "removing: terminating"},
		"gone before it was there": {
			taints: []string{"node.cloudprovider.kubernetes.io/uninitialized", "karpenter.sh/disrupted"}, want: "removing: disrupted",
		},
	} {
		node := &corev1.Node{Status: corev1.NodeStatus{Conditions: c.conditions}}
		for _, key := range c.taints {
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
		if c.deleted {
			node.DeletionTimestamp = new(metav1.Now())
		}
		if got := newNode(node, "").Lifecycle; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Each taint that is left out of a node like another one, and is no condition's, has words.
func TestTaintsOfAutoscalersHaveWords(t *testing.T) {
	for _, key := range []string{
		"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption",
		"karpenter.sh/unregistered", "node.cloudprovider.kubernetes.io/uninitialized", "node.cloudprovider.kubernetes.io/shutdown",
		"node.cilium.io/agent-not-ready", "efs.csi.aws.com/agent-not-ready", "cni.istio.io/not-ready", "startup-taint.cluster-autoscaler.kubernetes.io/gpu",
	} {
		if !IsStateTaint(key) || TaintState(key) == "" {
			t.Errorf("%s: a state: %t, in words %q", key, IsStateTaint(key), TaintState(key))
		}
	}
	if said := TaintState("dedicated"); said != "" {
		t.Errorf("a taint of people is %q", said)
	}
}
