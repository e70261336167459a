package plugins

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// TaintToleration names every untolerated taint; the plugin's own
// reason names none.
var TaintToleration = explainer{
	Cause: taintCause,
	Shape: func(q *Question, r NodeRejection) string { return strings.Join(UntoleratedNames(q, r), ",") },
	Words: func(q *Question, rs []NodeRejection) Words {
		if len(Untolerated(q, rs[0])) == 0 {
			return reasonOnly(rs)
		}
		return Words{
			What: predicates(rs, func(r NodeRejection, nodes int) string {
				taints := UntoleratedNames(q, r)
				return grammar.Agree(nodes, "has", "have") + " the untolerated " + grammar.Agree(len(taints), "taint ", "taints ") +
					strings.Join(taints, ", ") + taintStates(Untolerated(q, r), nodes) + waitsFor(r, Untolerated(q, r)) + comparisons(q, Untolerated(q, r)) + mismatchClause(q, Untolerated(q, r))
			}),
			Short: taintClause(Untolerated(q, rs[0])) + agentClause(rs[0], Untolerated(q, rs[0])),
		}
	},
}

// Untolerated are the taints of r's node that reject q's pod, the cordon's own
// first, then by key.
func Untolerated(q *Question, r NodeRejection) []corev1.Taint {
	if r.Node == nil {
		return nil
	}
	comparison := model.ComparesTolerations()
	var found []corev1.Taint
	for _, taint := range r.Node.Node().Spec.Taints {
		rejects := taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
		if rejects && !schedulinghelper.TolerationsTolerateTaint(q.Logger, q.Pod.Spec.Tolerations, &taint, comparison) {
			found = append(found, taint)
		}
	}
	slices.SortStableFunc(found, func(a, b corev1.Taint) int { return strings.Compare(taintOrder(a), taintOrder(b)) })
	return found
}

func taintOrder(taint corev1.Taint) string {
	if taint.Key == corev1.TaintNodeUnschedulable {
		return ""
	}
	return taint.ToString()
}

// UntoleratedNames are the same taints as key=value:effect.
func UntoleratedNames(q *Question, r NodeRejection) []string {
	type spelling struct {
		key, value string
		effect     corev1.TaintEffect
	}
	type spellingKey struct{}
	spelled := Remember(q, spellingKey{}, func() map[spelling]string { return map[spelling]string{} })
	var names []string
	for _, taint := range Untolerated(q, r) {
		key := spelling{taint.Key, taint.Value, taint.Effect}
		if spelled[key] == "" {
			spelled[key] = taint.ToString()
		}
		names = append(names, spelled[key])
	}
	return names
}

// ConditionOf is what a taint says of its node in a word or two, where it is one that repeats what the node's
// status says, or that its node is starting or being removed: "NotReady"; "" where it is not.
func ConditionOf(taint *corev1.Taint) string {
	if said := conditionTaints[taint.Key]; said != "" {
		return said
	}
	if model.IsStateTaint(taint.Key) && !strings.HasPrefix(taint.Key, model.TaintDomain) {
		return model.TaintState(taint.Key)
	}
	return ""
}

// conditionTaints are the taints that only repeat what the node's status says.
var conditionTaints = map[string]string{
	corev1.TaintNodeUnschedulable:                    report.CordonWord,
	corev1.TaintNodeNotReady:                         "NotReady",
	corev1.TaintNodeUnreachable:                      "NotReady (unreachable)",
	corev1.TaintNodeMemoryPressure:                   "MemoryPressure",
	corev1.TaintNodeDiskPressure:                     "DiskPressure",
	corev1.TaintNodePIDPressure:                      "PIDPressure",
	corev1.TaintNodeNetworkUnavailable:               "NetworkUnavailable",
	corev1.TaintNodeOutOfService:                     "out of service",
	"node.cloudprovider.kubernetes.io/uninitialized": "not initialized",
}

