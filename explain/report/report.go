// Package report is an answer to why a pod is Pending and what would schedule it:
// what it holds, its JSON, and its words on the command line and in Markdown. It
// imports no scheduler.
package report

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// APIVersion and Kind of an Explanation, the contract that scripts rely on. All answers
// have this version: their fields have settled. It may get more fields; one that loses a
// field, or gives it another type or meaning, is of another version.
const (
	APIVersion = "fathom/v1beta1"
	Kind       = "Explanation"
	ListKind   = "ExplanationList"
)

// Verdict is the answer in one word.
type Verdict string

// The verdicts, in the words of the command line's contract.
const (
	Scheduled     Verdict = "Scheduled"     // nodeName is set: running, or not started and why
	Preempting    Verdict = "Preempting"    // nominatedNodeName is set and victims are still there
	Gated         Verdict = "Gated"         // PreEnqueue refuses
	NotConsidered Verdict = "NotConsidered" // no live scheduler serves schedulerName
	NotCreated    Verdict = "NotCreated"    // a controller's pod that admission refused
	Schedulable   Verdict = "Schedulable"   // at least one node fits now
	Unschedulable Verdict = "Unschedulable" // no node fits (preemption may be possible: see there)
	Unknown       Verdict = "Unknown"       // no node fits for sure and at least one could not be decided
)

// NoSuchNode is the State of a pod whose spec.nodeName is a node that does not exist.
const NoSuchNode = "no such node"

// Report is one explanation. Its JSON is a contract; what JSON leaves out is
// for the screens.
type Report struct {
	metav1.TypeMeta `json:",inline"`

	Pod              PodRef           `json:"pod"`
	Verdict          Verdict          `json:"verdict"`
	Summary          string           `json:"summary"`
	BlockedBy        string           `json:"blockedBy"` // the cause that is closest to a yes, in a word or two: "cpu", "taint", "gate"
	SchedulerMessage string           `json:"schedulerMessage"`
	Observed         Observed         `json:"observed"`
	Plugins          []PluginResult   `json:"plugins"`
	Groups           []Group          `json:"groups"`
	Nodes            []NodeResult     `json:"nodes,omitempty"`
	Topology         []Topology       `json:"topology,omitempty"` // with Nodes: the rules about topology domains that reject nodes
	Fixes            []Fix            `json:"fixes,omitzero"`     // null where nobody asked for them: WithFixes
	Preemption       *Preemption      `json:"preemption,omitempty"`
	Autoscaler       []AutoscalerWord `json:"autoscaler,omitempty"`   // one of each, the newest first
	Provisioning     *Provisioning    `json:"provisioning,omitempty"` // where an autoscaler of nodes is known
	Queue            *Queue           `json:"queue,omitempty"`        // where the controller of a queue holds the pod
	Nomination       *Nomination      `json:"nomination,omitempty"`   // of a pod without a node that has a nominatedNodeName
	Gang             *Gang            `json:"gang,omitempty"`         // of a pod that is scheduled with others
	Trace            []Step           `json:"trace,omitempty"`
	Admission        *Admission       `json:"admission,omitempty"`   // of pods that were not created
	Replicas         *Replicas        `json:"replicas,omitempty"`    // of a workload that does not exist yet
	Rollout          *Rollout         `json:"rollout,omitempty"`     // of a pending pod whose workload's template changed
	FailedPods       *FailedPods      `json:"failedPods,omitempty"`  // of a pending pod's workload, by a kubelet
	Preempted        *Preempted       `json:"preempted,omitempty"`   // pods named as a pending one
	Terminating      *Terminating     `json:"terminating,omitempty"` // of a pod that fits once others are gone
	Unknown          []UnknownPart    `json:"unknown"`
	Scheduler        SchedulerInfo    `json:"scheduler"`

	Revision  int64            `json:"-"` // the state that this holds for
	Further   string           `json:"-"` // the end of Summary that is about other nodes than the closest, or says where a request is from; "" without
	State     string           `json:"-"` // the STATE cell of Pending, and what its answer counts: "unschedulable", "gated", …; at most 13 cells
	Why       string           `json:"-"` // the WHY cell of Pending, beside BLOCKED BY: the point within 40 cells
	Facts     []string         `json:"-"` // for verdicts that are not about nodes: one fact a line
	Started   bool             `json:"-"` // Scheduled: every container was started
	Fits      int              `json:"-"` // nodes that fit now
	Total     int              `json:"-"` // nodes asked
	Others    int              `json:"-"` // Filter plugins that refuse no node
	CreatedAt time.Time        `json:"-"`
	Cycle     *SchedulingCycle `json:"-"` // the scheduling cycle, of which Trace has the steps; nil unless it was asked for
	Plan      *PreemptionPlan  `json:"-"` // what preemption could do; nil unless it was asked for
	Tried     *Fixes           `json:"-"` // what Fixes is made of; nil unless it was asked for

	Reworded []string `json:"-"` // SchedulerMessage in the words of the cluster's version and its patch releases; none where those are ours
}

