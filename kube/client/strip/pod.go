package strip

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (s *Stripper) pod(p *corev1.Pod) {
	s.meta(&p.ObjectMeta)
	s.spec(&p.Spec)
	s.status(&p.Status)
}

// spec strips a pod's spec. What remains is shared by the replicas of a
// workload, but for the few fields that each has of its own.
func (s *Stripper) spec(spec *corev1.PodSpec) {
	node, affinity, volumes := spec.NodeName, spec.Affinity, spec.Volumes
	*spec = *s.sharedSpec(spec)
	s.pool.word(&node)
	spec.NodeName = node
	spec.Affinity = s.affinity(affinity)
	spec.Volumes = s.volumes(volumes)
}

// sharedSpec strips a spec of all but the fields that may be a pod's own, which it leaves out, and gives the one
// that equal ones share.
func (s *Stripper) sharedSpec(spec *corev1.PodSpec) *corev1.PodSpec {
	spec.NodeName, spec.Affinity, spec.Volumes = "", nil, nil
	spec.ServiceAccountName, spec.DeprecatedServiceAccount = "", ""
	spec.AutomountServiceAccountToken, spec.SecurityContext = nil, nil
	spec.ImagePullSecrets, spec.ReadinessGates, spec.EvictionResponders = nil, nil, nil
	spec.Hostname, spec.Subdomain, spec.HostnameOverride, spec.SetHostnameAsFQDN = "", "", nil, nil
	spec.HostAliases, spec.DNSConfig, spec.DNSPolicy, spec.EnableServiceLinks = nil, nil, "", nil
	spec.HostPID, spec.HostIPC, spec.ShareProcessNamespace = false, false, nil
	for i := range spec.Containers {
		stripContainer(&spec.Containers[i])
	}
	for i := range spec.InitContainers {
		stripContainer(&spec.InitContainers[i])
	}
	for i := range spec.EphemeralContainers {
		c := &spec.EphemeralContainers[i]
		of := corev1.Container(c.EphemeralContainerCommon)
		stripContainer(&of)
		c.EphemeralContainerCommon = corev1.EphemeralContainerCommon(of)
	}
	return sharedMessage(s.pool, spec, s.newSpec)
}

// newSpec copies a spec that others will share, with containers and amounts that other specs have, too: those
// of the template that a pod was made of, or of another workload.
func (s *Stripper) newSpec(spec *corev1.PodSpec) *corev1.PodSpec {
	copied := *spec
	for _, containers := range [][]corev1.Container{copied.Containers, copied.InitContainers} {
		for i := range containers {
			c := &containers[i]
			c.Resources.Requests, c.Resources.Limits = s.pool.amounts(c.Resources.Requests), s.pool.amounts(c.Resources.Limits)
			for _, word := range []*string{&c.Name, &c.Image} {
				s.pool.word(word)
			}
		}
	}
	copied.Containers = sharedSlice(s.pool, copied.Containers)
	copied.InitContainers = sharedSlice(s.pool, copied.InitContainers)
	copied.Overhead = s.pool.amounts(copied.Overhead)
	copied.Tolerations = sharedSlice(s.pool, copied.Tolerations)
	copied.NodeSelector = s.pool.dictionary(copied.NodeSelector)
	return &copied
}

func (s *Stripper) affinity(affinity *corev1.Affinity) *corev1.Affinity {
	if affinity == nil {
		return nil
	}
	return sharedMessage(s.pool, affinity, same)
}

func (s *Stripper) volumes(volumes []corev1.Volume) []corev1.Volume {
	return sharedSlice(s.pool, slices.DeleteFunc(volumes, isUnread))
}

func clone[T any](part *T) *T {
	copied := *part
	return &copied
}

// stripContainer leaves what decides where a pod fits and whether it can be
// resized in place.
func stripContainer(c *corev1.Container) {
	*c = corev1.Container{
		Name:               c.Name,
		Image:              c.Image, // ImageLocality
		Ports:              hostPorts(c.Ports),
		Resources:          c.Resources,
		ResizePolicy:       c.ResizePolicy,
		RestartPolicy:      c.RestartPolicy, // a sidecar, or not
		RestartPolicyRules: c.RestartPolicyRules,
		VolumeMounts:       boundMounts(c.VolumeMounts),
	}
}

// hostPorts are all ports of a container with a port of the host among them,
// as they are told apart by their place; of any other container none.
func hostPorts(all []corev1.ContainerPort) []corev1.ContainerPort {
	if slices.ContainsFunc(all, func(p corev1.ContainerPort) bool { return p.HostPort != 0 }) {
		return all
	}
	return nil
}

