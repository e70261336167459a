// Package plan works out what an action would do: Action → Plan → Confirmed, and a
// plan's words. It writes nothing; package act carries out a confirmed plan.
package plan

import (
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// The errors of planning an Action, for errors.Is.
var (
	// ErrGone says that the object no longer exists, or is another one of its name.
	ErrGone = errors.New("it no longer exists")
	// ErrNoChange says that everything is already as requested.
	ErrNoChange = errors.New("nothing would change")
	// ErrNotPossible says that the action does not apply to the object.
	ErrNotPossible = errors.New("not possible")
	// ErrUnread says that the snapshot lacks pods that the plan would terminate: a newer one may have them.
	ErrUnread = errors.New("not all of its pods are read yet")
)

// The errors of running a confirmed plan, for errors.Is.
var (
	// ErrReadOnly says that nothing may be changed in this run or context.
	ErrReadOnly = errors.New("read-only")
	// ErrChanged says that an object has changed since the plan was made: the action
	// has to be planned and confirmed again.
	ErrChanged = errors.New("changed while you read")
)

// ChangedError is ErrChanged about an object.
type ChangedError struct {
	Target model.Ref
	Cause  error
}

// Error implements error.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Target.Words(), ErrChanged, e.Cause)
}

// Unwrap makes it ErrChanged and its cause.
func (e *ChangedError) Unwrap() []error { return []error{ErrChanged, e.Cause} }

// Action is a requested change of the cluster, not checked yet.
type Action interface {
	// Name is an imperative clause: "cordon std-b-02".
	Name() string
	// Targets are the objects that have to be read from the API server to plan it.
	Targets() []model.Ref
	// Plan checks the action against the facts. Its errors are one of ErrGone,
	// ErrNoChange, ErrNotPossible and ErrUnread.
	Plan(Facts) (*Plan, error)
}

// Drains is an Action that drains nodes: kubectl drain's filters choose the pods
// before it is planned.
type Drains interface {
	Action
	// DrainedNodes are the nodes, in the order in which they are drained.
	DrainedNodes() []string
	// NodesAtOnce is how many of them are drained at a time; 0 is all.
	NodesAtOnce() int
}

// Relabels is an Action that may change labels of nodes. DaemonSets are read before it is
// planned: they delete the pods that no longer belong there, and create those that then do.
type Relabels interface {
	Action
	// RelabeledNodes are the nodes.
	RelabeledNodes() []string
}

// Facts are the state on which an Action is planned.
type Facts struct {
	Snapshot *model.Snapshot
	// Objects are the targets as the API server holds them, as JSON values
	// (int64 for whole numbers), by their Ref without the UID.
	Objects map[model.Ref]map[string]any
	// Filtered are the pods that kubectl drain's filters evict, by node, with all of
	// its flags set. Only Drain needs it, with each of its nodes as a key.
	Filtered map[string][]types.UID
	// DaemonSets are, for a Relabels, all of the cluster by UID; those with pods on its nodes, as
	// far as they may be read, where they may not be listed; nil: nobody has asked yet.
	DaemonSets map[types.UID]*appsv1.DaemonSet
	// DaemonSetsUnlisted says that DaemonSets could not be listed.
	DaemonSetsUnlisted bool
	// Jobs are those of this session: an Action that makes a node schedulable stops
	// the jobs that drain it.
	Jobs []*Progress
}

// Object finds a target among the objects; ErrGone without it.
func (f Facts) Object(ref model.Ref) (map[string]any, error) {
	wanted := ref.UID
	ref.UID = ""
	object, ok := f.Objects[ref]
	if !ok || wanted != "" && metaOf(object, "uid") != string(wanted) {
		return nil, fmt.Errorf("find %s: %w", ref.Words(), ErrGone)
	}
	return object, nil
}

// metaOf is a string of the object's metadata; "" where it has none.
func metaOf(object map[string]any, field string) string {
	meta, _ := object["metadata"].(map[string]any)
	value, _ := meta[field].(string)
	return value
}

// NodeRef names a node.
func NodeRef(name string) model.Ref { return model.Ref{Resource: "nodes", Name: name} }
