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

// Fault is something that happens by itself after a while.
type Fault struct {
	// Step is the step that the time counts from, by its number: from its begin
	// or, where it has a prediction, from the answer. 0: from the lesson's begin.
	Step  int             `json:"step"`
	After metav1.Duration `json:"after"`
	Says  string          `json:"says"`
	Effect
}

// check says what is wrong with a fault of a lesson.
func (f *Fault) check(l *Lesson) error {
	if f.After.Duration < 0 || f.After.Duration > time.Hour {
		return errors.New("after has to be between 0s and 1h")
	}
	if f.Step < 0 || f.Step > len(l.Steps) {
		return fmt.Errorf("step is %d of %d", f.Step, len(l.Steps))
	}
	return f.Effect.check(l)
}

// strike lets the faults happen whose time has come; under the lock.
func (r *Run) strike(ctx context.Context) {
	for i := range r.lesson.Faults {
		fault := &r.lesson.Faults[i]
		since, counts := r.went[fault.Step]
		if _, struck := r.struck[i]; struck || !counts || r.clock.Since(since) < fault.After.Duration {
			continue
		}
		if err := r.strikeOne(ctx, i); err != nil {
			r.broken = err
		}
	}
}

// strikeOne lets a fault happen; under the lock.
func (r *Run) strikeOne(ctx context.Context, i int) (err error) {
	fault := &r.lesson.Faults[i]
	r.struck[i], err = fault.bring(ctx, r.world)
	if fault.Says != "" {
		r.state.Faults = append(r.state.Faults, fault.Says)
	}
	return err
}

// ofLesson begins the names of a lesson's own faults.
const ofLesson = "lesson-"

// lessonFault is which of the lesson's own faults a name means.
func lessonFault(name string) (i int, ok bool) {
	number, ok := strings.CutPrefix(name, ofLesson)
	i, err := strconv.Atoi(number)
	return i - 1, ok && err == nil
}

// offers are the lesson's own faults, for a trainer.
func (r *Run) offers() (all []Offer) {
	for i := range r.lesson.Faults {
		if says := r.lesson.Faults[i].Says; says != "" {
			all = append(all, Offer{Name: ofLesson + strconv.Itoa(i+1), Says: says, Has: true})
		}
	}
	return all
}

// troubles are the lesson's own faults that can be taken back; their numbers are
// below zero.
func (r *Run) troubles() (all []Trouble) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.lesson.Faults {
		if len(r.struck[i]) > 0 {
			all = append(all, Trouble{ID: -i - 1, Says: cmp.Or(r.lesson.Faults[i].Says, fmt.Sprintf("fault %d", i+1))})
		}
	}
	return all
}

// strikeNow lets one of the lesson's own faults happen, whenever its time is.
func (r *Run) strikeNow(ctx context.Context, i int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case i < 0 || i >= len(r.lesson.Faults):
		return fmt.Errorf("put fault %s%d: there is none of that name", ofLesson, i+1)
	case len(r.struck[i]) > 0:
		return fmt.Errorf("put fault %s%d: %w", ofLesson, i+1, ErrIsSo)
	}
	r.state.Led = true
	err := r.strikeOne(ctx, i)
	r.tell()
	return err
}

// takeBack ends one of the lesson's own faults.
func (r *Run) takeBack(ctx context.Context, i int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	undos := r.struck[i]
	if len(undos) == 0 {
		return fmt.Errorf("take fault back: %w", errNotOn)
	}
	r.struck[i] = nil // it does not happen by itself again
	r.state.Led = true
	r.state.Faults = slices.DeleteFunc(r.state.Faults, func(says string) bool { return says == r.lesson.Faults[i].Says })
	r.tell()
	if err := takeBack(ctx, undos); err != nil {
		return fmt.Errorf("take fault back: %w", err)
	}
	return nil
}

// help notes that a trainer had a hand in the lesson.
func (r *Run) help() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.state.Led {
		r.state.Led = true
		r.tell()
	}
}
