package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// outcome is what a cluster has made of its workloads. Names that chance has given
// stand in none of it, so that those of two clusters compare.
type outcome struct {
	pods    []string          // who each is, and that it is bound, or its PodScheduled condition
	placed  map[string]int    // of bound ones: who, and where; how many
	specs   map[string]string // who → its spec as it was admitted
	refused []string          // controllers that lack pods, and why
	quotas  []string          // what is used of each
}

// outcomeOf reads an outcome; rests is whether nothing is left to be done for now,
// as far as one look can tell.
func outcomeOf(ctx context.Context, client kubernetes.Interface) (o *outcome, rests bool, err error) {
	list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, false, err
	}
	o, rests = &outcome{placed: map[string]int{}, specs: map[string]string{}}, true
	for i := range list.Items {
		pod := &list.Items[i]
		who, says := identity(pod), "bound"
		condition := scheduled(pod)
		switch {
		case pod.Spec.NodeName != "":
			o.placed[who+" on "+pod.Spec.NodeName]++
		case condition.Status == "" && lookedAt(pod), pod.DeletionTimestamp != nil, pod.Status.NominatedNodeName != "", condition.Reason == corev1.PodReasonSchedulerError:
			rests = false
		default:
			says = fmt.Sprintf("%s %s: %s", pod.Status.Phase, condition.Reason, condition.Message)
		}
		rests = rests && pod.DeletionTimestamp == nil
		o.pods = append(o.pods, who+" is "+says)
		o.specs[who], err = admittedSpec(pod)
		if err != nil {
			return nil, false, err
		}
	}
	slices.Sort(o.pods)
	lacking, complete, err := lackingPods(ctx, client, list.Items)
	o.refused = lacking
	if err != nil {
		return nil, false, err
	}
	o.quotas, err = usedQuotas(ctx, client)
	return o, rests && complete, err
}

// identity tells whose a pod is. Chance decides which one of several comes first, of
// a StatefulSet that makes all at once too.
func identity(pod *corev1.Pod) string {
	owner := metav1.GetControllerOfNoCopy(pod)
	switch {
	case owner == nil:
		return "Pod " + pod.Namespace + "/" + pod.Name
	case owner.Kind == "DaemonSet":
		return fmt.Sprintf("%s %s/%s of %s", owner.Kind, pod.Namespace, owner.Name, target(pod))
	}
	return fmt.Sprintf("%s %s/%s", owner.Kind, pod.Namespace, owner.Name)
}

// target is the node that a DaemonSet's pod is made for.
func target(pod *corev1.Pod) string {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return ""
	}
	required := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil {
		return ""
	}
	for _, term := range required.NodeSelectorTerms {
		for _, field := range term.MatchFields {
			return strings.Join(field.Values, ",")
		}
	}
	return ""
}

// admittedSpec is the spec as the API server keeps it, but for the node.
func admittedSpec(pod *corev1.Pod) (string, error) {
	spec := pod.Spec.DeepCopy()
	spec.NodeName = ""
	spec.Hostname = "" // the pod's name, of a StatefulSet
	for i := range spec.Volumes {
		if claim := spec.Volumes[i].PersistentVolumeClaim; claim != nil {
			claim.ClaimName = strings.ReplaceAll(claim.ClaimName, pod.Name, "…")
		}
	}
	text, err := json.Marshal(spec)
	return string(text), err
}

// lackingPods tells which controllers lack pods and what they were told about it.
// complete is false while some may still be made.
func lackingPods(ctx context.Context, client kubernetes.Interface, pods []corev1.Pod) (lacking []string, complete bool, err error) {
	wanted, complete, err := wantedPods(ctx, client)
	if err != nil {
		return nil, false, err
	}
	told, err := failedCreates(ctx, client)
	if err != nil {
		return nil, false, err
	}
	waits := map[string]bool{} // StatefulSets of which a pod is not bound
	for i := range pods {
		owner := metav1.GetControllerOfNoCopy(&pods[i])
		if owner == nil || pods[i].DeletionTimestamp != nil {
			continue
		}
		who := fmt.Sprintf("%s %s/%s", owner.Kind, pods[i].Namespace, owner.Name)
		wanted[who]--
		waits[who] = waits[who] || pods[i].Spec.NodeName == ""
	}
	for who, missing := range wanted {
		switch {
		case missing == 0:
		case missing > 0 && told[who] != "":
			lacking = append(lacking, fmt.Sprintf("%s lacks %d: %s", who, missing, told[who]))
		case missing > 0 && strings.HasPrefix(who, "StatefulSet") && waits[who]:
			lacking = append(lacking, fmt.Sprintf("%s lacks %d", who, missing))
		default:
			complete = false
		}
	}
	slices.Sort(lacking)
	return lacking, complete, nil
}

