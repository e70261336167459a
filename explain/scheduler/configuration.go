package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// ErrConfiguration says that a KubeSchedulerConfiguration cannot be used.
var ErrConfiguration = errors.New("not a usable KubeSchedulerConfiguration")

// Configuration is a KubeSchedulerConfiguration as it was written.
type Configuration struct {
	// Data is YAML or JSON.
	Data []byte
	// Source says where it came from: "scheduler.yaml", "ConfigMap kube-system/kube-scheduler".
	Source string
	// Asked says that a user named it. One that was only found is ignored where
	// it cannot be used.
	Asked bool
}

// Check says why the configuration cannot be used; nil if it can. It builds a
// scheduler from it that nobody asks. Its errors are ErrConfiguration.
func (c *Configuration) Check() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	nobody, err := kubernetes.NewForConfig(&rest.Config{Host: "http://localhost"})
	if err != nil {
		return fmt.Errorf("read %s: %w", c.Source, err)
	}
	asked := *c
	asked.Asked = true
	_, err = New(ctx, informers.NewSharedInformerFactory(nobody, 0), nobody, Options{Configuration: &asked})
	if err != nil {
		return fmt.Errorf("read %s: %w: %w", c.Source, ErrConfiguration, errors.Unwrap(err))
	}
	return nil
}

// configurationKind is the kind of the only file that can be used.
const configurationKind = "KubeSchedulerConfiguration"

// decode reads the configuration as kube-scheduler does, defaults filled in.
func (c *Configuration) decode() (*config.KubeSchedulerConfiguration, error) {
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(c.Data, nil, nil)
	if err != nil {
		var of metav1.TypeMeta
		if yaml.Unmarshal(c.Data, &of) == nil && of.Kind != "" && of.Kind != configurationKind {
			return nil, fmt.Errorf("it is a %s", of.Kind)
		}
		return nil, err
	}
	read, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("it is a %s", kind.Kind)
	}
	read.APIVersion = kind.GroupVersion().String() // conversion has cleared it
	if errs := validation.ValidateKubeSchedulerConfiguration(read); errs != nil {
		return nil, errs
	}
	return read, nil
}

// longestBackoff is how long a pod backs off between two attempts at most, unless a
// configuration says otherwise (DefaultPodMaxBackoffDuration of
// pkg/scheduler/backend/queue).
const longestBackoff = 10 * time.Second

// configured is what the scheduler makes of a configuration.
type configured struct {
	profiles []config.KubeSchedulerProfile
	origins  []string                    // by profile: where it came from
	leases   []string                    // by profile: whom to ask SchedulerAlive about
	foreign  map[string]sets.Set[string] // by scheduler name: plugins that are not run here
	backoff  time.Duration
	notes    []string // what is not reproduced
}

// configure reads what the scheduler is told to do: the default profile, unless
// a configuration says otherwise. The default profile stays for pods of the
// default scheduler, where the configuration is another scheduler's. One that was
// only found is ignored where it cannot be used.
func configure(c *Configuration) (configured, error) {
	defaults, err := latest.Default()
	if err != nil {
		return configured{}, fmt.Errorf("read default profile: %w", err)
	}
	standard := configured{
		profiles: defaults.Profiles[:1], origins: []string{report.Assumed}, leases: []string{corev1.DefaultSchedulerName}, backoff: longestBackoff,
	}
	if c == nil {
		return standard, nil
	}
	if !c.Asked {
		if err := c.Check(); err != nil {
			standard.notes = []string{fmt.Sprintf("%s is ignored: %v", c.Source, err)}
			return standard, nil
		}
	}
	read, err := c.decode()
	if err != nil {
		return configured{}, err
	}
	found := configured{backoff: time.Duration(read.PodMaxBackoffSeconds) * time.Second}
	found.add(c.Source, read)
	if !hasDefault(found.profiles) {
		found.profiles = append(found.profiles, standard.profiles[0])
		found.origins, found.leases = append(found.origins, report.Assumed), append(found.leases, standard.leases[0])
	}
	return found, nil
}

func hasDefault(profiles []config.KubeSchedulerProfile) bool {
	return slices.ContainsFunc(profiles, func(p config.KubeSchedulerProfile) bool { return p.SchedulerName == corev1.DefaultSchedulerName })
}

