package inventory

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// lease is a Lease of 15 s that was renewed so long ago.
func lease(namespace, name, holder string, ago time.Duration) *coordinationv1.Lease {
	at := metav1.NewMicroTime(modeltest.Epoch.Add(-ago))
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: new(int32(15)), RenewTime: &at},
	}
}

func TestWhoHoldsALeaseAndIsRunning(t *testing.T) {
	identity := lease("kube-system", "apiserver-abc", "abc", 0)
	identity.Labels = map[string]string{apiServerIdentity: "kube-apiserver"}
	bare := lease("kube-system", "bare", "x", 0)
	bare.Spec.RenewTime = nil
	leases := []*coordinationv1.Lease{
		lease("kube-node-lease", "n1", "n1", time.Hour), identity, bare,
		lease("kube-system", "kube-scheduler", "cp-1", 20*time.Second),
		lease("kube-system", "kube-controller-manager", "cp-1", 15*time.Second),
		lease("kube-system", "cloud-controller-manager", "cp-2", 16*time.Second),
		lease("kube-system", "released", "", time.Second),
		lease("ml", "ml-scheduler", "ml-0", time.Hour), lease("ml", "other", "ml-0", 0),
	}
	s := snapshotOf(model.Status{}, nil,
		modeltest.NewPod("dev/a", "", "1", "1Gi", 0, nil),
		modeltest.NewPod("dev/b", "", "1", "1Gi", 0, func(p *corev1.Pod) { p.Spec.SchedulerName = "ml-scheduler" }),
		modeltest.NewPod("dev/c", "n1", "1", "1Gi", 0, func(p *corev1.Pod) { p.Spec.SchedulerName = "hidden" }),
	)
	var got []string
	for _, l := range Leaders(s, leases, map[string]model.Liveness{
		"default-scheduler": {Alive: true, Known: true, Why: "last seen 4s ago: bound pod dev/c", Lease: "kube-scheduler"},
		"ml-scheduler":      {Known: true, Why: "Lease last renewed 60m ago (ml/ml-scheduler)", Lease: "ml-scheduler"},
		"hidden":            {Why: "not allowed to list events", Lease: "hidden"},
	}, model.LeaseHolders{}, modeltest.Epoch) {
		alive, pending := "?", "–"
		if l.Alive != nil {
			alive = fmt.Sprint(*l.Alive)
		}
		if l.Pending != nil {
			pending = fmt.Sprint(*l.Pending)
		}
		got = append(got, fmt.Sprintf("%s [%s] %s alive %s, %s pending: %s", l.Name, l.Lease, l.Holder, alive, pending, l.Why))
	}
	want := []string{
		"ml-scheduler [ml/ml-scheduler] ml-0 alive false, 1 pending: Lease last renewed 60m ago (ml/ml-scheduler)",
		"default-scheduler [kube-system/kube-scheduler] cp-1 alive true, 1 pending: last seen 4s ago: bound pod dev/c",
		"hidden []  alive ?, 0 pending: not allowed to list events",
		"bare [kube-system/bare] x alive ?, – pending: the Lease has no renewTime or no duration",
		"cloud-controller-manager [kube-system/cloud-controller-manager] cp-2 alive false, – pending: the Lease was last renewed 16s ago; its duration is 15s",
		"kube-controller-manager [kube-system/kube-controller-manager] cp-1 alive true, – pending: the Lease was last renewed 15s ago; its duration is 15s",
		"released [kube-system/released]  alive false, – pending: the Lease has no holder",
		"other [ml/other] ml-0 alive true, – pending: the Lease was last renewed 0s ago; its duration is 15s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAControllerThatIsScaledToZeroIsSaid of one that holds a Lease.
func TestAControllerThatIsScaledToZeroIsSaid(t *testing.T) {
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train"}, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(0))}}
	o := &model.Objects{Lists: map[string][]runtime.Object{"replicasets": {set}}}
	leases := []*coordinationv1.Lease{lease("ml", "train", "train-5dfmq_1", time.Hour)}
	for _, test := range []struct {
		status model.Status
		want   string
	}{
		{model.Status{}, "replicaset/train is scaled to 0; to start it: kubectl -n ml scale replicaset/train --replicas=1; the Lease was last renewed 1h ago; its duration is 15s"},
		{model.Status{Namespace: "dev"}, "the Lease was last renewed 1h ago; its duration is 15s"},
	} {
		s := snapshotOf(test.status, nil)
		if got := Leaders(s, leases, nil, HoldersOf(s, o), modeltest.Epoch); len(got) != 1 || got[0].Why != test.want {
			t.Errorf("%+v, want %q", got, test.want)
		}
	}
}

func TestPendingPodsOfASchedulerAreUnknownWherePodsAre(t *testing.T) {
	s := snapshotOf(model.Status{Namespace: "dev"}, nil, modeltest.NewPod("dev/a", "", "1", "1Gi", 0, nil))
	got := Leaders(s, nil, map[string]model.Liveness{"default-scheduler": {}}, model.LeaseHolders{}, modeltest.Epoch)
	if len(got) != 1 || got[0].Pending != nil || got[0].Alive != nil {
		t.Errorf("%+v", got)
	}
}
