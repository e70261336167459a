package ui

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// describe is the work of fetching kubectl's description of an object.
func (o *opener) describe(ref model.Ref) func(context.Context) (string, error) {
	cluster := o.app.Cluster
	return func(ctx context.Context) (string, error) { return cluster.Describe(ctx, ref) }
}

// yamlWords say what an object's YAML is.
func (o *opener) yamlWords() string {
	if o.app.observed.isSnapshot() {
		return "The object as the snapshot holds it: environments and the like are left out."
	}
	return "The live object, without its managed fields."
}

// yaml is the work of fetching an object.
func (o *opener) yaml(ref model.Ref) func(context.Context) (string, error) {
	cluster := o.app.Cluster
	return func(ctx context.Context) (string, error) { return cluster.YAML(ctx, ref) }
}
