package bigfleet

import (
	"fmt"
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	mostContainers = 8
	mostVariables  = 40
	largestShare   = 12 // no workload has more than a twelfth of the pods
)

// priorities are the classes of bound pods. Pending ones have none, so nothing
// is preempted.
var priorities = []priority{{"background", 100}, {"standard", 1000}, {"important", 10000}, {"critical", 100000}}

type priority struct {
	name  string
	value int32
}

// workload is pods of one template.
type workload struct {
	kind      string // ReplicaSet, StatefulSet, Job, DaemonSet
	name      string
	namespace string
	template  corev1.PodTemplateSpec
	replicas  int
	pending   bool
	pool      *pool // where its pods must be; nil: anywhere without a taint
	milliCPU  int64
	mib       int64
}

// addWorkloads draws workloads until they have all bound pods.
func (f *Fleet) addWorkloads() {
	left := f.size.Pods
	for range f.shape.daemons {
		if left > 2*f.size.Nodes {
			f.workloads = append(f.workloads, f.workload("DaemonSet", f.size.Nodes))
			left -= f.size.Nodes
		}
	}
	for left > 0 {
		size := min(f.draw.powerLaw(f.shape.alpha, f.size.Pods/largestShare), left)
		kind := pick(f.draw, "ReplicaSet", "ReplicaSet", "ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "Job")
		f.workloads = append(f.workloads, f.workload(kind, size))
		left -= size
	}
}

// workload draws what its pods are.
func (f *Fleet) workload(kind string, size int) *workload {
	w := &workload{kind: kind, replicas: size, namespace: namespaceName(f.draw.IntN(f.shape.namespaces))}
	w.name = fmt.Sprintf("%s-%s", pick(f.draw, "api", "web", "worker", "cache", "queue", "index", "report", "gateway", "billing"), f.draw.word(4))
	if kind == "ReplicaSet" {
		w.name += "-" + f.draw.word(9)
	}
	w.template.Labels = f.labels(w)
	w.template.Annotations = f.annotations()
	spec := &w.template.Spec
	if kind == "Job" {
		spec.RestartPolicy = corev1.RestartPolicyNever
	}
	f.addContainers(w)
	f.addVolumes(w)
	f.addPlacement(w)
	for _, p := range priorities {
		if f.draw.chance(0.1) {
			spec.PriorityClassName = p.name
		}
	}
	spec.ServiceAccountName = pick(f.draw, "default", w.namespace+"-runner", "default")
	spec.TerminationGracePeriodSeconds = new(pick(f.draw, int64(30), 30, 60, 300))
	spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(1000)), FSGroup: new(int64(2000))}
	return w
}

// labels are two to ten.
func (f *Fleet) labels(w *workload) map[string]string {
	labels := map[string]string{"app.kubernetes.io/name": w.name, "app.kubernetes.io/managed-by": pick(f.draw, "Helm", "argocd", "kustomize")}
	if w.kind == "ReplicaSet" {
		labels["pod-template-hash"] = w.name[strings.LastIndex(w.name, "-")+1:]
	}
	for i := range f.draw.about(3, 8) {
		labels[fmt.Sprintf("example.com/label-%d", i)] = f.draw.word(f.draw.between(3, 30))
	}
	return labels
}

// annotations are what charts and operators leave.
func (f *Fleet) annotations() map[string]string {
	notes := map[string]string{}
	for i := range f.draw.about(f.shape.notes, 12) {
		notes[fmt.Sprintf("example.com/note-%d", i)] = f.draw.word(f.draw.between(10, 400))
	}
	return notes
}

// addContainers draws one to eight containers, their variables and what they request.
func (f *Fleet) addContainers(w *workload) {
	count := 1
	for count < mostContainers && f.draw.chance(f.shape.sidecar) {
		count++
	}
	cpu, memory := f.ask()
	spec := &w.template.Spec
	for i := range count {
		c := f.container(i)
		share := int64(2 * count) // a sidecar asks for less
		if i == 0 {
			share = 2
		}
		milli, mib := max(cpu/share/5*5, 5), max(memory/share/4*4, 8)
		w.milliCPU += milli
		w.mib += mib
		c.Resources.Requests = corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewMilliQuantity(milli, resource.DecimalSI),
			corev1.ResourceMemory: *resource.NewQuantity(mib<<20, resource.BinarySI),
		}
		if f.draw.chance(0.6) {
			c.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: *resource.NewQuantity(2*mib<<20, resource.BinarySI)}
		}
		spec.Containers = append(spec.Containers, c)
	}
	if f.draw.chance(0.25) {
		c := f.container(0)
		c.Name, c.LivenessProbe, c.ReadinessProbe, c.Ports = "prepare", nil, nil, nil
		spec.InitContainers = append(spec.InitContainers, c)
	}
}

