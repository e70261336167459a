package fixes

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// admissionAgainst notes why kube-apiserver rejects the new pod or claim of a fix now, while the one that it
// replaces still counts in quotas, or a pod that is resized.
func admissionAgainst(ctx context.Context, f *Search, fix *Attempt) error {
	if err := cmp.Or(claimsAgainst(ctx, f, fix), limitsAgainst(ctx, f, fix)); err != nil {
		return err
	}
	resized := !fix.trial.Recreated && fix.Command != "" && slices.ContainsFunc(fix.Remedies, lowersRequest)
	if f.Admission == nil || !fix.trial.Recreated && !resized {
		return nil
	}
	what, from := "the new pod", *f.Admission
	from.Labels = noLabels // whether Pod Security allows it, only its whole object tells
	if resized {           // it only needs less of a quota, and Pod Security does not look at it
		what, from.Quotas = "the pod", noQuotas
		from.Terminating = nil // that is about what is created
	}
	judged, err := admission.Judge(ctx, &model.NotCreated{Pod: fix.trial.Pod}, from)
	if err != nil {
		return err
	}
	for _, part := range judged.Unknown() {
		noteUnread(fix, admission.RuleOf(part), what, part.Why)
	}
	pods := 1
	if f.uncreated {
		pods = len(f.alike)
	}
	_, rejections := judged.Created(pods)
	if len(rejections) == 0 && !resized {
		rejections = securityAgainst(ctx, f, fix)
	}
	if len(rejections) > 0 {
		why := what + " may be rejected: " + rejections[0].What
		if more := len(rejections) - 1; more > 0 {
			why += ", and for " + grammar.Plural(more, "more reason")
		}
		fix.Remaining = append(fix.Remaining, why)
	}
	return nil
}

// unreadRule is a rule that may forbid what a fix does, and could not be read.
type unreadRule struct {
	name  string // "a ResourceQuota"
	words string // what is unknown, and why
}

// noteUnread notes a rule of kube-apiserver that may forbid something of the fix, and why it could not be read.
func noteUnread(fix *Attempt, rule, what, why string) {
	fix.unread = append(fix.unread, unreadRule{rule, fmt.Sprintf("unknown: whether %s allows %s: %s", rule, what, why)})
}

// tellUnread says which rules could not be read; where nothing else is in the way of the fix, it works if they allow it.
func tellUnread(fix *Attempt) {
	works := len(fix.Remaining) == 0 && fix.Command != ""
	for _, rule := range fix.unread {
		if works && !slices.Contains(fix.Unread, rule.name) {
			fix.Unread = append(fix.Unread, rule.name)
		}
		fix.Open = true
		fix.Remaining = append(fix.Remaining, rule.words)
	}
}

// securityAgainst are the rejections of Pod Security for the new pod of a fix. The pod that it
// replaces is read whole for them: sources drop its security contexts.
func securityAgainst(ctx context.Context, f *Search, fix *Attempt) []report.Rejection {
	pod := fix.trial.Pod
	labels, why := f.Admission.Labels(pod.Namespace)
	if why == "" && !admission.Enforces(labels) {
		return nil
	}
	if f.whole == nil && why == "" {
		why = "the pod cannot be read whole here"
		if f.Whole != nil {
			var err error
			if f.whole, err = f.Whole(ctx, pod); err != nil {
				f.whole, why = nil, err.Error()
			} else {
				why = ""
			}
		}
	}
	var rejections []report.Rejection
	if why == "" {
		var err error
		if rejections, err = admission.SecurityRejections(changedBy(f.whole, fix.Remedies), labels, f.Admission.ClusterVersion); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		noteUnread(fix, "Pod Security", "the new pod", why)
	}
	return rejections
}

func noQuotas(context.Context, string) ([]corev1.ResourceQuota, error) { return nil, nil }

func noLabels(string) (labels map[string]string, why string) { return nil, "" }
