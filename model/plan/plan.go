package plan

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Plan is an action checked against the state of the cluster: the changes, the
// pods that it terminates, its effects and warnings, and its undo.
type Plan struct {
	Action  Action
	Title   string      // of the box: "Cordon std-b-02"
	Does    string      // the verb of the y key: "cordon"
	Stops   []*Progress // jobs that are stopped before anything is changed
	Changes []Change
	// Preconditions are objects that the plan does not change and that have to be as they were when it is run: nodes to
	// drain that are cordoned already.
	Preconditions []Change
	Ends          Ends // the most disruptive first
	// PodsTerminated is how many pods the plan terminates: those of Ends that are not
	// terminating already and that can be evicted, and those of a workload that is scaled down, which are
	// not known by name.
	PodsTerminated int
	Stays          Stays
	// Preempted are pods that are preempted for the replacements of Ends, as the forecast says.
	Preempted []PreemptedPod
	// Unread says why pods of the nodes that change may be missing from the plan; "" where
	// all could be read.
	Unread string

	Effects  []string  // sentences, the most important first
	Warnings []string  // sentences
	Consents []Consent // needed before the question is asked
	Order    string    // a sentence about order and time; "" where no pods are terminated

	Undo     Action // nil: it cannot be undone
	UndoSays string // "Undo: uncordon.", or why there is none

	Verdict Verdict // of the API server's dry run

	on                 *model.Snapshot                 // that it was planned on
	daemonSets         map[types.UID]*appsv1.DaemonSet // see Facts
	daemonSetsUnlisted bool
	opens              []string // nodes that it makes schedulable
	skips              skips
	sentences          sentences
	rejected           int  // of Ends: those that cannot be evicted, as the forecast says
	foretold           bool // there is a forecast of at least one of the ends
	blind              bool // it may terminate pods that could not be read
}

// sentences are what a plan's effects are made of.
type sentences struct {
	lead  string   // begins the first effect, which the forecast of the ends completes
	plain []string // the effects that hold whatever the forecast
}

// Ends are the pods that a plan terminates.
type Ends []End

// End is a pod that a plan terminates.
type End struct {
	Pod   *model.Pod
	How   Termination
	After time.Duration // of TaintEvicted: how long the pod tolerates the taint
	Grace time.Duration // its grace period
	// GivenGrace replaces the pod's own grace period; 0: nothing does.
	GivenGrace time.Duration
	Fate       Fate
	Lost       bool // it has no controller that recreates it
	// EmptyDir says that the data of its emptyDir volumes is deleted with it.
	EmptyDir bool
	// Terminating says that it is already terminating: nothing is sent for it.
	Terminating bool
	// Drained are the nodes that the plan drains and its replacement may be scheduled on, because it tolerates
	// the cordon.
	Drained []string
}

// Termination is how a plan terminates a pod.
type Termination string

// How plans terminate pods.
const (
	Evicted      Termination = "evicted"
	Deleted      Termination = "deleted"
	TaintEvicted Termination = "evictedByTaint" // by a NoExecute taint
	Rolled       Termination = "replaced"       // by its controller
)

// Stays are the pods of drained nodes that are not evicted.
type Stays []Stay

// Stay is a pod that a drain does not evict.
type Stay struct {
	Pod *model.Pod
	Why StayReason
}

// StayReason is why a drain does not evict a pod.
type StayReason string

// The reasons why a drain does not evict pods.
const (
	OfDaemonSet StayReason = "of a DaemonSet"
	StaticPod   StayReason = "a static pod"
)

// Fate is what happens after a pod is terminated, by the scheduler's own code.
type Fate struct {
	Outcome Outcome
	Node    string   // of Lands: the node with the highest score
	Tie     []string // of Lands: all nodes with that score in every simulation where there are several, Node among them
	Varies  []string // of Lands: all nodes where simulations that differ in their order schedule it, Node among them
	Likely  bool     // of Lands: the scheduler looks at some of the nodes only, and may choose another; of Preempts: other pods, or on another node
	Why     string   // of Waits, Depends, NotKnown and Lost: a few words
	Budget  Budget
}

// Nodes are all nodes that the replacement may be scheduled on, for whichever reason; nil
// where there is one.
func (f Fate) Nodes() []string {
	if len(f.Varies) > 0 {
		return f.Varies
	}
	return f.Tie
}

