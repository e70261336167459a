package rollout_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rollout"
)

var now = time.Date(2026, 11, 29, 7, 0, 0, 0, time.UTC)

// spec edits a template of one container that requests cpu 1.
type edit func(*corev1.PodTemplateSpec)

func template(edits ...edit) corev1.PodTemplateSpec {
	t := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "app", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}},
		}}},
	}
	for _, change := range edits {
		change(&t)
	}
	return t
}

// replicaSet is one of deployment web, of a template with that revision ("": none is noted).
func replicaSet(name, revision string, age time.Duration, edits ...edit) *appsv1.ReplicaSet {
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "s", Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(now.Add(-age)),
			OwnerReferences: []metav1.OwnerReference{explaintest.ControlledBy("apps/v1", "Deployment", "web")},
		},
		Spec: appsv1.ReplicaSetSpec{Template: template(edits...)},
	}
	if revision != "" {
		set.Annotations = map[string]string{"deployment.kubernetes.io/revision": revision}
	}
	return set
}

func of(set string) func(*corev1.Pod) {
	return explaintest.PodControlledBy("apps/v1", "ReplicaSet", set)
}

func spec(change func(*corev1.PodSpec)) edit {
	return func(t *corev1.PodTemplateSpec) { change(&t.Spec) }
}

func cpu(amount string) edit {
	return func(t *corev1.PodTemplateSpec) {
		t.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(amount)
	}
}

// TestARolloutIsToldWhereItMayBeWhyAPodIsPending: old pods run, or no new one does.
func TestARolloutIsToldWhereItMayBeWhyAPodIsPending(t *testing.T) {
	waiting := explaintest.Pod("s/x", "", "2", of("web-2"))
	old := func(name string, edits ...func(*corev1.Pod)) *corev1.Pod {
		return explaintest.Pod("s/"+name, "a", "1", append([]func(*corev1.Pod){of("web-1")}, edits...)...)
	}
	ended := func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }
	first, second := replicaSet("web-1", "1", time.Hour), replicaSet("web-2", "2", 12*time.Minute, cpu("2"))
	const changed = "deployment/web changed 12m ago: cpu request 2 instead of 1; "
	for name, c := range map[string]struct {
		objects []runtime.Object
		want    string // "": there is none to tell
	}{
		"old pods run":                      {[]runtime.Object{first, second, old("o1"), old("o2")}, changed + "2 old pods run."},
		"one has ended":                     {[]runtime.Object{first, second, old("o1"), old("o2", ended)}, changed + "1 old pod runs."},
		"some of both run":                  {[]runtime.Object{first, second, old("o1"), explaintest.Pod("s/n1", "a", "2", of("web-2"))}, changed + "1 old pod runs, and 1 new one."},
		"no pod runs":                       {[]runtime.Object{first, second}, changed + "no old pod runs."},
		"the rollout is over":               {[]runtime.Object{first, second, explaintest.Pod("s/n1", "a", "2", of("web-2"))}, ""},
		"nothing changed, and no pod runs":  {[]runtime.Object{first, replicaSet("web-2", "2", 12*time.Minute)}, ""},
		"nothing that kube-scheduler reads": {[]runtime.Object{first, replicaSet("web-2", "2", 12*time.Minute), explaintest.Pod("s/o1", "a", "2", of("web-1"))}, "deployment/web changed 12m ago, in nothing that decides where its pods may go; 1 old pod runs."},
		"the template is the first":         {[]runtime.Object{second}, ""},
		"the pod is of the old template":    {[]runtime.Object{replicaSet("web-3", "3", time.Minute), second}, ""},
		"it went back to an older template": {
			[]runtime.Object{replicaSet("web-1", "3", time.Minute), replicaSet("web-2", "4", time.Hour, cpu("2")), old("o1")},
			"deployment/web changed: cpu request 2 instead of 1; 1 old pod runs.",
		},
		"revisions are not known": {[]runtime.Object{replicaSet("web-1", "", time.Hour), replicaSet("web-2", "", 12*time.Minute, cpu("2")), old("o1")}, changed + "1 old pod runs."},
		"compared is what runs, not what failed between": {
			[]runtime.Object{first, replicaSet("web-f", "2", 20*time.Minute, cpu("9")), replicaSet("web-2", "3", 12*time.Minute, cpu("2")), old("o1")},
			changed + "1 old pod runs.",
		},
		"a ReplicaSet of nobody": {[]runtime.Object{func() *appsv1.ReplicaSet {
			set := second.DeepCopy()
			set.OwnerReferences = nil
			return set
		}(), first, old("o1")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := explaintest.StartScheduler(t, nil, append(c.objects, explaintest.Node("a", "8"), waiting)...)
			r := &report.Report{Rollout: rollout.Of(s.State, waiting)}
			explaintest.Same(t, report.RolloutSentence(r, now), c.want)
		})
	}
}

