package strip

import (
	"bytes"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	appsv1client "k8s.io/client-go/kubernetes/typed/apps/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/wire"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// What is dropped of objects before they are decoded: of what strip takes away the
// most that is found without decoding it.
var (
	prunedPod = wire.MessageOf[corev1.Pod]().
			Inside("ObjectMeta", prunedMeta).
			Inside("Spec", prunedSpec).
			Inside("Status", prunedStatus)

	prunedMeta = wire.MessageOf[metav1.ObjectMeta]().
			Drop("ManagedFields").
			DropIf("Annotations", wire.KeyIs(isUnreadAnnotation))

	prunedSpec = wire.MessageOf[corev1.PodSpec]().
			Drop("ServiceAccountName", "DeprecatedServiceAccount", "AutomountServiceAccountToken", "SecurityContext",
			"ImagePullSecrets", "ReadinessGates", "EvictionResponders",
			"Hostname", "Subdomain", "HostnameOverride", "SetHostnameAsFQDN",
			"HostAliases", "DNSConfig", "DNSPolicy", "EnableServiceLinks",
			"HostPID", "HostIPC", "ShareProcessNamespace").
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

	prunedTemplate = wire.MessageOf[corev1.PodTemplateSpec]().
			Inside("ObjectMeta", prunedMeta).
			Inside("Spec", prunedSpec)

	prunedReplicaSet = wire.MessageOf[appsv1.ReplicaSet]().
				Inside("ObjectMeta", prunedMeta).
				Inside("Spec", wire.MessageOf[appsv1.ReplicaSetSpec]().Inside("Template", prunedTemplate))

	prunedStatefulSet = wire.MessageOf[appsv1.StatefulSet]().
				Inside("ObjectMeta", prunedMeta).
				Inside("Spec", wire.MessageOf[appsv1.StatefulSetSpec]().Inside("Template", prunedTemplate))
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

// pruning is a client whose pods, nodes, ReplicaSets and StatefulSets come without what is dropped of them.
type pruning struct {
	kubernetes.Interface
	core corev1client.CoreV1Interface
	apps appsv1client.AppsV1Interface
}

// CoreV1 implements kubernetes.Interface.
func (p pruning) CoreV1() corev1client.CoreV1Interface { return p.core }

// AppsV1 implements kubernetes.Interface.
func (p pruning) AppsV1() appsv1client.AppsV1Interface { return p.apps }

// Pruned makes a client like another of the same configuration, for informers: the
// pods, nodes, ReplicaSets and StatefulSets that it reads are pruned, and share their
// parts with those of the pool. All else it does as the other one.
func Pruned(config *rest.Config, like kubernetes.Interface, pool *Pool) (kubernetes.Interface, error) {
	serializer := prunedObjects(pool)
	client := func(group schema.GroupVersion, path string) (*rest.RESTClient, error) {
		own := rest.CopyConfig(config)
		own.GroupVersion, own.APIPath = &group, path
		own.RateLimiter = like.CoreV1().RESTClient().GetRateLimiter() // one for all
		own.NegotiatedSerializer = serializer
		return rest.RESTClientFor(own)
	}
	core, err := client(corev1.SchemeGroupVersion, "/api")
	if err != nil {
		return nil, err
	}
	apps, err := client(appsv1.SchemeGroupVersion, "/apis")
	if err != nil {
		return nil, err
	}
	return pruning{like, corev1client.New(core), appsv1client.New(apps)}, nil
}

// wholeObjects decodes answers as client-go's own clients do.
var wholeObjects = rest.CodecFactoryForGeneratedClient(scheme.Scheme, scheme.Codecs).WithoutConversion()

// prunedObjects decodes answers without what nobody reads.
func prunedObjects(pool *Pool) runtime.NegotiatedSerializer {
	d := &decoder{strip: pool.Stripper()}
	return wire.Through(wire.Readers{
		wire.Kind("Pod"): wire.PrunedInto(prunedPod, d.readPod),
		wire.Kind("PodList"): wire.PrunedInto(listOf[corev1.PodList](prunedPod), func(encoded []byte, list *corev1.PodList) bool {
			return readList(encoded, &list.ListMeta, &list.Items, d.readPod)
		}),
		wire.Kind("Node"): wire.PrunedInto(prunedNode, d.readNode),
		wire.Kind("NodeList"): wire.PrunedInto(listOf[corev1.NodeList](prunedNode), func(encoded []byte, list *corev1.NodeList) bool {
			return readList(encoded, &list.ListMeta, &list.Items, d.readNode)
		}),
		appsv1.SchemeGroupVersion.WithKind("ReplicaSet"): wire.PrunedInto(prunedReplicaSet, d.readReplicaSet),
		appsv1.SchemeGroupVersion.WithKind("ReplicaSetList"): wire.PrunedInto(listOf[appsv1.ReplicaSetList](prunedReplicaSet), func(encoded []byte, list *appsv1.ReplicaSetList) bool {
			return readList(encoded, &list.ListMeta, &list.Items, d.readReplicaSet)
		}),
		appsv1.SchemeGroupVersion.WithKind("StatefulSet"): wire.PrunedInto(prunedStatefulSet, d.readStatefulSet),
		appsv1.SchemeGroupVersion.WithKind("StatefulSetList"): wire.PrunedInto(listOf[appsv1.StatefulSetList](prunedStatefulSet), func(encoded []byte, list *appsv1.StatefulSetList) bool {
			return readList(encoded, &list.ListMeta, &list.Items, d.readStatefulSet)
		}),
	}, wholeObjects)
}

// listOf is what is dropped of the items of a list.
func listOf[L any](item *wire.Message) *wire.Message {
	return wire.MessageOf[L]().Inside("Items", item)
}
