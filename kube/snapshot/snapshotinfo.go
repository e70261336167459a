// Package snapshot writes what explanations rest on to a file, and serves such a
// file as a cluster that can be looked at. It knows a cluster.Source only, so it
// does not matter where the state comes from.
package snapshot

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// APIVersion and Kind are how the first item of a file says what it is. The version is that of
// the file, not of what fathom prints.
const (
	APIVersion = "fathom/v1alpha1"
	Kind       = "SnapshotInfo"
)

var infoKind = schema.FromAPIVersionAndKind(APIVersion, Kind)

// Info is the first item of a file: what the objects themselves do not say.
type Info struct {
	metav1.TypeMeta `json:",inline"`

	Taken     time.Time `json:"taken"`
	TakenBy   string    `json:"takenBy"`             // fathom's version
	Context   string    `json:"context"`             // of the kubeconfig, whole
	Version   string    `json:"version"`             // the API server's
	Namespace string    `json:"namespace,omitempty"` // the only one whose pods could be read; "" is all
	Kept      []string  `json:"kept,omitempty"`      // what is left out of others

	Unread     []Unread     `json:"unread,omitempty"`     // what could not be read, or only in part
	Asked      []Asked      `json:"asked,omitempty"`      // what was asked for by namespace
	Schedulers []Scheduler  `json:"schedulers,omitempty"` // those that pending pods name
	Heard      []Heard      `json:"heard,omitempty"`      // messages of others about pending pods
	NotCreated []NotCreated `json:"refused,omitempty"`    // controllers whose pods were not created

	// Workloads are what fixes have to know of the Deployments and Jobs of pending pods.
	Workloads []command.Facts `json:"workloads,omitempty"`

	// Provisioning is what autoscalers of nodes say, with the NodeClaims for all pending pods.
	Provisioning *provisioning.State `json:"provisioning,omitempty"`

	// Gates are the feature gates of the cluster; nil where they are not known.
	Gates *scheduler.Gates `json:"featureGates,omitempty"`

	// PodGroups says that PodGroups were read, or why not; nil where no pod names one.
	PodGroups *PodGroups `json:"podGroups,omitempty"`

	// Forbidden says of the kinds that plugins read which are not there, and why.
	Forbidden map[string]string `json:"forbidden,omitempty"`

	Configuration *Configuration `json:"schedulerConfiguration,omitempty"`
}

// Unread is a resource that could not be listed, and why.
type Unread struct {
	Resource string `json:"resource"`
	Group    string `json:"group,omitempty"`
	Why      string `json:"why"`
}

// Asked is a namespace that resourcequotas or limitranges were asked of alone.
type Asked struct {
	Resource  string `json:"resource"`
	Namespace string `json:"namespace"`
	Why       string `json:"why,omitempty"` // they could not be read; "" if they could
}

// Scheduler is what was found out about one.
type Scheduler struct {
	Name  string `json:"name"`
	Alive bool   `json:"alive"`
	Known bool   `json:"known"`
	Why   string `json:"why"`
}

// Heard is what events said about a pending pod.
type Heard struct {
	UID         types.UID  `json:"uid"`
	AttemptSeen *time.Time `json:"attemptSeen,omitempty"`
	Autoscalers []Word     `json:"autoscalers,omitempty"`

	Queue     *kueue.State            `json:"queue,omitempty"`     // what the controller of the queue that holds it says
	Group     *foreignpodgroups.State `json:"group,omitempty"`     // what another scheduler says of the PodGroup that it names
	Nominator *report.Nominator       `json:"nominator,omitempty"` // who set its nominatedNodeName
}

// Word is an autoscaler's newest.
type Word struct {
	Component string    `json:"component"`
	Reason    string    `json:"reason"`
	Message   string    `json:"message"`
	LastSeen  time.Time `json:"lastSeen"`
}

// NotCreated is a model.NotCreated.
type NotCreated struct {
	Pod     *corev1.Pod `json:"pod"`
	Wanted  int         `json:"wanted"`
	Missing int         `json:"missing"`
	Since   time.Time   `json:"since"`
	Last    time.Time   `json:"last"`
	Message string      `json:"message"`
	Notes   []string    `json:"notes,omitempty"`
	Queue   string      `json:"queue,omitempty"`
}

// Configuration is the scheduler's, as far as explanations use it.
type Configuration struct {
	Source string `json:"source"`
	Data   string `json:"data"`
}

func (r *NotCreated) model() *model.NotCreated {
	return &model.NotCreated{
		Pod: r.Pod, Wanted: r.Wanted, Missing: r.Missing, Since: r.Since, Last: r.Last, Message: r.Message, Notes: r.Notes, Queue: r.Queue,
	}
}

// unread is why a resource could not be listed; "" if it could.
func (i *Info) unread(resource string) string {
	for _, u := range i.Unread {
		if u.Resource == resource {
			return u.Why
		}
	}
	return ""
}

// PodGroups is what was read of PodGroups.
type PodGroups struct {
	Unread          string `json:"unread,omitempty"`          // why they were not
	Composite       bool   `json:"composite,omitempty"`       // CompositePodGroups were read
	CompositeUnread string `json:"compositeUnread,omitempty"` // why not
}
