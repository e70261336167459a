package summary

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// resizeWords are what the kubelet does with a resize in place, by its state; because is why, where
// what the node lacks does not say it.
var resizeWords = map[string]struct{ state, words, because string }{
	model.ResizeDeferred:   {"deferred", "is deferred%s", "the kubelet tries again"},
	model.ResizeInfeasible: {"infeasible", "is infeasible%s", "the kubelet does not grant it"},
	model.ResizeInProgress: {"in progress", "has been in progress%s", ""},
	model.ResizeError:      {"fails", "has failed%s", "the kubelet tries again"},
}

// tellResize adds how far the kubelet is with a resize in place of a running pod, if one is under way.
func tellResize(q *podQuestion, told *overall) {
	r := model.ResizeOf(q.Pod)
	is, known := resizeWords[r.State]
	if !known {
		return
	}
	since := ""
	if !r.Since.IsZero() {
		since = " for " + model.FormatAge(r.Since, q.Now)
	}
	because, short := is.because, is.state
	if lacks := nodeLacks(q, r); lacks.resource != "" {
		because, short = lacks.sentence(), is.state+": "+lacks.clause()
	}
	if because != "" {
		because = ": " + because
	}
	told.summary += fmt.Sprintf(" Its resize%s "+is.words+"%s.", desired(q), since, because)
	if told.why == q.Pod.Spec.NodeName {
		told.why = short
		if short == is.state {
			told.why += " on " + q.Pod.Spec.NodeName
		}
	} else {
		told.why += "; resize " + is.state
	}
	told.cause = report.ResizeWaits
	if r.Message != "" {
		told.facts = append(told.facts, "kubelet's message: "+r.Message)
	}
}

// lack is what a node lacks to grant a resize, judging by requests: so much more, or it has no more
// allocatable than that. Without a resource that is not known, or not why: an infeasible resize is
// never granted, whatever is freed.
type lack struct {
	node     string
	resource corev1.ResourceName
	amount   string
	whole    bool
}

// sentence is "std-a-01 needs cpu 500m more".
func (l lack) sentence() string {
	if l.whole {
		return fmt.Sprintf("%s has %s %s allocatable", l.node, l.resource, l.amount)
	}
	return fmt.Sprintf("%s needs %s %s more", l.node, l.resource, l.amount)
}

// clause is the same for a cell, what matters most first.
func (l lack) clause() string {
	if l.whole {
		return fmt.Sprintf("%s %s allocatable on %s", l.resource, l.amount, l.node)
	}
	return fmt.Sprintf("needs %s %s more on %s", l.resource, l.amount, l.node)
}

// nodeLacks is what the pod's node lacks to grant the resize.
func nodeLacks(q *podQuestion, r model.Resize) lack {
	name := q.Pod.Spec.NodeName
	info, err := q.Nodes.NodeInfos().Get(name)
	if err != nil || !r.IsWaiting() {
		return lack{}
	}
	var others []*corev1.Pod
	for _, other := range info.GetPods() {
		others = append(others, other.GetPod())
	}
	allocatable := info.Node().Status.Allocatable
	lacks, known := model.ResizeLacks(q.Pod, others, allocatable)
	wants := model.DesiredRequests(q.Pod)
	for _, resource := range model.ResizableResources {
		want, whole := wants[resource], allocatable[resource]
		if most, _ := model.Count(resource, whole); known && want.Cmp(whole) > 0 {
			return lack{name, resource, quantity.RoundedDown(resource, most), true}
		}
	}
	for _, resource := range model.ResizableResources {
		if short, has := lacks[resource]; has && r.State == model.ResizeDeferred && !q.found.PodsUnread {
			amount, _ := model.Count(resource, short)
			return lack{name, resource, quantity.RoundedUp(resource, amount), false}
		}
	}
	return lack{}
}

// desired is what the pod's spec requests of what the resize changes: " to cpu 4 and memory 8Gi"; ""
// where that is what it has.
func desired(q *podQuestion) string {
	spec, granted := model.DesiredRequests(q.Pod), model.AllocatedRequests(q.Pod)
	var said []string
	for _, name := range model.ResizableResources {
		is, was := spec[name], granted[name]
		if amount, _ := model.Count(name, is); is.Cmp(was) != 0 {
			said = append(said, string(name)+" "+quantity.RoundedUp(name, amount))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " to " + strings.Join(said, " and ")
}
