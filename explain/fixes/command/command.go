// Package command words fixes for kubectl: commands that make the same change as was
// simulated, and undo it.
package command

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// Command is how a fix is carried out.
type Command struct {
	Line      string // runs unattended in sh, bash and zsh; "" where there is none
	Undo      string // undoes all of it; "" where nothing can
	Recreates bool   // the pod, or its Job, is deleted and created again
	Lone      bool   // only this one of several equal pods gets the change
	Affects   []report.Affected
	Brief     string // whom the change of the pod affects, in few words; "" for nobody
	Why       string // why there is no line

	Anew bool // the pod goes, and another one with the change comes in its place
	// OwnFirst says that the pod is changed by a command of its own, before what else is.
	OwnFirst bool
	// OwnLast says that it is changed by a command of its own, after what else is.
	OwnLast bool
	// Before are the steps that its first command has made, where two change the pod one after the
	// other; nil where one does.
	Before  []remedy.Step
	Others  []*corev1.Pod // other pods of its controller, pending or on nodes, that go the same way
	AtOnce  bool          // they go before any new one comes
	Stops   bool          // so do all that run: there are none for a while
	Missing *int          // how many of them may be missing during the rolling update; nil: not known
	Keeps   string        // why the pod may not be deleted; "" where nothing is known to keep it
	Open    string        // what is not known of the controller, and decides whether the command works; "" where all is
}

// Maker makes commands. It reads the state, so the scheduler has to be held.
type Maker struct {
	// Scheduler holds the state.
	Scheduler *scheduler.Scheduler
	// ClusterVersion is the API server's ("v1.36.3"), if known.
	ClusterVersion string
	// Facts are those of the Deployment or Job of the pods that are asked about; nil: they are not
	// asked for.
	Facts *Facts

	last *workload // of the pod that was last asked about (known)
}

// Of words the steps of a fix for the shell: what is changed about the pod, or
// the template that it comes from, first, then nodes and other pods: so the pod is in
// the queue as it is to be when a node opens or room is made. It comes last where the pod
// would preempt in between: where its gates are removed, or it outranks those evicted.
func (m *Maker) Of(pod *corev1.Pod, steps []remedy.Step) Command {
	if why := nameless(pod, steps); why != "" {
		return Command{Why: why}
	}
	var lines, undos []string
	add := func(line, undo string) {
		lines, undos = append(lines, line), append(undos, undo)
	}
	var own, others []remedy.Step
	for _, step := range steps {
		if remedy.ChangesPod(step) {
			own = append(own, step)
		} else {
			others = append(others, step)
		}
	}
	if len(own) > 0 && pod.UID == "" {
		return Command{Why: "the pod does not exist yet: change its manifest"}
	}
	var c Command
	if len(own) > 0 {
		if c = m.ownCommand(pod, own); c.Line == "" {
			return c
		}
		add(c.Line, c.Undo)
	}
	if m.others(others, &c, add); c.Why != "" {
		return Command{Why: c.Why}
	}
	c.OwnFirst = len(own) > 0 && len(lines) > 1
	if c.OwnFirst && slices.ContainsFunc(steps, func(step remedy.Step) bool { return letsPreempt(pod, step) }) {
		c.OwnFirst, c.OwnLast = false, true
		lines, undos = append(lines[1:], lines[0]), append(undos[1:], undos[0])
	}
	c.Line, c.Undo = strings.Join(lines, " && "), ""
	if !slices.Contains(undos, "") {
		slices.Reverse(undos)
		c.Undo = strings.Join(undos, " && ")
	}
	return c
}

// letsPreempt says whether the pod, once it is changed, may preempt before a step is made, or
// those that the step evicts.
func letsPreempt(pod *corev1.Pod, step remedy.Step) bool {
	switch r := step.(type) {
	case remedy.Ungate:
		return true
	case remedy.Evict:
		never := pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy == corev1.PreemptNever
		return !never && slices.ContainsFunc(r.Pods, func(victim *corev1.Pod) bool {
			return corev1helpers.PodPriority(victim) < corev1helpers.PodPriority(pod)
		})
	}
	return false
}

