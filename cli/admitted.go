package cli

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/manifest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// admitted is the pod as the API server would store it: by a dry run, or by our own
// rules if a dry run may not be sent. what is the command, for errors.
func admitted(ctx context.Context, live *source.Live, what string, pod *corev1.Pod) (stored *corev1.Pod, caveats []string, tried bool, err error) {
	why, err := forbidsDryRuns(live)
	if err != nil {
		return nil, nil, false, err
	}
	if why == "" {
		stored, err := tryCreate(ctx, live.Client, pod)
		switch {
		case err == nil:
			return stored, nil, true, nil
		case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
			return nil, nil, false, exit.Usagef("%s: %w", what, err)
		case !rejection(err):
			return nil, nil, false, err
		}
		why = fmt.Sprintf("kube-apiserver rejected the dry run (%v)", err)
	}
	completed := pod.DeepCopy()
	if err := manifest.Validate(completed); err != nil {
		return nil, nil, false, exit.Usagef("%s: %w", what, err)
	}
	rules := &cluster.Admission{Client: live.Reader()}
	if live.Client == nil {
		rules.Unread = "not in the file"
	}
	if err := rules.Admit(ctx, completed); err != nil {
		return nil, nil, false, fmt.Errorf("%s: %w", what, err)
	}
	caveats = []string{why + ": defaults, PriorityClass, RuntimeClass and LimitRange are filled in by fathom's own rules, without webhooks"}
	return completed, append(caveats, rules.Caveats...), false, nil
}

// forbidsDryRuns says why no dry run may be sent; "" if it may.
func forbidsDryRuns(live *source.Live) (string, error) {
	if live.Client == nil {
		return "a snapshot has no API server for a dry run", nil
	}
	if live.Options.ReadOnly {
		return "--readonly forbids dry runs", nil
	}
	set, err := settings.Checked(os.Getenv)
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

// rejection reports whether the server rejected the request, for the user or for the pod.
func rejection(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) ||
		apierrors.IsInternalError(err) || apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err)
}