// TestWhatAdmissionSetsIsToldToo: the template of a sidecar leaves its requests to a LimitRange, and only the pod has them.
func TestWhatAdmissionSetsIsToldToo(t *testing.T) {
	sidecar := func(requests corev1.ResourceList) corev1.Container {
		return corev1.Container{Name: "proxy", RestartPolicy: new(corev1.ContainerRestartPolicyAlways), Resources: corev1.ResourceRequirements{Requests: requests}}
	}
	after := replicaSet("web-2", "2", time.Minute, func(t *corev1.PodTemplateSpec) { t.Spec.InitContainers = []corev1.Container{sidecar(nil)} })
	waiting := explaintest.Pod("s/x", "", "1", of("web-2"), func(p *corev1.Pod) {
		p.Spec.InitContainers = []corev1.Container{sidecar(corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")})}
		p.Spec.PreemptionPolicy = new(corev1.PreemptNever)
	})
	s := explaintest.StartScheduler(t, nil, replicaSet("web-1", "1", time.Hour), after, waiting, explaintest.Pod("s/o1", "a", "1", of("web-1")), explaintest.Node("a", "8"))
	const want = "deployment/web changed 1m ago: cpu request 2 instead of 1, container proxy (cpu 1) added, preemption policy Never instead of PreemptLowerPriority; 1 old pod runs."
	explaintest.Same(t, report.RolloutSentence(&report.Report{Rollout: rollout.Of(s.State, waiting)}, now), want)
}

// TestWhatOnlyAdmissionSetIsToldAsThat: the RuntimeClass of both templates has more overhead since the old pods were
// created. Undoing the rollout would not change it.
func TestWhatOnlyAdmissionSetIsToldAsThat(t *testing.T) {
	kata := spec(func(s *corev1.PodSpec) { s.RuntimeClassName = new("kata") })
	overhead := func(memory string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.RuntimeClassName = new("kata")
			p.Spec.Overhead = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}
		}
	}
	waiting := explaintest.Pod("s/x", "", "1", of("web-2"), overhead("2Gi"))
	s := explaintest.StartScheduler(t, nil, replicaSet("web-1", "1", time.Hour, kata), replicaSet("web-2", "2", time.Minute, kata), waiting,
		explaintest.Pod("s/o1", "a", "1", of("web-1"), overhead("160Mi")), explaintest.Node("a", "8"))
	told := rollout.Of(s.State, waiting)
	const want = "deployment/web changed 1m ago: memory request 2Gi instead of 160Mi, pod overhead memory 2Gi instead of 160Mi, set at admission and not by the template; 1 old pod runs."
	explaintest.Same(t, report.RolloutSentence(&report.Report{Rollout: told}, now), want)
	if told.ByTemplate() {
		t.Error("the template is said to have changed it")
	}
}

