package get

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/column"
)

// nodes lists the nodes; -l takes their labels.
func nodes(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	if err := live.Unread("nodes"); err != nil {
		return nil, fmt.Errorf("get nodes: %w", err)
	}
	deepen, err := g.deepens(ctx, live)
	if err != nil {
		return nil, err
	}
	now := live.Now()
	l := &output.List{
		Kind:  "NodeList",
		Heads: []string{"NAME", "STATUS", "CPU FREE", "MEM FREE", "PODS", "AGE", "ZONE", "VERSION", "TAINTS"},
		More:  []string{"ROLES", "POOL", "INSTANCE TYPE", "REQUESTED"},
		Empty: "no nodes found",
	}
	capacityType := func(*model.Node) []string { return nil }
	if slices.ContainsFunc(live.Snapshot.Nodes, func(n *model.Node) bool { return n.CapacityType != "" }) {
		l.More = append(l.More, "CAPACITY")
		capacityType = func(n *model.Node) []string { return []string{orNone(n.CapacityType)} }
	}
	own := g.own(l, g.settings.Columns.OfNodes())
	if g.scope.Selector != "" {
		l.Empty = "no nodes match -l " + g.scope.Selector
	}
	counted := live.Snapshot.Status.Namespace == "" && live.Unread("pods") == nil
	for _, n := range live.Snapshot.Nodes {
		if !g.scope.Matches.Matches(labels.Set(n.Object.Labels)) {
			continue
		}
		free, item := freeOf(n, counted), newNodeItem(n, counted)
		deepen(&item, n)
		l.Add(item, append([]string{
			n.Name,
			strings.Join(n.States(), ","),
			free.cpu,
			free.memory,
			free.pods,
			ago(now, n.Object.CreationTimestamp.Time),
			orNone(n.Zone),
			orNone(n.Version),
			taintTexts(n.Object.Spec.Taints),
			orNone(strings.Join(n.Roles, ",")),
			orNone(n.Pool),
			orNone(n.Instance),
			free.requested,
		}, slices.Concat(capacityType(n), own(n.Object))...)...)
		l.Names = append(l.Names, "node/"+n.Name)
	}
	return l, nil
}

// own adds the columns of the settings to a list, for -o wide. It gives what they show of
// an object.
func (g *Options) own(l *output.List, columns []*column.Column) func(metav1.Object) []string {
	if g.output != "wide" {
		return func(metav1.Object) []string { return nil }
	}
	for _, c := range columns {
		l.More = append(l.More, c.Head)
	}
	return func(object metav1.Object) []string {
		var cells []string
		for _, c := range columns {
			cells = append(cells, orNone(terminal.OneLine(c.Value(object, g.source.IsWhole()))))
		}
		return cells
	}
}

