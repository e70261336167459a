package summary

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	nodeutil "k8s.io/component-helpers/node/util"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// WaitsForVictims says that a nominated pod waits for its victims, for how long at most, and what ends them sooner;
// "" without victims.
func WaitsForVictims(q *plugins.Question, victims []*corev1.Pod) string {
	if len(victims) == 0 {
		return ""
	}
	words := "Its victims are terminating: it is waiting for their capacity"
	if sooner := endSooner(q, victims); sooner != "" {
		last := slices.MaxFunc(victims, func(a, b *corev1.Pod) int {
			return a.DeletionTimestamp.Compare(b.DeletionTimestamp.Time)
		})
		return words + ", " + report.GraceLeft(last.DeletionTimestamp.Time, q.Now) + ". " + sooner
	}
	return words + "."
}

// longGrace is what is left of a grace period from which on it is said what ends a victim sooner.
const longGrace = 5 * time.Minute

// endSooner says how victims with a long grace period end sooner: a second deletion may shorten it, as BeforeDelete in
// k8s.io/apiserver/pkg/registry/rest allows, and what the pod wanted to do in that time is not done. "" where no grace
// period is long, and for pods of nodes that are not Ready, whose kubelet does not end them.
func endSooner(q *plugins.Question, victims []*corev1.Pod) string {
	named, count := map[string][]string{}, 0
	for _, victim := range victims {
		if victim.DeletionTimestamp.Sub(q.Now) > longGrace && OnReadyNode(q, victim) {
			named[victim.Namespace] = append(named[victim.Namespace], victim.Name)
			count++
		}
	}
	if count == 0 {
		return ""
	}
	var commands []string
	for _, namespace := range slices.Sorted(maps.Keys(named)) {
		slices.Sort(named[namespace])
		words := append([]string{"kubectl", "delete", "pod", "-n", namespace}, named[namespace]...)
		commands = append(commands, shell.Line(append(words, "--grace-period=60")...))
	}
	return strings.Join(commands, " and ") + grammar.Agree(count, " ends it sooner: it gets less time", " ends them sooner: they get less time") + " to shut down, so ask the owner first."
}

// OnReadyNode says whether the node of a pod is there and does not say that it is not Ready.
func OnReadyNode(q *plugins.Question, pod *corev1.Pod) bool {
	node, err := q.Nodes.NodeInfos().Get(pod.Spec.NodeName)
	if err != nil {
		return false
	}
	_, ready := nodeutil.GetNodeCondition(&node.Node().Status, corev1.NodeReady)
	return ready == nil || ready.Status == corev1.ConditionTrue
}
