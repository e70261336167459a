package ui

import (
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// crowded is what the views of a cluster of 5,000 nodes show beside nodes and pods: a quota
// and 25 budgets in each of 40 namespaces, a claim, a slice with eight devices and a Lease
// for each node, 60 PriorityClasses.
func crowded(s *model.Snapshot) *fakeCluster {
	lists := map[string][]runtime.Object{}
	add := func(resource string, object runtime.Object) { lists[resource] = append(lists[resource], object) }
	for i := range 40 {
		namespace := fmt.Sprintf("team-%02d", i)
		add("resourcequotas", quota(namespace, "compute", modeltest.Quantities("requests.cpu", "1000", "pods", "2000"), modeltest.Quantities("requests.cpu", "625", "pods", "1250")))
		for n := range 25 {
			add("poddisruptionbudgets", budget(namespace, fmt.Sprintf("service-%d", n), namespace, int32(n%2), 3, 3))
		}
	}
	for i := range 60 {
		add("priorityclasses", &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("class-%02d", i)}, Value: int32(i)})
	}
	add("deviceclasses", &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu.example.com"}})
	c := &fakeCluster{objects: lists, devices: map[string]map[string]model.DeviceCount{}}
	for _, node := range s.Nodes {
		slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node.Name}, Spec: resourcev1.ResourceSliceSpec{
			Driver: "gpu.example.com", NodeName: &node.Name, Pool: resourcev1.ResourcePool{Name: node.Name, ResourceSliceCount: 1},
		}}
		for n := range 8 {
			slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("gpu-", n)})
		}
		add("resourceslices", slice)
		add("persistentvolumeclaims", &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "team-01", Name: node.Name}})
		renewed := metav1.NewMicroTime(now.Add(-time.Second))
		add("leases", &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: node.Name},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &node.Name, LeaseDurationSeconds: new(int32(15)), RenewTime: &renewed},
		})
		c.devices[node.Name] = map[string]model.DeviceCount{"gpu.example.com": {Free: 3, Total: 8}}
	}
	return c
}

// waitingCrowd is crowd with 400 pending pods of 200 workloads.
func waitingCrowd() *model.Snapshot {
	b := model.NewBuilder()
	whole := crowd()
	for _, node := range whole.Nodes {
		b.Node(nil, node.Object)
	}
	for _, p := range whole.Pods {
		b.Pod(nil, p.Object)
	}
	for i := range 400 {
		b.Pod(nil, pod(fmt.Sprintf("team-%02d", i%40), fmt.Sprintf("pending-%d-6c9d8b7f4-%05d", i%200, i), "4", "8Gi", time.Hour))
	}
	return b.Build(1, liveStatus(), nil)
}

// BenchmarkKeyOfEachView is a key to its frame, with the preview of the row, on each view at
// 5,000 nodes and 50,000 pods, 200×60. What the views compute is done off the event loop.
func BenchmarkKeyOfEachView(b *testing.B) {
	s := waitingCrowd()
	keyed := func(keys ...string) func(*App) { return func(app *App) { press(b, app, keys...) } }
	called := func(name string) func(*App) { return func(app *App) { runPalette(b, app, name) } }
	for _, view := range []struct {
		name string
		open func(*App)
	}{
		{"Pending", keyed("1")},
		{"Pods", keyed("2")},
		{"Nodes", keyed("3")},
		{"Map", keyed("3", "m")},
		{"Node", keyed("3", "enter")},
		{"Pools", keyed("4")},
		{"Taints", keyed("5")},
		{"Priorities", keyed("6")},
		{"Evictions", keyed("3", "7")},
		{"Cgroups", keyed("3", "7", "enter")},
		{"Quotas", keyed("8")},
		{"Budgets", keyed("9")},
		{"Volumes", called("volumes")},
		{"Devices", called("devices")},
		{"Resizes", called("resizes")},
		{"Schedulers", called("schedulers")},
	} {
		b.Run(view.name, func(b *testing.B) {
			cluster := crowded(s)
			cluster.reports = verdictsOf(s)
			app := newTestAppWith(b, 200, 60, s, cluster, nil)
			view.open(app)
			keys := []string{"j", "pgdown", "G", "k", "g"}
			longest := time.Duration(0)
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				pressed(b, app, keyPress(keys[i%len(keys)]))
				longest = max(longest, time.Since(began))
			}
			b.ReportMetric(float64(longest.Microseconds())/1000, "max-ms")
		})
	}
}
