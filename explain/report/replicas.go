package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Rollout is the change of its workload's template that a pending pod is part of.
type Rollout struct {
	Workload OwnerRef         `json:"workload"`
	Previous string           `json:"previous"`        // the ReplicaSet, or the revision, of the template before
	Since    *metav1.Time     `json:"since,omitempty"` // when the first pods of the new template were wanted; null: not known
	Running  int              `json:"running"`         // pods of older templates that have a node
	New      int              `json:"new"`             // pods of the new template that have a node
	Pending  int              `json:"pending"`         // pods of the new template without one
	Changes  []TemplateChange `json:"changes"`         // of what decides where a pod may go
}

// TemplateChange is one difference between two templates.
type TemplateChange struct {
	Field   string `json:"field"`             // "request", "node selector", "toleration"
	Key     string `json:"key"`               // "cpu", "disktype"; "" where there is one of the field
	Before  string `json:"before"`            // "" where the key says all
	After   string `json:"after"`             // "" where the key says all
	Added   bool   `json:"added,omitempty"`   // it was not there before
	Removed bool   `json:"removed,omitempty"` // it is no longer there
	Plugin  string `json:"plugin"`            // of the scheduler, which reads it; "" for none
	// Admission says that the templates do not differ in it: it was set when the pods were created.
	Admission bool `json:"admission,omitempty"`
}

// ByTemplate reports whether anything that the rollout changed is in its workload's template; of a StatefulSet and a
// DaemonSet, whose older templates are not read, whether anything is.
func (r *Rollout) ByTemplate() bool {
	return slices.ContainsFunc(r.Changes, func(c TemplateChange) bool { return !c.Admission })
}

// Worth is the rollout if it may tell why the pod is pending: older pods run, or none of the new template
// does and the template changed; nil otherwise.
func (r *Rollout) Worth() *Rollout {
	if r.Running > 0 || r.New == 0 && len(r.Changes) > 0 {
		return r
	}
	return nil
}

// mostChanges is how many changes of a template the sentence about a rollout tells.
const mostChanges = 4

// RolloutSentence says what a rollout changed, first what the rejecting plugins read, and how many pods of
// the old template run; "" where the pod is of none.
func RolloutSentence(r *Report, now time.Time) string {
	rollout := r.Rollout
	if rollout == nil {
		return ""
	}
	said := strings.ToLower(rollout.Workload.Kind) + "/" + rollout.Workload.Name + " changed"
	if rollout.Since != nil && !now.IsZero() {
		said += " " + model.FormatAge(rollout.Since.Time, now) + " ago"
	}
	if len(rollout.Changes) > 0 {
		said += ": " + changeList(r, rollout.Changes)
		if !rollout.ByTemplate() {
			said += ", set at admission and not by the template"
		}
	} else {
		said += ", in nothing that decides where its pods may go"
	}
	before := grammar.Count(rollout.Running, "old pod runs", "old pods run")
	switch {
	case rollout.Running == 0:
		return said + "; no old pod runs."
	case rollout.New == 0:
		return said + "; " + before + "."
	}
	return said + "; " + before + ", and " + grammar.Plural(rollout.New, "new one") + "."
}

// changeList are the changes, those that the rejecting plugins read first.
func changeList(r *Report, changes []TemplateChange) string {
	rejecting := func(plugin string) bool {
		return slices.ContainsFunc(r.Plugins, func(p PluginResult) bool { return p.Name == plugin && p.Rejects > 0 })
	}
	var first, rest []string
	for _, change := range changes {
		if rejecting(change.Plugin) {
			first = append(first, change.words())
		} else {
			rest = append(rest, change.words())
		}
	}
	return grammar.List(append(first, rest...), mostChanges)
}

// words are the change in a clause: "cpu request 2 instead of 500m", "node selector disktype=ssd added".
func (c *TemplateChange) words() string {
	name := strings.TrimSpace(c.Field + " " + c.Key)
	if c.Field == "request" || c.Field == "limit" {
		name = model.ResourceWord(corev1.ResourceName(c.Key)) + " " + c.Field
	}
	with := func(value string) string {
		switch {
		case value == "":
			return name
		case c.Field == "node selector" || c.Field == "label":
			return name + "=" + value
		}
		return name + " " + value
	}
	switch {
	case c.Added:
		return with(c.After) + " added"
	case c.Removed:
		return with(c.Before) + " removed"
	}
	return with(c.After) + " instead of " + c.Before
}

