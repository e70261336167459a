package cluster

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/kube/custom"
	reader "github.com/kubectl-fathom/kubectl-fathom/kube/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// queueAnswers remembers what Kueue says.
type queueAnswers struct {
	workloads     answers[string, reader.Workloads] // by namespace
	localQueues   answers[types.NamespacedName, orUnread[*kueue.LocalQueue]]
	clusterQueues answers[string, orUnread[*kueue.ClusterQueue]]
	positions     answers[string, reader.Positions] // by ClusterQueue
	ofLocalQueues answers[types.NamespacedName, reader.Positions]
	groups        answers[string, *metav1.APIGroupList]
}

// orUnread is an object, or why it could not be read.
type orUnread[T any] struct {
	object T
	unread string
}

// queueOf asks what Kueue says about a pod that it holds, at most 15 s late; nil where its API is not
// served.
func queueOf(ctx context.Context, a *CachedReader, of kueue.Subject) *kueue.State {
	from, served := queueReader(ctx, a)
	if !served {
		return nil
	}
	workloads, ok := a.queues.workloads.of(ctx, of.Namespace, func() reader.Workloads { return from.Workloads(ctx, of.Namespace) })
	if !ok || workloads.Absent {
		return nil
	}
	s := &kueue.State{Workload: kueue.WorkloadOf(workloads.All, of), Queue: of.Queue}
	if s.Workload == nil {
		s.Note("workloads", workloads.Unread)
	}
	clusterQueue := ""
	if w := s.Workload; w != nil {
		clusterQueue = w.ClusterQueue
		if w.Queue != "" {
			s.Queue = w.Queue
		}
	}
	if s.Queue != "" {
		key := types.NamespacedName{Namespace: of.Namespace, Name: s.Queue}
		found, _ := a.queues.localQueues.of(ctx, key, func() (r orUnread[*kueue.LocalQueue]) {
			r.object, r.unread = from.LocalQueue(ctx, of.Namespace, s.Queue)
			return r
		})
		s.LocalQueue = found.object
		s.Note("localqueues", found.unread)
		if found.object != nil && clusterQueue == "" {
			clusterQueue = found.object.ClusterQueue
		}
	}
	if clusterQueue != "" {
		askClusterQueue(ctx, a, from, clusterQueue, of.Namespace, s)
	}
	return s
}

// askClusterQueue adds the ClusterQueue, and the Workload's position in it.
func askClusterQueue(ctx context.Context, a *CachedReader, from reader.Reader, name, namespace string, s *kueue.State) {
	found, _ := a.queues.clusterQueues.of(ctx, name, func() (r orUnread[*kueue.ClusterQueue]) {
		r.object, r.unread = from.ClusterQueue(ctx, name)
		return r
	})
	s.ClusterQueue = found.object
	s.Note("clusterqueues", found.unread)
	if s.Workload == nil || from.Visibility == "" || !s.Workload.Waits() {
		return
	}
	positions, _ := a.queues.positions.of(ctx, name, func() reader.Positions { return from.Positions(ctx, name) })
	if positions.Forbidden && s.Queue != "" {
		key := types.NamespacedName{Namespace: namespace, Name: s.Queue}
		positions, _ = a.queues.ofLocalQueues.of(ctx, key, func() reader.Positions { return from.PositionsOfLocalQueue(ctx, namespace, s.Queue) })
	}
	s.Note("pendingworkloads", positions.Unread)
	if at, ok := positions.Of[types.NamespacedName{Namespace: namespace, Name: s.Workload.Name}]; ok {
		s.Position = &at
	}
}

// queueReader reads what Kueue serves; false where it serves nothing. A pod that it holds is why the
// server is asked for its API groups, where they are not known yet.
func queueReader(ctx context.Context, a *CachedReader) (reader.Reader, bool) {
	from := reader.Reader{Dynamic: a.options.Dynamic, Words: a.options.Words}
	if from.Dynamic == nil {
		return from, false
	}
	groups := knownGroups(ctx, a)
	if groups == nil { // the newest are tried
		from.Version, from.Visibility = reader.Versions[0], reader.Versions[0]
		return from, true
	}
	from.Version, from.Visibility = versionOf(groups, model.KueueGroup), versionOf(groups, reader.VisibilityGroup)
	return from, from.Version != ""
}

// knownGroups are the API groups of the server, which is asked where they are not known yet; nil where
// that fails.
func knownGroups(ctx context.Context, a *CachedReader) *metav1.APIGroupList {
	if held := a.held.Load(); held != nil && held.Groups != nil {
		return held.Groups
	}
	return AskGroups(ctx, a)
}

// AskGroups asks the server for its API groups, at most every 15 s; nil where that fails.
func AskGroups(ctx context.Context, a *CachedReader) *metav1.APIGroupList {
	groups, _ := a.queues.groups.of(ctx, "", func() *metav1.APIGroupList {
		found, err := a.options.Client.Discovery().ServerGroups()
		if err != nil {
			return nil
		}
		return found
	})
	return groups
}

// versionOf is the version of a group of Kueue that is read; "" where the server has none of them.
func versionOf(groups *metav1.APIGroupList, name string) string {
	version, _ := custom.Version(groups, name, reader.Versions...)
	return version
}