// boundMounts are those that NodeDeclaredFeatures asks about: a node has to
// know their options.
func boundMounts(all []corev1.VolumeMount) []corev1.VolumeMount {
	var bound []corev1.VolumeMount
	for _, m := range all {
		if len(m.BindMountOptions) > 0 {
			bound = append(bound, corev1.VolumeMount{Name: m.Name, BindMountOptions: m.BindMountOptions})
		}
	}
	return bound
}

// isUnread says that a volume neither keeps a pod from a node, nor from
// starting, nor dies with it. Each pod's token is one of these, under a name of
// its own.
func isUnread(v corev1.Volume) bool { return v.Projected != nil || v.DownwardAPI != nil }

func (s *Stripper) status(status *corev1.PodStatus) {
	s.words(status)
	status.Conditions = s.conditions(status)
	status.InitContainerStatuses = s.containerStatuses(status.InitContainerStatuses)
	status.ContainerStatuses = s.containerStatuses(status.ContainerStatuses)
	status.EphemeralContainerStatuses = s.containerStatuses(status.EphemeralContainerStatuses)
	s.ownStatus(status)
}

// words shares the words of a status of which there are few.
func (s *Stripper) words(status *corev1.PodStatus) {
	s.pool.word(&status.Reason)
	s.pool.word(&status.NominatedNodeName)
	s.pool.word((*string)(&status.Phase))
	s.pool.word((*string)(&status.QOSClass))
}

// ownStatus strips what a status has of its own.
func (s *Stripper) ownStatus(status *corev1.PodStatus) {
	status.HostIP, status.HostIPs, status.PodIPs = "", nil, nil
	status.VolumeHealth = nil
	status.AllocatedResources = s.pool.amounts(status.AllocatedResources)
	status.Resources = sharedRequirements(s.pool, status.Resources)
}

// sharedRequirements shares what a pod or a container holds.
func sharedRequirements(p *Pool, held *corev1.ResourceRequirements) *corev1.ResourceRequirements {
	if held == nil {
		return nil
	}
	return sharedMessage(p, &corev1.ResourceRequirements{
		Requests: p.amounts(held.Requests),
		Limits:   p.amounts(held.Limits),
		Claims:   held.Claims,
	}, same)
}

// conditions leaves out those that hold and that nobody asks about.
func (s *Stripper) conditions(status *corev1.PodStatus) []corev1.PodCondition {
	all := slices.DeleteFunc(status.Conditions, func(c corev1.PodCondition) bool { return isUnreadCondition(&c, status) })
	for i := range all {
		s.conditionWords(&all[i])
	}
	return exact(all)
}

// isUnreadCondition says of a condition of a status that it holds and that nobody asks about it.
func isUnreadCondition(c *corev1.PodCondition, status *corev1.PodStatus) bool {
	if c.Status != corev1.ConditionTrue {
		return false
	}
	return c.Type == corev1.PodInitialized && len(status.InitContainerStatuses) == 0 || isUnreadWhileTrue(string(c.Type))
}

func (s *Stripper) conditionWords(c *corev1.PodCondition) {
	c.LastProbeTime = metav1.Time{}
	s.pool.word((*string)(&c.Type))
	s.pool.word((*string)(&c.Status))
	s.pool.word(&c.Reason)
}

// isUnreadWhileTrue says of a type of conditions that nobody asks about one that holds.
func isUnreadWhileTrue(condition string) bool {
	return condition == string(corev1.ContainersReady) || condition == string(corev1.PodReadyToStartContainers)
}

// containerStatuses leaves the states, without the times and names that each
// start has of its own.
func (s *Stripper) containerStatuses(all []corev1.ContainerStatus) []corev1.ContainerStatus {
	for i := range all {
		c := &all[i]
		if c.State.Running != nil {
			c.State.Running = &corev1.ContainerStateRunning{}
		}
		c.LastTerminationState.Running = nil
		stripEnd(c.State.Terminated)
		stripEnd(c.LastTerminationState.Terminated)
		*c = corev1.ContainerStatus{
			Name:                 c.Name,
			State:                c.State,
			LastTerminationState: c.LastTerminationState,
			Ready:                c.Ready,
			RestartCount:         c.RestartCount,
			Image:                c.Image,
			Started:              c.Started,
			AllocatedResources:   s.pool.amounts(c.AllocatedResources),
			Resources:            sharedRequirements(s.pool, c.Resources),
		}
	}
	return sharedSlice(s.pool, all)
}

func stripEnd(end *corev1.ContainerStateTerminated) {
	if end != nil {
		end.StartedAt, end.ContainerID = metav1.Time{}, ""
	}
}
