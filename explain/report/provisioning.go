package report

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Provisioning is what autoscalers of nodes could do for the pod, by their own objects. It
// says what they cannot do, never what they will.
type Provisioning struct {
	Summary    string         `json:"summary"`
	NodePools  []NodePool     `json:"nodePools"`  // of Karpenter, the closest first
	NodeClaims []NodeClaim    `json:"nodeClaims"` // of Karpenter, that it nominated for the pod
	NodeGroups []NodeGroup    `json:"nodeGroups"` // of Cluster Autoscaler
	NotScaled  []ScaleReason  `json:"notScaled"`  // why Cluster Autoscaler did not scale up, by its newest event
	Unknown    []UnknownScale `json:"unknown"`
}

// NodePool is what a NodePool of Karpenter could do for the pod.
type NodePool struct {
	Name     string     `json:"name"`
	RuledOut *bool      `json:"ruledOut"` // true: it cannot be used for the pod; null: not known
	Reasons  []string   `json:"reasons"`  // why not
	Limits   []NodeRoom `json:"limits"`
	Notes    []string   `json:"notes"` // what its conditions say besides
}

// NodeRoom is a limit of a NodePool.
type NodeRoom struct {
	Resource string `json:"resource"`
	Used     string `json:"used"`
	Limit    string `json:"limit"`
}

// NodeClaim is a node that Karpenter nominated for the pod.
type NodeClaim struct {
	Name     string       `json:"name"`
	NodePool string       `json:"nodePool"`
	Node     string       `json:"node"`  // "" before it is registered
	State    string       `json:"state"` // created, launched, registered, initialized, deleting, gone, unknown
	Since    *metav1.Time `json:"since"`
	Fits     *bool        `json:"fits"` // the pod, once it is Ready; null: not known
	Why      string       `json:"why"`  // it does not fit, or that is not known
	Notes    []string     `json:"notes"`
}

// NodeGroup is a group of nodes of Cluster Autoscaler. Null figures are not known.
type NodeGroup struct {
	Name    string `json:"name"`
	Ready   *int   `json:"ready"`
	Target  *int   `json:"target"`
	Min     *int   `json:"min"`
	Max     *int   `json:"max"`
	Health  string `json:"health"`
	ScaleUp string `json:"scaleUp"`
	Backoff string `json:"backoff"` // the error after which it waits; "": it does not
}

// ScaleReason is one clause of a message of Cluster Autoscaler.
type ScaleReason struct {
	Groups  int    `json:"groups"`
	Message string `json:"message"`
}

// UnknownScale is what could not be read of an autoscaler.
type UnknownScale struct {
	Resource string `json:"resource"`
	Why      string `json:"why"`
}

// Lines are all that is known, a line each: NodeClaims, NodePools, node groups, reasons.
func (p *Provisioning) Lines(now time.Time) []string {
	var lines []string
	for i := range p.NodeClaims {
		lines = append(lines, p.NodeClaims[i].line(now))
	}
	for i := range p.NodePools {
		lines = append(lines, p.NodePools[i].line())
	}
	for i := range p.NodeGroups {
		lines = append(lines, p.NodeGroups[i].line())
	}
	for _, reason := range p.NotScaled {
		lines = append(lines, "not scaled up: "+grammar.Plural(reason.Groups, "node group")+": "+reason.Message)
	}
	for _, unknown := range p.Unknown {
		lines = append(lines, "unknown: "+unknown.Why)
	}
	return lines
}

// line is the NodeClaim in a line: "NodeClaim std-x8k2c: launched 3m ago, not registered; the pod
// fits it once it is Ready".
func (c *NodeClaim) line(now time.Time) string {
	return "NodeClaim " + c.Name + ": " + strings.Join(append([]string{c.Progress(now), c.FitWords()}, c.Notes...), "; ")
}

// claimSteps are what a NodeClaim of each state lacks next.
var claimSteps = map[string]string{"created": "not launched", "launched": "not registered", "registered": "not initialized"}

// Progress says how far the NodeClaim is, and since when: "launched 3m ago, not registered".
func (c *NodeClaim) Progress(now time.Time) string {
	switch c.State {
	case "unknown":
		return c.Why
	case "gone":
		return "does not exist any more"
	}
	words := c.State
	if c.State == "deleting" {
		words = "being deleted"
	}
	if c.Since != nil && !now.IsZero() {
		words += " " + model.FormatAge(c.Since.Time, now) + " ago"
	}
	if next := claimSteps[c.State]; next != "" {
		words += ", " + next
	}
	return words
}

// FitWords say whether the pod fits the node of the NodeClaim once that is Ready.
func (c *NodeClaim) FitWords() string {
	switch {
	case c.State == "gone" || c.State == "deleting" || c.State == "unknown":
		return "it adds no node"
	case c.Fits == nil && c.Why == "":
		return "whether the pod fits it is unknown"
	case c.Fits == nil:
		return "whether the pod fits it is unknown: " + c.Why
	case *c.Fits:
		return "the pod fits it once it is Ready"
	}
	return "the pod does not fit it: " + c.Why
}

// line is the NodePool in a line: "NodePool std cannot be used: zone: it has eu-1a, eu-1b".
func (p *NodePool) line() string {
	words := "NodePool " + p.Name
	switch {
	case p.RuledOut == nil:
		words += ": unknown whether it can be used"
	case *p.RuledOut:
		words += " cannot be used"
	default:
		words += " may be used"
	}
	if len(p.Reasons) > 0 {
		words += ": " + strings.Join(p.Reasons, "; ")
	}
	parts := []string{words}
	for _, limit := range p.Limits {
		parts = append(parts, fmt.Sprintf("%s %s of %s", limit.Resource, limit.Used, limit.Limit))
	}
	return strings.Join(append(parts, p.Notes...), " · ")
}

// line is the group in a line: "node group std: 3 ready of 5, min 1, max 5; Backoff: no quota".
func (g *NodeGroup) line() string {
	figure := func(n *int) string {
		if n == nil {
			return model.UnknownFigure
		}
		return model.FormatCount(*n)
	}
	words := fmt.Sprintf("node group %s: %s ready of %s, min %s, max %s", g.Name, figure(g.Ready), figure(g.Target), figure(g.Min), figure(g.Max))
	if g.Health != "" && g.Health != "Healthy" {
		words += "; " + g.Health
	}
	if g.ScaleUp != "" {
		words += "; scale-up " + g.ScaleUp
	}
	if g.Backoff != "" {
		words += ": " + g.Backoff
	}
	return words
}

// provisioning is what autoscalers could do: one line, or with everything that is known.
func (c composer) provisioning() []Section {
	p := c.report.Provisioning
	if p == nil {
		return nil
	}
	if !c.options.Verbose {
		return []Section{{Lines: []string{"AUTOSCALER " + p.Summary}, Most: 1}}
	}
	return []Section{{Heading: "AUTOSCALER " + p.Summary, Lines: p.Lines(c.options.Now)}}
}