// wantedPods is how many pods each controller is to have.
func wantedPods(ctx context.Context, client kubernetes.Interface) (wanted map[string]int32, known bool, err error) {
	all := metav1.ListOptions{}
	deployments, err := client.AppsV1().Deployments("").List(ctx, all)
	if err != nil {
		return nil, false, err
	}
	replicas, err := client.AppsV1().ReplicaSets("").List(ctx, all)
	if err != nil {
		return nil, false, err
	}
	stateful, err := client.AppsV1().StatefulSets("").List(ctx, all)
	if err != nil {
		return nil, false, err
	}
	daemons, err := client.AppsV1().DaemonSets("").List(ctx, all)
	if err != nil {
		return nil, false, err
	}
	jobs, err := client.BatchV1().Jobs("").List(ctx, all)
	if err != nil {
		return nil, false, err
	}
	wanted, known = map[string]int32{}, true
	for _, d := range deployments.Items {
		known = known && d.Status.ObservedGeneration >= d.Generation
	}
	for _, r := range replicas.Items {
		wanted["ReplicaSet "+r.Namespace+"/"+r.Name] = *r.Spec.Replicas
	}
	for _, s := range stateful.Items {
		wanted["StatefulSet "+s.Namespace+"/"+s.Name] = *s.Spec.Replicas
	}
	for _, d := range daemons.Items {
		wanted["DaemonSet "+d.Namespace+"/"+d.Name] = d.Status.DesiredNumberScheduled
		known = known && d.Status.ObservedGeneration >= d.Generation
	}
	for _, j := range jobs.Items {
		wanted["Job "+j.Namespace+"/"+j.Name] = min(*j.Spec.Parallelism, *j.Spec.Completions)
	}
	return wanted, known, nil
}

// generated is the name of a pod that was not made, where chance gave its end.
var generated = regexp.MustCompile(`([Pp]ods? "[^"]*-)([bcdfghjklmnpqrstvwxz2456789]{5}|\d+)"`)

// ordinal is the name of a StatefulSet's pod that was not made.
var ordinal = regexp.MustCompile(`Create Pod (\S*-)\d+ in`)

// usedUp is what a quota was used when a pod was refused: at the last of many
// attempts, each of a moment of its own.
var usedUp = regexp.MustCompile(`used: .*, limited:`)

// failedCreates is what each controller was told last when it wanted to make a pod.
func failedCreates(ctx context.Context, client kubernetes.Interface) (map[string]string, error) {
	list, err := client.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "reason=FailedCreate"})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list.Items, func(a, b corev1.Event) int {
		version := func(e corev1.Event) int { n, _ := strconv.Atoi(e.ResourceVersion); return n }
		return cmp.Compare(version(a), version(b))
	})
	told := map[string]string{}
	for _, e := range list.Items {
		message := usedUp.ReplaceAllString(strings.TrimPrefix(e.Message, "(combined from similar events): "), "used: …, limited:")
		message = ordinal.ReplaceAllString(generated.ReplaceAllString(message, `${1}…"`), "Create Pod ${1}… in")
		message = inOneOrder(message)
		told[fmt.Sprintf("%s %s/%s", e.InvolvedObject.Kind, e.InvolvedObject.Namespace, e.InvolvedObject.Name)] = message
	}
	return told, nil
}

// inOneOrder sorts the complaints about an invalid object, where there are several:
// validation goes through maps of resources.
func inOneOrder(message string) string {
	const before = "is invalid: ["
	head, rest, ok := strings.Cut(message, before)
	if !ok {
		return message
	}
	parts := strings.Split(strings.TrimSuffix(rest, "]"), ", spec.")
	for i := range parts {
		parts[i] = strings.TrimPrefix(parts[i], "spec.")
	}
	slices.Sort(parts)
	return head + before + strings.Join(parts, ", ") + "]"
}

// usedQuotas is what is used of each quota.
func usedQuotas(ctx context.Context, client kubernetes.Interface) ([]string, error) {
	list, err := client.CoreV1().ResourceQuotas("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, quota := range list.Items {
		text, err := json.Marshal(quota.Status)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("ResourceQuota %s/%s: %s", quota.Namespace, quota.Name, text))
	}
	slices.Sort(lines)
	return lines, nil
}

// equal tells whether two outcomes are the same, wherever the pods are.
func (o *outcome) equal(other *outcome) bool {
	return slices.Equal(o.pods, other.pods) && slices.Equal(o.refused, other.refused) && slices.Equal(o.quotas, other.quotas)
}

// differences of an outcome of the real cluster from one of the embedded cluster.
func (o *outcome) differences(embedded *outcome) string {
	var text strings.Builder
	for _, pair := range [][2][]string{{o.pods, embedded.pods}, {o.refused, embedded.refused}, {o.quotas, embedded.quotas}, {o.where(), embedded.where()}} {
		for _, line := range beyond(pair[0], pair[1]) {
			text.WriteString("\n  real:     " + line)
		}
		for _, line := range beyond(pair[1], pair[0]) {
			text.WriteString("\n  embedded: " + line)
		}
	}
	return text.String()
}

// where is who is bound where.
func (o *outcome) where() []string {
	var lines []string
	for line, n := range o.placed {
		for range n {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

// beyond are the lines of one that another has not, each as often as it is missing.
func beyond(one, other []string) []string {
	left := map[string]int{}
	for _, line := range other {
		left[line]++
	}
	var rest []string
	for _, line := range one {
		if left[line]--; left[line] < 0 {
			rest = append(rest, line)
		}
	}
	return rest
}
