package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

func TestARowWhosePodGotItsNodeSaysWhatItDoesNow(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 80, 24, c.snapshot())
	for i, p := range c.pods {
		switch p.Name {
		case "etl-m2k9q":
			c.pods[i] = ran(p.DeepCopy(), "std-a-01")
		case "nightly-29xk1":
			c.pods[i] = pod("batch", "another", "1", "2Gi", 0)
		}
	}
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	for name, want := range map[string]string{"data/etl-m2k9q": "scheduled      on std-a-01, running", "batch/nightly-29xk1": "deleted"} {
		at := slices.IndexFunc(strings.Split(screen(app), "\n"), func(row string) bool { return strings.Contains(row, name) })
		requireRow(t, app, at+1, want)
	}
}

// statesOf are what a pod that waited may be next, as the kubelet and others
// write it.
var statesOf = map[string]func(p *corev1.Pod){
	"runs": func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	},
	"crashes": func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "app", RestartCount: 3,
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
		}}
	},
	"is through": func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded },
	"has failed": func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed },
	"is being ended": func(p *corev1.Pod) {
		p.Status.Phase, p.DeletionTimestamp = corev1.PodRunning, new(metav1.NewTime(now))
	},
	"is lost": func(p *corev1.Pod) {
		p.Status.Phase, p.Status.Reason, p.DeletionTimestamp = corev1.PodRunning, "NodeLost", new(metav1.NewTime(now))
	},
}

func TestARowsStateAndItsTextAreOfOneReading(t *testing.T) {
	names := slices.Sorted(maps.Keys(statesOf))
	rapid.Check(t, func(rt *rapid.T) {
		c := newProdEU()
		app := newTestApp(t, 120, 40, c.snapshot())
		for i := len(c.pods) - 1; i >= 0; i-- {
			p := c.pods[i]
			if p.Spec.NodeName != "" && p.Status.Phase != corev1.PodPending {
				continue
			}
			switch become := rapid.SampledFrom(append([]string{"waits", "is deleted"}, names...)).Draw(rt, p.Name); become {
			case "waits":
			case "is deleted":
				c.pods = slices.Delete(c.pods, i, i+1)
			default:
				p = p.DeepCopy()
				p.Spec.NodeName = "std-a-01"
				p.Status.ContainerStatuses, p.Status.Conditions = nil, nil
				statesOf[become](p)
				c.pods[i] = p
			}
		}
		if rapid.Bool().Draw(rt, "the quota is raised") {
			c.refused = nil
		}
		s := c.at(2, liveStatus())
		send(t, app, snapshotMsg{snapshot: s})
		page := app.history.top().(*pending.Page)
		for _, row := range page.Table.Rows {
			if !page.Table.Gone[row.ID] {
				continue
			}
			state, text := page.Table.Stands(columnOf(page, "BLOCKED BY"), row).Text, page.Table.Stands(columnOf(page, "WHY"), row).Text
			if wantState, wantText := leftAs(s, row); state != wantState || text != wantText {
				rt.Errorf("%s: %q, %q; want %q, %q", row.Pod.FullName(), state, text, wantState, wantText)
			}
		}
	})
}

// leftAs is what a row says of its pods that are no longer pending, where all nodes that they
// got are std-a-01.
func leftAs(s *model.Snapshot, row *pending.Row) (state, text string) {
	pods := row.Kind.Pods
	if row.Leaf {
		pods = []*model.Pod{row.Pod}
	}
	there, states := 0, map[string]bool{}
	for _, was := range pods {
		if pod, ok := s.PodNamed(was.Object.Namespace, was.Object.Name); ok {
			there++
			states[strings.ToLower(pod.Status)] = true
		}
	}
	if there == 0 {
		return "deleted", ""
	}
	text = "on std-a-01"
	if there < len(pods) {
		text = fmt.Sprintf("%d of %d %s", there, len(pods), text)
	}
	if len(states) == 1 {
		text += ", " + slices.Collect(maps.Keys(states))[0]
	}
	return "scheduled", text
}

func TestARowOfPodsOnSeveralNodesDoesNotNameOne(t *testing.T) {
	for _, test := range []struct {
		name    string
		nodes   []string // of the three pods, in the order of the row; "" is deleted
		failing bool     // the last one
		want    string
	}{
		{"each on its own", []string{"std-a-01", "std-b-01", "std-c-01"}, false, "scheduled      on 3 nodes, running"},
		{"two on one", []string{"std-a-01", "std-b-01", "std-a-01"}, false, "scheduled      on 2 nodes, running"},
		{"all on one", []string{"std-a-01", "std-a-01", "std-a-01"}, false, "scheduled      on std-a-01, running"},
		{"in different states", []string{"std-a-01", "std-b-01", "std-c-01"}, true, "scheduled      on 3 nodes "},
		{"the first one deleted", []string{"", "std-b-01", "std-c-01"}, false, "scheduled      2 of 3 on 2 nodes, running"},
		{"all deleted", []string{"", "", ""}, false, "deleted "},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newProdEU()
			app := newTestApp(t, 120, 40, c.snapshot())
			nodes := map[string]string{}
			for i, own := range []string{"x2x1p", "bb4hd", "zq9vn"} {
				nodes["checkout-6c9d8b7f4-"+own] = test.nodes[i]
			}
			for i, p := range c.pods {
				if node := nodes[p.Name]; node != "" {
					c.pods[i] = ran(p.DeepCopy(), node)
				}
				if test.failing && strings.HasSuffix(p.Name, "zq9vn") {
					c.pods[i].Status.Phase = corev1.PodFailed
				}
			}
			c.keep(func(p *corev1.Pod) bool {
				node, of := nodes[p.Name]
				return !of || node != ""
			})
			send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
			at := slices.IndexFunc(strings.Split(screen(app), "\n"), func(row string) bool { return strings.Contains(row, "shop/checkout ×3") })
			requireRow(t, app, at+1, test.want)
		})
	}
}

