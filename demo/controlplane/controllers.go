package controlplane

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"

	"github.com/kubectl-fathom/kubectl-fathom/demo/api"
)

// workers is the number of objects that a controller syncs at once.
const workers = 4

const (
	volumeSync     = 15 * time.Second
	failedPodsWait = time.Second
	failedPodsMost = time.Minute
)

// createAgain is after how long a ReplicaSet whose pods were rejected tries again at the latest: the
// controller's back-off doubles to 1,000 s. A resync of its informer makes it try at once.
const createAgain = 10 * time.Second

// controllers are those of kube-controller-manager that workloads and nodes need, ready
// to run.
func (p *Plane) controllers(ctx context.Context) (loops []func(context.Context), err error) {
	core, apps := p.informers.Core().V1(), p.informers.Apps().V1()
	batch, policy := p.informers.Batch().V1(), p.informers.Policy().V1()
	// Each has its own client, because a client handles one request at a time.
	client := func() kubernetes.Interface { return p.store.Client(ctx, api.Writes) }

	replicas := replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), core.Pods(), client(), replicaset.BurstReplicas)
	stateful := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), client())
	deployments, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), client())
	if err != nil {
		return nil, err
	}
	daemons, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), client(),
		flowcontrol.NewBackOff(failedPodsWait, failedPodsMost))
	if err != nil {
		return nil, err
	}
	jobs, err := job.NewController(ctx, client(), core.Pods(), batch.Jobs(), nil, nil)
	if err != nil {
		return nil, err
	}
	evicting, err := tainteviction.New(ctx, client(), core.Pods(), core.Nodes(), "taint-eviction-controller")
	if err != nil {
		return nil, err
	}
	nodes, err := p.nodeLifecycle(ctx, client())
	if err != nil {
		return nil, err
	}
	budgets := disruption.NewDisruptionController(ctx, core.Pods(), policy.PodDisruptionBudgets(), core.ReplicationControllers(), apps.ReplicaSets(),
		apps.Deployments(), apps.StatefulSets(), client(), meta.NewDefaultRESTMapper(nil), nil, nil)
	volumes, err := persistentvolume.NewController(ctx, persistentvolume.ControllerParameters{
		KubeClient: client(), SyncPeriod: volumeSync, EnableDynamicProvisioning: true,
		VolumeInformer: core.PersistentVolumes(), ClaimInformer: core.PersistentVolumeClaims(), ClassInformer: p.informers.Storage().V1().StorageClasses(),
		PodInformer: core.Pods(), NodeInformer: core.Nodes(),
	})
	if err != nil {
		return nil, err
	}
	quotas, err := p.quotas(ctx, client())
	if err != nil {
		return nil, err
	}
	return []func(context.Context){
		func(ctx context.Context) { quotas.Run(ctx, workers) },
		func(ctx context.Context) { replicas.Run(ctx, workers) },
		func(ctx context.Context) { stateful.Run(ctx, workers) },
		func(ctx context.Context) { deployments.Run(ctx, workers) },
		func(ctx context.Context) { daemons.Run(ctx, workers) },
		func(ctx context.Context) { jobs.Run(ctx, workers) },
		func(ctx context.Context) { budgets.Run(ctx, workers) },
		evicting.Run, nodes.Run, volumes.Run,
	}, nil
}
