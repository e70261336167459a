package lessons

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fault is an effect that happens by itself after a time.
type Fault struct {
	// Step is the number of the step from which After counts: from its start or, if
	// it has a prediction, from the answer. 0 is the start of the lesson.
	Step  int             `json:"step"`
	After metav1.Duration `json:"after"`
	Says  string          `json:"says"`
	Effect
}

// check validates a fault of a lesson.
func (f *Fault) check(l *Lesson) error {
	if f.After.Duration < 0 || f.After.Duration > time.Hour {
		return errors.New("after must be between 0s and 1h")
	}
	if f.Step < 0 || f.Step > len(l.Steps) {
		return fmt.Errorf("step is %d, but the lesson has %d steps", f.Step, len(l.Steps))
	}
	return f.Effect.check(l)
}

// injectDue injects the faults that are due. The lock is held.
func (r *Run) injectDue(ctx context.Context) {
	for i := range r.lesson.Faults {
		fault := &r.lesson.Faults[i]
		since, counts := r.startedAt[fault.Step]
		if _, active := r.activeFaults[i]; active || !counts || r.clock.Since(since) < fault.After.Duration {
			continue
		}
		if err := r.injectOne(ctx, i); err != nil {
			r.broken = err
		}
	}
}

// injectOne injects one fault. The lock is held.
func (r *Run) injectOne(ctx context.Context, i int) (err error) {
	fault := &r.lesson.Faults[i]
	r.activeFaults[i], err = fault.apply(ctx, r.cluster)
	if fault.Says != "" {
		r.state.Faults = append(r.state.Faults, fault.Says)
	}
	return err
}

// ofLesson is the prefix of the names of a lesson's own faults.
const ofLesson = "lesson-"

// lessonFault is the index of the lesson's own fault with that name.
func lessonFault(name string) (i int, ok bool) {
	number, ok := strings.CutPrefix(name, ofLesson)
	i, err := strconv.Atoi(number)
	return i - 1, ok && err == nil
}

// available are the lesson's own faults, for an instructor.
func (r *Run) available() (all []AvailableFault) {
	for i := range r.lesson.Faults {
		if says := r.lesson.Faults[i].Says; says != "" {
			all = append(all, AvailableFault{Name: ofLesson + strconv.Itoa(i+1), Says: says, Has: true})
		}
	}
	return all
}

// active are the lesson's own faults that can be removed; their IDs are negative.
func (r *Run) active() (all []ActiveFault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.lesson.Faults {
		if len(r.activeFaults[i]) > 0 {
			all = append(all, ActiveFault{ID: -i - 1, Says: cmp.Or(r.lesson.Faults[i].Says, fmt.Sprintf("fault %d", i+1))})
		}
	}
	return all
}

// injectNow injects one of the lesson's own faults before it is due.
func (r *Run) injectNow(ctx context.Context, i int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case i < 0 || i >= len(r.lesson.Faults):
		return fmt.Errorf("inject fault %s%d: no such fault", ofLesson, i+1)
	case len(r.activeFaults[i]) > 0:
		return fmt.Errorf("inject fault %s%d: %w", ofLesson, i+1, ErrAlreadyDone)
	}
	r.state.Led = true
	err := r.injectOne(ctx, i)
	r.notify()
	return err
}

// remove reverts one of the lesson's own faults.
func (r *Run) remove(ctx context.Context, i int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	undos := r.activeFaults[i]
	if len(undos) == 0 {
		return fmt.Errorf("remove fault: %w", errNotOn)
	}
	r.activeFaults[i] = nil // it is not injected again when it is due
	r.state.Led = true
	r.state.Faults = slices.DeleteFunc(r.state.Faults, func(says string) bool { return says == r.lesson.Faults[i].Says })
	r.notify()
	if err := revert(ctx, undos); err != nil {
		return fmt.Errorf("remove fault: %w", err)
	}
	return nil
}

// markLed records that an instructor helped in the lesson.
func (r *Run) markLed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.state.Led {
		r.state.Led = true
		r.notify()
	}
}
