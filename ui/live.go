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

// yamlWords say what an object's YAML is.
func (a *App) yamlWords() string {
	if a.isSnapshot() {
		return "The object as the snapshot holds it: environments and the like are left out."
	}
	return "The live object, without its managed fields."
}

// yaml is the work of fetching an object.
func (a *App) yaml(ref model.Ref) func(context.Context) (string, error) {
	cluster := a.Cluster
	return func(ctx context.Context) (string, error) { return cluster.YAML(ctx, ref) }
}
