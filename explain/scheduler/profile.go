package scheduler

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
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

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Profile is one of a scheduler's profiles, built. All of a scheduler's share its
// state.
type Profile struct {
	Scheduler *Scheduler
	// Name is the scheduler name that pods give to be placed by it.
	Name string
	// Origin is where it came from: "from scheduler.yaml", "default profile assumed".
	Origin string
	// Args are the plugins' arguments, by plugin.
	Args      map[string]runtime.Object
	Framework framework.Framework
	// Plugins have a say about nodes, in the order of their Filter halves.
	Plugins []Plugin
	// PreOrder are the indices of Plugins in the order of their PreFilter halves.
	PreOrder []int
	// Gates are the PreEnqueue plugins.
	Gates []fwk.PreEnqueuePlugin
	// Preemption is the PostFilter plugin that evicts; nil where the profile has none.
	// Its PostFilter is never called.
	Preemption *defaultpreemption.DefaultPreemption
	// PostFilters and Binders are names of plugins, in their order.
	PostFilters, Binders []string

	lease      string           // under which name Options.SchedulerAlive of an engine knows its scheduler
	foreign    sets.Set[string] // plugins of its configuration that are not run here
	preScorers []fwk.PreScorePlugin
	scorers    []scorer
}

// Plugin is one that has a say about nodes. Either half may be nil.
type Plugin struct {
	Name   string
	Filter fwk.FilterPlugin
	pre    fwk.PreFilterPlugin
}

// build makes the frameworks of the scheduler's profiles.
func (s *Scheduler) build(ctx context.Context, factory informers.SharedInformerFactory, client kubernetes.Interface) error {
	wanted, err := configure(s.options.Configuration)
	if err != nil {
		return err
	}
	dra, err := newDRAManager(ctx, factory, client)
	if err != nil {
		return err
	}
	s.dra = &tracedDRA{SharedDRAManager: dra, trace: s.options.Unreadable, simulated: s.State.objects.of(&resourcev1.ResourceClaim{})}
	s.backoff, s.Notes, s.profiles = wanted.backoff, wanted.notes, map[string]*Profile{}
	for i := range wanted.profiles {
		p, err := s.newProfile(ctx, &wanted.profiles[i], factory, client)
		if err != nil {
			return err
		}
		p.Origin, p.lease, p.foreign = wanted.origins[i], wanted.leases[i], wanted.foreign[p.Name]
		s.profiles[p.Name] = p
		s.State.served.Insert(p.Name)
	}
	s.standard = s.profiles[corev1.DefaultSchedulerName]
	return nil
}

// Profile is the profile that the pod's scheduler has for it. Pods whose scheduler
// has none get the default scheduler's.
func (s *Scheduler) Profile(pod *corev1.Pod) *Profile {
	if p, ok := s.profiles[NameOf(pod)]; ok {
		return p
	}
	return s.standard
}

// Serves says whether pods that give this scheduler name have a profile here.
func (s *Scheduler) Serves(name string) bool { return s.State.served.Has(name) }

// MayRun says whether the scheduler of that name may run an out-of-tree plugin: its configuration has it,
// or is not known.
func (s *Scheduler) MayRun(name, plugin string) bool {
	p, served := s.profiles[name]
	return !served || p.Origin == report.Assumed || p.foreign.Has(plugin)
}

// defaultFilters are schedulers of GKE, which filter nodes as the default profile does, and rank
// them by rules of their own.
var defaultFilters = map[string]bool{
	"gke.io/default-scheduler": true, "gke.io/optimize-utilization-scheduler": true,
	"gke.io/high-throughput-scheduler": true, "gke.io/first-fit": true,
}

// Filters says whether pods that give this scheduler name are filtered as by a profile here: its
// own, or the default one. It says nothing of whether that scheduler is running.
func (s *Scheduler) Filters(name string) bool { return s.Serves(name) || defaultFilters[name] }

// LeaseOf is under which name Options.SchedulerAlive of an engine knows the
// scheduler of that name: profiles of one configuration share a Lease.
func (s *Scheduler) LeaseOf(name string) string {
	if p, ok := s.profiles[name]; ok {
		return p.lease
	}
	return name
}

