package snapshot

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// State is what the file shows, without an engine that could explain it.
func (f *File) State() *model.Snapshot {
	builder := model.NewBuilder()
	for _, object := range f.objects["nodes"] {
		if node, ok := object.(*corev1.Node); ok {
			builder.Node(nil, node)
		}
	}
	for _, object := range f.objects["pods"] {
		if pod, ok := object.(*corev1.Pod); ok {
			builder.Pod(nil, pod)
		}
	}
	refused, unread := f.refused()
	builder.NotCreated(refused)
	return builder.Build(1, f.status(unread), nil)
}

// refused are the controllers whose pods were not created, and what of that is not known.
func (f *File) refused() (refused []*model.NotCreated, unread []model.Unread) {
	if f.Own {
		for i := range f.Info.NotCreated {
			refused = append(refused, f.Info.NotCreated[i].model())
		}
		return refused, nil
	}
	client, err := f.client()
	if err != nil {
		return nil, []model.Unread{{Resource: "events", Why: err.Error()}}
	}
	list := &cluster.Listed{Controllers: slices.Collect(maps.Values(f.controllers)), Has: f.controlling, Taken: f.Info.Taken, Client: client}
	for _, object := range f.objects["events"] {
		if event, ok := object.(*corev1.Event); ok {
			list.Events = append(list.Events, event)
		}
	}
	for _, object := range f.objects["pods"] {
		if pod, ok := object.(*corev1.Pod); ok {
			list.Pods = append(list.Pods, pod)
		}
	}
	return cluster.RejectedIn(context.Background(), list)
}
