package get

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// resizes lists the pods of the scope whose resize in place is not done.
func resizes(_ context.Context, g *Options, live *source.Live) (*output.List, error) {
	if err := live.Unread("pods"); err != nil {
		return nil, fmt.Errorf("get resizes: %w", err)
	}
	now := live.Now()
	l := &output.List{
		Kind:  "ResizeList",
		Heads: []string{"NAMESPACE", "POD", "STATE", "AGE", "NODE", "ALLOCATED", "DESIRED", "NODE LACKS"},
		More:  []string{"HOLDERS", "MESSAGE"},
		Empty: g.scope.Empty("pods that are resized in place"),
	}
	for _, r := range inventory.Resizes(live.Snapshot) {
		if !g.scope.Holds(r.Pod) {
			continue
		}
		var since time.Time
		if r.Since != nil {
			since = *r.Since
		}
		lacks, holders := model.UnknownFigure, []string{}
		if r.Lacks != nil {
			lacks = orNone(requestsText(r.Lacks))
		}
		for _, h := range r.Holders {
			holders = append(holders, h.Namespace+"/"+h.Name)
		}
		l.Add(r,
			r.Namespace,
			r.Name,
			r.State,
			ago(now, since),
			orNone(r.Node),
			orNone(requestsText(r.Allocated)),
			orNone(requestsText(r.Desired)),
			lacks,
			orNone(strings.Join(holders, ",")),
			orNone(r.Message),
		)
		l.Names = append(l.Names, "pod/"+r.Name)
	}
	return l, nil
}

// requestsText are amounts of cpu and memory as Kubernetes writes them: "cpu=2,memory=4Gi".
func requestsText(list corev1.ResourceList) string {
	var texts []string
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if quantity, ok := list[name]; ok {
			texts = append(texts, string(name)+"="+quantity.String())
		}
	}
	return strings.Join(texts, ",")
}
