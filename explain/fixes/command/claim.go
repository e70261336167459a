package command

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"

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

// setClaimClassCommand recreates the claim of another class, which the API server lets nobody change where the claim has
// one. The annotation of old that says the class takes precedence.
func setClaimClassCommand(r remedy.SetClaimClass) (line, undo string) {
	patch := map[string]any{"spec": map[string]any{"storageClassName": r.Class}}
	if r.Gives() {
		return shell.Line("kubectl", "-n", r.Claim.Namespace, "patch", "pvc/"+r.Claim.Name, "-p", shell.OneLine(patch)), ""
	}
	if _, of := r.Claim.Annotations[corev1.BetaStorageClassAnnotation]; of {
		patch["metadata"] = map[string]any{"annotations": map[string]any{corev1.BetaStorageClassAnnotation: nil}}
	}
	return recreate(r.Claim.Namespace, "pvc/"+r.Claim.Name, "-p", shell.OneLine(patch)), ""
}

// unselectNodeCommand removes the annotation by which kube-scheduler has selected a node.
func unselectNodeCommand(r remedy.UnselectNode) (line, undo string) {
	annotate := func(annotation string) string {
		return shell.Line("kubectl", "-n", r.Claim.Namespace, "annotate", "pvc/"+r.Claim.Name, annotation)
	}
	return annotate(storagehelpers.AnnSelectedNode + "-"), annotate(storagehelpers.AnnSelectedNode + "=" + r.Selected())
}

// releaseVolumeCommand removes the reference to the claim that the volume was bound to.
func releaseVolumeCommand(r remedy.ReleaseVolume) (line, undo string) {
	patch := shell.OneLine(map[string]any{"spec": map[string]any{"claimRef": nil}})
	return shell.Line("kubectl", "patch", "pv/"+r.Volume.Name, "--type=merge", "-p", patch), ""
}

// affectedByClass are the claim that gets a class, and the StatefulSet whose template keeps another one.
func affectedByClass(r remedy.SetClaimClass) (all []report.Affected, brief string) {
	claim, how := affectedClaim(r.Claim), "keeps the class in its template, for claims of further replicas"
	brief = "the claim is recreated"
	if r.Gives() {
		claim.How, how, brief = "gets StorageClass "+r.Class, "names no class in its template, for claims of further replicas", ""
	}
	all = []report.Affected{claim}
	if r.Set == "" {
		return all, brief
	}
	set := report.Affected{Kind: "StatefulSet", Namespace: r.Claim.Namespace, Name: r.Set, How: how}
	if !r.Gives() {
		brief += "; further replicas keep the class"
	}
	return append(all, set), brief
}

// affectedClaim is the claim that is recreated.
func affectedClaim(claim *corev1.PersistentVolumeClaim) report.Affected {
	return report.Affected{
		Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name,
		How: "is deleted and recreated" + saved + ". It was unbound and held no data",
	}
}

// affectedUnselected is the claim that is provisioned for another node.
func affectedUnselected(r remedy.UnselectNode) report.Affected {
	return report.Affected{
		Kind: "PersistentVolumeClaim", Namespace: r.Claim.Namespace, Name: r.Claim.Name,
		How: "gets a volume for the node that kube-scheduler selects next",
	}
}

// affectedVolume is the volume, with what was written to it.
func affectedVolume(r remedy.ReleaseVolume) report.Affected {
	return report.Affected{
		Kind: "PersistentVolume", Name: r.Volume.Name,
		How: fmt.Sprintf("is bound to claim %s/%s with its old data", r.Claim.Namespace, r.Claim.Name),
	}
}