// HasPostFilter says whether a PostFilter plugin is part of the profile.
func (p *Profile) HasPostFilter(name string) bool { return slices.Contains(p.PostFilters, name) }

// state is the state that the plugins see.
func (p *Profile) state() *State { return p.Scheduler.State }

// unreadable notes what plugins read that could not be listed.
func (p *Profile) unreadable() *Unreadable { return p.Scheduler.options.Unreadable }

// IndexOf is the place of a plugin among those that have a say about nodes; -1 if
// it is none of them.
func (p *Profile) IndexOf(plugin string) int {
	for k := range p.Plugins {
		if p.Plugins[k].Name == plugin {
			return k
		}
	}
	return -1
}

// newProfile makes the framework of one profile and keeps hold of its plugins,
// for which the framework has no getter.
func (s *Scheduler) newProfile(ctx context.Context, wanted *config.KubeSchedulerProfile, factory informers.SharedInformerFactory, client kubernetes.Interface) (*Profile, error) {
	made := map[string]fwk.Plugin{}
	built, err := frameworkruntime.NewFramework(ctx, s.registry(made), wanted,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(s.State.overlay),
		frameworkruntime.WithMutableSnapshotLister(s.State.overlay),
		frameworkruntime.WithSharedDRAManager(s.dra),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithPodGroupManager(s.State.groups),
		frameworkruntime.WithPodNominator(s.State.nominator),
		frameworkruntime.WithParallelism(s.options.Parallelism),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
		frameworkruntime.WithLogger(s.State.Logger),
	)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", wanted.SchedulerName, err)
	}
	p := &Profile{Scheduler: s, Name: wanted.SchedulerName, Framework: built, Args: map[string]runtime.Object{}}
	for _, one := range wanted.PluginConfig {
		p.Args[one.Name] = one.Args
	}
	p.capture(made)
	return p, nil
}

// registry has the in-tree plugins. Each is noted in made as it is built, and
// gets a handle whose goroutines hand panics back to their caller.
func (s *Scheduler) registry(made map[string]fwk.Plugin) frameworkruntime.Registry {
	registry := frameworkruntime.Registry{}
	for name, factory := range frameworkplugins.NewInTreeRegistry() {
		registry[name] = func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, guarded{handle, parallelizer{s.options.Parallelism}})
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
func (p *Profile) capture(made map[string]fwk.Plugin) {
	enabled := p.Framework.ListPlugins()
	pre := map[string]fwk.PreFilterPlugin{}
	for _, one := range enabled.PreFilter.Enabled {
		pre[one.Name], _ = made[one.Name].(fwk.PreFilterPlugin)
	}
	for _, one := range enabled.Filter.Enabled {
		filter, _ := made[one.Name].(fwk.FilterPlugin)
		p.Plugins = append(p.Plugins, Plugin{Name: one.Name, pre: pre[one.Name], Filter: filter})
		delete(pre, one.Name)
	}
	for _, one := range enabled.PreFilter.Enabled {
		if only, ok := pre[one.Name]; ok {
			p.Plugins = append(p.Plugins, Plugin{Name: one.Name, pre: only})
		}
	}
	p.preFilterOrder(enabled.PreFilter.Enabled)
	p.captureScorers(enabled, made)
	for _, one := range enabled.PostFilter.Enabled {
		p.PostFilters = append(p.PostFilters, one.Name)
	}
	for _, one := range enabled.Bind.Enabled {
		p.Binders = append(p.Binders, one.Name)
	}
	p.Gates = p.Framework.PreEnqueuePlugins()
	p.Preemption, _ = made[names.DefaultPreemption].(*defaultpreemption.DefaultPreemption)
}

// preFilterOrder notes in which order the scheduler runs the PreFilter halves.
func (p *Profile) preFilterOrder(enabled []config.Plugin) {
	for _, one := range enabled {
		for k := range p.Plugins {
			if p.Plugins[k].Name == one.Name {
				p.PreOrder = append(p.PreOrder, k)
			}
		}
	}
}