// Admission is what keeps pods of a controller from being created.
type Admission struct {
	Wanted       int          `json:"desired"`      // pods that the controller wants
	Missing      int          `json:"missing"`      // of these, the ones that do not exist
	Since        *metav1.Time `json:"since"`        // they were refused from then on, as far as is known
	LastRejected *metav1.Time `json:"lastRejected"` // as far as is known
	Message      string       `json:"message"`      // what kube-apiserver said then
	Rejections   []Rejection  `json:"rejections"`   // what would refuse now; requested is what a quota's used says, allocatable its hard
	IfCreated    string       `json:"ifCreated"`    // what would become of the pod then

	Planned bool `json:"-"` // the pod is of a manifest: nobody tried to create it
}

// ResizeWaits is BlockedBy of a running pod whose resize in place is not done.
const ResizeWaits = "resize"

// IsFixable reports whether an answer leaves anything to fix; not so for nil.
func IsFixable(r *Report) bool {
	if r == nil {
		return false
	}
	switch r.Verdict {
	case Unschedulable, Gated, NotCreated, NotConsidered:
		return true
	case Scheduled:
		return r.BlockedBy == ResizeWaits
	case Schedulable, Preempting, Unknown:
	}
	return false
}

// TooLarge is BlockedBy of a pod that requests more than any node has allocatable.
const TooLarge = "too large"

// BlockingPlugin is the scheduler plugin whose rejection BlockedBy is about: that of the closest
// nodes. It is "" where the pod is not pending for what plugins say of nodes, such as a gated one.
func BlockingPlugin(r *Report) string {
	if r.Verdict != Unschedulable && r.Verdict != Unknown {
		return ""
	}
	for _, g := range r.Groups {
		for _, rejection := range g.Rejections {
			about := func(n Number) bool {
				return r.BlockedBy == TooLarge || model.ResourceWord(corev1.ResourceName(n.Resource)) == r.BlockedBy
			}
			if rejection.Cause == r.BlockedBy || slices.ContainsFunc(rejection.Numbers, about) {
				return rejection.Plugin
			}
		}
	}
	return ""
}

// PodRef says which pod is meant.
type PodRef struct {
	Namespace     string            `json:"namespace"`
	Name          string            `json:"name"` // "" if it was not created
	UID           string            `json:"uid"`
	Owner         *OwnerRef         `json:"owner,omitempty"`
	Priority      int32             `json:"priority"`
	QOSClass      string            `json:"qosClass"`
	SchedulerName string            `json:"schedulerName"`
	Requests      map[string]string `json:"requests"` // resource → quantity, as the scheduler counts
	// LimitRangeDefaults is how much of its containers' requests are defaults of a LimitRange.
	LimitRangeDefaults map[string]string `json:"limitRangeDefaults,omitempty"`
	// DefaultPriorityClass is the global default PriorityClass that its priority comes from, as its template names none; ""
	// where it comes from elsewhere, or where that is not known.
	DefaultPriorityClass string `json:"defaultPriorityClass,omitempty"`
}