// Alive is under which name SchedulerAlive knows the scheduler that is configured
// so; "" where the configuration cannot be read.
func (c *Configuration) Alive() string {
	read, err := c.decode()
	if err != nil {
		return ""
	}
	return leaseOf(read)
}

// leaseOf is under which name SchedulerAlive knows the scheduler of a
// configuration, whose profiles share one Lease.
func leaseOf(read *config.KubeSchedulerConfiguration) string {
	switch name := read.LeaderElection.ResourceName; {
	case name != "" && name != "kube-scheduler":
		return name
	case hasDefault(read.Profiles):
		return corev1.DefaultSchedulerName
	}
	return read.Profiles[0].SchedulerName
}

// add takes the profiles of a configuration without what only its own scheduler
// has.
func (c *configured) add(source string, read *config.KubeSchedulerConfiguration) {
	known := sets.KeySet(frameworkplugins.NewInTreeRegistry())
	foreign := sets.New[string]()
	for i := range read.Profiles {
		p, own := &read.Profiles[i], sets.New[string]()
		if p.PercentageOfNodesToScore == nil {
			p.PercentageOfNodesToScore = read.PercentageOfNodesToScore
		}
		for _, set := range pluginSets(p.Plugins) {
			set.Enabled = slices.DeleteFunc(set.Enabled, func(one config.Plugin) bool {
				if !known.Has(one.Name) {
					own.Insert(one.Name)
				}
				return !known.Has(one.Name)
			})
		}
		p.PluginConfig = slices.DeleteFunc(p.PluginConfig, func(one config.PluginConfig) bool { return !known.Has(one.Name) })
		c.profiles, c.origins, c.leases = append(c.profiles, *p), append(c.origins, "from "+source), append(c.leases, leaseOf(read))
		if c.foreign == nil {
			c.foreign = map[string]sets.Set[string]{}
		}
		c.foreign[p.SchedulerName] = own
		foreign = foreign.Union(own)
	}
	if len(foreign) > 0 {
		c.notes = append(c.notes, fmt.Sprintf("out-of-tree plugins are not run: %s", strings.Join(sets.List(foreign), ", ")))
	}
	c.addExtenders(read.Extenders)
}

// addExtenders names the extenders, which are not called here, and leaves to them
// what the scheduler leaves to them.
func (c *configured) addExtenders(all []config.Extender) {
	var ignored []string
	for _, extender := range all {
		var verbs []string
		for verb, path := range map[string]string{
			"filter": extender.FilterVerb, "preempt": extender.PreemptVerb, "prioritize": extender.PrioritizeVerb, "bind": extender.BindVerb,
		} {
			if path != "" {
				verbs = append(verbs, verb)
			}
		}
		slices.Sort(verbs)
		c.notes = append(c.notes, fmt.Sprintf("extender %s is not called (%s)", extender.URLPrefix, strings.Join(verbs, ", ")))
		for _, resource := range extender.ManagedResources {
			if resource.IgnoredByScheduler {
				ignored = append(ignored, resource.Name)
			}
		}
	}
	if len(ignored) == 0 {
		return
	}
	for i := range c.profiles {
		for _, one := range c.profiles[i].PluginConfig {
			if args, ok := one.Args.(*config.NodeResourcesFitArgs); ok && one.Name == names.NodeResourcesFit {
				args.IgnoredResources = ignored // as scheduler.New does
			}
		}
	}
}

// pluginSets are those of all extension points.
func pluginSets(p *config.Plugins) []*config.PluginSet {
	if p == nil {
		return nil
	}
	return []*config.PluginSet{
		&p.MultiPoint, &p.PreEnqueue, &p.QueueSort, &p.PreFilter, &p.Filter, &p.PostFilter, &p.PreScore, &p.Score, &p.Reserve,
		&p.Permit, &p.PreBind, &p.Bind, &p.PostBind, &p.PlacementGenerate, &p.PlacementScore, &p.PodGroupPostFilter,
	}
}

// InTree tells whether kube-scheduler comes with a plugin of that name.
func InTree(name any) bool {
	named, ok := name.(string)
	return ok && sets.KeySet(frameworkplugins.NewInTreeRegistry()).Has(named)
}
