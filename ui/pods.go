package ui

import (
	"cmp"
	"fmt"
	"sort"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// pods is the page of all pods, or of those of one node.
type pods struct {
	list[*model.Pod]
	node   string // "" is all
	counts string // of the rows by phase, in words
}

func newPods(a *App) *pods { return newPodsOf(a, "") }

// newPodsOf is the page of one node's pods.
func newPodsOf(a *App, node string) *pods {
	p := &pods{node: node}
	p.app, p.self, p.natural = a, p, p.rows
	p.table = newTable(podID, p.columns()...)
	return p
}

func podID(p *model.Pod) string { return string(p.Object.UID) }

// rows are the pods of the namespace, and of the node. They are counted here,
// once a snapshot.
func (p *pods) rows() []*model.Pod {
	all := p.app.snapshot.Pods
	if p.node != "" {
		all = nil
		if node, ok := p.app.snapshot.Node(p.node); ok {
			all = node.Pods
		}
	}
	all = inNamespace(all, p.app.namespace())
	p.counts = count(len(all), "pod", "pods") + phases(all) + "."
	return all
}

// inNamespace are those of pods, which are by namespace, that are in one.
func inNamespace(pods []*model.Pod, namespace string) []*model.Pod {
	if namespace == "" {
		return pods
	}
	from := sort.Search(len(pods), func(i int) bool { return pods[i].Object.Namespace >= namespace })
	to := sort.Search(len(pods), func(i int) bool { return pods[i].Object.Namespace > namespace })
	return pods[from:to]
}

func (p *pods) columns() []column[*model.Pod] {
	a := p.app
	figure := func(head string, from int, text func(*model.Pod) string) column[*model.Pod] {
		return column[*model.Pod]{head: head, gap: 1, from: from, right: true, text: func(p *model.Pod) cell { return cell{text: text(p)} }}
	}
	return []column[*model.Pod]{
		{head: "NAMESPACE/NAME", flex: true, names: true, min: 26, text: a.podName},
		{head: "READY", gap: 1, right: true, text: readyCell, order: func(a, b *model.Pod) int {
			return cmp.Or(cmp.Compare(a.Ready-a.Total, b.Ready-b.Total), cmp.Compare(a.Total, b.Total))
		}},
		{head: "STATUS", gap: 1, min: 17, max: 30, state: true, text: statusCell},
		{head: "QOS", gap: 1, min: 5, text: func(p *model.Pod) cell { return cell{text: shortQOS(p.QOS)} }},
		{head: "NODE", gap: 1, min: 10, max: 20, names: true, text: func(p *model.Pod) cell { return cell{text: a.nodeName(p.Object.Spec.NodeName)} }},
		{
			head: "AGE", gap: 1, min: 4, right: true, text: func(p *model.Pod) cell { return cell{text: a.since(p.Since())} },
			order: func(a, b *model.Pod) int { return b.Since().Compare(a.Since()) },
		},
		{
			head: "PRIO", gap: 1, from: 100, right: true, text: func(p *model.Pod) cell { return cell{text: strconv.Itoa(int(p.Priority()))} },
			order: func(a, b *model.Pod) int { return cmp.Compare(b.Priority(), a.Priority()) },
		},
		{
			head: "RESTARTS", gap: 1, from: 100, right: true, text: func(p *model.Pod) cell { return cell{text: strconv.Itoa(int(p.Restarts))} },
			order: func(a, b *model.Pod) int { return cmp.Compare(b.Restarts, a.Restarts) },
		},
		figure("CPU", 120, func(p *model.Pod) string { return cores(p.Requests.MilliCPU) }),
		figure("USED", 120, func(p *model.Pod) string { return a.used(p, func(u model.Amount) string { return cores(u.MilliCPU) }) }),
		figure("MEM", 120, func(p *model.Pod) string { return memory(p.Requests.Memory) }),
		figure("USED", 120, func(p *model.Pod) string { return a.used(p, func(u model.Amount) string { return memory(u.Memory) }) }),
		figure("LIMITS", 200, func(p *model.Pod) string { return limits(p.Limits) }),
		{head: "IP", from: 200, text: func(p *model.Pod) cell { return cell{text: p.Object.Status.PodIP} }},
		{head: "OWNER", from: 200, max: 40, names: true, text: func(p *model.Pod) cell { return cell{text: owner(p.Owner)} }},
	}
}

func readyCell(p *model.Pod) cell {
	return cell{text: fmt.Sprintf("%d/%d", p.Ready, p.Total)}
}

func statusCell(p *model.Pod) cell {
	made := cell{text: p.Status}
	switch {
	case p.Object.Status.Phase == corev1.PodFailed || strings.Contains(p.Status, "Err") || strings.Contains(p.Status, "BackOff"):
		made.tone = bad
	case p.Waits || p.Object.Status.Phase == corev1.PodPending:
		made.tone = warning
	case p.Object.Status.Phase == corev1.PodSucceeded:
		made.tone = dim
	}
	return made
}

func (p *pods) crumbs() []string {
	if p.node == "" {
		return []string{"pods"}
	}
	return []string{"nodes", p.app.nodeName(p.node), "pods"}
}

// answer counts the pods by their phase.
func (p *pods) answer(int) string {
	if p.app.isReading() {
		return p.app.readingWords()
	}
	return p.counts
}

// phases counts pods by phase, in words.
func phases(rows []*model.Pod) string {
	counts := map[corev1.PodPhase]int{}
	for _, pod := range rows {
		counts[pod.Object.Status.Phase]++
	}
	var words []string
	for _, phase := range []corev1.PodPhase{corev1.PodRunning, corev1.PodPending, corev1.PodFailed, corev1.PodSucceeded, corev1.PodUnknown} {
		if n := counts[phase]; n > 0 {
			words = append(words, model.FormatCount(n)+" "+string(phase))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

func (p *pods) selected() selection {
	pod, ok := p.table.selected()
	if !ok {
		return selection{}
	}
	return podSelection(pod)
}

func podSelection(pod *model.Pod) selection {
	return selection{
		ref: model.Ref{Resource: "pods", Namespace: pod.Object.Namespace, Name: pod.Object.Name, UID: pod.Object.UID},
		pod: pod, copy: pod.FullName(),
	}
}

func (p *pods) places() place { return everywhere | lists | onPod | podFacts }

func (p *pods) footer() []footKey {
	return keys(doOpen, doDescribe, doYAML, doFilter, doSort, doMark, doPalette)
}

func (p *pods) off(do action) string { return p.app.offPod(do, p.table.selectedGone(), p.selected()) }

func (p *pods) act(do action) tea.Cmd {
	if cmd, done := p.actList(do); done {
		return cmd
	}
	return p.app.actOn(do, p.selected())
}
