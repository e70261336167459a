package plan

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Plan is a wish checked against what is: what would change and what would end,
// what follows, and what stands against it.
type Plan struct {
	Action  Action
	Title   string      // of the box: "Cordon std-b-02"
	Does    string      // what y does, a verb: "cordon"
	Stops   []*Progress // jobs that are stopped before anything is changed
	Changes []Change
	Ends    Ends // those to be warned of first
	// Ending is how many pods end because of the plan: those of Ends that do not
	// end already, and more where nobody can tell which (a workload scaled down).
	Ending int
	Stays  Stays

	Effects  []string  // sentences: what follows, the point first
	Warnings []string  // sentences: what stands against it, or has to be read first
	Consents []Consent // what has to be agreed to before the question is put
	Order    string    // a sentence about order and time; "" where there is none to keep

	Undo     Action // takes it back; nil: nothing can
	UndoSays string // "Undo: uncordon." or why there is none

	Verdict Verdict // of the API server's dry run

	on        *model.Snapshot // what it was planned on
	opens     []string        // nodes that it makes schedulable
	skips     skips
	sentences sentences
	foretold  bool // something of the ends was
}

// sentences are what a plan's effects are made of.
type sentences struct {
	lead  string   // begins the first effect, before what is foretold of the ends
	bare  string   // stands in its place where nothing is foretold; "": lead does
	plain []string // the effects that stand whatever is foretold
}

// Ends are the pods that end.
type Ends []End

// End is a pod that ends.
type End struct {
	Pod   *model.Pod
	How   Ending
	After time.Duration // of Thrown: how long the pod tolerates the taint
	Grace time.Duration // what its containers get to end
	// GivenGrace is asked for in place of the pod's own grace period; 0: nothing is.
	GivenGrace time.Duration
	Fate       Fate
	Lost       bool // no controller makes it anew
	// EmptyDir says that data of the pod's own is lost with it.
	EmptyDir bool
	// Terminating says that it ends already: nothing is sent for it.
	Terminating bool
}

// Ending is how a pod ends.
type Ending string

// The ways in which a plan ends pods.
const (
	Evicted Ending = "evicted"
	Deleted Ending = "deleted"
	Thrown  Ending = "thrown out" // by a NoExecute taint
	Rolled  Ending = "replaced"   // by its controller
)

// Stays are the pods of drained nodes that stay.
type Stays []Stay

// Stay is a pod that a drain leaves where it is.
type Stay struct {
	Pod *model.Pod
	Why StayReason
}

// StayReason is why a drain leaves a pod.
type StayReason string

// The reasons why pods stay.
const (
	OfDaemonSet StayReason = "of a DaemonSet"
	StaticPod   StayReason = "a static pod"
)

// Fate is what becomes of a pod that ends, by the scheduler's own code.
type Fate struct {
	Outcome Outcome
	Node    string   // of Lands: the first by rank
	Tie     []string // of Lands: all of the first rank where there are several, Node among them
	Likely  bool     // of Lands: the scheduler looks at some of the nodes only, and may take another
	Why     string   // of Waits, Depends and NotKnown: in short words
	Budget  Budget
}

// Outcome is what becomes of a pod that ends.
type Outcome string

// The outcomes. The zero value is one that nobody has asked for.
const (
	Lands    Outcome = "lands"    // its like is made and fits Node
	Waits    Outcome = "pending"  // its like is made and fits no node
	Preempts Outcome = "preempts" // its like fits no node, and preemption helps on Node
	Depends  Outcome = "depends"  // on the order in which the pods come back; Why says on what
	Lost     Outcome = "lost"     // nobody makes it anew
	Finished Outcome = "finished" // it had finished: nobody makes it anew, nobody misses it
	NotMade  Outcome = "not made" // its controller makes none as long as what threw it out is there
	NotKnown Outcome = "unknown"
)

// Budget is what PodDisruptionBudgets have to say about an eviction, by the rules
// of the eviction subresource.
type Budget struct {
	Allows BudgetVerdict
	Name   string // of the budget that decides; "" where none selects the pod
	Why    string // of what is not allowed: "3 healthy pods, 3 needed"
	Left   int32  // how many disruptions it allows now
}

// BudgetVerdict is whether budgets let a pod be evicted.
type BudgetVerdict string

// The verdicts of budgets. The zero value is one that nobody has asked for.
const (
	BudgetAllows BudgetVerdict = "allowed"       // now
	BudgetWaits  BudgetVerdict = "waits"         // refused now, or once others of the plan have gone
	BudgetNever  BudgetVerdict = "never"         // several budgets select it: the server evicts no such pod
	BudgetUnread BudgetVerdict = "not evaluated" // budgets could not be read
)

// Consent is something that is lost and has to be agreed to, as a flag of
// kubectl drain is.
type Consent struct {
	Words string // "end 1 pod that no controller owns"
	Flag  string // "kubectl drain --force"
}

// Verdict is what the API server said to the dry run.
type Verdict struct {
	Asked   bool     // a dry run was made
	Refused []string // its words, a sentence each, where it refused
	Skipped string   // why none was made; "" where one was
	// Untried counts the pods whose end was not tried, for there are many.
	Untried int
}

// Supposed is a state that is to be foretold: these nodes and pods are as given,
// and those pods have gone, all at once.
type Supposed struct {
	Nodes []*corev1.Node
	Pods  []*corev1.Pod // pending ones that are changed
	Gone  []types.UID
}

// Forecast is what the scheduler would make of a supposed state.
type Forecast struct {
	Revision int64
	Fates    map[types.UID]Fate // of those that are gone
	Admitted []Admitted         // pending pods that fit no node now and fit one then
	Barred   []Barred           // pending pods that lose something
	Orders   int                // in how many orders the pods were let come back
	Unknown  string             // why something could not be foretold; "" if everything was
}

// Admitted are pending pods of one kind that a change lets in.
type Admitted struct {
	Pod   *model.Pod // one of them
	Count int        // how many of its kind find room, as far as was tried
	Node  string
}

// Barred are pending pods of one kind that a change takes something from.
type Barred struct {
	Pod *model.Pod // one of them
	How string     // "fits no node any more", "loses the node that was nearest"
}
