package cluster

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// autoscalerNames are under which autoscalers of nodes write events.
var autoscalerNames = []string{"cluster-autoscaler", "karpenter"}

// autoscalers remembers their messages by pod.
type autoscalers struct {
	answers[string, map[types.UID][]report.AutoscalerWord]
}

// Autoscalers are the autoscalers' messages about the pod: the newest of each, the
// newest first, at most 15 s late.
func (a *Asker) Autoscalers(ctx context.Context, pod *corev1.Pod) []report.AutoscalerWord {
	words, _ := a.autoscalers.of(ctx, "", func() map[types.UID][]report.AutoscalerWord {
		words := map[types.UID][]report.AutoscalerWord{}
		for _, name := range autoscalerNames {
			if a.heardFrom(ctx, name, metav1.NamespaceAll, words) != nil {
				_ = a.heardFrom(ctx, name, a.options.Namespace, words) // what is not heard is not told
			}
		}
		return words
	})
	return words[pod.UID]
}

// heardFrom notes the newest message of one autoscaler about each pod.
func (a *Asker) heardFrom(ctx context.Context, name, namespace string, words map[types.UID][]report.AutoscalerWord) error {
	about := fields.Set{"source": name, "involvedObject.kind": "Pod"}
	events, err := a.eventsNow(ctx, namespace, about.String())
	for _, e := range events {
		if event := model.NewEvent(e); event.Source == name {
			words[e.InvolvedObject.UID] = newestOfEach(words[e.InvolvedObject.UID], event)
		}
	}
	return err
}

// newestOfEach takes a word in, unless there is a newer one of the same speaker.
func newestOfEach(words []report.AutoscalerWord, event model.Event) []report.AutoscalerWord {
	same := func(w report.AutoscalerWord) bool { return w.Component == event.Source }
	if at := slices.IndexFunc(words, same); at >= 0 {
		if !words[at].LastSeen.Time.Before(event.Last) {
			return words
		}
		words = slices.Delete(words, at, at+1)
	}
	words = append(words, report.AutoscalerWord{
		Component: event.Source, Reason: event.Reason, Message: event.Message, LastSeen: metav1.NewTime(event.Last),
	})
	slices.SortStableFunc(words, func(a, b report.AutoscalerWord) int { return b.LastSeen.Compare(a.LastSeen.Time) })
	return words
}

// toldOf remembers the events of objects.
type toldOf struct {
	answers[model.Ref, listed[model.Event]]
}

// RecentEvents are EventsOf, at most 15 s late.
func (a *Asker) RecentEvents(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	told, ok := a.told.of(ctx, ref, func() listed[model.Event] {
		events, err := a.EventsOf(ctx, ref)
		return listed[model.Event]{events, err}
	})
	if !ok {
		return nil, ctx.Err()
	}
	return told.list, told.err
}
