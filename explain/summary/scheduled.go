package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	nodeutil "k8s.io/component-helpers/node/util"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// tellScheduled says where a bound pod is and, if it has not started, why.
func tellScheduled(q *podQuestion, _ *report.Report) overall {
	node, s := q.Pod.Spec.NodeName, q.found.Start
	if q.Pod.UID == "" {
		return tellPlaced(q)
	}
	placed := "Scheduled to " + node
	if !s.since.IsZero() {
		placed += " " + model.FormatAge(s.since, q.Now) + " ago"
	}
	if s.stage != stageFinished && noSuchNode(q) {
		return tellOrphaned(node, placed)
	}
	switch s.stage {
	case stageRunning:
		return tellRunning(q, placed)
	case stageFinished:
		return tellFinished(q, placed)
	case stageEnding:
		return overall{summary: placed + ", being deleted.", state: "being deleted", why: node}
	}
	told := overall{
		summary: fmt.Sprintf("%s, not started: %s.", placed, s.sentence()+unready(q)),
		state:   "not started",
		why:     node + ": " + s.clause(),
	}
	switch s.stage {
	case stageImage:
		told.state = "image"
	case stageVolume:
		told.cause = "volume"
	}
	if s.message != "" {
		told.facts = append(told.facts, cmp.Or(s.speaker, "kubelet")+"'s message: "+s.message)
	}
	if s.restarts > 0 {
		told.facts = append(told.facts, fmt.Sprintf("container %s was restarted %s", s.container, grammar.Count(int(s.restarts), "time", "times")))
	}
	return told
}

// tellRunning is for a pod whose containers have all started: it may not be Ready all the same, and one of them may have
// ended since.
func tellRunning(q *podQuestion, placed string) overall {
	node := q.Pod.Spec.NodeName
	told := overall{summary: placed + ", all containers started.", state: "running", why: node}
	ready := slices.IndexFunc(q.Pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse
	})
	status, since := readiness(q)
	switch c := restarting(q.Pod); {
	case status == corev1.ConditionUnknown:
		told.summary += fmt.Sprintf(" %s is NotReady%s: nothing reports the state of its containers.", node, since)
		told.why = node + ": NotReady" + since
	case c != nil:
		told.summary = placed + ". " + waitsAgain(c)
		told.why = node + ": " + c.State.Waiting.Reason
		if last := c.LastTerminationState.Terminated; last != nil && last.Message != "" {
			told.facts = append(told.facts, "last message of container "+c.Name+": "+last.Message)
		}
	case status == corev1.ConditionFalse: // by its kubelet
		told.why = node + ": NotReady" + since
	case ready >= 0:
		told.summary += " It is not Ready" + lasting(q, q.Pod.Status.Conditions[ready].LastTransitionTime) + "."
		told.why = node + ": not Ready"
	}
	if status == corev1.ConditionFalse {
		told.summary += fmt.Sprintf(" %s is NotReady%s.", node, since)
	}
	tellResize(q, &told)
	return told
}

// restarting is a container that has started before and waits to be restarted, such as in a
// CrashLoopBackOff; nil where there is none.
func restarting(pod *corev1.Pod) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if c := &pod.Status.ContainerStatuses[i]; c.State.Waiting != nil && c.State.Waiting.Reason != "" && c.RestartCount > 0 {
			return c
		}
	}
	return nil
}

// waitsAgain says of a container that waits to be restarted how it ended last.
func waitsAgain(c *corev1.ContainerStatus) string {
	said := fmt.Sprintf("Container %s is waiting: %s, restarted %s", c.Name, c.State.Waiting.Reason, grammar.Count(int(c.RestartCount), "time", "times"))
	if last := c.LastTerminationState.Terminated; last != nil {
		said += fmt.Sprintf(", last ended with exit code %d", last.ExitCode)
		if last.Reason != "" && last.Reason != "Error" && last.Reason != "Completed" { // OOMKilled
			said += " (" + last.Reason + ")"
		}
	}
	return said + "."
}

// readiness is whether the pod's node is Ready, and since when it is not, " for 5m": ConditionUnknown where its kubelet
// has stopped reporting, "" where that is not known.
func readiness(q *podQuestion) (status corev1.ConditionStatus, since string) {
	node, err := q.Nodes.NodeInfos().Get(q.Pod.Spec.NodeName)
	if err != nil {
		return "", ""
	}
	_, ready := nodeutil.GetNodeCondition(&node.Node().Status, corev1.NodeReady)
	if ready == nil || ready.Status == corev1.ConditionTrue {
		return corev1.ConditionTrue, ""
	}
	return ready.Status, lasting(q, ready.LastTransitionTime)
}

// lasting is how long a condition holds, " for 5m"; "" where nothing says since when.
func lasting(q *podQuestion, since metav1.Time) string {
	if since.IsZero() {
		return ""
	}
	return " for " + model.FormatAge(since.Time, q.Now)
}

// noSuchNode says whether it is known that the pod's node does not exist.
func noSuchNode(q *podQuestion) bool {
	_, err := q.Nodes.NodeInfos().Get(q.Pod.Spec.NodeName)
	return err != nil && q.Listers.Readable("nodes")
}