// pods lists the pods of the scope.
func pods(_ context.Context, g *Options, live *source.Live) (*output.List, error) {
	if err := live.Unread("pods"); err != nil {
		return nil, fmt.Errorf("get pods: %w", err)
	}
	now := live.Now()
	l := &output.List{
		Kind:  "PodList",
		Heads: []string{"NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "QOS", "PRIO", "NODE", "AGE", "OWNER"},
		More:  []string{"PRIORITY CLASS", "SCHEDULER", "REQUESTS"},
		Empty: g.scope.Empty("pods"),
	}
	own := g.own(l, g.settings.Columns.OfPods())
	for _, p := range live.Snapshot.Pods {
		if !g.scope.Holds(p) {
			continue
		}
		l.Add(newPodItem(p), append([]string{
			p.Object.Namespace,
			p.Object.Name,
			fmt.Sprintf("%d/%d", p.Ready, p.Total),
			p.Status,
			strconv.Itoa(int(p.Restarts)),
			string(p.QOS),
			strconv.Itoa(int(p.Priority())),
			orNone(p.Object.Spec.NodeName),
			ago(now, p.Since()),
			ownerText(p),
			orNone(p.Object.Spec.PriorityClassName),
			orNone(p.Object.Spec.SchedulerName),
			orNone(p.Requests.String()),
		}, own(p.Object)...)...)
		l.Names = append(l.Names, "pod/"+p.Object.Name)
	}
	return l, nil
}

// ownerText names the workload of a pod, as kubectl does.
func ownerText(p *model.Pod) string {
	if p.Owner.Name == "" {
		return "<none>"
	}
	return strings.ToLower(p.Owner.Kind) + "/" + p.Owner.Name
}

// pendingItem is a row of pending pods in get pending -o json.
type pendingItem struct {
	Namespace string            `json:"namespace"`
	Pods      []string          `json:"pods"`              // their names, the longest waiting first
	Missing   int               `json:"missing,omitempty"` // pods that could not be created: they have no names
	Owner     *report.OwnerRef  `json:"owner"`
	Priority  int32             `json:"priority"`
	Since     *time.Time        `json:"since"`
	Verdict   report.Verdict    `json:"verdict"`
	State     string            `json:"state"`
	BlockedBy string            `json:"blockedBy"`
	Why       string            `json:"why"`
	Summary   string            `json:"summary"`
	Scheduler string            `json:"schedulerName"`
	Nominated string            `json:"nominatedNodeName"`
	Node      string            `json:"nodeName"`
	Requests  map[string]string `json:"requests"`
	Resize    string            `json:"resize,omitempty"` // of a running pod: the state of its resize in place, which is not done
}

// pendingRow is a row of pending pods.
type pendingRow struct {
	kind  *model.EquivalenceClass
	pods  []*model.Pod // those of the scope, the longest waiting first
	item  pendingItem
	cells []string // as pendingHeads and pendingMore have them
}

// The columns of pending pods, and those that -o wide adds.
var (
	pendingHeads = []string{"NAMESPACE", "POD", "PODS", "PRIO", "AGE", "BLOCKED BY", "WHY"}
	pendingMore  = []string{"STATE", "VERDICT", "OWNER", "SCHEDULER", "REQUESTS"}
)

// pending lists the kinds of pending pods of the scope, and the running pods whose resize in
// place is not done, with an explanation each.
func pending(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	rows, err := g.pendingRows(ctx, live)
	if err != nil {
		return nil, err
	}
	g.found.Undecided = g.scope.Overlooks(live)
	l := &output.List{Kind: "PendingList", Heads: pendingHeads, More: pendingMore, Empty: g.scope.Empty("pending pods")}
	for _, row := range rows {
		g.found.Note(row.item.Verdict, false) // a pod that is pending is no failure of the list
		l.Add(row.item, row.cells...)
		l.Names = append(l.Names, podsText(row.kind, row.pods)...)
	}
	return l, nil
}

// pendingRows explains each kind of pending pods of the scope, then each resize, as Pending of the
// dashboard lists them.
func (g *Options) pendingRows(ctx context.Context, live *source.Live) ([]pendingRow, error) {
	if err := live.Unread("pods"); err != nil {
		return nil, fmt.Errorf("get pending: %w", err)
	}
	if err := live.Seek(ctx); err != nil {
		return nil, err
	}
	now := live.Now()
	var rows []pendingRow
	for _, kind := range slices.Concat(live.Snapshot.Pending, live.Snapshot.Resizing) {
		pods := g.scope.Held(kind)
		if len(pods) == 0 {
			continue
		}
		report, err := live.Ask(ctx, report.Query{Target: report.PodOf(pods[0].Object.UID)})
		switch {
		case errors.Is(err, explain.ErrNoPod):
			continue // it was deleted meanwhile
		case err != nil:
			return nil, fmt.Errorf("explain %s: %w", pods[0].FullName(), err)
		}
		rows = append(rows, newPendingRow(kind, pods, report, now))
	}
	return rows, nil
}

// newPendingRow is the row of some pods of a kind; the report is of the first.
func newPendingRow(kind *model.EquivalenceClass, pods []*model.Pod, report *report.Report, now time.Time) pendingRow {
	item := newPendingItem(pods, report)
	name, count, priority := pods[0].Object.Name, len(pods), strconv.Itoa(int(pods[0].Priority()))
	if kind.NotCreated != nil {
		name, count, priority = kind.Name(), kind.Count(), "-"
		item.Pods, item.Missing = []string{}, count
	}
	since := sinceOf(kind, pods)
	item.Since = timeOrNull(since)
	if kind.Resize != nil {
		item.Resize = kind.Resize.State
	}
	return pendingRow{kind: kind, pods: pods, item: item, cells: []string{
		pods[0].Object.Namespace,
		name,
		strconv.Itoa(count),
		priority,
		ago(now, since),
		report.BlockedBy,
		report.Why,
		report.State,
		string(report.Verdict),
		ownerText(pods[0]),
		orNone(pods[0].Object.Spec.SchedulerName),
		orNone(pods[0].Requests.String()),
	}}
}

// sinceOf is when the first of some pods of a kind became pending, or its resize began; zero is
// unknown.
func sinceOf(kind *model.EquivalenceClass, pods []*model.Pod) time.Time {
	if kind.Resize != nil {
		return kind.Since()
	}
	return pods[0].Since()
}

// podsText names the pods of a kind as kubectl get -o name does, or the workload that
// could not create them.
func podsText(kind *model.EquivalenceClass, pods []*model.Pod) []string {
	if kind.NotCreated != nil {
		return []string{ownerText(pods[0])}
	}
	texts := make([]string, 0, len(pods))
	for _, pod := range pods {
		texts = append(texts, "pod/"+pod.Object.Name)
	}
	return texts
}

// newPendingItem is a row of pending pods in JSON and YAML; the report is of the first pod.
func newPendingItem(pods []*model.Pod, report *report.Report) pendingItem {
	first := pods[0]
	names := make([]string, 0, len(pods))
	for _, p := range pods {
		names = append(names, p.Object.Name)
	}
	return pendingItem{
		Namespace: first.Object.Namespace,
		Pods:      names,
		Owner:     ownerOf(first),
		Priority:  first.Priority(),
		Verdict:   report.Verdict,
		State:     report.State,
		BlockedBy: report.BlockedBy,
		Why:       report.Why,
		Summary:   report.Summary,
		Scheduler: first.Object.Spec.SchedulerName,
		Nominated: first.Object.Status.NominatedNodeName,
		Node:      first.Object.Spec.NodeName,
		Requests:  quantities(*first.Requests),
	}
}
