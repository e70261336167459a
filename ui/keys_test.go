package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/activity"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/devices"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/drains"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/evictions"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/messages"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodefit"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodemap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/priorities"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/resizes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/schedulers"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/trace"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/unread"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/volumes"
)

// grounds are the places that pages are in, each a set.
var grounds = map[string]keymap.Place{
	"Pending":        keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts | keymap.InPending,
	"Pods":           keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts,
	"Pods of a node": keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts | keymap.AroundPods,
	"Nodes":          keymap.Everywhere | keymap.Lists | keymap.OnNode,
	"Why":            keymap.Everywhere | keymap.Lists | keymap.OnGroup | keymap.OnPod | keymap.PodFacts,
	"Fixes":          keymap.Everywhere | keymap.Lists | keymap.OnFix | keymap.PodFacts,
	"why not here":   keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.NodeFacts | keymap.PodFacts,
	"a node of Why":  keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts,
	"Drain":          keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.OnJob,
	"Drains":         keymap.Everywhere | keymap.Lists | keymap.OnJob,
	"Activity":       keymap.Everywhere | keymap.Lists | keymap.OnEntry,
	"a text":         keymap.Everywhere | keymap.Text,
	"a text of pods": keymap.Everywhere | keymap.Text | keymap.PodFacts,
	"a recording":    keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts | keymap.InPending | keymap.InRecording | keymap.OnRecorded,
	"Priorities":     keymap.Everywhere | keymap.Lists | keymap.OnPriority,
	"Quotas":         keymap.Everywhere | keymap.Lists,
	"Pools":          keymap.Everywhere | keymap.Lists | keymap.NamesNodes | keymap.InPools,
	"Taints":         keymap.Everywhere | keymap.Lists | keymap.NamesNodes,
	"Evictions":      keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.NodeFacts | keymap.PodFacts | keymap.OnEvicted,
	"Budgets":        keymap.Everywhere | keymap.Lists | keymap.NamesNodes,
	"the node map":   keymap.Everywhere | keymap.Lists | keymap.OnCell,
	"an input":       keymap.InInput,
}

func TestNoKeyHasTwoMeaningsInOnePlace(t *testing.T) {
	for name, in := range grounds {
		means := map[string]keymap.Action{}
		for _, b := range keymap.Bindings {
			if b.Where&in == 0 {
				continue
			}
			for key := range strings.FieldsSeq(b.Keys) {
				if before, ok := means[key]; ok && before != b.Do {
					t.Errorf("%s in %s means %q and %q", key, name, keymap.Of(before, in).Docs, b.Docs)
				}
				means[key] = b.Do
			}
		}
	}
}

// TestAKeyHasOneMeaningOnEveryPage holds what docs/keys.md says: a key asks for one
// action wherever it acts. Where its row is about several kinds of rows, they begin
// with the same words: "open: ".
func TestAKeyHasOneMeaningOnEveryPage(t *testing.T) {
	means := map[string]keymap.Binding{}
	for _, b := range keymap.Bindings {
		for key := range strings.FieldsSeq(b.Keys) {
			if b.Where == keymap.OnCell && key == "l" {
				continue
			}
			first, known := means[key]
			if !known {
				means[key] = b
				continue
			}
			if first.Do != b.Do || meaning(first) != meaning(b) {
				t.Errorf("%s means %q and %q", key, first.Docs, b.Docs)
			}
		}
	}
}

// meaning is what the documentation says of a key whatever it is about.
func meaning(b keymap.Binding) string {
	words, _, _ := strings.Cut(b.Docs, ":")
	return words
}

