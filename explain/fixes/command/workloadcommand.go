package command

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// command changes the template by the steps, and sees to it that the pod gets
// the change.
func (w *workload) command(steps []remedy.Step, exists bool) Command {
	base, err := w.base(steps)
	if err != nil {
		return Command{Why: err.Error()}
	}
	patch, back, err := Patches(base, steps)
	if err != nil {
		return Command{Why: err.Error()}
	}
	if w.spreads == remade {
		return w.startOver(patch)
	}
	c := Command{Line: w.change(steps, base, templatePatch(patch)), Undo: w.takeBack(steps, base, templatePatch(back)), Anew: true}
	ref := report.Affected{Kind: w.kind, Namespace: w.pod.Namespace, Name: w.name}
	if w.spreads == newOnly {
		ref.How = "applies the change only to new pods"
		c.Brief = "the pod is replaced"
	} else {
		ref.How, c.Brief = w.rollout()
		c.Others, c.AtOnce = w.others, w.atOnce
	}
	w.addFacts(&c)
	c.Affects, c.Lone = []report.Affected{ref}, w.spreads == newOnly
	switch {
	case !exists:
		return c
	case w.kind == "DaemonSet":
		c.Line += " && " + w.unlessRolled()
		c.Affects = append(c.Affects, evicted(w.pod, "is evicted if the DaemonSet's update strategy is OnDelete"))
		return c
	case w.spreads == rolled:
		return c
	}
	c.Line += " && " + w.awaitTemplate()
	for _, pod := range slices.Backward(append(w.before, w.pod)) { // an ordered set makes the last again only after the others
		c.Line += " && " + evictCommand(pod)
		c.Affects = append(c.Affects, evicted(pod, "is evicted; its replacement has the change"))
	}
	return c
}

// rollout says how a change of the template reaches the pods.
func (w *workload) rollout() (how, brief string) {
	all := w.run + w.wait
	total := grammar.Plural(all, "pod")
	if w.facts == nil || w.facts.Unread != "" {
		if all == 0 { // none of its pods could be created
			return "rolls out to all its pods", "rolling update of all its pods"
		}
		return fmt.Sprintf("rolls out to %s: %s", total, w.pods()), "rolling update of " + total
	}
	made := grammar.Plural(w.facts.Replicas, "pod")
	switch {
	case w.facts.Recreate && w.run > 0:
		return fmt.Sprintf("recreates all %s: %s stopped first", made, grammar.Count(w.run, "running one is", "running ones are")),
			"stops all pods, then recreates them"
	case w.facts.Recreate && all > 0:
		return fmt.Sprintf("recreates all %s: %s", made, w.pods()), "recreates all " + made
	case all == 0:
		return "rolls out to " + made, "rolling update of " + made
	case w.facts.Replicas != all: // another update is going on, or it is being scaled
		return fmt.Sprintf("rolls out to %s, in place of %s: %s", made, total, w.pods()), "rolling update of " + made
	}
	return fmt.Sprintf("rolls out to %s: %s", total, w.pods()), "rolling update of " + total
}

// addFacts adds to the command what its Deployment's fields mean for it.
func (w *workload) addFacts(c *Command) {
	switch {
	case w.facts == nil:
	case w.facts.Unread != "":
		c.Open = fmt.Sprintf("whether %s is paused: %s", w.ref(), w.facts.Unread)
	case w.facts.Recreate:
		c.Stops = w.run > 0
	default:
		c.Missing = &w.facts.MaxUnavailable
	}
}

func evicted(pod *corev1.Pod, how string) report.Affected {
	return report.Affected{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, How: how}
}

// unlessRolled evicts the pod where its DaemonSet leaves that to people. How it
// is updated is asked then: DaemonSets are not read otherwise.
func (w *workload) unlessRolled() string {
	strategy := w.kubectl("get", w.ref(), "-o", "jsonpath={.spec.updateStrategy.type}")
	return fmt.Sprintf(`{ [ "$(%s)" = RollingUpdate ] || %s; }`, strategy, evictCommand(w.pod))
}

