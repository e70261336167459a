// Package provisioning reads what autoscalers of nodes say of themselves in objects of the API:
// NodePools and NodeClaims of Karpenter, and the ConfigMap with the status of Cluster Autoscaler.
package provisioning

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
)

// Group is the API group of Karpenter, of which v1 is read.
const Group = "karpenter.sh"

var (
	nodePools  = schema.GroupVersionResource{Group: Group, Version: "v1", Resource: "nodepools"}
	nodeClaims = schema.GroupVersionResource{Group: Group, Version: "v1", Resource: "nodeclaims"}
)

// page is how many NodePools are asked for at once.
const page = 500

// Reader reads the objects. Its clients read only, and give up soon.
type Reader struct {
	Dynamic dynamic.Interface
	Core    kubernetes.Interface
	Words   func(error) string // an error in a few words
}

// why says why something could not be read.
func (r Reader) why(verb, resource string, err error) string {
	if apierrors.IsForbidden(err) {
		return "not allowed to " + verb + " " + resource
	}
	return r.Words(err)
}

// Karpenter lists the NodePools; nil where they are not served.
func (r Reader) Karpenter(ctx context.Context) *provisioning.Karpenter {
	k := &provisioning.Karpenter{NodePools: []provisioning.NodePool{}}
	options := metav1.ListOptions{Limit: page}
	for {
		list, err := r.Dynamic.Resource(nodePools).List(ctx, options)
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			return &provisioning.Karpenter{NodePools: []provisioning.NodePool{}, Unread: r.why("list", nodePools.Resource, err)}
		}
		for i := range list.Items {
			pool, err := PoolOf(&list.Items[i])
			if err != nil {
				return &provisioning.Karpenter{NodePools: []provisioning.NodePool{}, Unread: fmt.Sprintf("read NodePool %s: %v", list.Items[i].GetName(), err)}
			}
			k.NodePools = append(k.NodePools, *pool)
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return k
		}
	}
}

// NodeClaim gets a NodeClaim.
func (r Reader) NodeClaim(ctx context.Context, name string) provisioning.NodeClaim {
	object, err := r.Dynamic.Resource(nodeClaims).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return provisioning.NodeClaim{Name: name, Gone: true}
	case err != nil:
		return provisioning.NodeClaim{Name: name, Unread: r.why("get", nodeClaims.Resource, err)}
	}
	claim, err := ClaimOf(object)
	if err != nil {
		return provisioning.NodeClaim{Name: name, Unread: fmt.Sprintf("read NodeClaim %s: %v", name, err)}
	}
	return *claim
}

// nodePool are the fields of a karpenter.sh/v1 NodePool that are read.
type nodePool struct {
	Spec struct {
		Template struct {
			Metadata struct {
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
			Spec struct {
				Requirements []corev1.NodeSelectorRequirement `json:"requirements"`
				Taints       []corev1.Taint                   `json:"taints"`
				NodeClassRef struct {
					Group string `json:"group"`
				} `json:"nodeClassRef"`
			} `json:"spec"`
		} `json:"template"`
		Limits   corev1.ResourceList `json:"limits"`
		Weight   int32               `json:"weight"`
		Replicas *int64              `json:"replicas"`
	} `json:"spec"`
	Status struct {
		Resources  corev1.ResourceList `json:"resources"`
		Conditions []metav1.Condition  `json:"conditions"`
	} `json:"status"`
}

// Shapes are the fields of each kind that are read.
var Shapes = map[schema.GroupVersionKind]reflect.Type{
	{Group: Group, Version: "v1", Kind: "NodePool"}:  reflect.TypeFor[nodePool](),
	{Group: Group, Version: "v1", Kind: "NodeClaim"}: reflect.TypeFor[nodeClaim](),
}

// PoolOf reads a NodePool. Its error says why it cannot be read.
func PoolOf(object *unstructured.Unstructured) (*provisioning.NodePool, error) {
	var of nodePool
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &of); err != nil {
		return nil, err
	}
	template := &of.Spec.Template
	return &provisioning.NodePool{
		Name: object.GetName(), Deleting: object.GetDeletionTimestamp() != nil,
		Labels: template.Metadata.Labels, Requirements: template.Spec.Requirements, Taints: template.Spec.Taints, ClassGroup: template.Spec.NodeClassRef.Group,
		Limits: of.Spec.Limits, Weight: of.Spec.Weight, Static: of.Spec.Replicas != nil,
		Used: of.Status.Resources, Conditions: conditionsOf(of.Status.Conditions),
	}, nil
}

