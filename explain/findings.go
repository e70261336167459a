package explain

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// podQuestion is the pod in question with what is known of it beside its nodes, which is
// what a summary tells.
type podQuestion struct {
	*plugins.Question
	found findings
}

// findings are facts about a pod that are not about nodes. Those that do not
// belong to the report's verdict are zero.
type findings struct {
	gates      []gateRejection  // Gated: what every PreEnqueue plugin that refuses comes to
	scheduler  liveness         // NotConsidered, and wherever it was asked
	start      start            // Scheduled: how far it got
	victims    []*corev1.Pod    // Preempting: still on the nominated node, ending
	pinned     sets.Set[string] // the nodes that the pod's affinity names; nil: any
	places     [][]int          // of the nodes of each group, among those that were asked about
	unattended bool             // no scheduler has looked at it yet (no PodScheduled condition)
	free       []fwk.NodeInfo   // Schedulable: the nodes that fit, by name
	first      []string         // Schedulable: those of them that rank first; empty where they were not ranked
	likely     bool             // Schedulable: the scheduler does not look at all that fit
	condition  *corev1.PodCondition
	aside      factsWithoutNodes        // Unknown because nodes may not be read
	claims     map[string][]model.Event // of claims that somebody is making a volume for, by namespace/name
	events     []model.Event            // Scheduled, where the pod itself does not tell what it waits for
	unread     string                   // why events about the pod could not be read; "": they could
}

// liveness is what is known about the scheduler that the pod names.
type liveness struct {
	alive bool
	known bool   // false: it could not be found out
	why   string // what was seen: "no Lease, no events, no pods bound by it"
}

// stage is how far a bound pod got.
type stage string

// The stages of a bound pod, in their order.
const (
	stageRunning   stage = ""          // every container was started
	stageKubelet   stage = "kubelet"   // the kubelet has not acknowledged it
	stageVolume    stage = "volume"    // volumes are not mounted
	stageSandbox   stage = "sandbox"   // the pod has no network or sandbox yet
	stageInit      stage = "init"      // an init container runs, waits or fails
	stageImage     stage = "image"     // an image cannot be pulled
	stageContainer stage = "container" // a container does not start for another reason
	stageCreating  stage = "creating"  // nothing is wrong that could be seen: it is being created
	stageEnding    stage = "ending"    // deletion was asked for
	stageFinished  stage = "finished"  // Succeeded or Failed
)

// start says why a bound pod has not started.
type start struct {
	stage     stage
	container string // the container in question, if one is
	image     string
	reason    string // as the kubelet words it: "ErrImagePull"
	message   string // whole, as the kubelet words it
	speaker   string // whose words these are; "": the kubelet's
	exitCode  int32  // of the last try, where it ended
	restarts  int32
	since     time.Time // when it was bound
}