func TestAFilterWhosePodsWereScheduledSaysThatNoneIsPending(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 120, 40, c.snapshot())
	filterBy(t, app, "checkout")
	c.becomes(t, app, 2, "", "x2x1p bb4hd zq9vn")
	if got := screen(app); !strings.Contains(got, "shop/checkout ×3") {
		t.Fatalf("the row is not kept:\n%s", got)
	}
	if got := row(app, 2); !strings.HasPrefix(got, " No pending pod matches checkout; ") {
		t.Errorf("says %q", got)
	}
}

// columnOf is a column of Pending by its head.
func columnOf(p *pending.Page, head string) *table.Column[*pending.Row] {
	at := slices.IndexFunc(p.Table.Columns, func(c table.Column[*pending.Row]) bool { return c.Head == head })
	return &p.Table.Columns[at]
}

// becomes is the next snapshot of c, in which pods of checkout were scheduled: those of
// starting do not run yet, those of running do.
func (c *prodEU) becomes(t *testing.T, app *App, revision int64, starting, running string) {
	t.Helper()
	for i, p := range c.pods {
		if _, own, _ := strings.Cut(p.Name, "checkout-6c9d8b7f4-"); own == "" {
			continue
		} else if strings.Contains(running, own) {
			c.pods[i] = ran(p.DeepCopy(), "std-a-01")
		} else if strings.Contains(starting, own) {
			c.pods[i] = p.DeepCopy()
			c.pods[i].Spec.NodeName = "std-a-01"
		}
	}
	send(t, app, snapshotMsg{snapshot: c.at(revision, liveStatus())})
}

// rowsOf are the rows of Pending whose first cell says that, with a sign before the
// selected one.
func rowsOf(app *App, name string) []string {
	p := app.history.top().(*pending.Page)
	var rows []string
	for i, row := range p.Table.Rows {
		text := p.Table.Columns[0].Text(row).Text
		if !strings.Contains(text, name) && !row.Leaf {
			continue
		}
		if text = strings.TrimSpace(text); i == p.Table.Chosen {
			text = "▸ " + text
		}
		rows = append(rows, text)
	}
	return rows
}

func TestPodsThatAreScheduledOneAfterTheOtherHaveOneRow(t *testing.T) {
	all := "x2x1p bb4hd zq9vn"
	for _, test := range []struct {
		name  string
		keys  []string
		steps [][2]string // starting, running
		want  []string
	}{
		{"the last ones follow the first", nil, [][2]string{{"bb4hd", ""}, {all, ""}}, []string{"▸ shop/checkout ×3"}},
		{"the first one runs already", nil, [][2]string{{"bb4hd", ""}, {all, "bb4hd"}, {"zq9vn", "bb4hd x2x1p"}}, []string{"▸ shop/checkout-6c9d8b7f4-zq9vn"}},
		{"all run", nil, [][2]string{{"bb4hd", ""}, {all, "bb4hd"}, {"zq9vn", "bb4hd x2x1p"}, {"", all}}, []string{"▸ shop/checkout-6c9d8b7f4-zq9vn"}},
		{"unfolded", []string{"+"}, [][2]string{{"bb4hd", ""}, {all, ""}}, []string{"▸ shop/checkout ×3"}},
		{"unfolded, on a pod", []string{"+", "j"}, [][2]string{{all, ""}}, []string{"▸ shop/checkout ×3"}},
		{"unfolded, and all run", []string{"+"}, [][2]string{{"", all}}, []string{"▸ shop/checkout ×3", "…6c9d8b7f4-x2x1p", "…6c9d8b7f4-bb4hd", "…6c9d8b7f4-zq9vn"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newProdEU()
			app := newTestApp(t, 120, 40, c.snapshot())
			p := app.history.top().(*pending.Page)
			p.Table.Move(slices.IndexFunc(p.Table.Rows, func(w *pending.Row) bool { return w.Kind.Name() == "checkout" }))
			press(t, app, test.keys...)
			for i, step := range test.steps {
				c.becomes(t, app, int64(i)+2, step[0], step[1])
			}
			if got := rowsOf(app, "shop/checkout"); !slices.Equal(got, test.want) {
				t.Errorf("rows %q, want %q", got, test.want)
			}
		})
	}
}
