package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// OnNode asks every plugin about only one node, for each of some pods that have
// no node: what the other nodes would say is left out, which is most of the cost
// of Explain. Pods that are gone or have a node by now are left out of the
// answers, which are in the order of uids.
func (e *Engine) OnNode(ctx context.Context, uids []types.UID, node string) ([]report.NodeAnswer, error) {
	answers := make([]report.NodeAnswer, 0, len(uids))
	for _, uid := range uids {
		answer, err := e.onNode(ctx, uid, node)
		if err != nil {
			return nil, err
		}
		if answer != nil {
			answers = append(answers, *answer)
		}
	}
	return answers, nil
}

// onNode answers for one pod, under the lock; nil where it needs no node.
func (e *Engine) onNode(ctx context.Context, uid types.UID, node string) (answer *report.NodeAnswer, err error) {
	find := func() *corev1.Pod { return e.scheduler.State.Pods[uid] }
	said, err := e.sources.gather(ctx, find)
	if err != nil {
		return nil, err
	}
	release, err := e.scheduler.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	pod := find()
	if pod == nil || pod.Spec.NodeName != "" || scheduler.Terminal(pod) {
		return nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			answer, err = nil, fmt.Errorf("explain pod %s on %s: %w", plugins.FullName(pod), node, scheduler.PanicError(r))
		}
	}()
	e.scheduler.Settle(ctx)
	x := e.begin(ctx, pod)
	x.take(said)
	answer = &report.NodeAnswer{UID: uid, Rejections: []report.Rejection{}, Held: x.held(ctx)}
	x.doubt()
	answer.Unknown = x.report.Unknown
	if why, unread := e.scheduler.Forbidden["nodes"]; unread {
		answer.Unknown = append(answer.Unknown, report.UnknownPart{Resource: "nodes", Why: why})
		return answer, nil
	}
	if err := x.askNode(ctx, node, answer); err != nil {
		return nil, fmt.Errorf("explain pod %s on %s: %w", plugins.FullName(pod), node, err)
	}
	return answer, nil
}

// held says why the scheduler does not look at the nodes for the pod.
func (x *explanation) held(ctx context.Context) string {
	if !x.considered() {
		if x.question.Pod.DeletionTimestamp != nil {
			return "being deleted"
		}
		return fmt.Sprintf("scheduler %q is not running", scheduler.NameOf(x.question.Pod))
	}
	if !x.gated(ctx) {
		return ""
	}
	var gates []string
	for _, g := range x.facts.Gates {
		gates = append(gates, g.Short)
	}
	return "gated: " + strings.Join(gates, ", ")
}

// askNode puts the question to every plugin for one node.
func (x *explanation) askNode(ctx context.Context, node string, answer *report.NodeAnswer) error {
	m, err := x.profile.EvaluateNodes(ctx, x.question.Pod, node)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(m.Nodes, func(n fwk.NodeInfo) bool { return n.Node().Name == node })
	if i < 0 {
		return fmt.Errorf("find node %s: %w", node, ErrNoNode)
	}
	answer.Fits = m.Fits(i)
	if len(answer.Unknown) > 0 && answer.Fits != nil && *answer.Fits {
		answer.Fits = nil // a gate, or who its scheduler is, could not be found out
	}
	if answer.Fits == nil {
		answer.Unknown = report.MergeUnknown(answer.Unknown, m.Unknown())
	}
	for k := range m.Answers {
		if m.Rejects(k, i) == nil {
			continue
		}
		r := m.Rejection(k, i)
		if r.Plugin == names.NodeResourcesFit && r.Status.Code() == fwk.UnschedulableAndUnresolvable {
			answer.TooSmall = true
		}
		told := plugins.Tell(x.question, []plugins.NodeRejection{r})
		told.PreFilter = m.Answers[k].Pre != nil
		answer.Rejections = append(answer.Rejections, told)
		answer.Distance += plugins.Explainers[r.Plugin].Missing(x.question, r)
	}
	return nil
}
