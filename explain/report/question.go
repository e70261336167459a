package report

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Query is a question about one pod: about which, and which parts of the answer are
// wanted beside its verdict and the groups of nodes. All parts are of one evaluation
// and of one revision of the state.
type Query struct {
	Target Target
	Parts  Parts
	// Node is one on which the victims of preemption are looked into whatever the
	// scheduler would take; "": none.
	Node string
	// Like is the answer for another pod of the same class (model.EquivalenceClass). What the plugins
	// answered for that one is not asked again where it is sure to hold; nil: all is asked.
	Like *Report
	// NotCreated are the controllers whose pods are missing: where FixesPart is wanted of pods that a
	// quota rejects, others may use a raised quota first. nil: none are known.
	NotCreated []*model.NotCreated
	// Progress is told, where FixesPart is wanted, what was simulated so far, each time
	// that is more; nil: nobody listens. It must not wait.
	Progress func(*Fixes)
}

// Parts are what is wanted of an answer.
type Parts uint8

// The parts that cost more than the verdict.
const (
	Nodes          Parts = 1 << iota // an answer for each node: Report.Nodes
	TracePart                        // the scheduling cycle, stage by stage: Report.Cycle and Trace
	PreemptionPart                   // what becomes of whom: Report.Plan and, where preemption is in question, Preemption
	FixesPart                        // what would let the pod be scheduled: Report.Tried and Fixes
)

// Has says whether a part is wanted.
func (p Parts) Has(part Parts) bool { return p&part != 0 }

// Admittance is what is known of whether kube-apiserver would create a pod that does not
// exist, beside what the rules of its namespace say.
type Admittance struct {
	Admitted bool          // its dry run shows that it would create one
	Message  string        // its message, where its dry run shows that it would not; else ""
	Rejected []Rejection   // what the pod names and is not there
	Unknown  []UnknownPart // what may reject the pod and could not be read
}

// Target is the pod that a question is about: one of a cluster, one that does not
// exist, or those that a controller could not create.
type Target struct {
	uid     types.UID
	pod     *corev1.Pod
	planned *Admittance
	refused *model.NotCreated
}

// PodOf is a pod of the cluster, by its UID.
func PodOf(uid types.UID) Target { return Target{uid: uid} }

// PodFrom is a pod that does not exist, from its manifest. Nothing of it is kept.
func PodFrom(pod *corev1.Pod) Target { return Target{pod: pod} }

// PodPlanned is PodFrom where it matters whether kube-apiserver would create the pod.
func PodPlanned(pod *corev1.Pod, a Admittance) Target { return Target{pod: pod, planned: &a} }

// PodsNotCreated are the pods that a controller could not create.
func PodsNotCreated(refused *model.NotCreated) Target { return Target{refused: refused} }

// UID is that of a pod of the cluster; "" for other targets.
func (t Target) UID() types.UID { return t.uid }

// Pod is the pod that does not exist; nil for other targets.
func (t Target) Pod() *corev1.Pod { return t.pod }

// Planned is what is known of whether the pod would be created; nil where nobody asks.
func (t Target) Planned() *Admittance { return t.planned }

// NotCreated are the pods that were not created; nil for other targets.
func (t Target) NotCreated() *model.NotCreated { return t.refused }
