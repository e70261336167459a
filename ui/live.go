package ui

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// describe is the work of fetching kubectl's description of an object.
func (a *App) describe(ref model.Ref) func(context.Context) (string, error) {
	cluster := a.Cluster
	return func(ctx context.Context) (string, error) { return cluster.Describe(ctx, ref) }
}

// yaml is the work of fetching an object.
func (a *App) yaml(ref model.Ref) func(context.Context) (string, error) {
	cluster := a.Cluster
	return func(ctx context.Context) (string, error) { return cluster.YAML(ctx, ref) }
}
