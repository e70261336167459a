package page

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// Host is what a page may ask of the dashboard around it.
type Host interface {
	Display
	Worker
	Operator
}

// Display is what a page is drawn from.
type Display interface {
	// Observed is the newest state of the cluster. It is never nil; a page only reads it.
	Observed() *Observed
	// Styles are those of the theme in force.
	Styles() *themes.Styles
	// Namespace is the one whose pods are shown; "" is all.
	Namespace() string
	// Large reports whether the screen is drawn large and plain, as for a projector.
	Large() bool
	// Levels are where gauges turn.
	Levels() gauge.Levels
	// Preview reports whether lists have a preview of the selected row.
	Preview() bool
	// Hides reports whether what the scheduler would decide is hidden: the question of a
	// lesson is open.
	Hides() bool
	// ReadingWords say how much of the cluster is read so far.
	ReadingWords() string
}

// Worker does slow work off the event loop.
type Worker interface {
	// Cluster answers questions; nil while no cluster is open. Only work of Ask calls it.
	Cluster() Cluster
	// Shown reports whether v is the page on top.
	Shown(v View) bool
	// Ask makes a Cmd that runs work and brings its result to v.Update. The context of
	// work ends by cancel, and when the cluster is left.
	Ask(v View, work func(context.Context) tea.Msg) (cmd tea.Cmd, cancel context.CancelFunc)
	// Later makes a Cmd that brings msg to v.Update after d.
	Later(v View, d time.Duration, msg tea.Msg) tea.Cmd
	// Now reads the clock.
	Now() time.Time
}

// Step is an action that is a step of a fix.
type Step struct {
	plan.Action
	Says string // what its box says first: that the fix may not work, or is not done yet; "" is nothing
}

// Operator does what a key of a page asks for.
type Operator interface {
	// Open shows a page.
	Open(v View) tea.Cmd
	// Press does what the key of an action does on v, or says why it is not available.
	Press(do keymap.Action, v View) tea.Cmd
	// ActOn opens the page of an action about a selection.
	ActOn(do keymap.Action, on Selection) tea.Cmd
	// GoNode shows a node in the list of all.
	GoNode(name string) tea.Cmd
	// OpenPods shows the pods of a node.
	OpenPods(node string) tea.Cmd
	// OpenNodes shows some nodes that a page names together: its crumbs, and what they
	// have in common in a sentence.
	OpenNodes(crumbs []string, about string, names []string) tea.Cmd
	// Plan plans an action; the plan asks before anything is changed.
	Plan(action plan.Action) tea.Cmd
	// LookOnly says why nothing can be changed now; "" if something can.
	LookOnly() string
	// Input opens an input on the message row, which takes all keys; nil closes it.
	Input(p Prompt)
	// OpenInput is the open input; nil is none.
	OpenInput() Prompt
	// Type does what a key does that is typed now.
	Type(key tea.KeyPressMsg) tea.Cmd
	// SayError puts an error on the message row until the next key.
	SayError(err error) tea.Cmd
}

// Cluster is what pages ask of the cluster. A call may take long.
type Cluster interface {
	// Ask explains why the pod is pending, or where it runs, with the parts that q asks
	// for: an answer for each node, the scheduling cycle, preemption, fixes.
	Ask(ctx context.Context, q report.Query) (*report.Report, error)
	// OnNode says for each of some pods without a node why the plugins reject one node.
	OnNode(ctx context.Context, uids []types.UID, node string) ([]report.NodeAnswer, error)
	// Evictions says for each of some pods of a node what would happen to it if only
	// it were evicted, and whether the pod of that uid would then fit.
	Evictions(ctx context.Context, uid types.UID, node string, pods []types.UID) ([]report.Eviction, error)
	// Objects are the objects of some resources that snapshots do not hold; one that
	// could not be listed is in Unread.
	Objects(ctx context.Context, resources ...string) (*model.Objects, error)
	// Fit says how many more pods that equal one fit, where, and what stops the next one.
	Fit(ctx context.Context, uid types.UID, replicas int) (*report.Fit, error)
	// NodeLease is when the kubelet of a node last renewed its Lease; zero where the node has
	// none.
	NodeLease(ctx context.Context, node string) (time.Time, error)
	// KubeletConfig is what the kubelet of a node is configured to do; the error says why that cannot
	// be read.
	KubeletConfig(ctx context.Context, node string) (*kubelet.Config, error)
	// Events are those about the object, newest first.
	Events(ctx context.Context, ref model.Ref) ([]model.Event, error)
}

// Prompt is an input on the message row; while it is open it takes all keys.
type Prompt interface {
	// Line is the message row.
	Line(width int) string
	// Above are lines over the body's last rows.
	Above(width int) []string
	// Key takes a key.
	Key(key tea.KeyPressMsg) tea.Cmd
	// Paste takes a pasted text.
	Paste(text string) tea.Cmd
}
