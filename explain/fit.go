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

// fitCount is a Fit in the making.
type fitCount struct {
	engine *Engine
	on     *scheduler.SimulatedState
	of     *fitTemplate
	said   externalFacts
	answer *report.Fit
}

// Fit says how many equal pods, which do not exist, would be created and scheduled, on
// which nodes, and what stops the next one. They are placed one after another in a
// simulated state, of which nothing is kept.
func (e *Engine) Fit(ctx context.Context, q report.FitQuery) (*report.Fit, error) {
	judged, err := admission.Judge(ctx, &model.NotCreated{Pod: q.Pod}, admissionSources(e, q.Admittance))
	if err != nil {
		return nil, err
	}
	of, err := newFitTemplate(ctx, e, judged.Pod, q.Replicas)
	if err != nil {
		return nil, err
	}
	answer := &report.Fit{
		TypeMeta: metav1.TypeMeta{APIVersion: report.APIVersion, Kind: report.FitKind},
		Asked:    q.Replicas, Placed: []report.PlacedOn{}, Unknown: report.MergeUnknown(judged.Unknown(), of.unknown),
	}
	said, err := e.sources.gather(ctx, func() *corev1.Pod { return judged.Pod })
	if err != nil {
		return nil, err
	}
	f := &fitCount{e, e.scheduler.State.NewSimulatedState(nil, nil), of, said, answer}
	if answer.Added, err = addNodes(ctx, e, f.on, q.New); err != nil {
		return nil, err
	}
	first, err := f.explain(ctx, of.Template, 0)
	if err != nil {
		return nil, err
	}
	answer.Scheduler = first.Scheduler
	answer.Scheduler.Caveats = append(answer.Scheduler.Caveats, of.caveats...)
	created, rejected, claimed, err := of.created(ctx, e, judged, q.Replicas)
	if err != nil {
		return nil, err
	}
	if answer.Added != nil {
		if err := fitWithout(ctx, e, answer, of, created); err != nil {
			return nil, err
		}
	}
	switch {
	case created == 0 && q.Replicas > 0: // kube-apiserver rejects it before any node matters
		answer.NotCreated(rejected)
	case first.Verdict != report.Schedulable:
		f.stoppedBy(first)
	case len(of.unknown) > 0 && created > 0: // devices or volumes decide
	default:
		if err := f.fill(ctx, created, claimed, rejected); err != nil {
			return nil, err
		}
	}
	answer.Count()
	return answer, nil
}

// fill places the pods that would be created, and finds what stops the next one.
func (f *fitCount) fill(ctx context.Context, created int, claimed claimsAdmitted, rejected []report.Rejection) error {
	filled, err := placement.Fill(ctx, f.engine.scheduler, f.on, f.of.Template, claimed.pods)
	if err != nil {
		return err
	}
	f.answer.Place(filled.Nodes)
	if chance := report.FitChance(len(filled.Nodes), claimed.pods); filled.Chance && chance != "" {
		f.answer.Scheduler.Caveats = append(f.answer.Scheduler.Caveats, chance)
	}
	f.answer.Unknown = report.MergeUnknown(f.answer.Unknown, filled.Unknown)
	next := f.of.Template
	switch {
	case len(filled.Unknown) > 0:
		return nil
	case filled.Stopped:
	case len(claimed.unknown) > 0:
		f.answer.Unknown = report.MergeUnknown(f.answer.Unknown, claimed.unknown)
		return nil
	case claimed.pods < created:
		next.Unclaimed = true
		f.answer.Scheduler.Caveats = append(f.answer.Scheduler.Caveats, "kube-apiserver would reject "+claimed.rejection)
	case created < f.answer.Asked:
		f.answer.NotCreated(rejected)
		return nil
	default:
		return nil
	}
	told, err := f.explain(ctx, next, len(filled.Nodes))
	if err != nil {
		return err
	}
	f.stoppedBy(told)
	return nil
}

// stoppedBy notes the explanation of the first pod that is not placed, unless what is not known
// of new nodes decides.
func (f *fitCount) stoppedBy(next *report.Report) {
	if devicesDecide(f.answer.Added, next) {
		f.answer.Unknown = report.MergeUnknown(f.answer.Unknown, newDevicesUnknown, next.Unknown)
		return
	}
	f.answer.StoppedBy(next)
}

// admissionSources is where the rules of a namespace are read that may reject pods: of pods
// that kube-apiserver admits, only quotas may reject more.
func admissionSources(e *Engine, known report.Admittance) admission.Sources {
	from := admission.Sources{
		LimitRanges: e.options.LimitRanges, Quotas: e.options.Quotas, Labels: e.sources.labels, Missing: e.sources.noNamespace, Terminating: e.sources.terminating,
		ClusterVersion: e.options.ClusterVersion, Now: e.options.Now(), Admittance: known,
	}
	if known.Admitted {
		from.LimitRanges = func(context.Context, string) ([]corev1.LimitRange, error) { return nil, nil }
		from.Labels = func(string) (map[string]string, string) { return nil, "" }
		from.Missing, from.Terminating = nil, nil
	}
	return from
}

// explain explains the pod of that number, from 0, in the simulated state, with an answer for
// each node.
func (f *fitCount) explain(ctx context.Context, of placement.Template, n int) (*report.Report, error) {
	return f.explainWith(ctx, func(on *scheduler.SimulatedState) (*corev1.Pod, error) { return of.AsNewPod(on, n) })
}

// explainWith is explain of the pod that a function makes in the simulated state.
func (f *fitCount) explainWith(ctx context.Context, create func(*scheduler.SimulatedState) (*corev1.Pod, error)) (answer *report.Report, err error) {
	answer, err = explainOn(ctx, f.engine, f.on, f.said, create)
	if err != nil {
		return nil, fmt.Errorf("explain pod %s/%s: %w", f.of.Pod.Namespace, f.of.Pod.Name, err)
	}
	return answer, nil
}

// explainOn explains a pod in a simulated state, with an answer for each node.
func explainOn(ctx context.Context, e *Engine, on *scheduler.SimulatedState, said externalFacts, create func(*scheduler.SimulatedState) (*corev1.Pod, error)) (answer *report.Report, err error) {
	err = e.scheduler.Hold(ctx, on, func() error {
		pod, err := create(on)
		if err != nil {
			return err
		}
		x := e.begin(ctx, pod)
		x.take(said)
		if err := x.answer(ctx, true); err != nil {
			return err
		}
		summary.Fill(x.question, x.facts, x.report)
		answer = x.report
		return nil
	})
	return answer, err
}
