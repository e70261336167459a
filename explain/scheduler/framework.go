package scheduler

import (
	"context"
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// newCache is the scheduler's own view of nodes and the pods on them. Like the
// plugins it counts in metrics, and panics where they are not registered.
func newCache(ctx context.Context) internalcache.Cache {
	metrics.Register()
	return internalcache.New(ctx, nil, utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload),
		utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup))
}

// newDRAManager is what scheduler.New builds; DynamicResources panics without.
func newDRAManager(ctx context.Context, factory informers.SharedInformerFactory, client kubernetes.Interface) (fwk.SharedDRAManager, error) {
	enabled := utilfeature.DefaultFeatureGate.Enabled
	resources := factory.Resource().V1()
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), resources.ResourceClaims().Informer(), "ResourceClaim", "", nil)
	options := resourceslicetracker.Options{
		EnableDeviceTaintRules:   enabled(features.DRADeviceTaintRules),
		EnableConsumableCapacity: enabled(features.DRAConsumableCapacity),
		SliceInformer:            resources.ResourceSlices(),
		KubeClient:               client,
	}
	if options.EnableDeviceTaintRules {
		options.TaintInformer = resources.DeviceTaintRules()
	}
	tracker, err := resourceslicetracker.StartTracker(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("start resource slice tracker: %w", err)
	}
	manager := dynamicresources.NewDRAManager(ctx, claims, tracker, factory)
	if !enabled(features.DRAExtendedResource) {
		return manager, nil
	}
	classes, ok := manager.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache)
	if !ok {
		return manager, nil
	}
	if _, err := resources.DeviceClasses().Informer().AddEventHandler(classes); err != nil {
		return nil, fmt.Errorf("watch device classes: %w", err)
	}
	return manager, nil
}