// ask draws what a pod requests, so that all pods take the share of the cluster
// that its shape says.
func (f *Fleet) ask() (milliCPU, mib int64) {
	var cpu, memory float64
	for i := range f.nodes {
		cpu += float64(f.nodes[i].pool.machine.cpu) * 1000
		memory += float64(f.nodes[i].pool.machine.gib) * 1024
	}
	draw := func(all float64) int64 {
		mean := all * f.shape.room / float64(max(f.size.Pods, 1))
		return int64(mean * math.Exp(f.draw.NormFloat64()*0.8-0.32)) // log-normal around the mean
	}
	return draw(cpu), draw(memory)
}

// container draws one.
func (f *Fleet) container(i int) corev1.Container {
	image := f.draw.IntN(f.shape.images)
	c := corev1.Container{
		Name: fmt.Sprintf("%s-%d", pick(f.draw, "main", "proxy", "agent", "exporter"), i), Image: imageName(image) + ":" + imageTag(image),
		Args: []string{"serve", "--listen=:8080", "--config=/etc/app/" + f.draw.word(8) + ".yaml"},
		Ports: []corev1.ContainerPort{
			{Name: "http", ContainerPort: int32(8080 + i)}, {Name: "metrics", ContainerPort: int32(9090 + i)},
		},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
	for k := range f.draw.about(f.shape.variables, mostVariables) {
		variable := corev1.EnvVar{Name: fmt.Sprintf("SETTING_%02d_%s", k, strings.ToUpper(f.draw.word(6))), Value: f.draw.word(f.draw.between(4, 90))}
		if f.draw.chance(0.15) {
			variable.Value = ""
			variable.ValueFrom = &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: "secret-" + f.draw.word(5)}, Key: f.draw.word(8),
			}}
		}
		c.Env = append(c.Env, variable)
	}
	if f.draw.chance(0.7) {
		probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080)}}, PeriodSeconds: 15}
		c.LivenessProbe, c.ReadinessProbe = probe, probe.DeepCopy()
	}
	return c
}

// addVolumes draws ConfigMaps, Secrets and empty folders, mounted in each container.
func (f *Fleet) addVolumes(w *workload) {
	spec := &w.template.Spec
	for i := range f.draw.about(1.5, 6) {
		name := fmt.Sprintf("volume-%d", i)
		source := pick(f.draw,
			corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: w.name + "-config"}}},
			corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: w.name + "-secret"}},
			corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
		)
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
		for k := range spec.Containers {
			spec.Containers[k].VolumeMounts = append(spec.Containers[k].VolumeMounts, corev1.VolumeMount{Name: name, MountPath: "/etc/" + name, ReadOnly: true})
		}
	}
}

// addPlacement draws where the pods may be.
func (f *Fleet) addPlacement(w *workload) {
	spec := &w.template.Spec
	if w.kind == "DaemonSet" {
		spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		return
	}
	for i := range f.pools {
		p := &f.pools[i]
		if len(f.hosts[p]) == 0 || !f.draw.chance(0.05) {
			continue
		}
		w.pool = p
		spec.NodeSelector = map[string]string{nodeGroupLabel: p.name}
		if p.taint != nil {
			spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: p.taint.Key, Value: p.taint.Value, Effect: p.taint.Effect})
		}
		break
	}
	if f.draw.chance(0.15) {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: "example.com/" + f.draw.word(5), Operator: corev1.TolerationOpExists})
	}
	same := &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": w.name}}
	hosts := corev1.PodAffinityTerm{LabelSelector: same, TopologyKey: corev1.LabelHostname}
	switch {
	case f.draw.chance(0.06) && w.replicas <= f.size.Nodes/10:
		spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{hosts}}}
	case f.draw.chance(0.15):
		spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: hosts}},
		}}
	case f.draw.chance(0.1):
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: corev1.LabelArchStable, Operator: corev1.NodeSelectorOpIn, Values: []string{"amd64", "arm64"}},
			}}},
		}}}
	}
	if f.draw.chance(0.15) {
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, LabelSelector: same,
			WhenUnsatisfiable: pick(f.draw, corev1.ScheduleAnyway, corev1.DoNotSchedule),
		}}
	}
}
