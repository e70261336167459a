package explain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	schedulingrules "k8s.io/kubernetes/pkg/apis/scheduling/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

const (
	// admissionTime is after how long no further controller is asked for its pod.
	admissionTime = 5 * time.Second
	// controllersAtOnce is how many are asked at a time.
	controllersAtOnce = 8
)

// successor is the pod that a controller creates in place of some that go.
type successor struct {
	namespace string
	by        *metav1.OwnerReference
	replaces  []types.UID

	rejected string // why kube-apiserver rejects it; "" where nothing is known to
	unread   string // why that is not known
}

// tellAdmission notes which replacements kube-apiserver would not let be created, because a rule
// has changed since the pods were: of a LimitRange, of Pod Security, or a class that was deleted.
// Quotas are left to tellQuotas. Rules that cannot be read reject nothing.
func tellAdmission(ctx context.Context, e *Engine, gone []types.UID, told *plan.Forecast) error {
	if e.options.Created == nil {
		return nil
	}
	pods, err := byNamespace(ctx, e, gone, told)
	if err != nil {
		return err
	}
	var all []*successor
	for _, namespace := range slices.Sorted(maps.Keys(pods)) {
		all = append(all, successorsIn(ctx, e, namespace, pods[namespace], told)...)
	}
	asking, within := errgroup.WithContext(ctx)
	asking.SetLimit(controllersAtOnce)
	begun := time.Now()
	for _, one := range all {
		asking.Go(func() error {
			defer utilruntime.HandleCrash()
			if time.Since(begun) > admissionTime {
				one.unread = "no time left"
				return nil
			}
			return one.ask(within, e)
		})
	}
	if err := asking.Wait(); err != nil {
		return err
	}
	open, why := 0, ""
	for _, one := range all {
		if one.unread != "" {
			open, why = open+len(one.replaces), one.unread
		}
		for _, uid := range one.replaces {
			if one.rejected != "" {
				told.Fates[uid] = plan.Fate{Outcome: plan.Lost, Why: one.rejected, Budget: told.Fates[uid].Budget}
			}
		}
	}
	if open > 0 {
		add := fmt.Sprintf("unknown whether kube-apiserver lets the replacements of %s be created: %s", grammar.Plural(open, "pod"), why)
		if told.Unknown != "" {
			add = told.Unknown + "; " + add
		}
		told.Unknown = add
	}
	return nil
}

// successorsIn are what controllers create in place of pods of a namespace, where some rule may
// reject it.
func successorsIn(ctx context.Context, e *Engine, namespace string, pods []*corev1.Pod, told *plan.Forecast) []*successor {
	ruled := hasRules(ctx, e, namespace)
	var all []*successor
	byController := map[types.UID]*successor{}
	for _, pod := range pods {
		by := metav1.GetControllerOfNoCopy(pod)
		outcome := told.Fates[pod.UID].Outcome
		if by == nil || outcome == plan.Lost || outcome == plan.NotMade || outcome == plan.NotKnown || !ruled && !namesClass(pod) {
			continue
		}
		if byController[by.UID] == nil {
			byController[by.UID] = &successor{namespace: namespace, by: by}
			all = append(all, byController[by.UID])
		}
		byController[by.UID].replaces = append(byController[by.UID].replaces, pod.UID)
	}
	return all
}

// hasRules says whether a namespace has LimitRanges, or enforces a level of Pod Security.
func hasRules(ctx context.Context, e *Engine, namespace string) bool {
	if e.options.LimitRanges != nil {
		if ranges, err := e.options.LimitRanges(ctx, namespace); err == nil && len(ranges) > 0 {
			return true
		}
	}
	labels, _ := e.sources.labels(namespace)
	return admission.Enforces(labels)
}

// namesClass says whether the pod has a class that may have been deleted.
func namesClass(pod *corev1.Pod) bool {
	name := pod.Spec.PriorityClassName
	return pod.Spec.RuntimeClassName != nil || name != "" &&
		!slices.ContainsFunc(schedulingrules.SystemPriorityClasses(), func(c *schedulingv1.PriorityClass) bool { return c.Name == name })
}

// ask reads the controller and judges its pod. The error is the context's.
func (s *successor) ask(ctx context.Context, e *Engine) error {
	pod, rejected, err := e.options.Created(ctx, s.namespace, s.by)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.unread = err.Error()
		return nil
	case pod == nil:
		return nil
	}
	from := admissionSources(e, report.Admittance{Rejected: rejected})
	from.Quotas, from.Missing = nil, nil // the namespace has pods
	j, err := admission.Judge(ctx, &model.NotCreated{Pod: pod, Wanted: 1, Missing: 1}, from)
	if err != nil {
		s.unread = err.Error()
		return ctx.Err()
	}
	if created, rejections := j.Created(1); created == 0 {
		s.rejected = rejections[0].Short
	}
	return nil
}
