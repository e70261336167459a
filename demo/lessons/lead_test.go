package lessons

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"
)

// still is a cluster in which nothing happens.
type still struct{ client kubernetes.Interface }

func (s still) Client() kubernetes.Interface { return s.client }
func (still) Hold(bool)                      {}
func (still) Silence(string, bool)           {}
func (still) Fail(string, bool)              {}
func (still) Ended() []any                   { return []any{} }

func (still) Lists() (map[string][]any, error) {
	lists := map[string][]any{}
	for _, name := range variables {
		lists[name] = []any{}
	}
	return lists, nil
}

const unending = `
name: unending
title: a step that nobody ends
story: Nothing happens.
nodes: [{name: a}]
steps:
  - {say: Wait for what never comes., until: nodes.size() > 5}
  - {say: Another., predict: {question: "which?", answers: [this, that], right: 2}}
  - say: The last.
goal: {says: six nodes, when: nodes.size() > 5}
`

func TestAStepThatDoesNotComeToItsEndIsNotedAndLeft(t *testing.T) {
	lesson, err := Read(strings.NewReader(unending))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		run, err := BeginAt(ctx, lesson, still{fake.NewClientset()}, clock.RealClock{}, 3)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(stepTimeout - time.Second)
		if state, _ := run.State(); state.Step != 0 || state.GoingTo != 2 {
			t.Errorf("before its time is over: %+v", state)
		}
		time.Sleep(5 * time.Second)
		if state, _ := run.State(); state.Step != 2 || state.GoingTo != 0 || !slices.Equal(state.Unfinished, []int{1}) || !state.Led {
			t.Errorf("afterwards: %+v", state)
		}
	})
}
