package controlplane

import (
	"context"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationinformers "k8s.io/client-go/informers/coordination/v1"
	"k8s.io/client-go/kubernetes"
	coordinationlisters "k8s.io/client-go/listers/coordination/v1"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
)

// How soon an unreachable node is noticed: 40 to 50 s on most clusters, too long to watch.
const (
	monitorPeriod = 2 * time.Second
	monitorGrace  = 8 * time.Second
	startupGrace  = 8 * time.Second
	evictionRate  = 100
	largeCluster  = 50
	unhealthyZone = 0.55
)

// nodeLifecycle is the controller that taints nodes without a heartbeat.
func (p *Plane) nodeLifecycle(ctx context.Context, client kubernetes.Interface) (*nodelifecycle.Controller, error) {
	core := p.informers.Core().V1()
	return nodelifecycle.NewNodeLifecycleController(ctx, heartbeats{p.informers.Coordination().V1().Leases(), p.alive},
		core.Pods(), core.Nodes(), p.informers.Apps().V1().DaemonSets(), withoutREST{client},
		monitorPeriod, startupGrace, monitorGrace, evictionRate, evictionRate, largeCluster, unhealthyZone)
}

// heartbeats are the Leases of nodes as the node lifecycle controller reads them: a
// kubelet that is not silent has just renewed its Lease. All kubelets are in this
// process. If one is late, on a busy machine or after ctrl-z, its node is still Ready.
type heartbeats struct {
	coordinationinformers.LeaseInformer
	alive func(node string) bool
}

// Lister implements the informer.
func (h heartbeats) Lister() coordinationlisters.LeaseLister {
	return heartbeatLister{h.LeaseInformer.Lister(), h.alive, &beats{at: map[string]beat{}}}
}

// beats are the last heartbeats of all nodes.
type beats struct {
	mu sync.Mutex
	at map[string]beat
}

// beat is when the kubelet of a node was last seen working, and the version of its
// Lease at that time: the controller compares it with the stored one.
type beat struct {
	at      time.Time
	version string
}

type heartbeatLister struct {
	coordinationlisters.LeaseLister
	alive func(node string) bool
	last  *beats
}

// Leases implements the lister.
func (l heartbeatLister) Leases(namespace string) coordinationlisters.LeaseNamespaceLister {
	of := l.LeaseLister.Leases(namespace)
	if namespace != corev1.NamespaceNodeLease {
		return of
	}
	return nodeLeases{of, l}
}

type nodeLeases struct {
	coordinationlisters.LeaseNamespaceLister
	of heartbeatLister
}

// Get implements the lister of a namespace.
func (l nodeLeases) Get(name string) (*coordinationv1.Lease, error) {
	lease, err := l.LeaseNamespaceLister.Get(name)
	alive := l.of.alive(name)
	switch {
	case err == nil:
		lease = lease.DeepCopy()
	case alive:
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: name}}
	default:
		return nil, err
	}
	lease.Spec.RenewTime = new(metav1.NewMicroTime(l.of.last.see(name, lease.ResourceVersion, alive)))
	return lease, nil
}

// see is when the kubelet of a node was last seen working.
func (b *beats) see(node, version string, alive bool) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if alive || b.at[node].version != version {
		b.at[node] = beat{time.Now(), version}
	}
	return b.at[node].at
}