// OwnerRef is the workload that a pod belongs to.
type OwnerRef struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Observed is what the scheduler itself said last, read from the object.
type Observed struct {
	Message            string       `json:"message"`            // of the PodScheduled condition
	UnschedulableSince *metav1.Time `json:"unschedulableSince"` // its lastTransitionTime
	AttemptSeen        *metav1.Time `json:"attemptSeen"`        // an attempt no earlier than this; null without proof
	GenerationCurrent  *bool        `json:"generationCurrent"`  // false: the spec changed since the condition; null: not known
	Agrees             *bool        `json:"agrees"`             // with SchedulerMessage; null where one of them is missing
	Outdated           string       `json:"outdated,omitempty"` // why they may agree though Message differs; "" where it is proved that they do not
	Quiet              string       `json:"quiet,omitempty"`    // what was seen of a scheduler that does not try the pod

	Speaker string `json:"-"` // whose Message it is, as SpeakerOf names it; "" is kube-scheduler's
}

// PluginResult counts what one plugin keeps away, in the scheduler's order.
type PluginResult struct {
	Name    string `json:"name"`
	Rejects int    `json:"rejects"` // nodes
	Alone   int    `json:"only"`    // nodes that only it refuses
}

// Group is the nodes that are refused for the same reasons, nearest group first.
type Group struct {
	Count      int         `json:"count"`
	Nodes      []string    `json:"nodes"` // nearest first
	Fits       *bool       `json:"fits"`  // null: could not be decided
	Rejections []Rejection `json:"rejections"`

	Words string `json:"-"` // what stands in the way, one line, the point first
}

// NodeResult is one node's answer.
type NodeResult struct {
	Name       string      `json:"name"`
	Fits       *bool       `json:"fits"` // null: could not be decided
	Rejections []Rejection `json:"rejections"`
}

// Rejection is one plugin's no to one node, or to a group with ranges.
type Rejection struct {
	Plugin     string   `json:"plugin"`
	Reason     string   `json:"reason"`     // the plugin's own words
	Resolvable bool     `json:"resolvable"` // could preemption help
	What       string   `json:"what"`       // a sentence with the objects' names and the figures
	Numbers    []Number `json:"numbers"`

	Cause     string         `json:"-"` // what it is about, in a word or two: "cpu", "taint"
	Short     string         `json:"-"` // a clause for tables: "cpu 350m short", "dedicated=gpu:NoSchedule"
	Bar       string         `json:"-"` // what alone would have to go: "disktype=ssd"
	Wider     []string       `json:"-"` // Short with more names, each longer than the one before
	Nearest   string         `json:"-"` // Short of the first node, which is closer than others of the group; "" where Short holds for all, or none is
	Taints    []corev1.Taint `json:"-"` // that the pod does not tolerate on the first node
	PreFilter bool           `json:"-"` // refused before any node was looked at: holds for all nodes
	Fewest    *Fewest        `json:"-"` // of the only topology spread constraint that is broken; nil without
	TooFew    *TooFew        `json:"-"` // of the same; nil where it has its minDomains
}

// Fewest is the one topology domain that a spread constraint counts the fewest pods in.
type Fewest struct {
	Key, Domain      string
	Pods             int
	Affinity, Taints bool // nodes do not count that reject the pod by its node affinity, or by a taint
}

// TooFew says that fewer topology domains are eligible than a spread constraint's minDomains: the plugin then takes 0
// for the fewest pods in one.
type TooFew struct {
	Key                  string
	Eligible, MinDomains int
}