// FailedPods are the pods of a pending pod's workload that a kubelet evicted, preempted or rejected, as far as they are not
// deleted.
type FailedPods struct {
	Count   int            `json:"count"`
	Reasons []FailedReason `json:"reasons"` // the most frequent first
	Last    FailedPod      `json:"last"`    // that failed last, as far as that is known
}

// FailedReason is how many pods failed for one reason.
type FailedReason struct {
	Reason string `json:"reason"` // status.reason: "Evicted", "OutOfcpu"
	Count  int    `json:"count"`
}

// FailedPod is one of them.
type FailedPod struct {
	Name    string       `json:"name"`
	Node    string       `json:"node"`
	Reason  string       `json:"reason"`
	Message string       `json:"message"`      // the kubelet's
	At      *metav1.Time `json:"at,omitempty"` // when it failed; null: not known
}

// mostQuoted is how many characters of a kubelet's message a sentence quotes.
const mostQuoted = 200

// FailedPodsSentence says how many pods of the workload a kubelet evicted or rejected, and quotes what it said of the last
// one; "" where there are none.
func FailedPodsSentence(r *Report, now time.Time) string {
	f := r.FailedPods
	if f == nil || f.Count == 0 || len(f.Reasons) == 0 {
		return ""
	}
	evicted := len(f.Reasons) == 1 && f.Reasons[0].Reason == "Evicted"
	said := fmt.Sprintf("%d of its pods ", f.Count)
	switch {
	case evicted:
		said += grammar.Agree(f.Count, "was evicted", "were evicted")
	case len(f.Reasons) == 1:
		said += "failed (" + f.Reasons[0].Reason + ")"
	default:
		counts := make([]string, len(f.Reasons))
		for i, reason := range f.Reasons {
			counts[i] = fmt.Sprintf("%d %s", reason.Count, reason.Reason)
		}
		said += "failed (" + grammar.List(counts, grammar.Few) + ")"
	}
	if f.Count > 1 {
		said += ", the last"
	}
	if f.Last.At != nil && !now.IsZero() {
		said += " " + model.FormatAge(f.Last.At.Time, now) + " ago"
	}
	said += " on " + f.Last.Node
	if message := cutMessage(f.Last.Message); message != "" {
		return said + ": \"" + message + "\""
	}
	return said + "."
}

// cutMessage is a message in one line, of mostQuoted characters at most.
func cutMessage(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	all := []rune(message)
	if len(all) <= mostQuoted {
		return message
	}
	cut := string(all[:mostQuoted])
	if at := strings.LastIndexByte(cut, ' '); at > 0 {
		cut = cut[:at]
	}
	return cut + " …"
}

// Replicas is how many of the equal pods that a workload asks for would be scheduled.
type Replicas struct {
	Wanted int    `json:"desired"`
	Fit    *int   `json:"fit"` // null: not known, see Why
	Why    string `json:"why"` // why the next one would be Pending, or what is not known; "" where all fit

	Rejected bool `json:"-"` // the next one would not be created

	Placed int  `json:"-"` // in the simulation; at least so many fit
	Daemon bool `json:"-"` // of a DaemonSet: one for each node that it is for
	Chance bool `json:"-"` // where they go decides how many fit, and equally good nodes are taken at random
}

// Sentence says how many replicas fit; "" where nobody asked.
func (r *Replicas) Sentence() string {
	switch {
	case r == nil || r.Fit == nil && r.Why == "":
		return ""
	case r.Daemon:
		return r.daemonSentence()
	case r.Fit == nil && r.Placed == 0:
		return fmt.Sprintf("How many of %d replicas fit is unknown: %s.", r.Wanted, r.Why)
	case r.Fit == nil:
		return fmt.Sprintf("At least %d of %d replicas fit; whether more do is unknown: %s.", r.Placed, r.Wanted, r.Why)
	case *r.Fit == r.Wanted:
		return fmt.Sprintf("%s, placed one after another.%s", allFit(r.Wanted), r.chance())
	case r.Rejected && *r.Fit == 0:
		return fmt.Sprintf("0 of %d replicas would be created.", r.Wanted)
	case r.Rejected:
		return fmt.Sprintf("%d of %d replicas fit, placed one after another. The next would not be created: %s.%s", *r.Fit, r.Wanted, r.Why, r.chance())
	case r.Why == "":
		return fmt.Sprintf("%d of %d replicas fit.", *r.Fit, r.Wanted)
	}
	return fmt.Sprintf("%d of %d replicas fit, placed one after another. The next would be Pending: %s.%s", *r.Fit, r.Wanted, r.Why, r.chance())
}

