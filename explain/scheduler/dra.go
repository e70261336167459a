package scheduler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
	"k8s.io/utils/ptr"
)

// tracedDRA notes reads of claims, slices and classes. The manager behind it is
// fed by event handlers, which an empty informer never calls: without this a
// forbidden resource would look like an empty one. Over its claims lie those of a
// simulated state.
type tracedDRA struct {
	fwk.SharedDRAManager
	trace     *Unreadable
	simulated *objectOverlay              // claims that are changed, or that do not exist
	allocated []*resourcev1.ResourceClaim // what DynamicResources has reserved since it was last emptied
}

// ResourceClaims implements fwk.SharedDRAManager.
func (d *tracedDRA) ResourceClaims() fwk.ResourceClaimTracker {
	return &tracedClaims{d.SharedDRAManager.ResourceClaims(), d}
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
	dra *tracedDRA
}

// List implements fwk.ResourceClaimTracker.
func (c *tracedClaims) List() ([]*resourcev1.ResourceClaim, error) {
	c.dra.trace.touch("resourceclaims")
	real, err := c.ResourceClaimTracker.List()
	over := c.dra.simulated.now()
	if err != nil || len(over) == 0 {
		return real, err
	}
	all := make([]*resourcev1.ResourceClaim, 0, len(real)+len(over))
	for _, claim := range real {
		if over[claim.Namespace+"/"+claim.Name] == nil {
			all = append(all, claim)
		}
	}
	return append(all, claimsOver(over)...), nil
}

// claimsOver are the claims of a simulated state, by name.
func claimsOver(over map[string]any) []*resourcev1.ResourceClaim {
	var all []*resourcev1.ResourceClaim
	for _, key := range slices.Sorted(maps.Keys(over)) {
		if claim, ok := over[key].(*resourcev1.ResourceClaim); ok {
			all = append(all, claim)
		}
	}
	return all
}

// Get implements fwk.ResourceClaimTracker.
func (c *tracedClaims) Get(namespace, name string) (*resourcev1.ResourceClaim, error) {
	c.dra.trace.touch("resourceclaims")
	if claim, ok := c.dra.simulated.now()[namespace+"/"+name].(*resourcev1.ResourceClaim); ok {
		return claim, nil
	}
	return c.ResourceClaimTracker.Get(namespace, name)
}

// ListAllAllocatedDevices implements fwk.ResourceClaimTracker.
func (c *tracedClaims) ListAllAllocatedDevices() (sets.Set[structured.DeviceID], error) {
	c.dra.trace.touch("resourceclaims")
	devices, err := c.ResourceClaimTracker.ListAllAllocatedDevices()
	if err != nil {
		return nil, err
	}
	held := &structured.AllocatedState{
		AllocatedDevices: devices, AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.NewConsumedCapacityCollection(),
	}
	c.holdSimulated(held)
	return held.AllocatedDevices, nil
}

// GatherAllocatedState implements fwk.ResourceClaimTracker.
func (c *tracedClaims) GatherAllocatedState() (*structured.AllocatedState, error) {
	c.dra.trace.touch("resourceclaims")
	held, err := c.ResourceClaimTracker.GatherAllocatedState()
	if err != nil {
		return nil, err
	}
	c.holdSimulated(held)
	return held, nil
}

// SignalClaimPendingAllocation implements fwk.ResourceClaimTracker. Nothing is bound here:
// the allocation is kept for reserve, and counts for no real pod.
func (c *tracedClaims) SignalClaimPendingAllocation(_ types.UID, claim *resourcev1.ResourceClaim) error {
	c.dra.allocated = append(c.dra.allocated, claim)
	return nil
}

// holdSimulated adds the devices of the claims that only the simulated state has allocated.
func (c *tracedClaims) holdSimulated(held *structured.AllocatedState) {
	for _, claim := range claimsOver(c.dra.simulated.now()) {
		real, err := c.ResourceClaimTracker.Get(claim.Namespace, claim.Name)
		if claim.Status.Allocation != nil && (err != nil || real.Status.Allocation == nil) {
			hold(held, claim.Status.Allocation)
		}
	}
}

