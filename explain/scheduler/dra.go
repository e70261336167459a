package scheduler

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// tracedDRA notes reads of claims, slices and classes. The manager behind it is
// fed by event handlers, which an empty informer never calls: without this a
// forbidden resource would look like an empty one.
type tracedDRA struct {
	fwk.SharedDRAManager
	trace *Unreadable
}

// ResourceClaims implements fwk.SharedDRAManager.
func (d *tracedDRA) ResourceClaims() fwk.ResourceClaimTracker {
	return &tracedClaims{d.SharedDRAManager.ResourceClaims(), d.trace}
}

// ResourceSlices implements fwk.SharedDRAManager.
func (d *tracedDRA) ResourceSlices() fwk.ResourceSliceLister {
	return &tracedSlices{d.SharedDRAManager.ResourceSlices(), d.trace}
}

// DeviceClassResolver implements fwk.SharedDRAManager.
func (d *tracedDRA) DeviceClassResolver() fwk.DeviceClassResolver {
	return &tracedClasses{d.SharedDRAManager.DeviceClassResolver(), d.trace}
}

type tracedClaims struct {
	fwk.ResourceClaimTracker
	trace *Unreadable
}

func (c *tracedClaims) List() ([]*resourcev1.ResourceClaim, error) {
	c.trace.touch("resourceclaims")
	return c.ResourceClaimTracker.List()
}

func (c *tracedClaims) Get(namespace, name string) (*resourcev1.ResourceClaim, error) {
	c.trace.touch("resourceclaims")
	return c.ResourceClaimTracker.Get(namespace, name)
}

func (c *tracedClaims) ListAllAllocatedDevices() (sets.Set[structured.DeviceID], error) {
	c.trace.touch("resourceclaims")
	return c.ResourceClaimTracker.ListAllAllocatedDevices()
}

func (c *tracedClaims) GatherAllocatedState() (*structured.AllocatedState, error) {
	c.trace.touch("resourceclaims")
	return c.ResourceClaimTracker.GatherAllocatedState()
}

type tracedSlices struct {
	fwk.ResourceSliceLister
	trace *Unreadable
}

func (s *tracedSlices) ListWithDeviceTaintRules() ([]*resourcev1.ResourceSlice, error) {
	s.trace.touch("resourceslices")
	s.trace.touch("devicetaintrules")
	return s.ResourceSliceLister.ListWithDeviceTaintRules()
}

type tracedClasses struct {
	fwk.DeviceClassResolver
	trace *Unreadable
}

// GetDeviceClass leaves nothing open for huge pages, which no class can stand
// for: the plugin asks about every resource beside the scheduler's own four.
func (c *tracedClasses) GetDeviceClass(resource corev1.ResourceName) *resourcev1.DeviceClass {
	if !strings.HasPrefix(string(resource), corev1.ResourceHugePagesPrefix) {
		c.trace.touch("deviceclasses")
	}
	return c.DeviceClassResolver.GetDeviceClass(resource)
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