// daemonSentence says how many nodes take the pod of a DaemonSet.
func (r *Replicas) daemonSentence() string {
	switch {
	case r.Fit == nil:
		return fmt.Sprintf("The DaemonSet targets %s; how many its pod fits is unknown: %s.", grammar.Plural(r.Wanted, "node"), r.Why)
	case r.Wanted == 0:
		return "The DaemonSet targets no node: its node selector, affinity and tolerations exclude all."
	case *r.Fit == 1 && r.Wanted == 1:
		return "Its pod fits the 1 node that the DaemonSet targets."
	case *r.Fit == r.Wanted:
		return fmt.Sprintf("Its pod fits all %s that the DaemonSet targets.", grammar.Plural(r.Wanted, "node"))
	}
	return fmt.Sprintf("Its pod fits %d of %s that the DaemonSet targets; it %s.", *r.Fit, grammar.Plural(r.Wanted, "node"), r.Why)
}

func allFit(wanted int) string {
	if wanted == 1 {
		return "The 1 replica fits"
	}
	return fmt.Sprintf("All %d replicas fit", wanted)
}

// chance says that another order of choices may come to another number.
func (r *Replicas) chance() string {
	asked := r.Wanted
	if r.Rejected { // the pods that are created fit
		asked = r.Placed
	}
	other := otherNumber(r.Placed, asked)
	if !r.Chance || other == "" {
		return ""
	}
	return " kube-scheduler chooses among equal nodes at random, so it may be " + other + "."
}

// Preempted are the pods, named as a pending one, that kube-scheduler preempted, as far as there are events of it.
type Preempted struct {
	Names string       `json:"names"` // what their names are, or begin with: "api-6c9-…"
	Count int          `json:"count"`
	Last  *metav1.Time `json:"last,omitempty"`
	By    []Preemptor  `json:"by"` // who preempted most of them first
}

// Preemptor is a workload, or a pod that is gone or has none, for which pods were preempted.
type Preemptor struct {
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Count     int      `json:"count"`              // victims
	Priority  *int32   `json:"priority,omitempty"` // null: the pod is gone
	Rollout   *Rollout `json:"rollout,omitempty"`  // that its pods are part of
}

// PreemptedSentence says how many pods named as the pending one were preempted, and by whom; "" where there are none.
func PreemptedSentence(r *Report, now time.Time) string { return preemptedWords(r, now, false) }

// PreemptedBriefly is PreemptedSentence without names, times and priorities: what changed stands last.
func PreemptedBriefly(r *Report) string { return preemptedWords(r, time.Time{}, true) }

func preemptedWords(r *Report, now time.Time, brief bool) string {
	p := r.Preempted
	if p == nil || p.Count == 0 {
		return ""
	}
	names := p.Names
	if brief {
		names = "like it"
	}
	said := fmt.Sprintf("%s named %s %s preempted", grammar.Plural(p.Count, "pod"), names, grammar.Agree(p.Count, "was", "were"))
	if p.Last != nil && !now.IsZero() {
		if p.Count > 1 {
			said += ", the last"
		}
		said += " " + model.FormatAge(p.Last.Time, now) + " ago"
	}
	if len(p.By) == 0 {
		return said + "."
	}
	var all []string
	for i := range p.By {
		all = append(all, p.By[i].words(r.Pod.Namespace, brief))
	}
	if !brief {
		said += ","
	}
	said += " by " + grammar.List(all, grammar.Few)
	if by := p.By[0]; by.Rollout != nil && len(by.Rollout.Changes) > 0 {
		if len(p.By) == 1 {
			said += ", which changed"
		} else {
			said += "; " + strings.ToLower(by.Kind) + "/" + by.Name + " changed"
		}
		if by.Rollout.Since != nil && !now.IsZero() {
			said += " " + model.FormatAge(by.Rollout.Since.Time, now) + " ago"
		}
		said += ": " + changeList(r, by.Rollout.Changes)
	}
	return said + "."
}

// words name a preemptor: "daemonset/otel-node in observability (priority 900000000)", briefly without its priority.
func (p *Preemptor) words(namespace string, brief bool) string {
	said := strings.ToLower(p.Kind) + "/" + p.Name
	if p.Namespace != "" && p.Namespace != namespace {
		said += " in " + p.Namespace
	}
	if p.Priority != nil && !brief {
		said += fmt.Sprintf(" (priority %d)", *p.Priority)
	}
	return said
}
