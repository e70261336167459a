package command

import (
	"fmt"

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

// releaseVolumeCommand removes the reference to the claim that the volume was bound to.
func releaseVolumeCommand(r remedy.ReleaseVolume) (line, undo string) {
	patch := shell.OneLine(map[string]any{"spec": map[string]any{"claimRef": nil}})
	return shell.Line("kubectl", "patch", "pv/"+r.Volume.Name, "--type=merge", "-p", patch), ""
}

// affectedClaim is the claim that is recreated.
func affectedClaim(r remedy.ResizeClaim) report.Affected {
	return report.Affected{
		Kind: "PersistentVolumeClaim", Namespace: r.Claim.Namespace, Name: r.Claim.Name,
		How: "is deleted and recreated" + saved + ". It was unbound and held no data",
	}
}

// affectedVolume is the volume, with what was written to it.
func affectedVolume(r remedy.ReleaseVolume) report.Affected {
	return report.Affected{
		Kind: "PersistentVolume", Name: r.Volume.Name,
		How: fmt.Sprintf("is bound to claim %s/%s with its old data", r.Claim.Namespace, r.Claim.Name),
	}
}