// Number is one figure of a rejection, each a Kubernetes quantity; in a group a
// range is written "350m–3100m".
type Number struct {
	Resource    string `json:"resource"`
	Wanted      string `json:"podRequests"`
	Requested   string `json:"requested"`
	Allocatable string `json:"allocatable"`
	Short       string `json:"lacks"`
}

// Preemption is what upstream's dry run says.
type Preemption struct {
	Possible bool     `json:"possible"`
	Node     string   `json:"node"`
	Victims  []Victim `json:"victims"`
	Why      string   `json:"why"`
	Short    string   `json:"-"`             // why it cannot help, as a clause
	Outranks string   `json:"-"`             // Short, where it is that other pods rank higher or as high; "" otherwise
	Tie      []Tied   `json:"tie,omitempty"` // every node that it may take as well, Node first; nil where nothing is left to chance
}

// Tied is a node that the scheduler may take, and who would have to go there.
type Tied struct {
	Node    string    `json:"node"`
	Victims []PodName `json:"victims"`
	Alike   []PodName `json:"alternatives,omitempty"` // may go in place of victims: neither priority nor start ranks them apart
}

// PodName names a pod.
type PodName struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Victim is a pod that preemption would end.
type Victim struct {
	Namespace     string `json:"namespace"`
	Name          string `json:"name"`
	Priority      int32  `json:"priority"`
	ViolatesPDB   bool   `json:"violatesPDB"`
	Static        bool   `json:"static,omitempty"`     // the mirror pod of a static pod, which its kubelet keeps running
	RescheduledOn string `json:"rescheduledOn"`        // "": nowhere, or it was not looked into
	Afterwards    string `json:"afterwards,omitempty"` // what becomes of it, in words; "": it was not looked into
}

// UnknownPart is something that could not be read, and what that leaves open.
type UnknownPart struct {
	Resource string   `json:"resource"`
	Why      string   `json:"why"`
	Plugins  []string `json:"plugins"`
}

// MergeUnknown joins lists of parts into one by resource and reason.
func MergeUnknown(lists ...[]UnknownPart) []UnknownPart {
	plugins := map[[2]string][]string{}
	for _, part := range slices.Concat(lists...) {
		key := [2]string{part.Resource, part.Why}
		if plugins[key] == nil {
			plugins[key] = []string{} // some parts are of no plugin
		}
		for _, name := range part.Plugins {
			if !slices.Contains(plugins[key], name) {
				plugins[key] = append(plugins[key], name)
			}
		}
	}
	merged := make([]UnknownPart, 0, len(plugins))
	for _, key := range slices.SortedFunc(maps.Keys(plugins), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		merged = append(merged, UnknownPart{Resource: key[0], Why: key[1], Plugins: plugins[key]})
	}
	return merged
}

// SchedulerInfo says whose code decided.
type SchedulerInfo struct {
	Library string   `json:"library"` // the plugins' version
	Cluster string   `json:"cluster"` // the API server's version, "" if not known
	Profile string   `json:"profile"` // which, and where it came from
	Caveats []string `json:"caveats"`

	Gates     []Gate `json:"gates,omitempty"`     // that the cluster has otherwise than its version's defaults
	GatesFrom string `json:"gatesFrom,omitempty"` // where gates were read; "": they were not, and the defaults are assumed

	Origin string `json:"-"` // where the profile came from
}

// Gate is a feature gate of the cluster's scheduler.
type Gate struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
	Source  string `json:"source"`  // kube-scheduler's command line, kube-apiserver's metrics
	Applied bool   `json:"applied"` // the plugins are run with it as the cluster has it
}

// LastTry is the newest attempt that is known; zero without one.
func (o *Observed) LastTry() (tried time.Time) {
	if o.UnschedulableSince != nil {
		tried = o.UnschedulableSince.Time
	}
	if seen := o.AttemptSeen; seen != nil && seen.After(tried) {
		tried = seen.Time
	}
	return tried
}