// others words the steps that change nodes, claims, volumes and other pods.
func (m *Maker) others(steps []remedy.Step, c *Command, add func(line, undo string)) {
	for _, step := range steps {
		switch r := step.(type) {
		case remedy.Untaint:
			add(untaintCommand(r))
		case remedy.Uncordon:
			add(shell.Line(append([]string{"kubectl", "uncordon"}, r.Nodes...)...), shell.Line(append([]string{"kubectl", "cordon"}, r.Nodes...)...))
		case remedy.LabelNode:
			add(m.labelCommand(r))
		case remedy.Evict:
			for _, victim := range r.Pods {
				add(evictCommand(victim), "")
			}
		case remedy.TakeBackResize:
			takeBackResize(m.ClusterVersion, r, c, add)
		case remedy.AllowUnavailable:
			add(allowUnavailable(r, m.Facts, c))
		case remedy.Suspend:
			add(suspendCommand(r, c))
		case remedy.ResizeClaim:
			add(resizeClaimCommand(r))
			c.Affects, c.Brief = append(c.Affects, affectedClaim(r.Claim)), "the claim is recreated"
		case remedy.SetClaimClass:
			add(setClaimClassCommand(r))
			affected, brief := affectedByClass(r)
			c.Affects, c.Brief = append(c.Affects, affected...), brief
		case remedy.UnselectNode:
			add(unselectNodeCommand(r))
			c.Affects = append(c.Affects, affectedUnselected(r))
		case remedy.ReleaseVolume:
			add(releaseVolumeCommand(r))
			c.Affects, c.Brief = append(c.Affects, affectedVolume(r)), "the claim gets its old data"
		}
	}
}

// nameless says why there is no command for things of such names: what no API
// server allows comes from a file, and might be taken for a flag or a path.
func nameless(pod *corev1.Pod, steps []remedy.Step) string {
	names, key, value := []string{pod.Namespace}, "", ""
	if pod.Name != "" { // one that does not exist yet may have none
		names = append(names, pod.Name)
	}
	for _, step := range steps {
		names = append(names, namesOf(step)...)
		switch r := step.(type) {
		case remedy.Untaint:
			key, value = r.Taint.Key, r.Taint.Value
		case remedy.LabelNode:
			key, value = r.Key, r.Value
		}
	}
	for _, name := range names {
		if why := invalidName(name); why != "" {
			return why
		}
	}
	switch {
	case key != "" && len(validation.IsQualifiedName(key)) > 0:
		return fmt.Sprintf("%q is not a valid key in Kubernetes", key)
	case len(validation.IsValidLabelValue(value)) > 0: // also of taints
		return fmt.Sprintf("%q is not a valid value in Kubernetes", value)
	}
	return ""
}

// namesOf are the names of the objects that the command of a step names beside the pod.
func namesOf(step remedy.Step) (names []string) {
	switch r := step.(type) {
	case remedy.Untaint:
		return r.Nodes
	case remedy.Uncordon:
		return r.Nodes
	case remedy.LabelNode:
		return r.Nodes
	case remedy.Evict:
		for _, victim := range r.Pods {
			names = append(names, victim.Namespace, victim.Name)
		}
	case remedy.TakeBackResize:
		for _, pod := range r.Pods {
			names = append(names, pod.Namespace, pod.Name)
		}
	case remedy.AllowUnavailable:
		return []string{r.Namespace, r.Name}
	case remedy.Suspend:
		return []string{r.Namespace, r.Name}
	case remedy.ResizeClaim:
		return []string{r.Claim.Namespace, r.Claim.Name}
	case remedy.SetClaimClass:
		return []string{r.Claim.Namespace, r.Claim.Name, r.Class}
	case remedy.UnselectNode:
		return []string{r.Claim.Namespace, r.Claim.Name, r.Selected()}
	case remedy.ReleaseVolume:
		return []string{r.Volume.Name}
	}
	return names
}