// nodeClaim are the fields of a karpenter.sh/v1 NodeClaim that are read.
type nodeClaim struct {
	Spec struct {
		Taints        []corev1.Taint `json:"taints"`
		StartupTaints []corev1.Taint `json:"startupTaints"`
	} `json:"spec"`
	Status struct {
		NodeName    string              `json:"nodeName"`
		Allocatable corev1.ResourceList `json:"allocatable"`
		Conditions  []metav1.Condition  `json:"conditions"`
	} `json:"status"`
}

// ClaimOf reads a NodeClaim. Its error says why it cannot be read.
func ClaimOf(object *unstructured.Unstructured) (*provisioning.NodeClaim, error) {
	var of nodeClaim
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &of); err != nil {
		return nil, err
	}
	return &provisioning.NodeClaim{
		Name: object.GetName(), NodePool: object.GetLabels()[provisioning.NodePoolLabel], Node: of.Status.NodeName,
		Created: object.GetCreationTimestamp().Time, Deleting: object.GetDeletionTimestamp() != nil, Labels: object.GetLabels(),
		Taints: of.Spec.Taints, StartupTaints: of.Spec.StartupTaints,
		Allocatable: of.Status.Allocatable, Conditions: conditionsOf(of.Status.Conditions),
	}, nil
}

func conditionsOf(all []metav1.Condition) []provisioning.Condition {
	var kept []provisioning.Condition
	for _, c := range all {
		kept = append(kept, provisioning.Condition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message, Since: c.LastTransitionTime.Time})
	}
	return kept
}

// statusName is the ConfigMap in kube-system in which Cluster Autoscaler writes its status
// (StatusConfigMapName of its package clusterstate/utils).
const statusName = "cluster-autoscaler-status"

// ClusterAutoscaler reads the status of Cluster Autoscaler; nil where it writes none.
func (r Reader) ClusterAutoscaler(ctx context.Context) *provisioning.ClusterAutoscaler {
	object, err := r.Core.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, statusName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return &provisioning.ClusterAutoscaler{Unread: r.why("get", "ConfigMap "+metav1.NamespaceSystem+"/"+statusName, err)}
	}
	return statusOf(object.Data["status"])
}

// autoscalerStatus are the fields of its status that are read (ClusterAutoscalerStatus of
// clusterstate/api, since 1.30).
type autoscalerStatus struct {
	Time       string `json:"time"`
	Status     string `json:"autoscalerStatus"`
	NodeGroups []struct {
		Name   string `json:"name"`
		Health struct {
			Status     string `json:"status"`
			NodeCounts *struct {
				Registered struct {
					Ready int `json:"ready"`
				} `json:"registered"`
			} `json:"nodeCounts"`
			Target *int `json:"cloudProviderTarget"`
			Min    *int `json:"minSize"`
			Max    *int `json:"maxSize"`
		} `json:"health"`
		ScaleUp struct {
			Status  string `json:"status"`
			Backoff struct {
				Code    string `json:"errorCode"`
				Message string `json:"errorMessage"`
			} `json:"backoffInfo"`
		} `json:"scaleUp"`
	} `json:"nodeGroups"`
}

// statusOf reads the status as YAML. Before 1.30 it was text, of which nothing is read.
func statusOf(text string) *provisioning.ClusterAutoscaler {
	var of autoscalerStatus
	if err := yaml.Unmarshal([]byte(text), &of); err != nil || of.Status == "" {
		return &provisioning.ClusterAutoscaler{Unread: "the status of Cluster Autoscaler is not in the format of its versions since 1.30"}
	}
	c := &provisioning.ClusterAutoscaler{Status: of.Status, Written: timeOf(of.Time)}
	for i := range of.NodeGroups {
		g := &of.NodeGroups[i]
		group := provisioning.NodeGroup{
			Name: g.Name, Health: g.Health.Status, ScaleUp: g.ScaleUp.Status, Target: g.Health.Target, Min: g.Health.Min, Max: g.Health.Max,
			Code: g.ScaleUp.Backoff.Code, Message: g.ScaleUp.Backoff.Message,
		}
		if g.Health.NodeCounts != nil {
			group.Ready = &g.Health.NodeCounts.Registered.Ready
		}
		c.NodeGroups = append(c.NodeGroups, group)
	}
	return c
}

// timeOf reads a time as Go prints it, with or without a reading of the monotonic clock; zero
// where it is none.
func timeOf(text string) time.Time {
	text, _, _ = strings.Cut(text, " m=")
	at, err := time.Parse("2006-01-02 15:04:05.999999999 -0700 MST", text)
	if err != nil {
		return time.Time{}
	}
	return at
}
