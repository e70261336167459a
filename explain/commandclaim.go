package explain

import (
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// resizeClaimCommand recreates the claim for less. The API server lets nobody
// lower the request of a claim, and a claim that is not bound holds no data.
func resizeClaimCommand(r resizeClaim) (line, undo string) {
	storage := func(size string) map[string]any {
		return map[string]any{"spec": map[string]any{"resources": map[string]any{"requests": map[string]any{"storage": size}}}}
	}
	return recreate(r.claim.Namespace, "pvc/"+r.claim.Name, storage(r.to.String())), ""
}

// releaseVolumeCommand removes the reference to the claim that the volume was bound to.
func releaseVolumeCommand(r releaseVolume) (line, undo string) {
	patch := shell.OneLine(map[string]any{"spec": map[string]any{"claimRef": nil}})
	return fmt.Sprintf("kubectl patch pv/%s --type=merge -p %s", r.volume.Name, shell.Quote(patch)), ""
}

// affected is the claim that is recreated.
func (r resizeClaim) affected() report.Affected {
	return report.Affected{
		Kind: "PersistentVolumeClaim", Namespace: r.claim.Namespace, Name: r.claim.Name,
		How: "is deleted and recreated; it was unbound and held no data",
	}
}

// affected is the volume, with what was written to it.
func (r releaseVolume) affected() report.Affected {
	return report.Affected{
		Kind: "PersistentVolume", Name: r.volume.Name,
		How: fmt.Sprintf("is bound to claim %s/%s with its old data", r.claim.Namespace, r.claim.Name),
	}
}