// taintStates are what the taints of autoscalers and cloud providers say about their nodes, to
// continue a sentence: ": it is being removed by Cluster Autoscaler"; "" without such taints.
func taintStates(taints []corev1.Taint, nodes int) string {
	var all []string
	for _, taint := range taints {
		if said := model.TaintState(taint.Key); said != "" && !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + grammar.Agree(nodes, "it is ", "they are ") + strings.Join(all, " and ")
}

// waitsFor names the DaemonSets whose pods on a node that waits for its agent are not Ready, to continue a
// sentence: "; not Ready there: DaemonSet kube-system/cilium"; "" where no node waits.
func waitsFor(r NodeRejection, taints []corev1.Taint) string {
	switch all, waits := unreadyAgents(r, taints); {
	case !waits:
		return ""
	case len(all) == 0:
		return "; no pod of a DaemonSet is unready there: is the agent installed?"
	default:
		return "; not Ready there: " + grammar.Agree(len(all), "DaemonSet ", "DaemonSets ") + grammar.List(all, grammar.Few)
	}
}

// agentClause is the likeliest of them for a table: " (kube-system/cilium not Ready)".
func agentClause(r NodeRejection, taints []corev1.Taint) string {
	if all, _ := unreadyAgents(r, taints); len(all) > 0 {
		return " (" + all[0] + " not Ready)"
	}
	return ""
}

// unreadyAgents are the DaemonSets whose pods on a node are not Ready, where it waits for its agent: first those that
// share a word with the taint, then those on the node's own network, as agents are.
func unreadyAgents(r NodeRejection, taints []corev1.Taint) (all []string, waits bool) {
	at := slices.IndexFunc(taints, func(t corev1.Taint) bool { return model.AgentOf(t.Key) != "" })
	if at < 0 {
		return nil, false
	}
	unready := map[string]int{} // by DaemonSet: how likely it is the agent's, less is more
	for _, info := range r.Node.GetPods() {
		pod := info.GetPod()
		by := metav1.GetControllerOfNoCopy(pod)
		if by == nil || by.Kind != "DaemonSet" || podutil.IsPodReady(pod) {
			continue
		}
		order := 2
		switch {
		case sharesWord(by.Name, model.AgentOf(taints[at].Key)):
			order = 0
		case pod.Spec.HostNetwork:
			order = 1
		}
		unready[pod.Namespace+"/"+by.Name] = order
	}
	all = slices.SortedFunc(maps.Keys(unready), func(a, b string) int { return cmp.Or(unready[a]-unready[b], strings.Compare(a, b)) })
	return all, true
}

// sharesWord reports whether a name has a word of a domain: ebs-csi-node of ebs.csi.aws.com.
func sharesWord(name, domain string) bool {
	words := strings.Split(domain, ".")
	return slices.ContainsFunc(strings.Split(name, "-"), func(word string) bool {
		return word != "node" && word != "csi" && slices.Contains(words, word)
	})
}

// Comparison is the pod's toleration that compares the value of a taint with a number, and does not
// tolerate it; nil where it has none of the taint's key and effect.
func Comparison(q *Question, taint *corev1.Taint) *corev1.Toleration {
	for i := range q.Pod.Spec.Tolerations {
		t := &q.Pod.Spec.Tolerations[i]
		if comparing[t.Operator] != "" && t.Key == taint.Key && (t.Effect == "" || t.Effect == taint.Effect) {
			return t
		}
	}
	return nil
}

// comparing are the operators that compare numbers.
var comparing = map[corev1.TolerationOperator]string{corev1.TolerationOpGt: " > ", corev1.TolerationOpLt: " < "}

// Compared words a toleration that compares: "sla > 950".
func Compared(t *corev1.Toleration) string { return t.Key + comparing[t.Operator] + t.Value }

// Mismatches say which of the pod's tolerations have the key of an untolerated taint and do not match
// it: "toleration gpu=yes:NoSchedule does not match"; "" without any. Those that compare numbers are
// told by comparisons. The states of nodes do not count: every pod tolerates the NoExecute taints of
// some for a while.
func Mismatches(q *Question, taints []corev1.Taint) string {
	var all []string
	for _, taint := range taints {
		if model.IsStateTaint(taint.Key) {
			continue
		}
		for _, t := range q.Pod.Spec.Tolerations {
			if t.Key != taint.Key || comparing[t.Operator] != "" {
				continue
			}
			written := corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}
			if text := strings.TrimSuffix(written.ToString(), ":"); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return grammar.Agree(len(all), "toleration ", "tolerations ") + grammar.List(all, grammar.Few) + grammar.Agree(len(all), " does not match", " do not match")
}

// mismatchClause continues a sentence with Mismatches.
func mismatchClause(q *Question, taints []corev1.Taint) string {
	if said := Mismatches(q, taints); said != "" {
		return "; the pod's " + said
	}
	return ""
}

// comparisons are the pod's tolerations that compare the values of untolerated taints, to continue a
// sentence: "; it tolerates sla > 950"; "" without any.
func comparisons(q *Question, taints []corev1.Taint) string {
	var all []string
	for i := range taints {
		if t := Comparison(q, &taints[i]); t != nil && !slices.Contains(all, Compared(t)) {
			all = append(all, Compared(t))
		}
	}
	switch {
	case len(all) == 0:
		return ""
	case model.ComparesTolerations():
		return "; the pod tolerates " + strings.Join(all, " and ")
	}
	return "; the pod's toleration of " + strings.Join(all, " and ") + " does not count, because the feature gate " + string(features.TaintTolerationComparisonOperators) + " is off"
}

// taintClause words taints for a table: a state by its name, once, and any
// other taint as key=value:effect.
func taintClause(taints []corev1.Taint) string {
	var all []string
	for _, taint := range taints {
		said := cmp.Or(ConditionOf(&taint), taint.ToString())
		if !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	return grammar.List(all, grammar.Few)
}
