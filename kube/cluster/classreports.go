package cluster

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Outlines explains many pods and asks about each kind of them only once while
// nothing changes. It is for one goroutine.
type Outlines struct {
	cluster *Cluster
	first   map[string]first // by the kind's key
}

// first is the report of the first pod of a kind.
type first struct {
	report *report.Report
	feed   *feed
	others int64 // the feed's changes when it was made
}

// Outlines begins a round of explanations.
func (c *Cluster) Outlines() *Outlines {
	return &Outlines{cluster: c, first: map[string]first{}}
}

// Of is the outline of a pod of that kind.
func (o *Outlines) Of(ctx context.Context, kind string, uid types.UID) (*report.Report, error) {
	f := o.cluster.feed.Load()
	q := report.Query{Target: report.PodOf(uid)}
	if f.refusedAs(uid) != nil {
		return o.cluster.Ask(ctx, q)
	}
	now := first{feed: f, others: f.others.Load()}
	if known, ok := o.first[kind]; ok && known.feed == now.feed && known.others == now.others {
		q.Like = known.report
		return o.cluster.Ask(ctx, q)
	}
	report, err := o.cluster.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	now.report = report
	o.first[kind] = now
	return report, nil
}
