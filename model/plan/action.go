// Package plan says what an action would change and end: Action → Plan → Confirmed, and
// a plan's words. It writes nothing; package act carries out what was confirmed.
package plan

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// What keeps an Action from being planned, for errors.Is.
var (
	// ErrGone says that the object is not there any more, or another one of its name is.
	ErrGone = errors.New("it is gone")
	// ErrNoChange says that everything is as wished already.
	ErrNoChange = errors.New("nothing would change")
	// ErrWrongWish says that the wish makes no sense for the object.
	ErrWrongWish = errors.New("it cannot be done")
)

// What keeps a plan that was confirmed from being run, for errors.Is.
var (
	// ErrReadOnly says that nothing may be changed in this run or context.
	ErrReadOnly = errors.New("read-only")
	// ErrChanged says that an object is another than the plan was made for: it
	// has to be planned, read and confirmed again.
	ErrChanged = errors.New("changed while you read")
)

// Action is a wish to change the cluster, checked against nothing yet.
type Action interface {
	// Name is the wish in an imperative clause: "cordon std-b-02".
	Name() string
	// Targets are the objects that have to be read from the API server to plan it.
	Targets() []model.Ref
	// Plan checks the wish against what is. Its errors are one of ErrGone,
	// ErrNoChange and ErrWrongWish.
	Plan(Facts) (*Plan, error)
}

// Drains is an Action that empties nodes: kubectl drain's filters are asked about
// them before it is planned.
type Drains interface {
	Action
	// DrainedNodes are the nodes, in the order in which they are emptied.
	DrainedNodes() []string
	// NodesAtOnce is how many of them are emptied at a time; 0 is all.
	NodesAtOnce() int
}

// Facts are what an Action is planned on.
type Facts struct {
	Snapshot *model.Snapshot
	// Objects are the targets as the API server holds them, as JSON values
	// (int64 for whole numbers), by their Ref without the UID.
	Objects map[model.Ref]map[string]any
	// Filtered are the pods that kubectl drain's filters let end, by node, where
	// everything that its flags ask about is agreed to. Drain alone needs it, with
	// each of its nodes as a key.
	Filtered map[string][]types.UID
	// Jobs are those of this run, as far as they are: an Action that makes a node
	// schedulable stops what drains it.
	Jobs []*Progress
}

// Object finds what was read of a target; ErrGone without it.
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