// tellOrphaned is for a pod whose node does not exist. The pod garbage collector deletes it
// (pkg/controller/podgc).
func tellOrphaned(node, placed string) overall {
	return overall{
		summary: fmt.Sprintf("%s: Node %s does not exist. The pod garbage collector of kube-controller-manager deletes such pods.", placed, node),
		state:   report.NoSuchNode, why: node + " does not exist",
	}
}

// tellPlaced is for a pod that does not exist yet and names its node itself.
func tellPlaced(q *podQuestion) overall {
	node := q.Pod.Spec.NodeName
	told := overall{
		summary: fmt.Sprintf("spec.nodeName is %s: kube-scheduler does not schedule this pod.", node),
		state:   "names its node", why: node,
	}
	if noSuchNode(q) {
		told.summary += fmt.Sprintf(" Node %s does not exist.", node)
		told.state, told.why = report.NoSuchNode, node+" does not exist"
	}
	return told
}

// tellFinished is for a pod that has ended; one that the kubelet did not admit or
// has evicted says why.
func tellFinished(q *podQuestion, placed string) overall {
	s, node := q.found.Start, q.Pod.Spec.NodeName
	told := overall{summary: fmt.Sprintf("%s, finished: %s.", placed, q.Pod.Status.Phase), state: "finished", why: node}
	if s.reason != "" {
		told.summary = fmt.Sprintf("%s, finished: %s (%s).", placed, q.Pod.Status.Phase, s.reason)
		told.why = node + ": " + s.reason
	}
	if s.message != "" {
		told.facts = []string{"kubelet's message: " + s.message}
	}
	return told
}

// unready says that the pod's node is NotReady, where no closer reason is known.
func unready(q *podQuestion) string {
	s, name := q.found.Start, q.Pod.Spec.NodeName
	if !s.Silent() || s.reason != "" {
		return ""
	}
	if status, _ := readiness(q); status == "" || status == corev1.ConditionTrue {
		return ""
	}
	return fmt.Sprintf(", and %s is NotReady", name)
}

// sentence says what a pod that has a node is waiting for.
func (s Start) sentence() string {
	said := map[stage]string{
		stageKubelet:   "the kubelet has not started it",
		stageVolume:    "its volumes are not mounted",
		stageSandbox:   "its sandbox and network are not created yet",
		stageInit:      fmt.Sprintf("init container %s has not finished", s.container),
		stageImage:     fmt.Sprintf("the image %s cannot be pulled", s.image),
		stageContainer: fmt.Sprintf("container %s does not start", s.container),
		stageCreating:  "its containers are being created",
	}[s.stage]
	if because := s.because(); because != "" {
		said += " (" + because + ")"
	}
	return said
}

// clause is the same for a cell: "ErrImagePull, 403 Forbidden".
func (s Start) clause() string {
	said := s.reason
	if said == "" {
		said = map[stage]string{
			stageKubelet: "waiting for the kubelet", stageVolume: "volumes not mounted", stageSandbox: "no sandbox yet",
			stageInit: "init " + s.container, stageCreating: "creating containers",
		}[s.stage]
	}
	if cause := s.cause(); cause != "" {
		said += ", " + cause
	}
	return said
}

// because is the kubelet's reason with the root of it, the exit code included.
func (s Start) because() string {
	var all []string
	if s.reason != "" && (s.stage != stageImage || s.cause() == "") {
		all = append(all, s.reason)
	}
	if s.exitCode != 0 {
		all = append(all, fmt.Sprintf("exit code %d", s.exitCode))
	}
	if cause := s.cause(); cause != "" {
		all = append(all, cause)
	}
	return strings.Join(all, ", ")
}

// causeCells is the most that a cause may take up within a sentence.
const causeCells = 60

// errorClasses end the messages of container runtimes and say only of which class the error is (the errors of
// github.com/containerd/errdefs).
var errorClasses = map[string]bool{
	"not found": true, "already exists": true, "failed precondition": true, "unavailable": true, "not implemented": true,
	"unknown": true, "invalid argument": true, "permission denied": true, "unauthenticated": true,
}

// saysWhat reports whether a link of a chain of errors is a sentence of its own, and neither a name nor what was
// being done with one.
func saysWhat(link string) bool {
	return strings.Contains(link, " ") && !strings.ContainsAny(link, `"=`)
}

// cause is the last link of the kubelet's chain of errors, which is where it
// began, or the one before where the last is a class of errors; "" where it is too long to stand in a
// sentence. Facts hold it whole.
func (s Start) cause() string {
	links := strings.Split(strings.TrimSpace(s.message), ": ")
	cause := strings.TrimSuffix(links[len(links)-1], ".")
	if before := len(links) - 2; before >= 0 && errorClasses[cause] {
		what := links[before]
		if _, described, ok := strings.Cut(what, " desc = "); ok { // an error of gRPC
			what = described
		}
		if saysWhat(what) {
			cause = what
		}
	}
	if grammar.Cells(cause) > causeCells || cause == s.reason {
		return ""
	}
	return cause
}
