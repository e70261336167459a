package explain

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Fit says how many equal pods, which do not exist, would be created and scheduled, on
// which nodes, and what stops the next one. They are placed one after another in a
// simulated state, of which nothing is kept.
func (e *Engine) Fit(ctx context.Context, q report.FitQuery) (*report.Fit, error) {
	judged, err := admission.Judge(ctx, &model.NotCreated{Pod: q.Pod}, admissionSources(e, q.Admitted))
	if err != nil {
		return nil, err
	}
	answer := &report.Fit{
		TypeMeta: metav1.TypeMeta{APIVersion: report.APIVersion, Kind: report.FitKind},
		Asked:    q.Replicas, Placed: []report.PlacedOn{}, Unknown: judged.Unknown(),
	}
	said, err := e.sources.gather(ctx, func() *corev1.Pod { return judged.Pod })
	if err != nil {
		return nil, err
	}
	on := e.scheduler.State.NewSimulatedState(nil, nil)
	if answer.Added, err = addNodes(ctx, e, on, q.New); err != nil {
		return nil, err
	}
	first, err := e.explainOn(ctx, on, judged.Pod, said)
	if err != nil {
		return nil, err
	}
	answer.Scheduler = first.Scheduler
	created, rejected := judged.Created(q.Replicas)
	filled := &placement.Filling{}
	if first.Verdict == report.Schedulable {
		if filled, err = placement.Fill(ctx, e.scheduler, on, judged.Pod, created); err != nil {
			return nil, err
		}
	}
	if answer.Added != nil {
		if err := fitWithout(ctx, e, answer, judged.Pod, created); err != nil {
			return nil, err
		}
	}
	answer.Place(filled.Nodes)
	if filled.Chance {
		answer.Scheduler.Caveats = append(answer.Scheduler.Caveats, report.FitChance)
	}
	answer.Unknown = report.MergeUnknown(answer.Unknown, filled.Unknown)
	switch {
	case len(filled.Unknown) > 0:
	case filled.Next != nil:
		next, err := e.explainOn(ctx, on, placement.AsNewPod(filled.Next), said)
		if err != nil {
			return nil, err
		}
		answer.StoppedBy(next)
	case first.Verdict != report.Schedulable:
		answer.StoppedBy(first)
	case created < q.Replicas:
		answer.NotCreated(rejected)
	}
	answer.Count()
	return answer, nil
}

// admissionSources is where the rules of a namespace are read that may reject pods: of pods
// that kube-apiserver admits, only quotas may reject more.
func admissionSources(e *Engine, admitted bool) admission.Sources {
	from := admission.Sources{
		LimitRanges: e.options.LimitRanges, Quotas: e.options.Quotas, Labels: e.sources.labels,
		ClusterVersion: e.options.ClusterVersion, Now: e.options.Now(),
	}
	if admitted {
		from.LimitRanges = func(context.Context, string) ([]corev1.LimitRange, error) { return nil, nil }
		from.Labels = func(string) (map[string]string, string) { return nil, "" }
	}
	return from
}

// explainOn explains a pod that does not exist in a simulated state, with an answer for
// each node.
func (e *Engine) explainOn(ctx context.Context, on *scheduler.SimulatedState, pod *corev1.Pod, said externalFacts) (answer *report.Report, err error) {
	err = e.scheduler.Hold(ctx, on, func() error {
		x := e.begin(ctx, pod)
		x.take(said)
		if err := x.answer(ctx, true); err != nil {
			return err
		}
		summary.Fill(x.question, x.facts, x.report)
		answer = x.report
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("explain pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return answer, nil
}
