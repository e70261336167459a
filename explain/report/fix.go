package report

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// FixKind is what a fix changes.
type FixKind string

// The kinds of fixes. A fix of two steps has the kind of the first.
const (
	FixRequest   FixKind = "request"   // lower a request; set a request or a limit as a LimitRange allows
	FixTolerate  FixKind = "tolerate"  // add a toleration
	FixUntaint   FixKind = "untaint"   // remove a taint from nodes
	FixUncordon  FixKind = "uncordon"  // make nodes schedulable again
	FixLabel     FixKind = "label"     // label nodes
	FixSelector  FixKind = "selector"  // drop or loosen a node selector or node affinity
	FixAffinity  FixKind = "affinity"  // drop a rule about other pods
	FixSpread    FixKind = "spread"    // loosen a topology spread constraint
	FixPort      FixKind = "port"      // drop a host port
	FixRollout   FixKind = "rollout"   // let a Deployment stop an older pod first
	FixEvict     FixKind = "evict"     // evict pods
	FixResize    FixKind = "resize"    // take back a resize in place that the kubelet has not granted
	FixClaim     FixKind = "claim"     // bind or recreate a claim
	FixQuota     FixKind = "quota"     // raise a quota
	FixGate      FixKind = "gate"      // remove scheduling gates
	FixDevice    FixKind = "device"    // request other devices in a ResourceClaim, which cannot be changed: there is no command
	FixNode      FixKind = "node"      // add a node; how that is done is not known, so there is no command
	FixScheduler FixKind = "scheduler" // name another scheduler, one that runs
	FixQueue     FixKind = "queue"     // what the controller of a queue has to do; nothing is tried or changed
	FixUndo      FixKind = "undo"      // go back to the template before a rollout, of the pod or of what preempted pods like it: nothing is simulated
	FixSuspend   FixKind = "suspend"   // suspend a Job whose pods hold the capacity
	FixGroup     FixKind = "group"     // what has to happen for the scheduler of the pod's PodGroup to schedule it; nothing is tried or changed
)

// Fix is a way out that was tried on a copy of the state.
type Fix struct {
	Title       string     `json:"title"` // "tolerate dedicated=gpu:NoSchedule"
	Kind        FixKind    `json:"kind"`
	Command     string     `json:"command"`     // runs unattended under bash -c; "" where there is none
	Verified    bool       `json:"verified"`    // the plugins took the pod; implies a command
	Simulated   bool       `json:"simulated"`   // of a new node or other devices, without a command: the plugins took the pod, and nothing is left in the way
	Recreates   bool       `json:"recreates"`   // the command deletes the pod and creates it again
	NodesGained int        `json:"nodesGained"` // nodes that fit then and do not now
	PodsPlaced  int        `json:"podsPlaced"`  // how many of the equal pods it places, this one counted
	Affects     []Affected `json:"affects"`     // who else it is about
	Remaining   []string   `json:"remaining"`   // what still stands in the way, or may
	Unless      []Unless   `json:"unless"`      // on whom it depends whether it works; empty where it always or never does

	Nodes []string `json:"-"` // the nodes gained; those of a fix that does not work: where it was tried
	Alike int      `json:"-"` // how many equal pods wait, this one counted
	Brief string   `json:"-"` // whom it affects, in few words: "a rollout of 5 pods", "it lands on std-a-01"
	Undo  string   `json:"-"` // a command that takes it back; "" where none can
	Steps int      `json:"-"` // how many changes it is made of
	Open  bool     `json:"-"` // objects that could not be read decide whether it works

	Unread   []string `json:"-"` // the rules that could not be read, of a fix that works if they allow it: "a ResourceQuota"
	Bypasses string   `json:"-"` // what it gets round, by removing a gate of a queue's controller: "Kueue's quota"
	Leaves   string   `json:"-"` // the PodGroup out of which it takes the pod: "its group train"; "": out of none
	Actions  []Remedy `json:"-"` // the steps that are changes of nodes or evictions, for the dashboard to plan
}

// Unless is another pod on which it depends whether a fix works, or which it harms in some of
// the simulations: the pending pods come in other orders in each.
type Unless struct {
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	Who         string `json:"who"`         // "a pending api pod", "its replacement"
	How         string `json:"how"`         // "may be scheduled there first"
	Simulations int    `json:"simulations"` // in how many it did
	Of          int    `json:"of"`
	Tries       string `json:"-"` // what was tried so often: "older pods"; "" are orders
}

// Words say what the other pod does, and how often: "a pending api pod may be scheduled there
// first (3 of 8 orders tried)".
func (u *Unless) Words() string {
	if u.Simulations == u.Of {
		return u.Who + " " + u.How
	}
	return fmt.Sprintf("%s %s (%d of %d %s tried)", u.Who, u.How, u.Simulations, u.Of, cmp.Or(u.Tries, "orders"))
}

// Affected is an object beside the pod that a fix changes or that follows it.
type Affected struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"` // "" for nodes
	Name      string `json:"name"`
	How       string `json:"how"` // "rolls 5 pods: 2 run, 3 wait", "lands on std-a-01"
}

// Fixes are the ways out for one pod, those that work first, least harm first.
type Fixes struct {
	Revision int64 // the state that they were tried on
	Tried    []Fix
	// Stopped says that time ran out before every candidate was tried; "" if it did not.
	Stopped string
	// Pairs counts the candidates of two steps that were not tried, because enough
	// fixes of fewer work.
	Pairs int
	// Advice is what to do about a pod that a queue holds, or whose PodGroup's scheduler does not run; "" for
	// other pods.
	Advice string
	// None says why there is nothing to fix or nothing that could be tried; ""
	// where Tried is not empty.
	None string
	// NoNode says that one more node would not help, whichever it is like, or that this is unknown; "" where one
	// would, or where that was not tried.
	NoNode string
	// Left counts the candidates that are still to be simulated, where these are the fixes
	// before all were.
	Left int
}

// Remedy is one step of a fix as the dashboard can plan it.
type Remedy struct {
	Kind  FixKind
	Nodes []string      // of FixUncordon, FixUntaint, FixLabel
	Taint *corev1.Taint // of FixUntaint
	Label [2]string     // of FixLabel: key and value
	Pods  []PodRef      // of FixEvict
	Gates []string      // of FixGate
}
