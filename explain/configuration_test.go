package explain

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// twoProfiles is a configuration with most of what a configuration can change.
const twoProfiles = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
podMaxBackoffSeconds: 60
percentageOfNodesToScore: 30
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args: {ignoredResources: [example.com/gpu], ignoredResourceGroups: [example.org]}
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: disktype, operator: NotIn, values: [hdd]}]}]
  - name: Tenancy
    args: {strict: true}
  plugins:
    multiPoint: {enabled: [{name: Tenancy}]}
- schedulerName: batch
  percentageOfNodesToScore: 100
  plugins:
    filter: {disabled: [{name: TaintToleration}]}
    postFilter: {disabled: [{name: DefaultPreemption}]}
extenders:
- urlPrefix: https://quota.example.com
  filterVerb: filter
  prioritizeVerb: rank
  weight: 1
  managedResources: [{name: example.com/licence, ignoredByScheduler: true}]
`

func configuredBy(text string) Options {
	return Options{Configuration: &scheduler.Configuration{Data: []byte(text), Source: "scheduler.yaml", Asked: true}}
}

func TestAPodIsAskedAboutWithTheProfileThatItsSchedulerHas(t *testing.T) {
	hdd := testNode("std-a-01", "4", nodeLabel("disktype", "hdd"))
	tainted := testNode("std-a-02", "4", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule))
	e := startEngine(t, configuredBy(twoProfiles), hdd, tainted)
	scheduledBy := func(name string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.SchedulerName = name } }

	r := mustExplain(t, e, testPod("shop/x", "", "1", scheduledBy("default-scheduler")))
	same(t, string(r.Verdict), string(report.Unschedulable))
	same(t, r.Scheduler.Profile, "default-scheduler, from scheduler.yaml")
	if want := []string{
		"out-of-tree plugins are not run: Tenancy",
		"extender https://quota.example.com is not called (filter, prioritize)",
	}; !slices.Equal(r.Scheduler.Caveats, want) {
		t.Errorf("%q", r.Scheduler.Caveats)
	}
	rejection := refusalIn(t, r, names.NodeAffinity, "std-a-01")
	same(t, rejection.What, "std-a-01: the profile's addedAffinity requires disktype!=hdd, the node has disktype=hdd")
	same(t, rejection.Short, "the profile's addedAffinity disktype!=hdd, has hdd")

	r = mustExplain(t, e, testPod("shop/x", "", "1", scheduledBy("batch")))
	if r.Verdict != report.Schedulable || r.Fits != 2 || r.Scheduler.Profile != "batch, from scheduler.yaml" {
		t.Errorf("%s on %d nodes by %s", r.Verdict, r.Fits, r.Scheduler.Profile)
	}
	r = mustExplain(t, e, testPod("shop/x", "", "9", scheduledBy("batch")))
	same(t, r.SchedulerMessage, "0/2 nodes are available: 2 Insufficient cpu.")
	same(t, r.Preemption.Why, "The profile has no DefaultPreemption.")
}

func TestResourcesThatTheProfileIgnoresAreNotCalledShort(t *testing.T) {
	e := startEngine(t, configuredBy(strings.Split(twoProfiles, "extenders:")[0]), testNode("std-a-01", "4"))
	pod := testPod("shop/x", "", "9", requesting("example.com/gpu", "1"), requesting("example.org/fpga", "1"))
	rejection := refusalIn(t, mustExplain(t, e, pod), names.NodeResourcesFit, "std-a-01")
	same(t, rejection.Short, "needs cpu 5 more")
	left := startEngine(t, configuredBy(twoProfiles), testNode("std-a-01", "4"))
	r := mustExplain(t, left, testPod("shop/x", "", "1", requesting("example.com/licence", "1")))
	same(t, string(r.Verdict), string(report.Schedulable))
}

func TestAConfigurationSaysHowLongPodsRest(t *testing.T) {
	e := startEngine(t, configuredBy(twoProfiles), testNode("std-a-01", "4"))
	backoff := e.scheduler.Profile(&corev1.Pod{}).Question(&corev1.Pod{}).Backoff
	if backoff != time.Minute || *e.scheduler.Profile(&corev1.Pod{Spec: corev1.PodSpec{SchedulerName: "batch"}}).Framework.PercentageOfNodesToScore() != 100 || *e.scheduler.Profile(&corev1.Pod{}).Framework.PercentageOfNodesToScore() != 30 {
		t.Error(backoff)
	}
}

func TestWithAConfigurationMessagesAreTheSchedulersToo(t *testing.T) {
	text, _, _ := strings.Cut(strings.Replace(twoProfiles, `    multiPoint: {enabled: [{name: Tenancy}]}`, `    score: {disabled: [{name: ImageLocality}]}`, 1), "extenders:")
	text = strings.Replace(text, "  - name: Tenancy\n    args: {strict: true}\n", "", 1)
	messages := 0
	for seed := range seeds(t) / 3 {
		d := dice(rand.New(rand.NewPCG(seed, 11)).IntN)
		c := newRandomCluster(d, 1+d(12), d(40), 10)
		options := configuredBy(text)
		read := must(runtime.Decode(scheme.Codecs.UniversalDecoder(), []byte(text))).(*config.KubeSchedulerConfiguration)
		e := startEngine(t, options, c.Objects()...)
		real := startUpstreamWith(t, []kubescheduler.Option{kubescheduler.WithProfiles(read.Profiles...)}, c.Objects()...)
		for _, name := range []string{"default-scheduler", "batch"} {
			real.profile = real.Profiles[name]
			for _, pod := range c.Pending {
				pod = pod.DeepCopy()
				pod.Spec.SchedulerName = name
				r := mustExplain(t, e, pod)
				if r.Verdict == report.Gated || r.Verdict == report.Preempting {
					continue
				}
				want := real.attempt(pod)
				if upToPreemption(r.SchedulerMessage) != upToPreemption(want) {
					t.Errorf("seed %d, pod %s of %s (%s):\n got %q\nwant %q", seed, pod.Name, name, r.Verdict, r.SchedulerMessage, want)
				}
				if want != "" {
					messages++
				}
			}
		}
	}
	if messages < 50 && !testing.Short() {
		t.Errorf("only %d messages were compared", messages)
	}
	t.Logf("%d messages", messages)
}

func TestAnotherSchedulersConfigurationLeavesTheDefaultProfile(t *testing.T) {
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: ml}]\n"
	e := startEngine(t, configuredBy(text), testNode("std-a-01", "4"))
	r := mustExplain(t, e, testPod("shop/x", "", "1"))
	same(t, r.Scheduler.Profile, "default-scheduler, default profile assumed")
	if e.scheduler.LeaseOf("ml") != "ml" || e.scheduler.LeaseOf(corev1.DefaultSchedulerName) != corev1.DefaultSchedulerName {
		t.Error(e.scheduler.LeaseOf("ml"), e.scheduler.LeaseOf(corev1.DefaultSchedulerName))
	}
}

func TestABrokenConfigurationIsAnErrorOnlyWhereItWasAskedFor(t *testing.T) {
	for name, text := range map[string]string{
		"no YAML":          "{",
		"another kind":     "apiVersion: v1\nkind: Pod\n",
		"another version":  "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n",
		"an unknown field": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofile: []\n",
		"a wrong value":    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 101\n",
		"profiles of a name": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
			"profiles: [{schedulerName: a}, {schedulerName: a}]\n",
		"a plugin where it has no say": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
			"profiles: [{schedulerName: default-scheduler, plugins: {filter: {enabled: [{name: PrioritySort}]}}}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := &scheduler.Configuration{Data: []byte(text), Source: "scheduler.yaml"}
			if err := c.Check(); !errors.Is(err, scheduler.ErrConfiguration) {
				t.Error(err)
			}
			e := startEngine(t, Options{Configuration: c}, testNode("std-a-01", "4"))
			r := mustExplain(t, e, testPod("shop/x", "", "1"))
			if len(r.Scheduler.Caveats) != 2 || r.Scheduler.Caveats[0] != report.Assumed || !strings.HasPrefix(r.Scheduler.Caveats[1], "scheduler.yaml is ignored: ") {
				t.Errorf("%q", r.Scheduler.Caveats)
			}
		})
	}
}