// TestWhatMatchLabelKeysAddIsNoChange: kube-apiserver adds the hash of its own template to each pod's selectors.
func TestWhatMatchLabelKeysAddIsNoChange(t *testing.T) {
	keyed := func(labels map[string]string) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: labels}}
			pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: "zone", MatchLabelKeys: []string{"hash"}, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			}}}}
			labelkeys.Merge(pod)
			s.Affinity = pod.Spec.Affinity
		}
	}
	template := spec(keyed(nil)) // as a template has it
	waiting := explaintest.Pod("s/x", "", "2", of("web-2"), func(p *corev1.Pod) { keyed(map[string]string{"hash": "new"})(&p.Spec) })
	before := explaintest.Pod("s/o1", "a", "1", of("web-1"), func(p *corev1.Pod) { keyed(map[string]string{"hash": "old"})(&p.Spec) })
	s := explaintest.StartScheduler(t, nil, replicaSet("web-1", "1", time.Hour, template), replicaSet("web-2", "2", time.Minute, template, cpu("2")), waiting, before, explaintest.Node("a", "8"))
	const want = "deployment/web changed 1m ago: cpu request 2 instead of 1; 1 old pod runs."
	explaintest.Same(t, report.RolloutSentence(&report.Report{Rollout: rollout.Of(s.State, waiting)}, now), want)
}

// TestLimitsAreToldOfPodsThatAreNotCreated: a quota may count them, kube-scheduler does not.
func TestLimitsAreToldOfPodsThatAreNotCreated(t *testing.T) {
	limit := func(amount string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(amount)}
		}
	}
	inTemplate := func(amount string) edit {
		return spec(func(s *corev1.PodSpec) {
			s.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(amount)}
		})
	}
	waiting, old := explaintest.Pod("s/x", "", "1", of("web-2"), limit("5Gi")), explaintest.Pod("s/o1", "a", "1", of("web-1"), limit("4Gi"))
	objects := []runtime.Object{replicaSet("web-1", "1", time.Hour, inTemplate("4Gi")), replicaSet("web-2", "2", time.Minute, inTemplate("5Gi")), old, explaintest.Node("a", "8")}
	missing := explaintest.StartScheduler(t, nil, objects...)
	explaintest.Same(t, report.RolloutSentence(&report.Report{Rollout: rollout.Of(missing.State, waiting)}, now),
		"deployment/web changed 1m ago: memory limit 5Gi instead of 4Gi; 1 old pod runs.")
	exists := explaintest.StartScheduler(t, nil, append(objects, waiting)...)
	explaintest.Same(t, report.RolloutSentence(&report.Report{Rollout: rollout.Of(exists.State, waiting)}, now),
		"deployment/web changed 1m ago, in nothing that decides where its pods may go; 1 old pod runs.")
}

