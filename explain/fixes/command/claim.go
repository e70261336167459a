package command

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// resizeClaimCommand recreates the claim for less. The API server lets nobody
// lower the request of a claim, and a claim that is not bound holds no data.
func resizeClaimCommand(r remedy.ResizeClaim) (line, undo string) {
	storage := func(size string) map[string]any {
		return map[string]any{"spec": map[string]any{"resources": map[string]any{"requests": map[string]any{"storage": size}}}}
	}
	return recreate(r.Claim.Namespace, "pvc/"+r.Claim.Name, "-p", shell.OneLine(storage(r.To.String()))), ""
}

// setClaimClassCommand recreates the claim of another class, which the API server lets nobody change. The annotation
// of old that says the class takes precedence.
func setClaimClassCommand(r remedy.SetClaimClass) (line, undo string) {
	patch := map[string]any{"spec": map[string]any{"storageClassName": r.Class}}
	if _, of := r.Claim.Annotations[corev1.BetaStorageClassAnnotation]; of {
		patch["metadata"] = map[string]any{"annotations": map[string]any{corev1.BetaStorageClassAnnotation: nil}}
	}
	return recreate(r.Claim.Namespace, "pvc/"+r.Claim.Name, "-p", shell.OneLine(patch)), ""
}

// releaseVolumeCommand removes the reference to the claim that the volume was bound to.
func releaseVolumeCommand(r remedy.ReleaseVolume) (line, undo string) {
	patch := shell.OneLine(map[string]any{"spec": map[string]any{"claimRef": nil}})
	return shell.Line("kubectl", "patch", "pv/"+r.Volume.Name, "--type=merge", "-p", patch), ""
}

// affectedClaim is the claim that is recreated.
func affectedClaim(claim *corev1.PersistentVolumeClaim) report.Affected {
	return report.Affected{
		Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name,
		How: "is deleted and recreated" + saved + ". It was unbound and held no data",
	}
}

// affectedSet is the StatefulSet whose template keeps the class.
func affectedSet(r remedy.SetClaimClass) report.Affected {
	return report.Affected{
		Kind: "StatefulSet", Namespace: r.Claim.Namespace, Name: r.Set,
		How: "keeps the class in its template, for claims of further replicas",
	}
}

// affectedVolume is the volume, with what was written to it.
func affectedVolume(r remedy.ReleaseVolume) report.Affected {
	return report.Affected{
		Kind: "PersistentVolume", Name: r.Volume.Name,
		How: fmt.Sprintf("is bound to claim %s/%s with its old data", r.Claim.Namespace, r.Claim.Name),
	}
}
