package scheduler

import (
	"context"
	"errors"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// ErrNoPod says that no pod of that UID is known.
var ErrNoPod = errors.New("no such pod")

// State is the nodes and pods that the scheduler knows, as the plugins see them.
type State struct {
	// Nodes and Pods are the real ones, whatever is simulated. They are read only.
	Nodes map[string]*corev1.Node
	Pods  map[types.UID]*corev1.Pod
	// Index finds some of the real pods.
	Index PodIndex
	// Priorities are those of the pods on the nodes.
	Priorities *Priorities
	// Listers are those of what is neither a node nor a pod.
	Listers plugins.Listers
	// Revision is the number that Apply was given last.
	Revision int64
	// Logger is what the scheduler's own code logs to.
	Logger klog.Logger

	now       func() time.Time
	nodes     *nodeInfos
	groups    internalcache.Cache // of pod groups and their pods alone
	overlay   *overlay
	nominator *nominator
	objects   objectOverlays
	served    sets.Set[string] // scheduler names that pods give to be placed by a profile here
	selected  selectedLabels
	changes   changeTimes
	counts    affinityCounts
	updates   int64 // how often it was updated
	answers   filterAnswers
	chosen    selectedPods
}

func newState(ctx context.Context, now func() time.Time) *State {
	s := &State{
		Logger:    klog.FromContext(ctx),
		now:       now,
		groups:    newCache(ctx),
		nominator: newNominator(),
		served:    sets.New[string](),
		Nodes:     map[string]*corev1.Node{},
		Pods:      map[types.UID]*corev1.Pod{},
		selected:  selectedLabels{keys: map[string]int{}},
		objects: objectOverlays{
			reflect.TypeFor[*corev1.PersistentVolume]():      &objectOverlay{},
			reflect.TypeFor[*corev1.PersistentVolumeClaim](): &objectOverlay{},
			reflect.TypeFor[*resourcev1.ResourceClaim]():     &objectOverlay{},
		},
	}
	s.Index = PodIndex{pods: s.Pods, unassigned: map[types.UID]*corev1.Pod{}, daemons: map[types.UID]*corev1.Pod{}, ending: map[types.UID]*corev1.Pod{}}
	s.nodes = newNodeInfos(s.Logger)
	s.Priorities = newPriorities(s.nodes)
	s.overlay = &overlay{Snapshot: internalcache.NewEmptySnapshot(), nodes: s.nodes}
	s.changes.began = now()
	return s
}

// NodeInfos lists the nodes with their pods, as the plugins see them now: those of
// the newest fork, if there is one.
func (s *State) NodeInfos() fwk.NodeInfoLister { return s.overlay }

// Nominated are the pods that are nominated to a node.
func (s *State) Nominated(node string) []fwk.PodInfo { return s.nominator.NominatedPodsForNode(node) }

// NominatedNodes are the names of the nodes that pods are nominated to.
func (s *State) NominatedNodes() []string { return s.nominator.nodes() }

// Unnominate takes the pod off the node that it is nominated to, until the function
// that it returns is called.
func (s *State) Unnominate(pod *corev1.Pod) (restore func()) {
	info := s.unnominate(pod)
	if info == nil {
		return func() {}
	}
	return func() { s.nominator.AddNominatedPod(s.Logger, info, nil) }
}

// unnominate takes the pod off the node that it is nominated to; nil where it is
// nominated to none.
func (s *State) unnominate(pod *corev1.Pod) fwk.PodInfo {
	for _, info := range s.nominator.NominatedPodsForNode(pod.Status.NominatedNodeName) {
		if info.GetPod().UID == pod.UID {
			s.nominator.DeleteNominatedPodIfExists(pod)
			return info
		}
	}
	return nil
}

// newCache is the scheduler's own view of pod groups. Like the plugins it counts in metrics,
// and panics where they are not registered.
func newCache(ctx context.Context) internalcache.Cache {
	metrics.Register()
	return internalcache.New(ctx, nil, utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload),
		utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup))
}
