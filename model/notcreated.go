package model

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// NotCreated is a controller some of whose pods do not exist, because admission
// rejected them, or because a queue keeps it suspended. It is shared freely and
// never changed.
type NotCreated struct {
	// Pod is one of those that it would create: it has no name, its
	// OwnerReferences name the controller, and its UID stands for all of them.
	Pod     *corev1.Pod
	Wanted  int       // pods that the controller wants
	Missing int       // of these, the ones that do not exist; never 0
	Since   time.Time // since when they are rejected, as far as that is known
	Last    time.Time // when one was rejected last, as far as that is known
	Message string    // of kube-apiserver, or of the controller
	Notes   []string  // what its template leaves open
	Queue   string    // the queue that keeps it suspended: nobody rejected its pods; "": admission did
}

// NotCreatedUID is the UID of the pods of a controller that do not exist.
func NotCreatedUID(controller types.UID) types.UID { return "not-created-" + controller }

// Count is how many pods the kind stands for: the pending ones, or those that could not
// be created.
func (k *EquivalenceClass) Count() int {
	if k.NotCreated != nil {
		return k.NotCreated.Missing
	}
	return len(k.Pods)
}

// Exists reports whether the pod is one, and not what a controller would create.
func (p *Pod) Exists() bool { return p.Object.Name != "" }

// Controller names the controller's own object, which for pods of a Deployment
// is its ReplicaSet; the zero Ref without one.
func (p *Pod) Controller() Ref {
	controller := metav1.GetControllerOfNoCopy(p.Object)
	if controller == nil {
		return Ref{}
	}
	return Ref{
		Resource:  resourceOf(controller),
		Namespace: p.Object.Namespace,
		Name:      controller.Name,
		UID:       controller.UID,
	}
}

// resourceOf is the resource of a controller with its group, as kubectl takes
// it: "replicasets.apps".
func resourceOf(controller *metav1.OwnerReference) string {
	plural := strings.ToLower(controller.Kind) + "s" // as for all kinds that create pods
	group, _, versioned := strings.Cut(controller.APIVersion, "/")
	if !versioned {
		return plural // core
	}
	return plural + "." + group
}

// NotCreated notes all controllers whose pods were rejected, in any order; one whose
// pointer is the same did not change.
func (b *Builder) NotCreated(all []*NotCreated) { b.allNotCreated = all }

// refusedChanges folds the controllers whose pods were rejected into their kinds.
func (b *Builder) refusedChanges() []change[EquivalenceClass] {
	var changes []change[EquivalenceClass]
	seen := make(map[string]bool, len(b.allNotCreated))
	for _, r := range b.allNotCreated {
		key := "not created " + string(r.Pod.UID)
		seen[key] = true
		was := b.refused[key]
		if was != nil && was.NotCreated == r {
			continue
		}
		b.refused[key] = &EquivalenceClass{Key: key, Pods: []*Pod{b.pod(r.Pod)}, NotCreated: r}
		changes = append(changes, change[EquivalenceClass]{was, b.refused[key]})
	}
	for key, was := range b.refused {
		if !seen[key] {
			delete(b.refused, key)
			changes = append(changes, change[EquivalenceClass]{was: was})
		}
	}
	return changes
}