// TestARolloutOfRevisionsIsToldByPods: older templates of these are in ControllerRevisions, which are not read.
func TestARolloutOfRevisionsIsToldByPods(t *testing.T) {
	pod := func(name, node, cpu, kind, revision string, age time.Duration, edits ...func(*corev1.Pod)) *corev1.Pod {
		made := explaintest.Pod("s/"+name, node, cpu, append([]func(*corev1.Pod){
			explaintest.PodControlledBy("apps/v1", kind, "db"), explaintest.PodLabel("controller-revision-hash", revision),
		}, edits...)...)
		made.CreationTimestamp = metav1.NewTime(now.Add(-age))
		return made
	}
	set := func(update string) *appsv1.StatefulSet {
		return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "s", Name: "db", UID: "db"}, Status: appsv1.StatefulSetStatus{UpdateRevision: update}}
	}
	claim := func(name string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
			}})
		}
	}
	pinned := func(node string) func(*corev1.Pod) {
		return explaintest.NodeSelectorTerms(corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}})
	}
	for name, c := range map[string]struct {
		pod     *corev1.Pod
		objects []runtime.Object
		want    string
	}{
		"a StatefulSet": {
			pod("db-1", "", "2", "StatefulSet", "new", time.Minute, claim("data-db-1")),
			[]runtime.Object{set("new"), pod("db-0", "a", "1", "StatefulSet", "old", time.Hour, claim("data-db-0"))},
			"statefulset/db changed: cpu request 2 instead of 1; 1 old pod runs.",
		},
		"labels that its node gave the old pod": {
			pod("db-1", "", "2", "StatefulSet", "new", time.Minute),
			[]runtime.Object{set("new"), pod("db-0", "a", "1", "StatefulSet", "old", time.Hour, explaintest.PodLabel(corev1.LabelTopologyZone, "a"))},
			"statefulset/db changed: cpu request 2 instead of 1; 1 old pod runs.",
		},
		"a StatefulSet's pod of the old revision": {
			pod("db-1", "", "2", "StatefulSet", "old", time.Minute), []runtime.Object{set("new"), pod("db-0", "a", "1", "StatefulSet", "new", time.Hour)}, "",
		},
		"a StatefulSet that cannot be read": {
			pod("db-1", "", "2", "StatefulSet", "new", time.Minute), []runtime.Object{pod("db-0", "a", "1", "StatefulSet", "old", time.Hour)}, "",
		},
		"a DaemonSet": {
			pod("db-x", "", "2", "DaemonSet", "new", time.Minute, pinned("b")),
			[]runtime.Object{pod("db-y", "a", "1", "DaemonSet", "old", time.Hour, pinned("a")), pod("db-z", "c", "2", "DaemonSet", "new", time.Minute, pinned("c"))},
			"daemonset/db changed: cpu request 2 instead of 1; 1 old pod runs, and 1 new one.",
		},
		"a DaemonSet's older pod": {
			pod("db-x", "", "2", "DaemonSet", "one", time.Hour, pinned("b")), []runtime.Object{pod("db-y", "a", "1", "DaemonSet", "other", time.Minute, pinned("a"))}, "",
		},
		"one revision": {
			pod("db-x", "", "2", "DaemonSet", "one", time.Minute, pinned("b")), []runtime.Object{pod("db-y", "a", "1", "DaemonSet", "one", time.Hour, pinned("a"))}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := explaintest.StartScheduler(t, nil, append(c.objects, explaintest.Node("a", "8"), c.pod)...)
			explaintest.Same(t, report.RolloutSentence(&report.Report{Rollout: rollout.Of(s.State, c.pod)}, now), c.want)
		})
	}
}

