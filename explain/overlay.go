package explain

import internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

// overlay is the state as the plugins see it. Some of them keep the lister that
// they were built with, so they never get the snapshot itself: what an
// explanation is to see is decided here.
type overlay struct {
	*internalcache.Snapshot
}
