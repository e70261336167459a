package model

import (
	"cmp"
	"strings"
	"time"
)

// EquivalenceClass is a set of pending pods with the same explanation: the replicas of one
// workload, equal in everything that the scheduler looks at.
type EquivalenceClass struct {
	Key        string      // equal for pods of one class, stable over snapshots
	Pods       []*Pod      // longest waiting first; never empty
	NotCreated *NotCreated // pods that do not exist, and Pods holds the one that stands for them; else nil
	Resize     *Resize     // the resize in place of its only pod, which runs; nil for pending pods
}

// First is the pod that has been pending longest; its explanation is that of all.
func (k *EquivalenceClass) First() *Pod { return k.Pods[0] }

// Namespace is the one that all its pods are in.
func (k *EquivalenceClass) Namespace() string { return k.First().Object.Namespace }

// Name is the workload's where several pods wait or none exists, else the pod's.
func (k *EquivalenceClass) Name() string {
	if owner := k.First().Owner; len(k.Pods) > 1 && owner.Name != "" {
		return owner.Name
	}
	return k.First().Name()
}

// FullName is namespace/name.
func (k *EquivalenceClass) FullName() string { return k.Namespace() + "/" + k.Name() }

// Since is when the oldest of the pods became pending, or the resize began; zero is unknown.
func (k *EquivalenceClass) Since() time.Time {
	if k.Resize != nil {
		return k.Resize.Since
	}
	return k.First().Since()
}

// Priority is the same for all its pods.
func (k *EquivalenceClass) Priority() int32 { return k.First().Priority() }

// compareWaiting is the order of EquivalenceClass.Pods: the longest pending first.
func compareWaiting(a, b *Pod) int {
	return cmp.Or(a.Since().Compare(b.Since()), ComparePods(a, b))
}

// compareClasses is the order of Snapshot.Pending, that of the scheduler's queue:
// high priority first, then the longest pending. Pods that do not exist are in
// no queue and stand behind, the longest refused first.
func compareClasses(a, b *EquivalenceClass) int {
	first, second := a.Pods[0], b.Pods[0]
	switch {
	case a.NotCreated != nil && b.NotCreated != nil:
		return cmp.Or(compareWaiting(first, second), strings.Compare(a.Key, b.Key))
	case a.NotCreated != nil:
		return 1
	case b.NotCreated != nil:
		return -1
	}
	return cmp.Or(
		cmp.Compare(second.Priority(), first.Priority()),
		compareWaiting(first, second),
	)
}

// classChanges folds the pods that began or ceased to wait into their classes.
func (b *Builder) classChanges(pods []change[Pod]) []change[EquivalenceClass] {
	touched := map[string][]change[Pod]{}
	for _, c := range pods {
		if key, ok := b.keys[c.was]; ok {
			delete(b.keys, c.was)
			touched[key] = append(touched[key], change[Pod]{was: c.was})
		}
		if c.is != nil && c.is.Waits {
			key := equivalenceKey(c.is)
			b.keys[c.is] = key
			touched[key] = append(touched[key], change[Pod]{is: c.is})
		}
	}
	changes := make([]change[EquivalenceClass], 0, len(touched))
	for key, moved := range touched {
		was := b.kinds[key]
		var waiting []*Pod
		if was != nil {
			waiting = was.Pods
		}
		waiting = merged(waiting, moved, compareWaiting)
		if len(waiting) == 0 {
			delete(b.kinds, key)
			changes = append(changes, change[EquivalenceClass]{was: was})
			continue
		}
		b.kinds[key] = &EquivalenceClass{Key: key, Pods: waiting}
		changes = append(changes, change[EquivalenceClass]{was, b.kinds[key]})
	}
	return changes
}

// resizeChanges folds the running pods whose resize in place began, went on or was done. Each is
// a class of its own: what its node lacks is its own matter.
func (b *Builder) resizeChanges(pods []change[Pod]) []change[EquivalenceClass] {
	var changes []change[EquivalenceClass]
	for _, c := range pods {
		var was, is *EquivalenceClass
		if c.was != nil {
			was = b.resizing[c.was]
			delete(b.resizing, c.was)
		}
		if c.is != nil && c.is.Bound() && !c.is.Waits && !c.is.Finished() && c.is.Object.DeletionTimestamp == nil {
			if r := ResizeOf(c.is.Object); r.State != "" {
				is = &EquivalenceClass{Key: "resize " + string(c.is.Object.UID), Pods: []*Pod{c.is}, Resize: &r}
				b.resizing[c.is] = is
			}
		}
		if was != is {
			changes = append(changes, change[EquivalenceClass]{was, is})
		}
	}
	return changes
}
