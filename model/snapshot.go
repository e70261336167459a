// Package model is what the dashboard knows about a cluster at one instant.
// Nothing here does I/O, reads the clock or draws.
package model

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

// Snapshot is the cluster at one instant. It is shared freely and never changed.
type Snapshot struct {
	Revision int64               // grows with each snapshot of one Builder
	Moved    int64               // the newest Revision with a change that bears on which nodes fit; 0: not known
	Nodes    []*Node             // by name; unchanged ones are shared with the snapshot before
	Pods     []*Pod              // by namespace, then name; unchanged ones are shared
	Pending  []*EquivalenceClass // pending pods by class, in the order of the scheduler's queue; then those not created
	Resizing []*EquivalenceClass // running pods whose resize in place is not done, each one class; high priority first
	Status   Status              // how the data was come by
	Usage    *Usage              // from metrics.k8s.io; nil while no view shows it
}

// Status says where the data of a Snapshot comes from.
type Status struct {
	Context string // the kubeconfig's context, whole
	// KubectlFlags are the flags that kubectl needs to reach the same cluster, quoted for a shell: "--context prod"; ""
	// where it does by itself.
	KubectlFlags string
	Server       string         // the API server's URL
	Version      string         // the API server's version, "" if not known
	Namespace    string         // pods of this namespace only could be read; "" is all
	Insecure     bool           // the server's certificate is not verified
	Reading      map[string]int // resource → objects so far, for every list that is not in yet
	Unread       []Unread       // what could not be read, by resource
	Connection   Connection
	MetricsNote  string    // why there is no usage; "" while it is served or not asked for
	Taken        time.Time // when the file that this comes from was written; zero for a live cluster
	Step, Steps  int       // which of how many it is in a recording, from 1; zero elsewhere
	Seeking      bool      // whether pods could not be created is still being found out
}

// Unread is a resource that could not be listed, and why.
type Unread struct {
	Resource string // plural, as RBAC names it: "persistentvolumeclaims"
	Group    string // API group; "" is core
	Why      string // "not allowed to list nodes", or the server's words
}

// Connection says how fresh the data is.
type Connection struct {
	Live    bool      // the server is ready, was heard within seconds, and every watch is open or being opened
	Heard   time.Time // when the server last answered, or the time that the oldest part of the data is of
	Err     string    // what the last try said; "" while Live, and while no try has failed yet
	Tries   int       // failed tries in a row
	Retry   time.Time // when the next try is due; zero while Live and while a try is under way
	Problem Problem   // what keeps the data from being live
}

// Lost reports whether the data is no longer updated: the server does not answer, or
// answers with errors. Before the first answer nothing is lost.
func (c Connection) Lost() bool { return !c.Live && (c.Err != "" || !c.Heard.IsZero()) }

// Problem is what keeps data from being live.
type Problem int

// Each says what the user sees, and what may help.
const (
	NoProblem    Problem = iota
	Silent               // nothing has been heard for seconds; no try has failed yet
	Unreachable          // tries fail without an answer
	Unauthorized         // the server does not accept the credentials
	NotReady             // the server says that it is not ready
	Failing              // the server answers, and a list or a watch fails
	Rejected             // the server rejects a list or a watch, and will again
	Throttled            // the server answers that there are too many requests
	NotAnAPI             // an answer is none of a Kubernetes API server
)

// Answers reports whether the server answers, though not with what was asked for.
func (p Problem) Answers() bool { return p >= Unauthorized }

// Usage is what metrics.k8s.io said last.
type Usage struct {
	Nodes map[string]Amount               // by node name
	Pods  map[types.NamespacedName]Amount // by pod
}

// Amount is a pair of measured figures.
type Amount struct {
	MilliCPU int64 // thousandths of a core
	Memory   int64 // bytes
}

// Ref names one object of the cluster.
type Ref struct {
	Resource  string // plural: "pods", "nodes"
	Namespace string // "" for what has none
	Name      string
	UID       types.UID // "" where it does not matter
}

// Event is one event about an object, for reading.
type Event struct {
	Type, Reason, Source, Message string
	Count                         int32
	First, Last                   time.Time
}

// Resources are amounts in the units that the scheduler counts in. One that 64 bits
// do not hold is math.MaxInt64, and exact in Beyond; the scheduler itself overflows.
type Resources struct {
	MilliCPU         int64
	Memory           int64 // bytes
	EphemeralStorage int64 // bytes
	Pods             int64
	Scalar           map[corev1.ResourceName]int64 // extended resources and hugepages; often nil

	Beyond map[corev1.ResourceName]resource.Quantity // what 64 bits do not hold; nearly always nil
}

// Context is one context of the kubeconfig.
type Context struct {
	Name, Cluster, Namespace string
}

// Words name the object for a sentence, fit to be drawn: "std-b-02", "shop/cart-0".
func (r Ref) Words() string {
	if r.Namespace == "" {
		return Clean(r.Name)
	}
	return Clean(r.Namespace + "/" + r.Name)
}
