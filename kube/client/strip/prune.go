package strip

import (
	"bytes"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/wire"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// What is dropped of pods and nodes before they are decoded: of what strip takes away the
// most that is found without decoding it.
var (
	prunedPod = wire.MessageOf[corev1.Pod]().
			Inside("ObjectMeta", prunedMeta).
			Inside("Spec", prunedSpec).
			Inside("Status", prunedStatus)

	prunedPods = wire.MessageOf[corev1.PodList]().Inside("Items", prunedPod)

	prunedMeta = wire.MessageOf[metav1.ObjectMeta]().
			Drop("ManagedFields").
			DropIf("Annotations", wire.KeyIs(isUnreadAnnotation))

	prunedSpec = wire.MessageOf[corev1.PodSpec]().
			Drop("ServiceAccountName", "DeprecatedServiceAccount", "AutomountServiceAccountToken", "SecurityContext",
			"ImagePullSecrets", "ReadinessGates", "EvictionResponders",
			"Hostname", "Subdomain", "HostnameOverride", "SetHostnameAsFQDN",
			"HostAliases", "DNSConfig", "DNSPolicy", "EnableServiceLinks",
			"HostPID", "HostIPC", "ShareProcessNamespace", "ActiveDeadlineSeconds").
		Inside("Containers", prunedContainer).
		Inside("InitContainers", prunedContainer).
		Inside("EphemeralContainers", wire.MessageOf[corev1.EphemeralContainer]().
			Inside("EphemeralContainerCommon", prunedContainer)).
		DropIf("Volumes", unreadVolume)

	prunedContainer = wire.MessageOf[corev1.Container]().
			Drop("Command", "Args", "WorkingDir", "EnvFrom", "Env", "VolumeDevices",
			"LivenessProbe", "ReadinessProbe", "StartupProbe", "Lifecycle",
			"TerminationMessagePath", "TerminationMessagePolicy", "ImagePullPolicy",
			"SecurityContext", "Stdin", "StdinOnce", "TTY").
		DropIf("VolumeMounts", wire.Lacks(wire.MessageOf[corev1.VolumeMount]().Number("BindMountOptions")))

	prunedStatus = wire.MessageOf[corev1.PodStatus]().
			Drop("HostIP", "HostIPs", "PodIPs", "VolumeHealth").
			DropIf("Conditions", unreadCondition).
			Inside("Conditions", prunedCondition).
			Inside("InitContainerStatuses", prunedContainerStatus).
			Inside("ContainerStatuses", prunedContainerStatus).
			Inside("EphemeralContainerStatuses", prunedContainerStatus)

	prunedCondition = wire.MessageOf[corev1.PodCondition]().Drop("LastProbeTime")

	prunedContainerStatus = wire.MessageOf[corev1.ContainerStatus]().
				Drop("ImageID", "ContainerID", "VolumeMounts", "User", "AllocatedResourcesStatus", "StopSignal").
				Inside("State", wire.MessageOf[corev1.ContainerState]().
					Inside("Running", wire.MessageOf[corev1.ContainerStateRunning]().Drop("StartedAt")).
					Inside("Terminated", prunedEnd)).
				Inside("LastTerminationState", wire.MessageOf[corev1.ContainerState]().
					Drop("Running").
					Inside("Terminated", prunedEnd))

	prunedEnd = wire.MessageOf[corev1.ContainerStateTerminated]().Drop("StartedAt", "ContainerID")

	prunedNode = wire.MessageOf[corev1.Node]().
			Inside("ObjectMeta", prunedMeta).
			Inside("Spec", wire.MessageOf[corev1.NodeSpec]().Drop("PodCIDR", "PodCIDRs")).
			Inside("Status", wire.MessageOf[corev1.NodeStatus]().
				Drop("VolumesInUse", "VolumesAttached", "Config", "DaemonEndpoints").
				Inside("Conditions", wire.MessageOf[corev1.NodeCondition]().Drop("LastHeartbeatTime")).
				Inside("NodeInfo", wire.MessageOf[corev1.NodeSystemInfo]().Drop("MachineID", "SystemUUID", "BootID")))

	prunedNodes = wire.MessageOf[corev1.NodeList]().Inside("Items", prunedNode)
)

// isUnreadAnnotation says that strip takes an annotation away. A bookmark has one that
// client-go reads.
func isUnreadAnnotation(key []byte) bool {
	return !cluster.ReadAnnotations[string(key)] && !bytes.Equal(key, endOfList)
}

var endOfList = []byte(metav1.InitialEventsAnnotationKey)

// unreadVolume is isUnread of an encoded volume.
var unreadVolume = wire.HasInside(wire.MessageOf[corev1.Volume]().Number("VolumeSource"),
	wire.MessageOf[corev1.VolumeSource]().Number("Projected"),
	wire.MessageOf[corev1.VolumeSource]().Number("DownwardAPI"))

var conditionType, conditionStatus = prunedCondition.Number("Type"), prunedCondition.Number("Status")

// unreadCondition says of an encoded condition that it holds and that nobody asks about it.
func unreadCondition(condition []byte) bool {
	of, status := wire.Value(condition, conditionType), wire.Value(condition, conditionStatus)
	return string(status) == string(corev1.ConditionTrue) && isUnreadWhileTrue(string(of))
}

// pruning is a client whose pods and nodes come without what is dropped of them.
type pruning struct {
	kubernetes.Interface
	core corev1client.CoreV1Interface
}

// CoreV1 implements kubernetes.Interface.
func (p pruning) CoreV1() corev1client.CoreV1Interface { return p.core }

// Pruned makes a client like another of the same configuration, for informers: the
// pods and nodes that it reads are pruned, and pods share their parts with those of
// the pool. All else it does as the other one.
func Pruned(config *rest.Config, like kubernetes.Interface, pool *Pool) (kubernetes.Interface, error) {
	own := rest.CopyConfig(config)
	version := corev1.SchemeGroupVersion
	own.GroupVersion, own.APIPath = &version, "/api"
	own.RateLimiter = like.CoreV1().RESTClient().GetRateLimiter() // one for both
	own.NegotiatedSerializer = prunedObjects(pool)
	client, err := rest.RESTClientFor(own)
	if err != nil {
		return nil, err
	}
	return pruning{like, corev1client.New(client)}, nil
}

// wholeObjects decodes answers as client-go's own clients do.
var wholeObjects = rest.CodecFactoryForGeneratedClient(scheme.Scheme, scheme.Codecs).WithoutConversion()

// prunedObjects decodes answers of which pods and nodes are pruned.
func prunedObjects(pool *Pool) runtime.NegotiatedSerializer {
	d := &decoder{strip: pool.Stripper()}
	return wire.Through(wire.Readers{
		wire.Kind("Pod"):      wire.PrunedInto(prunedPod, d.readPod),
		wire.Kind("PodList"):  wire.PrunedInto(prunedPods, d.readPods),
		wire.Kind("Node"):     wire.Pruned[corev1.Node](prunedNode),
		wire.Kind("NodeList"): wire.Pruned[corev1.NodeList](prunedNodes),
	}, wholeObjects)
}
