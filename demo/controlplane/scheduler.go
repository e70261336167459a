package controlplane

import (
	"context"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	schedulerprofile "k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/kubectl-fathom/kubectl-fathom/demo/api"
)

// scheduling is the real kube-scheduler, which can be paused.
type scheduling struct {
	*scheduler.Scheduler
	informers informers.SharedInformerFactory
	events    events.EventBroadcaster

	mu   sync.Mutex
	held chan struct{} // closed when it continues; nil: it is not paused
}

func newScheduling(ctx context.Context, store *api.Store) (*scheduling, error) {
	client := store.Client(ctx, api.Writes)
	factory := scheduler.NewInformerFactory(client, 0, nil)
	s := &scheduling{informers: factory, events: events.NewBroadcaster(&events.EventSinkImpl{Interface: store.Client(ctx, api.Writes).EventsV1()})}
	var err error
	s.Scheduler, err = scheduler.New(ctx, client, factory, nil, schedulerprofile.NewRecorderFactory(s.events))
	if err == nil {
		err = s.events.StartRecordingToSinkWithContext(ctx)
	}
	if err != nil {
		s.events.Shutdown()
		return nil, err
	}
	next := s.NextEntity
	s.NextEntity = func(logger klog.Logger) (framework.QueuedEntityInfo, error) {
		info, err := next(logger)
		s.wait(ctx)
		return info, err
	}
	return s, nil
}

// synced waits until the handlers of the scheduler have synced.
func (s *scheduling) synced(ctx context.Context) error { return s.WaitForHandlersSync(ctx) }

// hold pauses the scheduler, or lets it continue.
func (s *scheduling) hold(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case on && s.held == nil:
		s.held = make(chan struct{})
	case !on && s.held != nil:
		close(s.held)
		s.held = nil
	}
}

// wait returns when the scheduler is not paused.
func (s *scheduling) wait(ctx context.Context) {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held == nil {
		return
	}
	select {
	case <-held:
	case <-ctx.Done():
	}
}
