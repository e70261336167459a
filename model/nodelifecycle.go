package model

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// cloudTaintDomain begins the keys of the taints that k8s.io/cloud-provider/api sets.
	cloudTaintDomain = "node.cloudprovider.kubernetes.io/"
	// uninitialized is the taint that a node has until its cloud provider initialised it:
	// TaintExternalCloudProvider.
	uninitialized = cloudTaintDomain + "uninitialized"
	// unregistered is the taint that a node has until Karpenter knows it.
	unregistered = "karpenter.sh/unregistered"
	// newLifecycle is the Lifecycle of a node that is not initialized yet.
	newLifecycle = "new: not initialized"
)

// goingTaints are the taints of a node that is about to be removed, and why it is.
// Cluster Autoscaler sets the first one (pkg/utils/taints), Karpenter the others: since
// v1 the second, before that the third.
var goingTaints = []struct{ key, why string }{
	{"ToBeDeletedByClusterAutoscaler", "scale-down"},
	{"karpenter.sh/disrupted", "disrupted"},
	{"karpenter.sh/disruption", "disrupted"},
}

// lifecycleOf is where the node is in its life, where that is its beginning or its end:
// "new: not initialized", "removing: scale-down"; "" in between.
func lifecycleOf(node *corev1.Node) string {
	begun, ready := true, false
	for _, taint := range node.Spec.Taints {
		for _, going := range goingTaints {
			if taint.Key == going.key {
				return "removing: " + going.why
			}
		}
		begun = begun && taint.Key != uninitialized
	}
	if node.DeletionTimestamp != nil {
		return "removing: terminating"
	}
	for i := range node.Status.Conditions {
		ready = ready || node.Status.Conditions[i].Type == corev1.NodeReady
	}
	if !begun || !ready {
		return newLifecycle
	}
	return ""
}

const (
	// agentNotReady ends the keys of the taints that keep pods off a node until an agent runs there that they
	// need: node.cilium.io/agent-not-ready (docs.cilium.io, Taint Effects), ebs.csi.aws.com/agent-not-ready and
	// those of other CSI drivers.
	agentNotReady = "/agent-not-ready"
	// istioNotReady is that of Istio's CNI agent (istio.io, Install the Istio CNI node agent).
	istioNotReady = "cni.istio.io/not-ready"
)

// startupTaints begin the keys of taints that nodes have only while they start, whatever they wait for (Cluster
// Autoscaler, pkg/utils/taints).
var startupTaints = []string{"startup-taint.cluster-autoscaler.kubernetes.io/", "ignore-taint.cluster-autoscaler.kubernetes.io/"}

// AgentOf is the domain of the agent that removes a taint of a key once it runs on the node: "node.cilium.io";
// "" for all other taints.
func AgentOf(key string) string {
	if key == istioNotReady {
		return "cni.istio.io"
	}
	if domain, ok := strings.CutSuffix(key, agentNotReady); ok {
		return domain
	}
	return ""
}

