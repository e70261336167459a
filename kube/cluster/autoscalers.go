package cluster

import (
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// autoscalerNames are under which autoscalers of nodes write events.
var autoscalerNames = []string{"cluster-autoscaler", "karpenter"}

// autoscalers caches their messages, so that explaining many pods reads them once.
type autoscalers struct {
	mu    sync.Mutex
	words map[types.UID][]report.AutoscalerWord
	read  time.Time
}

// Autoscalers are the autoscalers' messages about the pod: the newest of each, the
// newest first, at most 15 s late.
func (a *Asker) Autoscalers(ctx context.Context, pod *corev1.Pod) []report.AutoscalerWord {
	a.autoscalers.mu.Lock()
	defer a.autoscalers.mu.Unlock()
	if time.Since(a.autoscalers.read) > remembered {
		words := map[types.UID][]report.AutoscalerWord{}
		for _, name := range autoscalerNames {
			err := a.heardFrom(ctx, name, metav1.NamespaceAll, words)
			if err != nil {
				err = a.heardFrom(ctx, name, a.options.Namespace, words)
			}
			if err != nil && ctx.Err() != nil {
				return nil
			}
		}
		a.autoscalers.words, a.autoscalers.read = words, time.Now()
	}
	return a.autoscalers.words[pod.UID]
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

// mostRemembered bounds how many objects' events are kept.
const mostRemembered = 1000

// toldOf remembers the events of objects.
type toldOf struct {
	mu    sync.Mutex
	known map[model.Ref]eventsAnswer
}

type eventsAnswer struct {
	events []model.Event
	err    error
	at     time.Time
}

// RecentEvents are EventsOf, at most 15 s late.
func (a *Asker) RecentEvents(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	a.told.mu.Lock()
	defer a.told.mu.Unlock()
	if answer, ok := a.told.known[ref]; ok && time.Since(answer.at) < remembered {
		return answer.events, answer.err
	}
	events, err := a.EventsOf(ctx, ref)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(a.told.known) >= mostRemembered || a.told.known == nil {
		a.told.known = map[model.Ref]eventsAnswer{}
	}
	a.told.known[ref] = eventsAnswer{events, err, time.Now()}
	return events, err
}
