package cli

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/manifest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// admittedPod is a pod as the API server would store it.
type admittedPod struct {
	*corev1.Pod
	report.Admittance
	caveats []string
}

// admitted is the pod as the API server would store it: by a dry run, or by our own
// rules if a dry run may not be sent or is rejected. what is the command, for errors.
func admitted(ctx context.Context, live *source.Live, what string, pod *corev1.Pod) (*admittedPod, error) {
	why, err := forbidsDryRuns(live)
	if err != nil {
		return nil, err
	}
	found := &admittedPod{}
	if why == "" {
		stored, err := tryCreate(ctx, live.Client, pod)
		if err == nil {
			return &admittedPod{Pod: stored, Admittance: report.Admittance{Admitted: true}}, nil
		}
		var other error
		if found.Admittance, other = judged(pod, err); other != nil {
			return nil, inManifest(what, other)
		}
		why = fmt.Sprintf("kube-apiserver rejected the dry run (%s)", client.Words(err))
	}
	found.Pod = pod.DeepCopy()
	if err := manifest.Validate(found.Pod); err != nil {
		return nil, exit.Usagef("%s: %w", what, err)
	}
	rules := &cluster.Admission{Client: live.Reader()}
	if live.Client == nil {
		rules.Unread = "not in the file"
	}
	if err := rules.Admit(ctx, found.Pod); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	found.Rejected = rules.Rejected
	found.caveats = append([]string{why + ": defaults, PriorityClass, RuntimeClass and LimitRange are filled in by fathom's own rules, without webhooks"}, rules.Caveats...)
	return found, nil
}

// forbidsDryRuns says why no dry run may be sent; "" if it may.
func forbidsDryRuns(live *source.Live) (string, error) {
	if live.Client == nil {
		return "a snapshot has no API server for a dry run", nil
	}
	if live.Options.ReadOnly {
		return "--readonly forbids dry runs", nil
	}
	set, err := settings.Used(settings.ReadOnly)
	if err != nil {
		return "", err
	}
	if because := set.ReadOnly.Because(live.Client.Context()); because != "" {
		return fmt.Sprintf("context %s is read-only (%q in config.yaml)", live.Client.Context(), "readonly: "+because), nil
	}
	return "", nil
}

// tryCreate asks for a dry run. The name is left to the server: one that is in
// use would be refused.
func tryCreate(ctx context.Context, client *client.Client, pod *corev1.Pod) (*corev1.Pod, error) {
	trial := pod.DeepCopy()
	trial.OwnerReferences = nil // the owner does not exist yet, so it has no UID
	if trial.Name != "" {
		trial.GenerateName, trial.Name = trial.Name+"-", ""
	}
	tried, err := client.DryRunCreate(ctx, trial)
	if err != nil {
		return nil, err
	}
	tried.Name, tried.GenerateName = pod.Name, pod.GenerateName
	tried.OwnerReferences = pod.OwnerReferences
	tried.UID, tried.ResourceVersion = "", ""
	return tried, nil
}

// judged is what a failed dry run says of whether the pod would be created. The error is
// one that is not about that.
func judged(pod *corev1.Pod, failed error) (report.Admittance, error) {
	switch {
	case errors.Is(failed, client.ErrRejected),
		apierrors.IsInvalid(failed) && manifest.Validate(pod) == nil: // by a policy
		return report.Admittance{Message: client.Words(failed)}, nil
	case errors.Is(failed, client.ErrForbidden), apierrors.IsMethodNotSupported(failed):
		return report.Admittance{}, nil // the user may not ask
	case apierrors.IsForbidden(failed), apierrors.IsNotFound(failed), apierrors.IsInternalError(failed),
		apierrors.IsConflict(failed), apierrors.IsAlreadyExists(failed):
		return report.Admittance{Unknown: []report.UnknownPart{{
			Resource: "pods", Why: "kube-apiserver rejected the dry run: " + client.Words(failed), Plugins: []string{report.AdmissionPlugin},
		}}}, nil
	}
	return report.Admittance{}, failed
}

// inManifest is a usage error where the API server calls the pod invalid.
func inManifest(what string, err error) error {
	if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		return exit.Usagef("%s: %w", what, err)
	}
	return err
}
