package snapshot

import (
	corev1 "k8s.io/api/core/v1"

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
	builder.NotCreated(f.refused())
	return builder.Build(1, f.status(), nil)
}

// refused are the controllers whose pods were not created.
func (f *File) refused() []*model.NotCreated {
	refused := make([]*model.NotCreated, len(f.Info.NotCreated))
	for i := range f.Info.NotCreated {
		refused[i] = f.Info.NotCreated[i].model()
	}
	return refused
}
