package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

const (
	// mostFilterAnswers is for how many plugins and kinds of pods answers are kept: a byte for
	// each node.
	mostFilterAnswers = 512
	// fitRequestsKey is where NodeResourcesFit keeps what the pod requests (preFilterStateKey of
	// pkg/scheduler/framework/plugins/noderesources).
	fitRequestsKey = "PreFilter" + names.NodeResourcesFit
)

// filterAnswers keeps what the Filter halves of some plugins answered for a kind of pods and a
// node, until something on the node changes: a node, its pods or what they request. Of these
// plugins nothing else decides: NodeName, NodeUnschedulable, TaintToleration, NodeAffinity and,
// for cpu, memory and ephemeral storage, NodeResourcesFit. A simulation asks for the same pods
// again and again, and changes few nodes.
type filterAnswers struct {
	generations []int64 // of the nodes as they are, in the snapshot's order: what is kept holds for these
	loose       []bool  // by node of the present question: nothing is kept, as it is simulated
	known       map[filterKey]*filterColumn
	aligned     *views // the nodes of the last question
	updates     int64  // how often the state had been updated then
}

// filterKey is what answers depend on beside the node.
type filterKey struct {
	profile *Profile
	plugin  int
	pod     string // all that the plugin reads of it
}

// filterColumn are the answers of one plugin for one kind of pods.
type filterColumn struct {
	codes    []uint8       // by node: unasked, passed, or from rejected on the place of a status
	statuses []*fwk.Status // each once
}

// The codes of filterColumn.
const (
	unasked uint8 = iota
	passed
	rejected
	mostCodes = 255
)

// align takes the nodes of a question; what was kept for nodes that have changed since is dropped,
// here and by forget.
func (c *filterAnswers) align(t *State, forget func(place int)) {
	lists := t.overlay.lists()
	if c.aligned == lists && c.updates == t.updates {
		return // a list of simulated nodes is made anew with each change
	}
	c.aligned, c.updates = lists, t.updates
	if kept := len(t.nodes.lists.all); c.known == nil || len(c.generations) != kept {
		c.generations, c.known = make([]int64, kept), map[filterKey]*filterColumn{}
	}
	c.loose = slices.Grow(c.loose[:0], len(lists.all))[:len(lists.all)]
	for i, node := range lists.all {
		generation := node.GetGeneration()
		c.loose[i] = i >= len(c.generations)
		if c.loose[i] || c.generations[i] == generation {
			continue
		}
		if fork := t.overlay.fork; fork != nil {
			if _, changed := fork.nodes[node.Node().Name]; changed {
				c.loose[i] = true
				continue
			}
		}
		c.generations[i] = generation
		forget(i)
		for _, column := range c.known {
			column.codes[i] = unasked
		}
	}
}

// of are the answers that are kept for a plugin and pods like this one; nil where none are.
func (c *filterAnswers) of(m *Matrix, k int, pod *corev1.Pod) *filterColumn {
	read := readBy(m, m.Profile.Plugins[k].Name, pod)
	if read == "" || m.Answers[k].Only != nil {
		return nil
	}
	key := filterKey{m.Profile, k, read}
	column, ok := c.known[key]
	if !ok {
		if len(c.known) >= mostFilterAnswers {
			clear(c.known)
		}
		column = &filterColumn{codes: make([]uint8, len(c.generations))}
		c.known[key] = column
	}
	return column
}

// recall puts the answers that are kept for the asked nodes into a column, and leaves the nodes
// to ask: all where none are kept.
func (c *filterAnswers) recall(kept *filterColumn, m *Matrix, asked []int, into []*fwk.Status) []int {
	if kept == nil {
		return asked
	}
	rest := asked[:0]
	for _, i := range asked {
		if c.loose[i] || kept.codes[i] == unasked || m.views != nil && m.views[i] != nil {
			rest = append(rest, i)
		} else if code := kept.codes[i]; code >= rejected {
			into[i] = kept.statuses[code-rejected]
		}
	}
	return rest
}

// keep takes the answers for nodes that were asked, if there is where to keep them.
func (c *filterAnswers) keep(kept *filterColumn, m *Matrix, asked []int, column []*fwk.Status) {
	if kept == nil {
		return
	}
	for _, i := range asked {
		if c.loose[i] || m.views != nil && m.views[i] != nil {
			continue
		}
		kept.codes[i] = kept.code(column[i])
	}
}

// code is that of an answer; unasked where it cannot be kept.
func (k *filterColumn) code(status *fwk.Status) uint8 {
	switch {
	case status == nil:
		return passed
	case !status.IsRejected():
		return unasked // an error
	}
	at := slices.IndexFunc(k.statuses, func(other *fwk.Status) bool {
		return other.Code() == status.Code() && slices.Equal(other.Reasons(), status.Reasons())
	})
	if at < 0 {
		if len(k.statuses)+int(rejected) > mostCodes {
			return unasked
		}
		at = len(k.statuses)
		k.statuses = append(k.statuses, status)
	}
	return rejected + uint8(at)
}

// readBy is all that a plugin reads of the pod, "" where its answers are not kept: they depend
// on more than the pod and the node.
func readBy(m *Matrix, plugin string, pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" || resource.IsPodResizeDeferred(pod) {
		return ""
	}
	var b strings.Builder
	b.WriteString(plugin)
	switch plugin {
	case names.NodeName:
	case names.NodeUnschedulable, names.TaintToleration:
		for i := range pod.Spec.Tolerations {
			b.WriteString(pod.Spec.Tolerations[i].String())
		}
	case names.NodeAffinity:
		for _, name := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
			fmt.Fprintf(&b, "%q=%q,", name, pod.Spec.NodeSelector[name])
		}
		if affinity := pod.Spec.Affinity; affinity != nil && affinity.NodeAffinity != nil {
			b.WriteString(affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.String())
		}
	case names.NodeResourcesFit:
		data, err := m.State.Read(fitRequestsKey)
		requests, ok := data.(fwk.Resource)
		if err != nil || !ok || len(requests.GetScalarResources()) > 0 {
			return ""
		}
		for _, amount := range []int64{requests.GetMilliCPU(), requests.GetMemory(), requests.GetEphemeralStorage()} {
			b.WriteString(" " + strconv.FormatInt(amount, 10))
		}
	default:
		return ""
	}
	return b.String()
}
