package ui

import (
	"fmt"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
)

// capacity is that of some nodes of a snapshot, summed up once.
type capacity struct {
	model.Capacity
	revision int64
}

// of sums the nodes up, unless they are those of the snapshot that were summed up last.
func (c *capacity) of(snapshot *model.Snapshot, nodes []*model.Node) {
	if c.revision != snapshot.Revision || c.Nodes != len(nodes) {
		c.Capacity, c.revision = model.CapacityOf(nodes), snapshot.Revision
	}
}

// readyWords count the nodes that are Ready: "11/12 nodes Ready"; on a wide screen also
// those that are cordoned.
func (c *capacity) readyWords(width int) string {
	words := fmt.Sprintf("%s/%s nodes Ready", model.FormatCount(c.Ready), model.FormatCount(c.Nodes))
	if c.Cordoned > 0 && width >= cells.WideFrom {
		words += fmt.Sprintf(", %s cordoned", model.FormatCount(c.Cordoned))
	}
	return words
}

// gauges are what is requested of the cluster's nodes.
func (p *pending) gauges() string {
	a := p.app
	if a.observed.NotRead("nodes") != "" || len(a.observed.Snapshot.Status.Reading) > 0 {
		return ""
	}
	return gauge.Capacity(a.styles(), a.Levels, &p.capacity.Capacity, p.Width, p.capacity.readyWords(p.Width))
}

// trend is how many pods of a namespace have been pending.
type trend struct {
	gauge.Trend
	namespace string
	opened    int // the cluster
}

// add notes how many are pending now; a recording is not lived through.
func (t *trend) add(p *pending) {
	a := p.app
	if a.observed.IsReading() || a.observed.IsSnapshot() {
		return
	}
	if t.namespace != a.namespace() || t.opened != a.opened {
		*t = trend{namespace: a.namespace(), opened: a.opened}
	}
	t.Add(a.observed.At, p.tally().pods)
}

// sparkWidth is the cells of the sparkline of pending pods.
const sparkWidth = 8

// trendWords are the change and the sparkline, "+3 in 5m ▁▁▂▂▄▅█", on a wide screen.
func (p *pending) trendWords() string {
	now := p.app.observed.At
	words := p.trend.Words(now)
	if p.app.width < cells.WideFrom || words == "" || p.app.observed.IsSnapshot() {
		return ""
	}
	return words + " " + p.trend.Spark(sparkWidth, now)
}

// oldestSince is since when the pod is pending that has been pending longest.
func (p *pending) oldestSince() time.Time {
	var oldest time.Time
	namespace := p.app.namespace()
	for _, kind := range p.app.observed.Snapshot.Pending {
		if namespace != "" && kind.Namespace() != namespace || kind.Refused != nil {
			continue
		}
		if since := kind.Since(); oldest.IsZero() || since.Before(oldest) {
			oldest = since
		}
	}
	return oldest
}
