// Package provisioning judges what autoscalers of nodes could do for a pod, from the objects in
// which they say so: NodePools and NodeClaims of Karpenter, and the status of Cluster Autoscaler.
// It says what they cannot do. What it cannot rule out may still not happen: which machines there
// are, and what they cost, is not known here.
package provisioning

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// State is what autoscalers of nodes say in objects; what is not there is nil.
type State struct {
	Karpenter         *Karpenter         `json:"karpenter,omitempty"`
	ClusterAutoscaler *ClusterAutoscaler `json:"clusterAutoscaler,omitempty"`
}

// Karpenter is what a cluster has of karpenter.sh/v1.
type Karpenter struct {
	NodePools []NodePool `json:"nodePools"`
	Unread    string     `json:"unread,omitempty"` // why NodePools are not known; "" if they are
	// Claims are the NodeClaims that events name for the pod that was asked about.
	Claims []NodeClaim `json:"claims,omitempty"`
}

// NodePool is karpenter.sh/v1 NodePool, as far as it decides which pods it launches nodes for.
type NodePool struct {
	Name         string                           `json:"name"`
	Labels       map[string]string                `json:"labels,omitempty"` // of its nodes
	Requirements []corev1.NodeSelectorRequirement `json:"requirements,omitempty"`
	Taints       []corev1.Taint                   `json:"taints,omitempty"`
	Limits       corev1.ResourceList              `json:"limits,omitempty"`
	Used         corev1.ResourceList              `json:"used,omitempty"`
	Weight       int32                            `json:"weight,omitempty"`
	ClassGroup   string                           `json:"classGroup,omitempty"` // API group of its node class: "karpenter.k8s.aws"
	Static       bool                             `json:"static,omitempty"`     // has a fixed number of nodes
	Deleting     bool                             `json:"deleting,omitempty"`
	Conditions   []Condition                      `json:"conditions,omitempty"`
}

// NodePoolLabel is the label of nodes that holds the NodePool.
const NodePoolLabel = "karpenter.sh/nodepool"

// NodeClaim is karpenter.sh/v1 NodeClaim: a node on its way.
type NodeClaim struct {
	Name          string              `json:"name"`
	Unread        string              `json:"unread,omitempty"` // why nothing else is known; "" if it is
	Gone          bool                `json:"gone,omitempty"`   // it does not exist
	NodePool      string              `json:"nodePool,omitempty"`
	Node          string              `json:"node,omitempty"` // "" before it is registered
	Created       time.Time           `json:"created,omitzero"`
	Deleting      bool                `json:"deleting,omitempty"`
	Labels        map[string]string   `json:"labels,omitempty"`
	Taints        []corev1.Taint      `json:"taints,omitempty"`
	StartupTaints []corev1.Taint      `json:"startupTaints,omitempty"`
	Allocatable   corev1.ResourceList `json:"allocatable,omitempty"`
	Conditions    []Condition         `json:"conditions,omitempty"`
}

// Condition is metav1.Condition without the generation.
type Condition struct {
	Type    string                 `json:"type"`
	Status  metav1.ConditionStatus `json:"status"`
	Reason  string                 `json:"reason,omitempty"`
	Message string                 `json:"message,omitempty"`
	Since   time.Time              `json:"since,omitzero"`
}

// ClusterAutoscaler is the status of Cluster Autoscaler, which it writes into the ConfigMap
// kube-system/cluster-autoscaler-status, since 1.30 as YAML.
type ClusterAutoscaler struct {
	Unread     string      `json:"unread,omitempty"` // why nothing else is known; "" if it is
	Written    time.Time   `json:"written,omitzero"`
	Status     string      `json:"status,omitempty"` // "Running", "Initializing"
	NodeGroups []NodeGroup `json:"nodeGroups,omitempty"`
}

// NodeGroup is a group of nodes of Cluster Autoscaler. Nil counts are not known.
type NodeGroup struct {
	Name    string `json:"name"`
	Health  string `json:"health,omitempty"`  // "Healthy", "Unhealthy"
	ScaleUp string `json:"scaleUp,omitempty"` // "NoActivity", "InProgress", "Backoff"
	Ready   *int   `json:"ready,omitempty"`
	Target  *int   `json:"target,omitempty"`
	Min     *int   `json:"min,omitempty"`
	Max     *int   `json:"max,omitempty"`
	Code    string `json:"errorCode,omitempty"` // of the back-off
	Message string `json:"errorMessage,omitempty"`
}

// condition is that of a type; nil without it.
func condition(all []Condition, of string) *Condition {
	for i := range all {
		if all[i].Type == of {
			return &all[i]
		}
	}
	return nil
}
