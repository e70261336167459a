package controlplane

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	quotainstall "k8s.io/kubernetes/pkg/quota/v1/install"
)

// recount is the period in which all quotas are recalculated.
const recount = 30 * time.Second

// quotas is the ResourceQuota controller.
func (p *Plane) quotas(ctx context.Context, client kubernetes.Interface) (*resourcequota.Controller, error) {
	counting, err := quotainstall.NewQuotaConfigurationForControllers(generic.ListerFuncForResourceFunc(p.informers.ForResource), p.informers)
	if err != nil {
		return nil, err
	}
	started := make(chan struct{})
	close(started) // they are started before the controller
	return resourcequota.NewController(ctx, &resourcequota.ControllerOptions{
		QuotaClient:               client.CoreV1(),
		ResourceQuotaInformer:     p.informers.Core().V1().ResourceQuotas(),
		ResyncPeriod:              controller.StaticResyncPeriodFunc(recount),
		Registry:                  generic.NewRegistry(counting.Evaluators()),
		DiscoveryFunc:             func() ([]*metav1.APIResourceList, error) { return p.store.Served(), nil },
		IgnoredResourcesFunc:      counting.IgnoredResources,
		InformersStarted:          started,
		InformerFactory:           p.informers,
		ReplenishmentResyncPeriod: controller.StaticResyncPeriodFunc(recount),
		UpdateFilter:              quotainstall.DefaultUpdateFilter(),
	})
}