func TestEveryPageIsInThePlacesThatAreTested(t *testing.T) {
	d, job := draining(t, 120, 40, nil)
	app := d.app
	pod, node := app.observed.Snapshot.Pending[0].First(), app.observed.Snapshot.Nodes[0].Name
	pages := []page.View{
		app.pages.pending, app.pages.pods, app.pages.nodes, app.pages.quotas, app.pages.budgets, drains.NewList(&app.host, &app.jobs), drains.New(&app.host, &app.jobs, job), activity.New(&app.host, &app.jobs, app.jobs.activity), unread.New(&app.host),
		app.pages.pending, app.pages.pods, app.pages.nodes, app.pages.pools, app.pages.budgets, drains.NewList(&app.host, &app.jobs), drains.New(&app.host, &app.jobs, job), activity.New(&app.host, &app.jobs, app.jobs.activity), unread.New(&app.host),
		app.pages.pending, app.pages.pods, app.pages.nodes, app.pages.priorities, priorities.NewQueue(&app.host, ""), app.pages.quotas, app.pages.budgets, drains.NewList(&app.host, &app.jobs), drains.New(&app.host, &app.jobs, job), activity.New(&app.host, &app.jobs, app.jobs.activity), unread.New(&app.host),
		app.pages.pending, app.pages.pods, app.pages.nodes, app.pages.priorities, priorities.NewQueue(&app.host, ""), app.pages.quotas, app.pages.budgets, schedulers.New(&app.host), drains.NewList(&app.host, &app.jobs), drains.New(&app.host, &app.jobs, job), activity.New(&app.host, &app.jobs, app.jobs.activity), unread.New(&app.host),
		app.pages.pending, app.pages.pods, app.pages.nodes, app.pages.taints, app.pages.budgets, drains.NewList(&app.host, &app.jobs), drains.New(&app.host, &app.jobs, job), activity.New(&app.host, &app.jobs, app.jobs.activity), unread.New(&app.host),
		app.pages.pending, app.pages.pods, app.pages.nodes, app.pages.priorities, priorities.NewQueue(&app.host, ""), app.pages.quotas, app.pages.budgets, volumes.New(&app.host), schedulers.New(&app.host), drains.NewList(&app.host, &app.jobs), drains.New(&app.host, &app.jobs, job), activity.New(&app.host, &app.jobs, app.jobs.activity), unread.New(&app.host),
		app.pages.pending, app.pages.pods, app.pages.nodes, app.pages.priorities, priorities.NewQueue(&app.host, ""), app.pages.quotas, app.pages.budgets, volumes.New(&app.host), resizes.New(&app.host), schedulers.New(&app.host), drains.NewList(&app.host, &app.jobs), drains.New(&app.host, &app.jobs, job), activity.New(&app.host, &app.jobs, app.jobs.activity), unread.New(&app.host),
		app.pages.pending, app.pages.pods, app.pages.nodes, app.pages.priorities, priorities.NewQueue(&app.host, ""), app.pages.quotas, app.pages.budgets, volumes.New(&app.host), devices.New(&app.host), resizes.New(&app.host), schedulers.New(&app.host), drains.NewList(&app.host, &app.jobs), drains.New(&app.host, &app.jobs, job), activity.New(&app.host, &app.jobs, app.jobs.activity), unread.New(&app.host),
		newWhy(app, pod), fixes.New(&app.host, pod), preemption.New(&app.host, pod), trace.New(&app.host, pod), messages.New(&app.host, pod, nil),
		nodefit.New(&app.host, node), nodemap.New(&app.host, nodemap.Of(&app.host, node)), pods.NewOf(&app.host, node), podhistory.New(&app.host, nil, pod),
		nodefit.New(&app.host, node), pods.NewOf(&app.host, node), evictions.New(&app.host, node), podhistory.New(&app.host, nil, pod),
	}
	for _, page := range pages {
		known := false
		for _, in := range grounds {
			known = known || in == app.keyboard.placesOf(page)
		}
		if !known {
			t.Errorf("no test has the keys of %v (%b)", page.Crumbs(), app.keyboard.placesOf(page))
		}
	}
}

func TestKeysThatAreToComeAreFree(t *testing.T) {
	for key := range strings.FieldsSeq("") {
		for _, b := range keymap.Bindings {
			if slices.Contains(strings.Fields(b.Keys), key) {
				t.Errorf("%s means %q", key, b.Docs)
			}
		}
	}
}

func TestEveryKeyIsDocumentedAndDrawn(t *testing.T) {
	for _, b := range keymap.Bindings {
		if b.Docs == "" || b.Label == "" || b.Keys == "" {
			t.Errorf("%+v says too little", b)
		}
		if b.Group != keymap.Unlisted && b.Help == "" {
			t.Errorf("%s is to be in the help, which has no words for it", b.Label)
		}
	}
}

func TestEveryFooterAndHelpNamesOnlyKeysThatAct(t *testing.T) {
	app := newTestApp(t, 120, 40, newProdEU().snapshot())
	for _, key := range []string{"1", "2", "3"} {
		press(t, app, key)
		v := app.history.top()
		for _, k := range v.Footer() {
			b := keymap.Of(k.Do, v.Places())
			if got, ok := keymap.At(strings.Fields(b.Keys)[0], v.Places()); !ok || got.Do != k.Do {
				t.Errorf("the footer of %s names %s, which does nothing there", v.Crumbs()[0], b.Label)
			}
		}
	}
}
