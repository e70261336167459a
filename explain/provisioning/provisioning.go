package provisioning

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Question is a pod without a node, and what is known beside the autoscalers' objects.
type Question struct {
	Pod      *corev1.Pod
	Requests corev1.ResourceList         // as the scheduler counts
	Volumes  [][]corev1.NodeSelectorTerm // of each volume that is only in some places: the terms of its affinity
	Words    []report.AutoscalerWord     // about the pod, the newest of each autoscaler
	Now      time.Time
	// Fits says whether the pod would fit the node of a NodeClaim that is Ready; why not, or why
	// that is not known.
	Fits func(*NodeClaim) (fits *bool, why string)
}

// Judge says what autoscalers could do for the pod; nil without one.
func Judge(s *State, q *Question) *report.Provisioning {
	if s == nil || s.Karpenter == nil && s.ClusterAutoscaler == nil {
		return nil
	}
	p := &report.Provisioning{
		NodePools: []report.NodePool{}, NodeClaims: []report.NodeClaim{}, NodeGroups: []report.NodeGroup{},
		NotScaled: []report.ScaleReason{}, Unknown: []report.UnknownScale{},
	}
	if owner := metav1.GetControllerOfNoCopy(q.Pod); owner != nil && owner.Kind == "DaemonSet" {
		p.Summary = "Autoscalers add no node for a pod of a DaemonSet." // IsProvisionable of Karpenter, FilterOutDaemonSetPods of Cluster Autoscaler
		return p
	}
	var said []string
	if s.Karpenter != nil {
		said = append(said, karpenter(s.Karpenter, q, p))
	}
	if s.ClusterAutoscaler != nil {
		said = append(said, clusterAutoscaler(s.ClusterAutoscaler, q, p))
	}
	p.Summary = strings.Join(said, ". ") + "."
	return p
}

// Components of autoscalers, as they sign their events.
const (
	KarpenterName = "karpenter"
	AutoModeName  = "eks-auto-mode/compute"
	ClusterName   = "cluster-autoscaler"
	// ToBeDeleted and DeletionCandidate are the keys of taints that Cluster Autoscaler sets.
	ToBeDeleted       = "ToBeDeletedByClusterAutoscaler"
	DeletionCandidate = "DeletionCandidateOfClusterAutoscaler"

	nominated       = "Nominated"
	notTriggered    = "NotTriggerScaleUp"
	nodeClaimPrefix = "nodeclaim/"
)

// IsKarpenter reports whether a component is Karpenter, or what EKS runs of it.
func IsKarpenter(component string) bool {
	return component == KarpenterName || component == AutoModeName
}

// IsAutoscaler reports whether a component that writes events is an autoscaler of nodes.
func IsAutoscaler(component string) bool { return component == ClusterName || IsKarpenter(component) }

// WithNewest takes an event of an autoscaler about a pod into its messages, unless there is a newer one of the same
// autoscaler: the newest of each, the newest first.
func WithNewest(words []report.AutoscalerWord, event model.Event) []report.AutoscalerWord {
	same := func(w report.AutoscalerWord) bool { return w.Component == event.Source }
	if at := slices.IndexFunc(words, same); at >= 0 {
		if !words[at].LastSeen.Time.Before(event.Last) {
			return words
		}
		words = slices.Delete(words, at, at+1)
	}
	words = append(words, report.AutoscalerWord{
		Component: event.Source, Reason: event.Reason, Message: event.Message, LastSeen: metav1.NewTime(event.Last),
	})
	slices.SortStableFunc(words, func(a, b report.AutoscalerWord) int { return b.LastSeen.Compare(a.LastSeen.Time) })
	return words
}

// wordOf is the newest message of an autoscaler; nil without one.
func wordOf(words []report.AutoscalerWord, of func(component string) bool) *report.AutoscalerWord {
	at := slices.IndexFunc(words, func(w report.AutoscalerWord) bool { return of(w.Component) })
	if at < 0 {
		return nil
	}
	return &words[at]
}

