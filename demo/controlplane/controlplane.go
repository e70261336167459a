// Package controlplane is the control plane of the embedded cluster: the real
// kube-scheduler, the controllers of kube-controller-manager and admission
// plugins of kube-apiserver, in this process and on the API in memory.
package controlplane

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/kubectl-fathom/kubectl-fathom/demo/api"
)

// Plane is a running control plane.
type Plane struct {
	store     *api.Store
	client    kubernetes.Interface // of the controllers
	informers informers.SharedInformerFactory
	scheduler *scheduling
	garbage   *garbage
	alive     func(node string) bool
	running   sync.WaitGroup
	stop      context.CancelFunc
}

// Start runs a control plane on the store, with admission for every write, until Stop.
// It returns when all informers have synced. alive says whether the kubelet of a node
// is running.
func Start(ctx context.Context, store *api.Store, alive func(node string) bool) (*Plane, error) {
	ctx, stop := context.WithCancel(klog.NewContext(ctx, logr.Discard()))
	p := &Plane{store: store, stop: stop, alive: alive, client: store.Client(ctx, api.Writes)}
	if err := p.start(ctx); err != nil {
		p.Stop()
		return nil, fmt.Errorf("start control plane: %w", err)
	}
	return p, nil
}

func (p *Plane) start(ctx context.Context) error {
	var err error
	if p.scheduler, err = newScheduling(ctx, p.store); err != nil {
		return err
	}
	p.informers = informers.NewSharedInformerFactoryWithOptions(p.client, 0, // those of the scheduler leave out completed pods
		informers.WithCustomResyncConfig(map[metav1.Object]time.Duration{&appsv1.ReplicaSet{}: createAgain}))
	chain, err := newAdmission(ctx, p.store.Client(ctx, api.Writes), p.informers)
	if err != nil {
		return err
	}
	loops, err := p.controllers(ctx)
	if err != nil {
		return err
	}
	if err := p.watchGarbage(); err != nil {
		return err
	}
	p.informers.Start(ctx.Done())
	p.scheduler.informers.Start(ctx.Done())
	p.informers.WaitForCacheSync(ctx.Done())
	p.scheduler.informers.WaitForCacheSync(ctx.Done())
	if err := p.scheduler.synced(ctx); err != nil {
		return err
	}
	p.store.Admit(chain)
	for _, run := range append(loops, p.scheduler.Run, p.garbage.collect, p.provision, p.lead) {
		p.running.Go(func() {
			defer utilruntime.HandleCrash()
			run(ctx)
		})
	}
	return nil
}

// Stop stops the control plane and waits until it has stopped.
func (p *Plane) Stop() {
	p.stop()
	p.running.Wait()
	if p.scheduler != nil {
		p.scheduler.events.Shutdown() // it does not stop with its context
	}
	if p.informers != nil {
		p.informers.Shutdown()
		p.scheduler.informers.Shutdown()
	}
}

// Informers are those of the control plane. Their objects are read-only.
func (p *Plane) Informers() informers.SharedInformerFactory { return p.informers }

// Hold pauses the scheduler before its next pod, or lets it continue.
func (p *Plane) Hold(on bool) { p.scheduler.hold(on) }
