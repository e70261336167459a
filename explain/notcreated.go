package explain

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// askRefused says why a controller's pods were not created: which quota,
// limit range or Pod Security check would refuse one now, by the API server's
// own code, and what would become of the pod otherwise. Webhooks and policies
// cannot be asked: of those there are only the API server's words.
func (e *Engine) askRefused(ctx context.Context, q report.Query) (*report.Report, error) {
	refused := q.Target.Refused()
	j := &judgement{refused: refused, pod: refused.Pod.DeepCopy(), now: e.options.Now()}
	if err := e.judge(ctx, j); err != nil {
		return nil, fmt.Errorf("explain pods of %s: %w", refused.Pod.GenerateName, err)
	}
	ifCreated, _, err := e.askPod(ctx, report.Query{Target: report.PodFrom(j.pod)})
	if err != nil {
		return nil, err
	}
	r := &report.Report{
		TypeMeta: ifCreated.TypeMeta,
		Pod:      ifCreated.Pod,
		Verdict:  report.NotCreated,
		Admission: &report.Admission{
			Wanted: refused.Wanted, Missing: refused.Missing,
			Since: timeOrNil(refused.Since), LastRefused: timeOrNil(refused.Last),
			Message: refused.Message, Refusals: j.refusals(), IfCreated: ifCreated.Placement(),
		},
		Plugins:   []report.PluginResult{},
		Groups:    []report.Group{},
		Unknown:   append(ifCreated.Unknown, j.unknown...),
		Scheduler: ifCreated.Scheduler,
		Revision:  ifCreated.Revision,
		CreatedAt: refused.Since,
	}
	r.Pod.UID = ""
	r.Scheduler.Caveats = slices.Concat(refused.Notes, r.Scheduler.Caveats)
	told := j.tell(r)
	r.Summary, r.State, r.Why, r.Facts = told.summary, told.state, told.why, told.facts
	if q.Parts.Has(report.PreemptionPart) {
		why := "Cannot help. " + r.Summary
		r.Plan = &report.PreemptionPlan{Answer: why, Why: why}
	}
	if !q.Parts.Has(report.FixesPart) {
		return r, nil
	}
	r.Tried = j.fixes(ifCreated)
	return r.WithFixes(r.Tried), nil
}

// judgement is what admission says of a pod that a controller would create.
type judgement struct {
	refused  *model.Refused
	pod      *corev1.Pod // with what LimitRanges fill in
	limits   []report.Refusal
	security []report.Refusal
	quotas   []quotaRefusal
	heard    []corev1.ResourceQuota // all of the namespace
	unknown  []report.UnknownPart
	now      time.Time
}

// judge asks in the API server's order: limits are filled in before quotas count.
func (e *Engine) judge(ctx context.Context, j *judgement) error {
	namespace := j.pod.Namespace
	ranges, err := hearOf(ctx, e.options.LimitRanges, namespace)
	if err != nil {
		j.leaveOpen("limitranges", err.Error(), limitPlugin)
	} else if j.limits, err = ApplyLimitRanges(j.pod, ranges); err != nil {
		return err
	}
	labels, why := e.labelsOf(namespace)
	if why != "" {
		j.leaveOpen("namespaces", why, securityPlugin)
	} else if j.security, err = securityRefusing(j.pod, labels, e.options.ClusterVersion); err != nil {
		return err
	}
	quotas, err := hearOf(ctx, e.options.Quotas, namespace)
	if err != nil {
		j.leaveOpen("resourcequotas", err.Error(), quotaPlugin)
	} else {
		j.heard, j.quotas = quotas, quotasRefusing(j.pod, quotas)
	}
	return ctx.Err()
}

// errNobodyAsked is why something is not known where a source cannot say.
var errNobodyAsked = fmt.Errorf("nobody was asked")

// hearOf asks for the objects of one kind in a namespace.
func hearOf[T any](ctx context.Context, ask func(context.Context, string) ([]T, error), namespace string) ([]T, error) {
	if ask == nil {
		return nil, errNobodyAsked
	}
	return ask(ctx, namespace)
}

// labelsOf are the namespace's labels, or why they are not known.
func (e *Engine) labelsOf(namespace string) (labels map[string]string, why string) {
	if why, unread := e.forbidden["namespaces"]; unread {
		return nil, why
	}
	object, err := e.namespaces.Get(namespace)
	if err != nil {
		return nil, fmt.Sprintf("namespace %s was not read", namespace)
	}
	return object.Labels, ""
}

func (j *judgement) leaveOpen(resource, why, plugin string) {
	j.unknown = append(j.unknown, report.UnknownPart{Resource: resource, Why: why, Plugins: []string{plugin}})
}

// refusals are all of them, in the order in which the API server asks.
func (j *judgement) refusals() []report.Refusal {
	all := slices.Concat(j.limits, j.security)
	for _, r := range j.quotas {
		all = append(all, r.refusal())
	}
	if all == nil {
		all = []report.Refusal{}
	}
	return all
}

func timeOrNil(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t}
}