// starts reports whether a taint of a key is there only until its node has started.
func starts(key string) bool {
	return AgentOf(key) != "" || slices.ContainsFunc(startupTaints, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

// maybeGoing is the taint of a node that Cluster Autoscaler may remove soon.
const maybeGoing = "DeletionCandidateOfClusterAutoscaler"

// nodeLabelWords end the keys of labels that hold their node's name, as drivers of storage set
// them (topology.hostpath.csi/node).
var nodeLabelWords = []string{"node", "nodename", "node-name", "hostname", "host"}

// NodeLike is a node as a further one of the same pool would be once it is Ready: with
// the labels, taints and allocatable resources of old, without its cordon, without the
// taints that say in which state old is, and with nothing attached to it. Labels that
// hold the name of old hold the new one's.
func NodeLike(old *corev1.Node, name string) *corev1.Node {
	added := old.DeepCopy()
	added.ObjectMeta = metav1.ObjectMeta{Name: name, UID: types.UID("new node " + name), Labels: added.Labels}
	for label, value := range added.Labels {
		_, word, _ := strings.Cut(label, "/")
		if label == corev1.LabelHostname || value == old.Name && slices.Contains(nodeLabelWords, word) {
			added.Labels[label] = name
		}
	}
	added.Spec.ProviderID, added.Spec.PodCIDR, added.Spec.PodCIDRs, added.Spec.Unschedulable = "", "", nil, false
	added.Spec.Taints = slices.DeleteFunc(added.Spec.Taints, func(taint corev1.Taint) bool { return IsStateTaint(taint.Key) })
	for i := range added.Status.Conditions {
		condition := &added.Status.Conditions[i]
		condition.Status = corev1.ConditionFalse
		if condition.Type == corev1.NodeReady {
			condition.Status = corev1.ConditionTrue
		}
	}
	added.Status.Images, added.Status.Addresses = nil, nil
	added.Status.VolumesAttached, added.Status.VolumesInUse = nil, nil
	return added
}

// IsStateTaint reports whether a taint of a key says in which state its node is, and not
// which pods it is for: controllers set and remove it.
func IsStateTaint(key string) bool {
	going := slices.ContainsFunc(goingTaints, func(t struct{ key, why string }) bool { return t.key == key })
	return going || starts(key) || key == maybeGoing || key == unregistered || strings.HasPrefix(key, TaintDomain) || strings.HasPrefix(key, cloudTaintDomain)
}

// taintStates are what taints of autoscalers and of cloud providers say about their node, to be
// read after its name and "is".
var taintStates = map[string]string{
	uninitialized:                    "not initialized by its cloud provider",
	cloudTaintDomain + "shutdown":    "shut down by its cloud provider",
	unregistered:                     "not registered by Karpenter",
	"karpenter.sh/disrupted":         "being removed by Karpenter",
	"karpenter.sh/disruption":        "being removed by Karpenter",
	"ToBeDeletedByClusterAutoscaler": "being removed by Cluster Autoscaler",
	maybeGoing:                       "unneeded: Cluster Autoscaler may remove it",
}

// TaintState is what a taint of a key that an autoscaler, a cloud provider or an agent sets says about its
// node: "being removed by Cluster Autoscaler"; "" for others.
func TaintState(key string) string {
	if agent := AgentOf(key); agent != "" {
		return "waiting for the agent of " + agent
	}
	if starts(key) {
		return "starting"
	}
	return taintStates[key]
}

// capacityTypeLabels hold how the machine of a node was bought, those of provisioners
// before those of providers.
var capacityTypeLabels = []string{
	"karpenter.sh/capacity-type",
	"eks.amazonaws.com/capacityType",
	"cloud.google.com/gke-provisioning",
	"kubernetes.azure.com/scalesetpriority",
	"node.kubernetes.io/lifecycle",
}

// capacityTypeFlags are "true" on nodes of one type, and nowhere else.
var capacityTypeFlags = []struct{ label, means string }{
	{"cloud.google.com/gke-spot", "spot"},
	{"cloud.google.com/gke-preemptible", "preemptible"},
}

// onDemand are the other words for it.
var onDemand = map[string]bool{"standard": true, "regular": true, "normal": true, "ondemand": true}

// capacityTypeOf is how the node's machine was bought: "spot", "on-demand", or what the
// provider calls it; "" where no label says so.
func capacityTypeOf(node *corev1.Node) string {
	for _, flag := range capacityTypeFlags {
		if node.Labels[flag.label] == "true" {
			return flag.means
		}
	}
	for _, label := range capacityTypeLabels {
		word := strings.ReplaceAll(strings.ToLower(node.Labels[label]), "_", "-")
		switch {
		case onDemand[word]:
			return "on-demand"
		case word != "":
			return word
		}
	}
	return ""
}