// awaitTemplate waits until the controller has seen its new template: a pod that is evicted
// before may be made again from the old one.
func (w *workload) awaitTemplate() string {
	generation := w.kubectl("get", w.ref(), "-o", "jsonpath={.metadata.generation}")
	return w.kubectl("wait", w.ref()) + ` --for=jsonpath='{.status.observedGeneration}'="$(` + generation + `)"`
}

// templatePatch is a patch of a pod's spec for the object with its template.
func templatePatch(patch map[string]any) map[string]any {
	return map[string]any{"spec": map[string]any{"template": map[string]any{"spec": patch}}}
}

// change is the command that changes the template, which is base before, as far as
// it was read.
func (w *workload) change(steps []remedy.Step, base *corev1.PodSpec, patch map[string]any) string {
	if flags := resourceFlags(steps, after); flags != nil {
		return w.kubectl(append([]string{"set", "resources", w.ref()}, flags...)...)
	}
	flags := []string{"-p", shell.OneLine(patch)}
	if w.template != nil {
		flags = patchFlags("/spec/template/spec", base, steps, patch)
	}
	return w.kubectl(append([]string{"patch", w.ref()}, flags...)...)
}

// takeBack is the command that undoes the change of the template, which was base
// before.
func (w *workload) takeBack(steps []remedy.Step, base *corev1.PodSpec, back map[string]any) string {
	before := func(r containerAmounts) (request, limit string) { return amountsIn(base, r) }
	if flags := resourceFlags(steps, before); flags != nil && w.template != nil { // else a LimitRange may have set it
		return w.kubectl(append([]string{"set", "resources", w.ref()}, flags...)...)
	}
	switch w.kind {
	case "Deployment", "StatefulSet", "DaemonSet":
		return w.kubectl("rollout", "undo", w.ref())
	}
	return w.kubectl("patch", w.ref(), "-p", shell.OneLine(back))
}

// kubectl is a command in the workload's namespace.
func (w *workload) kubectl(words ...string) string {
	return shell.Line(append([]string{"kubectl", "-n", w.pod.Namespace}, words...)...)
}

// containerAmounts are the request and the limit of a container that a step changes.
type containerAmounts struct {
	container      string
	init           bool
	resource       corev1.ResourceName
	request, limit string // after the step; "": it does not change that
}

// amountsOf are what a step changes of a container; ok is false where it changes something else.
func amountsOf(step remedy.Step) (of containerAmounts, ok bool) {
	switch r := step.(type) {
	case remedy.LowerRequest:
		of = containerAmounts{container: r.Container, init: r.Init, resource: r.Resource, request: quantity.Canonical(r.Resource, r.To)}
		if r.Limit {
			of.limit = of.request
		}
		return of, !r.Pod
	case remedy.SetResources:
		of = containerAmounts{container: r.Container, init: r.Init, resource: r.Resource}
		if r.Request[1] != nil {
			of.request = r.Request[1].String()
		}
		if r.Limit[1] != nil {
			of.limit = r.Limit[1].String()
		}
		return of, true
	}
	return of, false
}

// resourceFlags say to kubectl set resources what one container requests, which may
// be an init container; nil where the steps are others, or where an amount is "",
// which it cannot take away. Names that it would read as something else, which no
// API server allows, are left to a patch.
func resourceFlags(steps []remedy.Step, amounts func(containerAmounts) (request, limit string)) []string {
	container := ""
	var requests, limits []string
	for i, step := range steps {
		r, ok := amountsOf(step)
		if !ok || i > 0 && r.container != container {
			return nil
		}
		request, limit := amounts(r)
		if r.request != "" && request == "" || r.limit != "" && limit == "" || len(validation.IsDNS1123Label(r.container)) > 0 || len(validation.IsQualifiedName(string(r.resource))) > 0 {
			return nil
		}
		container = r.container
		if r.request != "" {
			requests = append(requests, string(r.resource)+"="+request)
		}
		if r.limit != "" {
			limits = append(limits, string(r.resource)+"="+limit)
		}
	}
	flags := []string{"-c", container}
	if len(requests) > 0 {
		flags = append(flags, "--requests="+strings.Join(requests, ","))
	}
	if len(limits) > 0 {
		flags = append(flags, "--limits="+strings.Join(limits, ","))
	}
	return flags
}

