package explain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
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

// replacements are those of the pods that go in a forecast, as far as kube-apiserver may not let
// them be created.
type replacements struct {
	pods map[string][]*corev1.Pod // those that go and had not finished, by namespace
	told *plan.Forecast

	open map[types.UID]bool // of which it is not known
	whys []string           // each once
}

// successor is the pod that a controller creates in place of some that go.
type successor struct {
	namespace string
	by        *metav1.OwnerReference
	replaces  []types.UID
	asks      bool // some rule may reject it

	rejected string // why kube-apiserver rejects it; "" where nothing is known to
	unread   string // why that is not known
}

// tellReplacements notes which replacements of pods that go kube-apiserver would not let be
// created, because something has changed since the pods were: a LimitRange, Pod Security, a quota,
// or a class that was deleted; and of how many that could not be read.
func tellReplacements(ctx context.Context, e *Engine, gone []types.UID, told *plan.Forecast) error {
	r := &replacements{pods: map[string][]*corev1.Pod{}, told: told, open: map[types.UID]bool{}}
	err := e.scheduler.Hold(ctx, nil, func() error {
		for _, uid := range gone {
			if pod := e.scheduler.State.Pods[uid]; pod != nil && told.Fates[uid].Outcome != plan.Finished {
				r.pods[pod.Namespace] = append(r.pods[pod.Namespace], pod)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.tellAdmission(ctx, e); err != nil {
		return err
	}
	if err := r.tellQuotas(ctx, e); err != nil {
		return err
	}
	if n := len(r.open); n > 0 {
		add := fmt.Sprintf("unknown whether kube-apiserver lets the replacements of %s be created: %s", grammar.Plural(n, "pod"), strings.Join(r.whys, "; "))
		if told.Unknown != "" {
			add = told.Unknown + "; " + add
		}
		told.Unknown = add
	}
	return nil
}

// without says whether the pod has no replacement, or none that is known.
func (r *replacements) without(pod *corev1.Pod) bool {
	outcome := r.told.Fates[pod.UID].Outcome
	return outcome == plan.Lost || outcome == plan.NotMade || outcome == plan.NotKnown
}

func (r *replacements) leaveOpen(uid types.UID, why string) {
	r.open[uid] = true
	if !slices.Contains(r.whys, why) {
		r.whys = append(r.whys, why)
	}
}

// tellAdmission notes what rules but quotas reject.
func (r *replacements) tellAdmission(ctx context.Context, e *Engine) error {
	if e.options.Created == nil {
		return nil
	}
	var all []*successor
	for _, namespace := range slices.Sorted(maps.Keys(r.pods)) {
		all = append(all, r.successorsIn(ctx, e, namespace)...)
	}
	if ctx.Err() != nil { // rules that were not read for that are not unknown
		return ctx.Err()
	}
	asking, within := errgroup.WithContext(ctx)
	asking.SetLimit(controllersAtOnce)
	begun := time.Now()
	for _, one := range all {
		if !one.asks {
			continue
		}
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
	for _, one := range all {
		for _, uid := range one.replaces {
			switch {
			case one.rejected != "":
				r.told.Fates[uid] = plan.Fate{Outcome: plan.Lost, Why: one.rejected, Budget: r.told.Fates[uid].Budget}
			case one.unread != "":
				r.leaveOpen(uid, one.unread)
			}
		}
	}
	return nil
}

// successorsIn are what controllers create in place of pods of a namespace, where some rule may
// reject it or could not be read.
func (r *replacements) successorsIn(ctx context.Context, e *Engine, namespace string) []*successor {
	ruled, unread := rulesOf(ctx, e, namespace)
	var all []*successor
	byController := map[types.UID]*successor{}
	for _, pod := range r.pods[namespace] {
		by, asks := metav1.GetControllerOfNoCopy(pod), ruled || namesClass(pod)
		if by == nil || r.without(pod) || !asks && unread == "" {
			continue
		}
		if byController[by.UID] == nil {
			byController[by.UID] = &successor{namespace: namespace, by: by, unread: unread}
			all = append(all, byController[by.UID])
		}
		one := byController[by.UID]
		one.asks = one.asks || asks
		one.replaces = append(one.replaces, pod.UID)
	}
	return all
}

// rulesOf says whether a namespace has LimitRanges, or enforces a level of Pod Security, and why
// that is not known; "" where it is.
func rulesOf(ctx context.Context, e *Engine, namespace string) (some bool, unread string) {
	if e.options.LimitRanges != nil {
		ranges, err := e.options.LimitRanges(ctx, namespace)
		if err != nil {
			unread = err.Error()
		}
		some = len(ranges) > 0
	}
	labels, why := e.sources.labels(namespace)
	if why != "" {
		unread = why
	}
	return some || admission.Enforces(labels), unread
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

// tellQuotas notes what quotas reject: one may have become smaller since the pods were created.
func (r *replacements) tellQuotas(ctx context.Context, e *Engine) error {
	if e.options.Quotas == nil {
		return nil
	}
	for _, namespace := range slices.Sorted(maps.Keys(r.pods)) {
		pods := r.pods[namespace]
		quotas, err := e.options.Quotas(ctx, namespace)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			for _, pod := range pods {
				if !r.without(pod) {
					r.leaveOpen(pod.UID, err.Error())
				}
			}
			continue
		case len(quotas) == 0:
			continue
		}
		for i, replacement := range admission.Recreated(pods, quotas, r.without) {
			uid := pods[i].UID
			fate := plan.Fate{Outcome: plan.Lost, Why: replacement.Rejected, Budget: r.told.Fates[uid].Budget}
			switch {
			case replacement.Rejected == "":
				continue
			case !replacement.Certain:
				fate.Outcome, fate.Why = plan.Depends, replacement.Rejected+" is enough for some of the replacements only"
			}
			r.told.Fates[uid] = fate
		}
	}
	return nil
}
