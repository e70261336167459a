package explain

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
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

// build makes the framework of the default profile and keeps hold of its
// plugins, for which the framework has no getter.
func (e *Engine) build(ctx context.Context, factory informers.SharedInformerFactory, client kubernetes.Interface) error {
	defaults, err := latest.Default()
	if err != nil {
		return fmt.Errorf("read default profile: %w", err)
	}
	profile := &defaults.Profiles[0]
	e.served = profile.SchedulerName
	dra, err := newDRAManager(ctx, factory, client)
	if err != nil {
		return err
	}
	e.dra = &tracedDRA{dra, e.options.Trace}
	made := map[string]fwk.Plugin{}
	e.framework, err = frameworkruntime.NewFramework(ctx, e.registry(made), profile,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(e.overlay),
		frameworkruntime.WithMutableSnapshotLister(e.overlay),
		frameworkruntime.WithSharedDRAManager(e.dra),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithPodGroupManager(e.cache),
		frameworkruntime.WithPodNominator(e.nominator),
		frameworkruntime.WithParallelism(e.options.Parallelism),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
		frameworkruntime.WithLogger(e.logger),
	)
	if err != nil {
		return err
	}
	e.capture(made)
	return nil
}

// registry has the in-tree plugins. Each is noted in made as it is built, and
// gets a handle whose goroutines hand panics back to their caller.
func (e *Engine) registry(made map[string]fwk.Plugin) frameworkruntime.Registry {
	registry := frameworkruntime.Registry{}
	for name, factory := range frameworkplugins.NewInTreeRegistry() {
		registry[name] = func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, guarded{handle, parallelizer{e.options.Parallelism}})
			if err == nil {
				made[name] = plugin
			}
			return plugin, err
		}
	}
	return registry
}

// capture sorts the plugins that were made into the scheduler's order: by their
// Filter, then those that only have a PreFilter.
func (e *Engine) capture(made map[string]fwk.Plugin) {
	enabled := e.framework.ListPlugins()
	pre := map[string]fwk.PreFilterPlugin{}
	for _, p := range enabled.PreFilter.Enabled {
		pre[p.Name], _ = made[p.Name].(fwk.PreFilterPlugin)
	}
	for _, p := range enabled.Filter.Enabled {
		filter, _ := made[p.Name].(fwk.FilterPlugin)
		e.plugins = append(e.plugins, plugin{name: p.Name, pre: pre[p.Name], filter: filter})
		delete(pre, p.Name)
	}
	for _, p := range enabled.PreFilter.Enabled {
		if only, ok := pre[p.Name]; ok {
			e.plugins = append(e.plugins, plugin{name: p.Name, pre: only})
		}
	}
	e.preFilterOrder(enabled.PreFilter.Enabled)
	e.captureScorers(enabled, made)
	e.gates = e.framework.PreEnqueuePlugins()
	e.preempts, _ = made[names.DefaultPreemption].(*defaultpreemption.DefaultPreemption)
}

// preFilterOrder notes in which order the scheduler runs the PreFilter halves.
func (e *Engine) preFilterOrder(enabled []config.Plugin) {
	for _, p := range enabled {
		for k := range e.plugins {
			if e.plugins[k].name == p.Name {
				e.preOrder = append(e.preOrder, k)
			}
		}
	}
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