// TestWhatChangedOfATemplateIsTold: each field that decides where a pod may go, added, changed and removed.
func TestWhatChangedOfATemplateIsTold(t *testing.T) {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	term := corev1.PodAffinityTerm{LabelSelector: selector, TopologyKey: corev1.LabelTopologyZone}
	spread := func(maxSkew int32, when corev1.UnsatisfiableConstraintAction) edit {
		return spec(func(s *corev1.PodSpec) {
			s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: maxSkew, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: when, LabelSelector: selector}}
		})
	}
	ssd := spec(func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"disk": "ssd"} })
	gpu := spec(func(s *corev1.PodSpec) {
		s.Tolerations = []corev1.Toleration{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	})
	class := spec(func(s *corev1.PodSpec) { s.PriorityClassName = "high" })
	for name, c := range map[string]struct {
		before, after edit
		want          []string // to the new template, and back
	}{
		"cpu":                     {cpu("1500m"), cpu("2"), []string{"cpu request 2 instead of 1.5", "cpu request 1.5 instead of 2"}},
		"a node selector":         {nil, ssd, []string{"node selector disk=ssd added", "node selector disk=ssd removed"}},
		"a node selector's value": {ssd, spec(func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"disk": "hdd"} }), []string{"node selector disk=hdd instead of ssd", "node selector disk=ssd instead of hdd"}},
		"a toleration":            {nil, gpu, []string{"toleration dedicated=gpu:NoSchedule added", "toleration dedicated=gpu:NoSchedule removed"}},
		"a toleration that keeps no pod away": {nil, spec(func(s *corev1.PodSpec) {
			s.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectPreferNoSchedule}}
		}), []string{"", ""}},
		"node affinity": {nil, spec(func(s *corev1.PodSpec) {
			s.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
				{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "arch", Operator: corev1.NodeSelectorOpIn, Values: []string{"arm64"}}}},
			}}}}
		}), []string{"node affinity arch=arm64 added", "node affinity arch=arm64 removed"}},
		"anti-affinity": {nil, spec(func(s *corev1.PodSpec) {
			s.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}}
		}), []string{"pod anti-affinity app=web by zone added", "pod anti-affinity app=web by zone removed"}},
		"a spread constraint":       {spread(2, corev1.DoNotSchedule), spread(1, corev1.DoNotSchedule), []string{"topology spread zone maxSkew 1 of app=web instead of maxSkew 2 of app=web", "topology spread zone maxSkew 2 of app=web instead of maxSkew 1 of app=web"}},
		"a spread that is required": {spread(1, corev1.ScheduleAnyway), spread(1, corev1.DoNotSchedule), []string{"topology spread zone maxSkew 1 of app=web added", "topology spread zone maxSkew 1 of app=web removed"}},
		"a sidecar": {nil, spec(func(s *corev1.PodSpec) {
			s.Containers = append(s.Containers, corev1.Container{Name: "proxy", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}})
		}), []string{"memory request 1Gi added, container proxy (memory 1Gi) added", "memory request 1Gi removed, container proxy (memory 1Gi) removed"}},
		"a host port": {nil, spec(func(s *corev1.PodSpec) {
			s.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80, Protocol: corev1.ProtocolTCP}}
		}), []string{"host port 80/TCP added", "host port 80/TCP removed"}},
		"a scheduler":       {nil, spec(func(s *corev1.PodSpec) { s.SchedulerName = "volcano" }), []string{"scheduler volcano instead of default-scheduler", "scheduler default-scheduler instead of volcano"}},
		"a priority class":  {nil, class, []string{"priority class high added", "priority class high removed"}},
		"a label":           {nil, func(t *corev1.PodTemplateSpec) { t.Labels["tier"] = "edge" }, []string{"label tier=edge added", "label tier=edge removed"}},
		"a template's hash": {nil, func(t *corev1.PodTemplateSpec) { t.Labels["pod-template-hash"] = "6c9" }, []string{"", ""}},
		"an image":          {nil, spec(func(s *corev1.PodSpec) { s.Containers[0].Image = "web:2" }), []string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			none := func(*corev1.PodTemplateSpec) {}
			if c.before == nil {
				c.before = none
			}
			var got []string
			for _, way := range [][2]edit{{c.before, c.after}, {c.after, c.before}} {
				waiting := explaintest.Pod("s/x", "", "1", of("web-2"))
				s := explaintest.StartScheduler(t, nil, replicaSet("web-1", "1", time.Hour, way[0]), replicaSet("web-2", "2", time.Minute, way[1]), waiting)
				sentence := ""
				if told := rollout.Of(s.State, waiting); told != nil {
					sentence = report.RolloutSentence(&report.Report{Rollout: &report.Rollout{Workload: told.Workload, Changes: told.Changes}}, now)
					sentence = sentence[len("deployment/web changed: ") : len(sentence)-len("; no old pod runs.")]
				}
				got = append(got, sentence)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWhatRejectsThePodIsToldFirst of many changes.
func TestWhatRejectsThePodIsToldFirst(t *testing.T) {
	r := &report.Report{
		Plugins: []report.PluginResult{{Name: "TaintToleration", Rejects: 3}, {Name: "NodeResourcesFit"}},
		Rollout: &report.Rollout{Workload: report.OwnerRef{Kind: "Deployment", Name: "web"}, Changes: []report.TemplateChange{
			{Field: "request", Key: "cpu", Plugin: "NodeResourcesFit", Before: "1", After: "2"},
			{Field: "request", Key: "memory", Plugin: "NodeResourcesFit", Before: "1Gi", After: "2Gi"},
			{Field: "container", Key: "proxy", Plugin: "NodeResourcesFit", Added: true},
			{Field: "host port", Key: "80", Plugin: "NodePorts", Added: true},
			{Field: "toleration", Key: "dedicated=gpu", Plugin: "TaintToleration", Removed: true},
		}},
	}
	const want = "deployment/web changed: toleration dedicated=gpu removed, cpu request 2 instead of 1, memory request 2Gi instead of 1Gi, container proxy added and 1 more; no old pod runs."
	explaintest.Same(t, report.RolloutSentence(r, now), want)
}