// Nominated are the NodeClaims that Karpenter's newest message about a pod names: "Pod should
// schedule on: nodeclaim/std-x8k2c" (NominatePodEvent). They are looked up before anything is
// said about them.
func Nominated(words []report.AutoscalerWord) []string {
	word := wordOf(words, IsKarpenter)
	if word == nil || word.Reason != nominated {
		return nil
	}
	var names []string
	for _, field := range strings.FieldsFunc(word.Message, func(r rune) bool { return r == ' ' || r == ',' }) {
		if name, ok := strings.CutPrefix(field, nodeClaimPrefix); ok && name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// karpenter judges NodeClaims and NodePools, and says what it comes to.
func karpenter(k *Karpenter, q *Question, p *report.Provisioning) string {
	name := "Karpenter"
	if word := wordOf(q.Words, IsKarpenter); word != nil && word.Component == AutoModeName {
		name = "EKS Auto Mode"
	}
	for i := range k.Claims {
		claim := judgeClaim(&k.Claims[i], q)
		if why := k.Claims[i].Unread; why != "" {
			p.Unknown = append(p.Unknown, report.UnknownScale{Resource: "nodeclaims", Why: why})
		}
		p.NodeClaims = append(p.NodeClaims, claim)
	}
	judged := judgePools(k.NodePools, q)
	for i := range judged {
		p.NodePools = append(p.NodePools, judged[i].report)
	}
	if k.Unread != "" {
		p.Unknown = append(p.Unknown, report.UnknownScale{Resource: "nodepools", Why: k.Unread})
	}
	if len(p.NodeClaims) > 0 {
		return name + ": " + claimSentence(&p.NodeClaims[0], q.Now)
	}
	if k.Unread != "" {
		return name + ": unknown: " + k.Unread
	}
	return name + ": " + poolSentence(judged)
}

// claimSentence says how far the first node is that Karpenter nominated.
func claimSentence(claim *report.NodeClaim, now time.Time) string {
	words := "NodeClaim " + claim.Name + " for the pod "
	switch claim.State {
	case "unknown":
		return words + "is unknown: " + claim.Why
	case "gone":
		return words + "does not exist any more"
	}
	words += "is " + claim.Progress(now)
	if claim.State == "deleting" {
		return words
	}
	return words + "; " + claim.FitWords()
}

// poolSentence says why no NodePool can be used, or which are not ruled out.
func poolSentence(judged []judgedPool) string {
	if len(judged) == 0 {
		return "there is no NodePool, so it cannot add a node"
	}
	var maybe, open []string
	for i := range judged {
		switch ruledOut := judged[i].report.RuledOut; {
		case ruledOut == nil:
			open = append(open, judged[i].report.Name)
		case !*ruledOut:
			maybe = append(maybe, judged[i].report.Name)
		}
	}
	out := len(judged) - len(maybe) - len(open)
	switch {
	case len(maybe) > 0:
		words := grammar.Agree(len(maybe), "NodePool ", "NodePools ") + grammar.List(maybe, grammar.Few) + " may be used"
		if out > 0 {
			words += "; " + closestPool(judged, " cannot: ", 1)
		}
		return words
	case len(open) > 0:
		return "it is unknown whether NodePool " + grammar.List(open, grammar.Few) + " can be used: " + strings.Join(judged[0].report.Reasons, "; ")
	}
	if one := sameConflict(judged); one != nil {
		words := "no NodePool allows " + one.wanted() + ": "
		var has []string
		for i := range judged {
			has = append(has, judged[i].report.Name+" has "+judged[i].conflicts[0].offered())
		}
		if len(has) > grammar.Few {
			has = append(has[:grammar.Few:grammar.Few], grammar.Count(len(judged)-grammar.Few, "more NodePool does not", "more NodePools do not"))
		}
		return words + strings.Join(has, "; ")
	}
	return "no NodePool can be used: " + closestPool(judged, ": ", grammar.Few)
}

// closestPool says what rules out the closest NodePools, verb between their names and that.
func closestPool(judged []judgedPool, verb string, most int) string {
	var all []string
	left := 0
	for i := range judged {
		r := &judged[i].report
		switch {
		case r.RuledOut == nil || !*r.RuledOut:
		case len(all) == most:
			left++
		default:
			all = append(all, r.Name+verb+strings.Join(r.Reasons, ", "))
		}
	}
	if left > 0 {
		all = append(all, grammar.Count(left, "more cannot", "more cannot"))
	}
	return strings.Join(all, "; ")
}

// sameConflict is the conflict of the closest NodePool, if the same requirement of the pod is all
// that rules out each of them; nil otherwise.
func sameConflict(judged []judgedPool) *conflict {
	var first *conflict
	for i := range judged {
		j := &judged[i]
		if len(j.report.Reasons) != 1 || len(j.conflicts) != 1 {
			return nil
		}
		if first == nil {
			first = &j.conflicts[0]
		}
		if first.wanted() != j.conflicts[0].wanted() {
			return nil
		}
	}
	return first
}

// stateOf is how far a NodeClaim is, and since when.
func stateOf(claim *NodeClaim) (state string, since time.Time) {
	if claim.Deleting {
		return "deleting", time.Time{}
	}
	state, since = "created", claim.Created
	for _, step := range []struct{ condition, state string }{{"Launched", "launched"}, {"Registered", "registered"}, {"Initialized", "initialized"}} {
		c := condition(claim.Conditions, step.condition)
		if c == nil || c.Status != metav1.ConditionTrue {
			return state, since
		}
		state, since = step.state, c.Since
	}
	return state, since
}

// judgeClaim says how far a NodeClaim is, and whether the pod fits it.
func judgeClaim(claim *NodeClaim, q *Question) report.NodeClaim {
	told := report.NodeClaim{Name: claim.Name, NodePool: claim.NodePool, Node: claim.Node, Notes: []string{}}
	switch {
	case claim.Unread != "":
		told.State, told.Why = "unknown", claim.Unread
		return told
	case claim.Gone:
		told.State = "gone"
		return told
	}
	var since time.Time
	told.State, since = stateOf(claim)
	if !since.IsZero() {
		told.Since = &metav1.Time{Time: since}
	}
	if told.State != "deleting" {
		switch {
		case len(claim.Allocatable) == 0:
			told.Why = "its machine is not known yet"
		case q.Fits != nil:
			told.Fits, told.Why = q.Fits(claim)
		}
	}
	for i := range claim.Conditions {
		c := &claim.Conditions[i]
		if c.Status != metav1.ConditionTrue && c.Message != "" && slices.Contains([]string{"Launched", "Registered", "Initialized"}, c.Type) {
			told.Notes = append(told.Notes, c.Type+": "+cmp.Or(c.Message, c.Reason))
		}
	}
	return told
}
