package explain

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// newNodes makes nodes that do not exist, and says what they are; nil for none.
func newNodes(ctx context.Context, e *Engine, wanted report.NewNodes) (nodes []scheduler.NewNode, added *report.AddedNodes, err error) {
	if wanted.Count == 0 {
		return nil, nil, nil
	}
	if why := e.scheduler.Forbidden["nodes"]; why != "" {
		return nil, nil, fmt.Errorf("add a node like %s: %s", wanted.Like, why)
	}
	err = e.scheduler.Hold(ctx, nil, func() (err error) {
		nodes, err = placement.NewNodes(ctx, e.scheduler, wanted.Like, wanted.Count, func(*corev1.Node) {})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	added = &report.AddedNodes{Like: wanted.Like, Zone: nodes[0].Node.Labels[corev1.LabelTopologyZone], DaemonPods: len(nodes[0].Pods)}
	for _, one := range nodes {
		added.Nodes = append(added.Nodes, one.Node.Name)
	}
	return nodes, added, nil
}

// addNodes adds new nodes to a simulated state.
func addNodes(ctx context.Context, e *Engine, on *scheduler.SimulatedState, wanted report.NewNodes) (*report.AddedNodes, error) {
	nodes, added, err := newNodes(ctx, e, wanted)
	for _, one := range nodes {
		on.AddNode(one)
	}
	return added, err
}

// fitWithout counts how many of the pods fit the nodes that exist. What the devices of a
// new node are is not known.
func fitWithout(ctx context.Context, e *Engine, answer *report.Fit, of *fitTemplate, pods int) error {
	if of.devices {
		answer.Unknown = report.MergeUnknown(answer.Unknown, newDevicesUnknown)
		return nil
	}
	if len(of.unknown) > 0 {
		return nil
	}
	filled, err := placement.Fill(ctx, e.scheduler, e.scheduler.State.NewSimulatedState(nil, nil), of.Template, pods)
	if err == nil && len(filled.Unknown) == 0 {
		answer.Added.Without = new(len(filled.Nodes))
	}
	return err
}

// newDevicesUnknown is what is not known where nodes are added.
var newDevicesUnknown = []report.UnknownPart{
	{Resource: "resourceslices", Why: "the devices of a new node are not known", Plugins: []string{}},
}

// devicesDecide says whether a pod would fit a new node if that had the devices: nothing else
// rejects it there.
func devicesDecide(added *report.AddedNodes, pod *report.Report) bool {
	return added != nil && slices.ContainsFunc(pod.Nodes, func(on report.NodeResult) bool {
		return slices.Contains(added.Nodes, on.Name) && len(on.Rejections) == 1 && on.Rejections[0].Plugin == names.DynamicResources
	})
}

// stopsPending notes what stops a pending pod in a simulated state.
func stopsPending(ctx context.Context, e *Engine, on *scheduler.SimulatedState, pod *corev1.Pod, answer *report.Fit) error {
	said, err := e.sources.gather(ctx, func() *corev1.Pod { return pod })
	if err != nil {
		return err
	}
	next, err := explainOn(ctx, e, on, said, func(*scheduler.SimulatedState) (*corev1.Pod, error) { return placement.AsNewPod(pod), nil })
	if err != nil {
		return fmt.Errorf("explain pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	answer.StopsPending(report.PodName{Namespace: pod.Namespace, Name: pod.Name}, next)
	return nil
}

// FitPending says how many of the pending pods would be scheduled if there were some nodes
// more, and how many are without them.
func FitPending(ctx context.Context, e *Engine, wanted report.NewNodes) (*report.Fit, error) {
	answer := &report.Fit{
		TypeMeta: metav1.TypeMeta{APIVersion: report.APIVersion, Kind: report.FitKind},
		Placed:   []report.PlacedOn{}, Pending: []report.PendingFit{}, Unknown: []report.UnknownPart{},
	}
	nodes, added, err := newNodes(ctx, e, wanted)
	if err != nil {
		return nil, err
	}
	simulator := e.simulated()
	before, err := simulator.Pending(ctx)
	if err != nil {
		return nil, err
	}
	simulator.Added = nodes
	simulator.Stopped = func(ctx context.Context, on *scheduler.SimulatedState, pod *corev1.Pod) error {
		return stopsPending(ctx, e, on, pod, answer)
	}
	after, err := simulator.Pending(ctx)
	if err != nil {
		return nil, err
	}
	answer.Pending, answer.Held, answer.Added = after.Workloads, after.Held, added
	if after.Unknown != "" {
		answer.Unknown = []report.UnknownPart{{Resource: "pods", Why: after.Unknown, Plugins: []string{}}}
	}
	answer.Place(after.Nodes)
	answer.CountPending(after.Fits)
	if added != nil && before.Unknown == "" {
		compared := &report.Fit{Pending: before.Workloads}
		compared.CountPending(before.Fits)
		added.Without = compared.Fits
	}
	return answer, e.scheduler.Hold(ctx, nil, func() error {
		answer.Scheduler = schedulerInfo(e, e.scheduler.Profile(&corev1.Pod{}))
		return nil
	})
}
