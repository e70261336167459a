package get

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// quotas lists the ResourceQuotas of the scope.
func quotas(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	quotas, err := listOf[*corev1.ResourceQuota](ctx, live, "quotas", "resourcequotas")
	if err != nil {
		return nil, err
	}
	limits, unread := listOf[*corev1.LimitRange](ctx, live, "quotas", "limitranges")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	l := &output.List{
		Kind:  "QuotaList",
		Heads: []string{"NAMESPACE", "NAME", "FULLEST", "USED", "OF LIMIT", "MORE PODS"},
		More:  []string{"SCOPES", "ALL LIMITS", "PODS WITH DEFAULTS"},
		Empty: g.scope.Empty("ResourceQuotas"),
	}
	for _, q := range inventory.Quotas(live.Snapshot, quotas, limits, unread == nil) {
		if q.Object == nil || !g.scope.Takes(q.Namespace, q.Object.Labels) {
			continue
		}
		percent, of := model.UnknownFigure, model.UnknownFigure
		if q.Percent != nil {
			percent, of = strconv.Itoa(*q.Percent)+"%", usedOf(&q, q.Fullest)
		}
		l.Add(q,
			q.Namespace,
			q.Name,
			orNone(string(q.Fullest)),
			percent,
			of,
			morePods(&q),
			orNone(strings.Join(q.Scopes, "; ")),
			orNone(limitsText(&q)),
			figureOr(q.DefaultedPods),
		)
		l.Names = append(l.Names, "resourcequota/"+q.Name)
	}
	return l, nil
}

// morePods is how many more pods a quota allows; - where it limits none.
func morePods(q *inventory.Quota) string {
	if q.LimitsNoPods {
		return "-"
	}
	return figureOr(q.MorePods)
}

// limitsText is what is used of each limit: "pods 4 of 20,requests.cpu 3.6 of 4".
func limitsText(q *inventory.Quota) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(q.Hard)) {
		texts = append(texts, string(name)+" "+usedOf(q, name))
	}
	return strings.Join(texts, ",")
}

func usedOf(q *inventory.Quota, name corev1.ResourceName) string {
	text := func(quantity resource.Quantity) string {
		if strings.HasSuffix(string(name), string(corev1.ResourceCPU)) {
			return model.FormatCPU(quantity.MilliValue(), model.Nearest)
		}
		return quantity.String()
	}
	used := model.UnknownFigure
	if quantity, known := q.Used[name]; known {
		used = text(quantity)
	}
	return used + " of " + text(q.Hard[name])
}

// figureOr is a figure; ? where it is not known.
func figureOr[N int | int32 | int64](n *N) string {
	if n == nil {
		return model.UnknownFigure
	}
	return strconv.FormatInt(int64(*n), 10)
}