// hold adds the devices of an allocation, which admin access does not take (foreachAllocatedDevice
// of pkg/scheduler/framework/plugins/dynamicresources).
func hold(held *structured.AllocatedState, allocation *resourcev1.AllocationResult) {
	shares := utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity)
	for _, result := range allocation.Devices.Results {
		device := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
		switch {
		case ptr.Deref(result.AdminAccess, false):
		case !shares || result.ShareID == nil:
			held.AllocatedDevices.Insert(device)
		default:
			held.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(device, result.ShareID))
			if result.ConsumedCapacity != nil {
				held.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(device, result.ConsumedCapacity))
			}
		}
	}
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

// reserve gives the claims of a pod as they would be once it is bound to a node that it fits:
// with the devices that DynamicResources has found for it there, in the cycle of that trial.
func (p *Profile) reserve(ctx context.Context, cycle fwk.CycleState, pod *corev1.Pod, node string) ([]*resourcev1.ResourceClaim, error) {
	k := p.IndexOf(names.DynamicResources)
	if k < 0 {
		return nil, nil
	}
	plugin, ok := p.Plugins[k].Filter.(fwk.ReservePlugin)
	if !ok {
		return nil, nil
	}
	dra := p.Scheduler.dra
	dra.allocated = nil
	if status := plugin.Reserve(ctx, cycle, pod, node); !status.IsSuccess() {
		return nil, fmt.Errorf("reserve devices of pod %s/%s on %s: %w", pod.Namespace, pod.Name, node, status.AsError())
	}
	claims := dra.allocated
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == nil || slices.ContainsFunc(claims, func(c *resourcev1.ResourceClaim) bool { return c.Name == *name }) {
			continue
		}
		claim, err := dra.ResourceClaims().Get(pod.Namespace, *name)
		if err != nil {
			return nil, fmt.Errorf("reserve devices of pod %s/%s on %s: %w", pod.Namespace, pod.Name, node, err)
		}
		claims = append(claims, claim.DeepCopy())
	}
	for _, claim := range claims {
		if claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" { // the API server names it
			claim.Name = strings.TrimSuffix(claim.GenerateName, "-")
			for i := range claim.OwnerReferences {
				claim.OwnerReferences[i].UID = pod.UID // the one that was asked about may have had none
			}
		}
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
	}
	return claims, nil
}

// release takes a pod out of those that a claim is reserved for in a simulated state. Where it is
// the last one, the claim loses the devices that it got there (syncClaim of
// pkg/controller/resourceclaim).
func (d *tracedDRA) release(s *Fork, claim *resourcev1.ResourceClaim, pod types.UID) error {
	now, err := d.ResourceClaims().Get(claim.Namespace, claim.Name)
	if err != nil {
		return fmt.Errorf("release devices of ResourceClaim %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	now = now.DeepCopy()
	now.Status.ReservedFor = slices.DeleteFunc(now.Status.ReservedFor, func(by resourcev1.ResourceClaimConsumerReference) bool { return by.UID == pod })
	real, err := d.SharedDRAManager.ResourceClaims().Get(claim.Namespace, claim.Name)
	if len(now.Status.ReservedFor) == 0 && (err != nil || real.Status.Allocation == nil) {
		now.Status.Allocation = nil
		delete(now.Annotations, resourcev1.ExtendedResourceClaimAnnotation) // it is deleted with its pod
	}
	return s.SetObject(now)
}

// DeviceClasses finds the DeviceClass that serves an extended resource; nil where the cluster has
// no such resources. A class that could not be read is not found.
func (s *Scheduler) DeviceClasses() *extendedresourcecache.ExtendedResourceCache {
	classes, _ := s.dra.SharedDRAManager.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache)
	return classes
}

// templateTime is how long the API server is waited for.
const templateTime = 5 * time.Second

// ClaimTemplate asks the API server for what ResourceClaims are made from for pods that name a
// ResourceClaimTemplate, which no informer holds. It waits up to 5 s; the scheduler is not held.
func (s *Scheduler) ClaimTemplate(ctx context.Context, namespace, name string) (*resourcev1.ResourceClaimSpec, error) {
	ctx, cancel := context.WithTimeout(ctx, templateTime)
	defer cancel()
	template, err := s.client.ResourceV1().ResourceClaimTemplates(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read ResourceClaimTemplate %s/%s: %w", namespace, name, err)
	}
	return &template.Spec.Spec, nil
}