// candidates are all nodes that the replacement may be scheduled on, as a list of the caller's own.
func (f Fate) candidates() []string {
	if nodes := f.Nodes(); len(nodes) > 0 {
		return slices.Clone(nodes)
	}
	return []string{f.Node}
}

// Outcome is what happens after a pod is terminated.
type Outcome string

// The outcomes. The zero value is a pod without a forecast.
const (
	Lands    Outcome = "rescheduled"   // its replacement fits Node
	Waits    Outcome = "pending"       // its replacement fits on none of the nodes
	Preempts Outcome = "preempts"      // its replacement fits only by preemption, on Node
	Depends  Outcome = "depends"       // on the order in which pods are recreated; Why says on what
	Lost     Outcome = "notRecreated"  // it has no controller that recreates it, or Why it does not
	Finished Outcome = "finished"      // it had finished and needs no replacement
	NotMade  Outcome = "noReplacement" // its controller creates no replacement while the taint is there
	NotKnown Outcome = "unknown"
)

// Budget is the answer of PodDisruptionBudgets to an eviction, by the rules of the
// eviction subresource.
type Budget struct {
	Allows BudgetVerdict
	Name   string // of the budget that decides; "" where none selects the pod
	Why    string // why it is not allowed: "3 healthy pods, 3 needed"
	Left   int32  // how many disruptions it allows now
	// UntilChanged says that it allows none until it, or the number of its pods, is changed.
	UntilChanged bool
}

// BudgetVerdict is whether budgets allow the eviction of a pod.
type BudgetVerdict string

// The verdicts of budgets. The zero value is a pod for which none was asked.
const (
	BudgetAllows BudgetVerdict = "allowed" // now
	BudgetWaits  BudgetVerdict = "blocked" // blocked now, or once other pods of the plan are evicted
	BudgetNever  BudgetVerdict = "never"   // several budgets select it: the server does not evict such a pod
	BudgetUnread BudgetVerdict = "unknown" // budgets could not be read
)

// Consent is a loss that has to be agreed to, as by a flag of kubectl drain.
type Consent struct {
	Words string // "evict 1 pod without a controller"
	Flag  string // "--force"
}

// Verdict is the API server's answer to the dry run.
type Verdict struct {
	Asked      bool     // a dry run was made
	Rejections []string // its messages, a sentence each, where it rejected the plan
	Skipped    string   // why none was made; "" where one was
	// Untried counts the pods whose termination was not tried because there are many.
	Untried int
	// Waiting counts the evictions that were not tried because a PodDisruptionBudget
	// blocks them now.
	Waiting int
	// Blocked counts the evictions that it rejected for now: they are tried again.
	Blocked int
}

// Hypothesis is a state to forecast from: these nodes and pods replace those of the
// snapshot, and the pods of Gone are deleted, all at once.
type Hypothesis struct {
	Nodes []*corev1.Node
	Pods  []*corev1.Pod // pending ones that are changed
	Gone  []types.UID
	// Decided are the fates of some of those that do not depend on the scheduler.
	Decided map[types.UID]Fate
}

// Forecast is what the scheduler would do in a supposed state.
type Forecast struct {
	Fates     map[types.UID]Fate   // of the pods of Hypothesis.Gone
	Preempted []PreemptedPod       // pods that are preempted for the replacements of those
	Admitted  []NewlySchedulable   // pending pods that are unschedulable now and would fit
	Barred    []NewlyUnschedulable // pending pods that lose a node
	Orders    int                  // in how many orders the pods were recreated
	Unknown   string               // why the forecast is incomplete; "" if it is complete
}

// PreemptedPod is a pod that is preempted for the replacement of a pod that ends.
type PreemptedPod struct {
	Pod     *corev1.Pod
	By      string // the namespace and name of the pod that ends
	Fate    Fate   // of Depends: Why is ""
	Instead bool   // in another order another pod may be preempted in its place, or none
}

// NewlySchedulable are pending replicas that fit after a change.
type NewlySchedulable struct {
	Pod   *model.Pod // one of them
	Count int        // how many of them fit, as far as was tried
	Node  string
}

// NewlyUnschedulable are pending replicas that lose a node by a change.
type NewlyUnschedulable struct {
	Pod *model.Pod // one of them
	How string     // a clause: "no longer fits any node"
}
