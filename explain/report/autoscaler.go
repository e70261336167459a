package report

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// AutoscalerWord is the last message of an autoscaler of nodes about the pod. It is never
// taken for an attempt of the scheduler, though Karpenter uses the same reason.
type AutoscalerWord struct {
	Component string      `json:"component"` // who said it: "cluster-autoscaler", "karpenter"
	Reason    string      `json:"reason"`    // "NotTriggerScaleUp"
	Message   string      `json:"message"`
	LastSeen  metav1.Time `json:"lastSeen"`
}

// Heading names the autoscaler, and how long ago it wrote: "AUTOSCALER karpenter, 2m ago".
func (w AutoscalerWord) Heading(now time.Time) string {
	heading := "AUTOSCALER " + w.Component
	if !now.IsZero() {
		heading += ", " + model.FormatAge(w.LastSeen.Time, now) + " ago"
	}
	return heading + " (" + w.Reason + ")"
}

// autoscalers quote the autoscalers: in short only where nothing but their messages is known.
func (c composer) autoscalers() []Section {
	sections := c.provisioning()
	if sections != nil && !c.options.Verbose {
		return sections
	}
	for _, word := range c.report.Autoscaler {
		sections = append(sections, Section{Heading: word.Heading(c.options.Now), Quote: word.Message})
	}
	return sections
}

// ScaleUp is what autoscalers of nodes do for a pod, in one word.
type ScaleUp string

// The words for metrics. What a pod that is not about nodes is waiting for has NoAutoscaler.
const (
	NoAutoscaler   ScaleUp = "none"      // nothing shows that there is one, or the verdict is not about nodes
	AddsNode       ScaleUp = "adds_node" // a NodeClaim for the pod is on its way, and nothing shows that the pod does not fit it
	MayAddNode     ScaleUp = "may_add_node"
	AddsNoNode     ScaleUp = "adds_no_node" // all NodePools are ruled out, and Cluster Autoscaler wrote why it did not scale up
	UnknownScaleUp ScaleUp = "unknown"
)

// ScaleUps are all words, in the order of the constants.
var ScaleUps = []ScaleUp{NoAutoscaler, AddsNode, MayAddNode, AddsNoNode, UnknownScaleUp}

// ScaleUp sums up what is known of the autoscalers of nodes.
func (p *Provisioning) ScaleUp() ScaleUp {
	if p == nil {
		return NoAutoscaler
	}
	for i := range p.NodeClaims {
		if p.NodeClaims[i].onItsWay() {
			return AddsNode
		}
	}
	open := len(p.Unknown) > 0
	for i := range p.NodePools {
		switch ruledOut := p.NodePools[i].RuledOut; {
		case ruledOut == nil:
			open = true
		case !*ruledOut:
			return MayAddNode
		}
	}
	switch {
	case open:
		return UnknownScaleUp
	case len(p.NodeGroups) > 0 && len(p.NotScaled) == 0:
		return MayAddNode
	}
	return AddsNoNode
}

// onItsWay reports whether a node of the NodeClaim is to come, and the pod may fit it.
func (c *NodeClaim) onItsWay() bool {
	switch c.State {
	case "gone", "deleting", "unknown":
		return false
	}
	return c.Fits == nil || *c.Fits
}

// Nomination is the node in status.nominatedNodeName of a pod that has no node yet, and who set it.
type Nomination struct {
	Node  string       `json:"node"`
	By    string       `json:"by"`    // the field manager, by managedFields; "": not known
	Since *metav1.Time `json:"since"` // when it last wrote there; null: not known
	Waits []string     `json:"waits"` // what kube-scheduler waits for before it binds the pod, as far as that is known
	Why   string       `json:"why"`   // why it is not known who set it; ""
}

// Nominator is the field manager that set a pod's nominatedNodeName. Zero: not known.
type Nominator struct {
	Manager string      `json:"manager,omitempty"`
	At      metav1.Time `json:"at,omitzero"`   // when it last wrote
	Unread  string      `json:"why,omitempty"` // why it could not be found out
}

// Who says who set it, and when, to continue "it is nominated to a": " by cluster-autoscaler 3m ago"; ""
// where that is not known.
func (n *Nomination) Who(now time.Time) string {
	if n == nil || n.By == "" {
		return ""
	}
	if n.Since == nil {
		return " by " + n.By
	}
	return " by " + n.By + " " + model.FormatAge(n.Since.Time, now) + " ago"
}
