package ui

import (
	"context"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// newWhy is the page that says why a pod waits.
func newWhy(a *App, pod *model.Pod) view {
	cluster := a.Cluster
	return newLoading(a, []string{"pending", pod.FullName()}, "Why "+pod.FullName()+" waits.",
		func(ctx context.Context) (string, error) {
			report, err := cluster.Explain(ctx, pod.Object.UID)
			if err != nil {
				return "", err
			}
			lines := append([]string{report.Summary}, report.Facts...)
			for _, group := range report.Groups {
				lines = append(lines, count(group.Count, "node", "nodes")+"  "+group.Words)
			}
			return strings.Join(lines, "\n"), nil
		})
}
