package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Devices counts the devices of DRA drivers on each of some nodes of an engine by DeviceClass;
// nil where there is no class. The lock is held only for a look at what there is.
func Devices(ctx context.Context, e *Engine, nodes []*model.Node) (map[string]map[string]model.DeviceCount, error) {
	var counter *plugins.DeviceCounter
	err := e.scheduler.Hold(ctx, nil, func() (err error) {
		pod := &corev1.Pod{}
		counter, err = plugins.NewDeviceCounter(e.scheduler.Profile(pod).Question(pod))
		return err
	})
	if err != nil || !counter.Classes() {
		return nil, err
	}
	all := make(map[string]map[string]model.DeviceCount, len(nodes))
	for _, node := range nodes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		counts := map[string]model.DeviceCount{}
		for class, count := range counter.On(node.Object) {
			counts[class] = model.DeviceCount{Free: count.Free, Total: count.Total, Unknown: count.Unknown}
		}
		all[node.Name] = counts
	}
	return all, nil
}
