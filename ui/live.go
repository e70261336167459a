package ui

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// describe fetches kubectl's description of an object.
func (o *opener) describe(ref model.Ref) func(context.Context) (string, error) {
	cluster := o.app.Cluster
	return func(ctx context.Context) (string, error) { return cluster.Describe(ctx, ref) }
}

// yamlWords say where the YAML is from.
func (o *opener) yamlWords() string {
	if o.app.observed.IsSnapshot() {
		return "The object in the snapshot, which leaves out environment variables and more."
	}
	return "The live object, without managedFields."
}

// yaml fetches an object.
func (o *opener) yaml(ref model.Ref) func(context.Context) (string, error) {
	cluster := o.app.Cluster
	return func(ctx context.Context) (string, error) { return cluster.YAML(ctx, ref) }
}