// invalidName says that no object has such a name; "" where one may have.
func invalidName(name string) string {
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		return fmt.Sprintf("%q is not a valid Kubernetes name", name)
	}
	return ""
}

// untaintCommand takes a taint off nodes.
func untaintCommand(r remedy.Untaint) (line, undo string) {
	taint := r.Taint.Key
	if r.Taint.Value != "" {
		taint += "=" + r.Taint.Value
	}
	taint += ":" + string(r.Taint.Effect)
	command := append([]string{"kubectl", "taint", "nodes"}, r.Nodes...)
	return shell.Line(append(command, taint+"-")...), shell.Line(append(command, taint)...)
}

// labelCommand gives nodes a label. Either none of them has it, or all have one other value.
func (m *Maker) labelCommand(r remedy.LabelNode) (line, undo string) {
	label := func(words ...string) string {
		return shell.Line(slices.Concat([]string{"kubectl", "label", "node"}, r.Nodes, words)...)
	}
	if node := m.Scheduler.State.Nodes[r.Nodes[0]]; node != nil {
		if before, ok := node.Labels[r.Key]; ok {
			return label(r.Key+"="+r.Value, "--overwrite"), label(r.Key+"="+before, "--overwrite")
		}
	}
	return label(r.Key + "=" + r.Value), label(r.Key + "-")
}

// evictCommand asks the eviction API, so budgets hold. kubectl has no command for
// one pod, and fathom's own is not where the command may be pasted.
func evictCommand(pod *corev1.Pod) string {
	body := map[string]any{
		"apiVersion": "policy/v1", "kind": "Eviction",
		"metadata": map[string]string{"namespace": pod.Namespace, "name": pod.Name},
	}
	path := fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/eviction", pod.Namespace, pod.Name)
	return shell.Line("printf", "%s", shell.OneLine(body)) + " | " + shell.Line("kubectl", "create", "--raw", path, "-f", "-")
}

// ownCommand is the command for steps that change the pod or its template.
func (m *Maker) ownCommand(pod *corev1.Pod, steps []remedy.Step) Command {
	w := m.known(pod)
	ungates := 0
	for _, step := range steps {
		if _, ok := step.(remedy.Ungate); ok {
			ungates++
		}
	}
	_, exists := m.Scheduler.State.Pods[pod.UID]
	switch {
	case scheduler.Assigned(pod): // it runs and is resized in place: the others of its workload stay as they are
		return alone(resizedPod(m.ClusterVersion, pod, steps))
	case ungates == len(steps) && exists: // whoever put the gate there takes it from the pod
		return alone(patchPod(pod, steps))
	case doublesSpread(pod, steps):
		return Command{Why: "the pod would have two ScheduleAnyway constraints for one topology key, which is not valid"}
	case w.spreads == none && !exists:
		return Command{Why: "the pod does not exist yet: change its manifest"}
	case w.spreads == none:
		return alone(barePod(m.ClusterVersion, pod, steps))
	case w.spreads == notKnown:
		return Command{Why: w.why}
	case invalidName(w.name) != "": // an API server takes any name in an owner reference
		return Command{Why: invalidName(w.name)}
	case ungates > 0:
		return Command{Why: fmt.Sprintf("%s must change, and its new pods would be gated again", w.ref())}
	}
	return w.command(steps, exists)
}

// alone notes that a command changes a pod itself.
func alone(c Command) Command {
	c.Lone = true
	return c
}

// known is workloadOf, remembered while nothing changes.
func (m *Maker) known(pod *corev1.Pod) *workload {
	if m.last == nil || m.last.pod != pod || m.last.revision != m.Scheduler.State.Revision {
		m.last = m.workloadOf(pod)
		m.last.revision = m.Scheduler.State.Revision
	}
	return m.last
}
