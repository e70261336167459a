package explain

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// profile is one of a scheduler's profiles, built. All of an engine's share its
// state.
type profile struct {
	served     string                    // the scheduler name that pods give to be placed by it
	origin     string                    // where it came from: "from scheduler.yaml", "default profile assumed"
	alive      string                    // whom to ask about whether its scheduler lives
	args       map[string]runtime.Object // by plugin
	framework  framework.Framework
	plugins    []plugin // in the order of their Filter halves
	preOrder   []int    // indices of plugins in the order of their PreFilter halves
	gates      []fwk.PreEnqueuePlugin
	preScorers []fwk.PreScorePlugin
	scorers    []scorer
	posts      sets.Set[string] // plugins of PostFilter
	preempts   *defaultpreemption.DefaultPreemption

	postFilters, binders []string // names, in their order
}

// plugin is one that has a say about nodes. Either half may be nil.
type plugin struct {
	name   string
	pre    fwk.PreFilterPlugin
	filter fwk.FilterPlugin
}

// build makes the frameworks of the scheduler's profiles.
func (e *Engine) build(ctx context.Context, factory informers.SharedInformerFactory, client kubernetes.Interface) error {
	wanted, err := configure(e.options.Configuration)
	if err != nil {
		return err
	}
	dra, err := newDRAManager(ctx, factory, client)
	if err != nil {
		return err
	}
	e.dra = &tracedDRA{dra, e.options.Trace}
	e.backoff, e.notes, e.profiles = wanted.backoff, wanted.notes, map[string]*profile{}
	for i := range wanted.profiles {
		p, err := e.newProfile(ctx, &wanted.profiles[i], factory, client)
		if err != nil {
			return err
		}
		p.origin, p.alive = wanted.origins[i], wanted.alive[i]
		e.profiles[p.served] = p
	}
	e.standard = e.profiles[corev1.DefaultSchedulerName]
	e.profile = e.standard
	return nil
}

// choose takes the profile that the pod's scheduler has for it.
func (e *Engine) choose(pod *corev1.Pod) {
	e.profile = e.standard
	if p, ok := e.profiles[schedulerName(pod)]; ok {
		e.profile = p
	}
}

// asFor is choose for a while: until the function that it returns is called.
func (e *Engine) asFor(pod *corev1.Pod) (back func()) {
	before := e.profile
	e.choose(pod)
	return func() { e.profile = before }
}

// serves says whether pods that give this scheduler name have a profile here.
func (e *Engine) serves(name string) bool {
	_, ok := e.profiles[name]
	return ok
}

// newProfile makes the framework of one profile and keeps hold of its plugins,
// for which the framework has no getter.
func (e *Engine) newProfile(ctx context.Context, wanted *config.KubeSchedulerProfile, factory informers.SharedInformerFactory, client kubernetes.Interface) (*profile, error) {
	made := map[string]fwk.Plugin{}
	built, err := frameworkruntime.NewFramework(ctx, e.registry(made), wanted,
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
		return nil, fmt.Errorf("profile %s: %w", wanted.SchedulerName, err)
	}
	p := &profile{served: wanted.SchedulerName, framework: built, args: map[string]runtime.Object{}, posts: sets.New[string]()}
	for _, one := range wanted.PluginConfig {
		p.args[one.Name] = one.Args
	}
	p.capture(made)
	return p, nil
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
func (p *profile) capture(made map[string]fwk.Plugin) {
	enabled := p.framework.ListPlugins()
	pre := map[string]fwk.PreFilterPlugin{}
	for _, one := range enabled.PreFilter.Enabled {
		pre[one.Name], _ = made[one.Name].(fwk.PreFilterPlugin)
	}
	for _, one := range enabled.Filter.Enabled {
		filter, _ := made[one.Name].(fwk.FilterPlugin)
		p.plugins = append(p.plugins, plugin{name: one.Name, pre: pre[one.Name], filter: filter})
		delete(pre, one.Name)
	}
	for _, one := range enabled.PreFilter.Enabled {
		if only, ok := pre[one.Name]; ok {
			p.plugins = append(p.plugins, plugin{name: one.Name, pre: only})
		}
	}
	p.preFilterOrder(enabled.PreFilter.Enabled)
	p.captureScorers(enabled, made)
	for _, one := range enabled.PostFilter.Enabled {
		p.postFilters = append(p.postFilters, one.Name)
	}
	for _, one := range enabled.Bind.Enabled {
		p.binders = append(p.binders, one.Name)
	}
	p.gates = p.framework.PreEnqueuePlugins()
	for _, one := range enabled.PostFilter.Enabled {
		p.posts.Insert(one.Name)
	}
	p.preempts, _ = made[names.DefaultPreemption].(*defaultpreemption.DefaultPreemption)
}

// preFilterOrder notes in which order the scheduler runs the PreFilter halves.
func (p *profile) preFilterOrder(enabled []config.Plugin) {
	for _, one := range enabled {
		for k := range p.plugins {
			if p.plugins[k].name == one.Name {
				p.preOrder = append(p.preOrder, k)
			}
		}
	}
}