// after is what a container requests after the step, and its limit.
func after(r containerAmounts) (request, limit string) { return r.request, r.limit }

// amountsIn is what a container requests, and its limit, as the spec writes it; ""
// where it does not.
func amountsIn(spec *corev1.PodSpec, r containerAmounts) (request, limit string) {
	containers := spec.Containers
	if r.init {
		containers = spec.InitContainers
	}
	for _, container := range containers {
		if container.Name != r.container {
			continue
		}
		if amount, ok := container.Resources.Requests[r.resource]; ok {
			request = amount.String()
		}
		if amount, ok := container.Resources.Limits[r.resource]; ok {
			limit = amount.String()
		}
	}
	return request, limit
}

// identity are the labels that the API server gives a Job's pods, and refuses
// in the template of another Job.
var identity = []string{"batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"}

// startOver deletes the Job and creates it again: its template never changes.
func (w *workload) startOver(patch map[string]any) Command {
	job := templatePatch(patch)
	if _, own := w.pod.Labels[identity[0]]; own { // else people chose its selector
		nobody := map[string]any{}
		for _, label := range identity {
			nobody[label] = nil
		}
		job = map[string]any{
			"metadata": map[string]any{"labels": nobody},
			"spec": map[string]any{
				"selector": nil,
				"template": map[string]any{"metadata": map[string]any{"labels": nobody}, "spec": patch},
			},
		}
	}
	c := Command{
		Line:      recreate(w.pod.Namespace, w.ref(), "-p", shell.OneLine(job)),
		Recreates: true, Anew: true, Others: w.others, AtOnce: true,
		Affects: []report.Affected{{Kind: w.kind, Namespace: w.pod.Namespace, Name: w.name, How: "is deleted and recreated, with its pods: " + w.pods() + saved}},
		Brief:   "recreates Job " + w.name,
	}
	if w.facts != nil && w.facts.CronJob != "" {
		c.Affects = append(c.Affects, report.Affected{
			Kind: "CronJob", Namespace: w.pod.Namespace, Name: w.facts.CronJob, How: "keeps its template: the Jobs that it creates later do not have the change",
		})
	}
	return c
}

// base is the spec of the template, before the change: as it was read, or as
// far as the pod tells.
func (w *workload) base(steps []remedy.Step) (*corev1.PodSpec, error) {
	made := labelkeys.Unmerged(&w.pod.Spec)
	for _, step := range steps {
		_, expression := step.(remedy.DropExpression)
		_, affinity := step.(remedy.DropNodeAffinity)
		switch {
		case (expression || affinity) && w.kind == "DaemonSet":
			return nil, fmt.Errorf("the DaemonSet controller pins each of its pods to a node")
		case w.template != nil && !equality.Semantic.DeepEqual(partOf(made, step), partOf(w.template, step)):
			return nil, fmt.Errorf("%s does not have this in its template: it is added when pods are created", w.ref())
		}
	}
	if w.template != nil {
		return w.template.DeepCopy(), nil
	}
	made.Tolerations = slices.DeleteFunc(made.Tolerations, func(t corev1.Toleration) bool { return injected(t, w.kind) })
	return made, nil
}

// injected says whether admission (DefaultTolerationSeconds) or the DaemonSet
// controller (AddOrUpdateDaemonPodTolerations) gives pods the toleration.
func injected(t corev1.Toleration, kind string) bool {
	if t.Operator != corev1.TolerationOpExists || !strings.HasPrefix(t.Key, "node.kubernetes.io/") {
		return false
	}
	switch t.Key {
	case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable:
		seconds := t.TolerationSeconds != nil && *t.TolerationSeconds == 300
		return t.Effect == corev1.TaintEffectNoExecute && (seconds || kind == "DaemonSet" && t.TolerationSeconds == nil)
	case corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure, corev1.TaintNodePIDPressure,
		corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable:
		return t.Effect == corev1.TaintEffectNoSchedule && kind == "DaemonSet"
	}
	return false
}
