package lessons

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Fault is something that happens by itself after a while.
type Fault struct {
	// Step is the step that the time counts from, by its number: from its begin
	// or, where it has a prediction, from the answer. 0: from the lesson's begin.
	Step    int                    `json:"step"`
	After   metav1.Duration        `json:"after"`
	Says    string                 `json:"says"`
	Silence string                 `json:"silence"` // the node whose kubelet falls silent
	Restore string                 `json:"restore"` // the node whose kubelet works again
	Objects []runtime.RawExtension `json:"objects"` // that are made
}

// check says what is wrong with a fault of a lesson.
func (f *Fault) check(l *Lesson) error {
	if f.After.Duration < 0 || f.After.Duration > time.Hour {
		return errors.New("after has to be between 0s and 1h")
	}
	if f.Step < 0 || f.Step > len(l.Steps) {
		return fmt.Errorf("step is %d of %d", f.Step, len(l.Steps))
	}
	for _, name := range []string{f.Silence, f.Restore} {
		if name != "" && !l.hasNode(name) {
			return fmt.Errorf("the lesson has no node %s", name)
		}
	}
	_, err := objects(f.Objects)
	return err
}

// strike lets the faults happen whose time has come; under the lock.
func (r *Run) strike(ctx context.Context) {
	for i := range r.lesson.Faults {
		fault := &r.lesson.Faults[i]
		since, counts := r.went[fault.Step]
		if r.struck[i] || !counts || r.clock.Since(since) < fault.After.Duration {
			continue
		}
		r.struck[i] = true
		if fault.Silence != "" {
			r.world.Silence(fault.Silence, true)
		}
		if fault.Restore != "" {
			r.world.Silence(fault.Restore, false)
		}
		if err := makeAll(ctx, r.world.Client(), fault.Objects); err != nil {
			r.broken = err
		}
		if fault.Says != "" {
			r.state.Faults = append(r.state.Faults, fault.Says)
		}
	}
}
