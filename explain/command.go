package explain

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// command is how a fix is carried out.
type command struct {
	line      string // runs unattended under bash -c; "" where there is none
	undo      string // undoes all of it; "" where nothing can
	recreates bool   // the pod, or its Job, is deleted and created again
	lone      bool   // only this one of several equal pods gets the change
	affects   []report.Affected
	brief     string // whom the change of the pod affects, in few words; "" for nobody
	why       string // why there is no line
}

// command words the steps of a fix for the shell: what is changed about nodes
// and other pods first, then the pod or the template that it comes from.
func (e *Engine) command(pod *corev1.Pod, steps []remedy) command {
	var c command
	if why := nameless(pod, steps); why != "" {
		return command{why: why}
	}
	var lines, undos []string
	add := func(line, undo string) {
		lines, undos = append(lines, line), append(undos, undo)
	}
	var own []remedy
	for _, step := range steps {
		switch r := step.(type) {
		case untaint:
			add(untaintCommand(r))
		case uncordon:
			add("kubectl uncordon "+r.node, "kubectl cordon "+r.node)
		case labelNode:
			add(e.labelCommand(r))
		case evict:
			for _, victim := range r.pods {
				add(evictCommand(victim), "")
			}
		case resizeClaim:
			add(resizeClaimCommand(r))
			c.affects, c.brief = append(c.affects, r.affected()), "the claim is recreated"
		case releaseVolume:
			add(releaseVolumeCommand(r))
			c.affects, c.brief = append(c.affects, r.affected()), "the claim gets its old data"
		default:
			own = append(own, step)
		}
	}
	if len(own) > 0 && pod.UID == "" {
		return command{why: "the pod does not exist yet: change its manifest"}
	}
	if len(own) > 0 {
		changed := e.ownCommand(pod, own)
		if changed.line == "" {
			return changed
		}
		changed.affects = slices.Concat(c.affects, changed.affects)
		c = changed
		add(c.line, c.undo)
	}
	c.line, c.undo = strings.Join(lines, " && "), ""
	if !slices.Contains(undos, "") {
		slices.Reverse(undos)
		c.undo = strings.Join(undos, " && ")
	}
	return c
}

// nameless says why there is no command for things of such names: what no API
// server allows comes from a file, and might be taken for a flag or a path.
func nameless(pod *corev1.Pod, steps []remedy) string {
	names, label := []string{pod.Namespace}, ""
	if pod.Name != "" { // one that does not exist yet may have none
		names = append(names, pod.Name)
	}
	for _, step := range steps {
		switch r := step.(type) {
		case untaint:
			names, label = append(names, r.nodes...), r.taint.Key
		case uncordon:
			names = append(names, r.node)
		case labelNode:
			names, label = append(names, r.node), r.key
		case evict:
			for _, victim := range r.pods {
				names = append(names, victim.Namespace, victim.Name)
			}
		case resizeClaim:
			names = append(names, r.claim.Namespace, r.claim.Name)
		case releaseVolume:
			names = append(names, r.volume.Name)
		}
	}
	for _, name := range names {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return fmt.Sprintf("%q is not a valid Kubernetes name", name)
		}
	}
	if label != "" && len(validation.IsQualifiedName(label)) > 0 {
		return fmt.Sprintf("%q is not a valid key in Kubernetes", label)
	}
	return ""
}

// untaintCommand takes a taint off nodes.
func untaintCommand(r untaint) (line, undo string) {
	taint := r.taint.Key
	if r.taint.Value != "" {
		taint += "=" + r.taint.Value
	}
	taint += ":" + string(r.taint.Effect)
	line = "kubectl taint nodes " + strings.Join(r.nodes, " ") + " "
	return line + shell.Quote(taint+"-"), line + shell.Quote(taint)
}

// labelCommand gives a node a label.
func (e *Engine) labelCommand(r labelNode) (line, undo string) {
	prefix := "kubectl label node " + r.node + " "
	line, undo = prefix+shell.Quote(r.key+"="+r.value), prefix+shell.Quote(r.key+"-")
	if node := e.scheduler.State.Nodes[r.node]; node != nil {
		if before, ok := node.Labels[r.key]; ok {
			line, undo = line+" --overwrite", prefix+shell.Quote(r.key+"="+before)+" --overwrite"
		}
	}
	return line, undo
}

// evictCommand asks the eviction API, so budgets hold.
func evictCommand(pod *corev1.Pod) string {
	body := map[string]any{
		"apiVersion": "policy/v1", "kind": "Eviction",
		"metadata": map[string]string{"namespace": pod.Namespace, "name": pod.Name},
	}
	return fmt.Sprintf("kubectl create --raw /api/v1/namespaces/%s/pods/%s/eviction -f - <<<%s", pod.Namespace, pod.Name, shell.Quote(shell.OneLine(body)))
}

// ownCommand is the command for steps that change the pod or its template.
func (e *Engine) ownCommand(pod *corev1.Pod, steps []remedy) command {
	w := e.known(pod)
	ungates := 0
	for _, step := range steps {
		if _, ok := step.(ungate); ok {
			ungates++
		}
	}
	_, exists := e.scheduler.State.Pods[pod.UID]
	switch {
	case ungates == len(steps) && exists: // whoever put the gate there takes it from the pod
		return alone(patchPod(pod, steps))
	case w.spreads == none && !exists:
		return command{why: "the pod does not exist yet: change its manifest"}
	case w.spreads == none:
		return alone(barePod(e.options.ClusterVersion, pod, steps))
	case w.spreads == notKnown:
		return command{why: w.why}
	case ungates > 0:
		return command{why: fmt.Sprintf("%s must change, and its new pods would be gated again", w.ref())}
	}
	return w.command(steps, exists)
}

// alone notes that a command changes a pod itself.
func alone(c command) command {
	c.lone = true
	return c
}

// known is workloadOf, remembered while nothing changes.
func (e *Engine) known(pod *corev1.Pod) *workload {
	if e.workload == nil || e.workload.pod != pod || e.workload.revision != e.scheduler.State.Revision {
		e.workload = e.workloadOf(pod)
		e.workload.revision = e.scheduler.State.Revision
	}
	return e.workload
}
