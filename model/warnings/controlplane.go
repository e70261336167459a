package warnings

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// controllerManager is the Lease in kube-system by which kube-controller-manager elects its leader, and the
// component's name (cmd/kube-controller-manager/app).
const controllerManager = "kube-controller-manager"

// stale is by how much another Lease of kube-system is newer where kube-controller-manager does not run: it renews
// its own every two seconds, and another instance takes it over after fifteen. This machine's clock has no say.
const stale = 2 * time.Minute

// controllerWarning says that kube-controller-manager is not running: the cluster may look calm, as nothing is
// created any more.
func controllerWarning(o *model.Objects) Warning {
	list, _ := model.ListOf[*coordinationv1.Lease](o, leases)
	var newest, renewed time.Time
	for _, lease := range list {
		if lease.Namespace != metav1.NamespaceSystem {
			continue
		}
		at := model.RenewedAt(lease)
		if at.After(newest) {
			newest = at
		}
		if lease.Name == controllerManager {
			renewed = at
		}
	}
	if renewed.IsZero() || newest.Sub(renewed) < stale {
		return Warning{}
	}
	const down = controllerManager + " is not running: "
	return Warning{
		Short:  down + "no pods are created",
		Long:   down + "its Lease was renewed " + model.FormatAge(renewed, newest) + " ago. No pods are created or replaced, no failed node is noticed, and the status of workloads is as of then",
		View:   Schedulers,
		Urgent: true,
	}
}
