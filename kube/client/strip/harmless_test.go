package strip

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
)

// Pods and nodes of random clusters carry something in every field that is
// stripped; what the engine says of them is the same with and without it.
func TestStrippingChangesNoReport(t *testing.T) {
	verdicts := map[report.Verdict]int{}
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			objects := randomCluster(rand.New(rand.NewPCG(seed, 1)))
			whole := make([]runtime.Object, len(objects))
			for i, o := range objects {
				whole[i] = o.DeepCopyObject()
			}
			strip := New()
			for _, o := range objects {
				if _, err := strip.Strip(o); err != nil {
					t.Fatal(err)
				}
			}
			one, other := engineOver(t, whole), engineOver(t, objects)
			for i, o := range objects {
				pod, ok := o.(*corev1.Pod)
				if !ok {
					continue
				}
				want, err := one.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.Nodes})
				if err != nil {
					t.Fatal(err)
				}
				got, err := other.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.Nodes})
				if err != nil {
					t.Fatal(err)
				}
				verdicts[want.Verdict]++
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, as it came:\n%v\n%s", pod.Name, whole[i], diff)
				}
			}
		})
	}
	if verdicts[report.Unschedulable] == 0 || verdicts[report.Schedulable] == 0 || verdicts[report.Scheduled] == 0 {
		t.Errorf("the clusters show too little: %v", verdicts)
	}
}

// engineOver is an engine that knows objects.
func engineOver(t *testing.T, objects []runtime.Object) *explain.Engine {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var changes []scheduler.Change
	var held []runtime.Object
	for _, o := range objects {
		switch o.(type) {
		case *corev1.Pod, *corev1.Node:
			changes = append(changes, scheduler.Change{New: o})
		default:
			held = append(held, o)
		}
	}
	client := fake.NewClientset(held...)
	factory := informers.NewSharedInformerFactory(client, 0)
	engine, err := explain.New(ctx, factory, client, explain.Options{Now: func() time.Time { return time.Unix(1_700_000_000, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	factory.StartWithContext(ctx)
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	factory.WaitForCacheSyncWithContext(ctx)
	if err := engine.Apply(1, changes); err != nil {
		t.Fatal(err)
	}
	return engine
}

// randomCluster has nodes, bound and pending pods and their claims; whatever is
// stripped is filled with noise.
func randomCluster(dice *rand.Rand) []runtime.Object {
	stripped := strippedFields()
	var objects []runtime.Object
	for i := range 8 {
		node := sample.Node(fmt.Sprintf("node-%d", i))
		node.Labels["disk"] = one(dice, "ssd", "hdd")
		node.Labels[corev1.LabelTopologyZone] = one(dice, "a", "b")
		if dice.IntN(2) == 0 {
			node.Spec.Taints = nil
		}
		node.Spec.Unschedulable = dice.IntN(6) == 0
		node.Status.Allocatable = corev1.ResourceList{
			"cpu": resource.MustParse(one(dice, "2", "4", "8")), "memory": resource.MustParse("4Gi"), "pods": resource.MustParse("10"),
		}
		noise(node, stripped)
		objects = append(objects, node)
	}
	for i := range 30 {
		pod := randomPod(dice, i)
		noise(pod, stripped)
		objects = append(objects, pod)
	}
	return append(objects, storage()...)
}

func one[T any](dice *rand.Rand, of ...T) T { return of[dice.IntN(len(of))] }

func randomPod(dice *rand.Rand, i int) *corev1.Pod {
	pod := sample.Pod(fmt.Sprintf("%s-%d", one(dice, "web", "db", "job"), i), fmt.Sprintf("node-%d", dice.IntN(8)))
	pod.Namespace, pod.UID = "default", types.UID(fmt.Sprint("pod-", i))
	pod.Spec.Volumes = nil
	pod.Spec.Containers = pod.Spec.Containers[:1+dice.IntN(2)]
	for c := range pod.Spec.Containers {
		pod.Spec.Containers[c].Resources.Requests["cpu"] = resource.MustParse(one(dice, "100m", "600m", "1200m"))
	}
	if dice.IntN(2) == 0 {
		pod.Spec.NodeName, pod.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	}
	spread := corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": pod.Labels["app"]}},
	}
	apart := &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: corev1.LabelHostname, LabelSelector: spread.LabelSelector,
		}},
	}}
	switch dice.IntN(9) {
	case 0:
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{spread}
	case 1:
		pod.Spec.Affinity = apart
	case 2:
		pod.Spec.NodeSelector = map[string]string{"disk": one(dice, "ssd", "hdd", "tape")}
	case 3:
		pod.Spec.Containers[0].Ports = append(pod.Spec.Containers[0].Ports, corev1.ContainerPort{ContainerPort: 80, HostPort: 80, Protocol: corev1.ProtocolTCP})
	case 4:
		pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: one(dice, "bound", "loose", "none")},
		}}}
	case 5:
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
	case 6:
		always := corev1.ContainerRestartPolicyAlways
		sidecar := pod.Spec.Containers[0]
		sidecar.Name, sidecar.RestartPolicy = "sidecar", &always
		pod.Spec.InitContainers = []corev1.Container{sidecar}
	case 7:
		pod.Spec.Priority = new(int32(1000))
	case 8:
		pod.Spec.NodeName, pod.Spec.SchedulingGates = "", []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
	}
	return pod
}

// storage has a claim that is bound to a volume of zone a, and one that waits.
func storage() []runtime.Object {
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	claim := func(name, volume string, annotations map[string]string) *corev1.PersistentVolumeClaim {
		phase := corev1.ClaimPending
		if volume != "" {
			phase = corev1.ClaimBound
		}
		return &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), Annotations: annotations},
			Spec: corev1.PersistentVolumeClaimSpec{
				VolumeName: volume, StorageClassName: new("slow"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
			},
			Status: corev1.PersistentVolumeClaimStatus{Phase: phase},
		}
	}
	return []runtime.Object{
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "slow"}, Provisioner: "example.com/disk", VolumeBindingMode: &wait},
		claim("bound", "volume", map[string]string{"pv.kubernetes.io/bind-completed": "yes", "noise": "noise"}),
		claim("loose", "", map[string]string{"noise": "noise"}),
		&corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: "volume", Labels: map[string]string{corev1.LabelTopologyZone: "a"}, Annotations: map[string]string{"noise": "noise"}},
			Spec: corev1.PersistentVolumeSpec{
				StorageClassName: "slow", AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Capacity:               corev1.ResourceList{"storage": resource.MustParse("1Gi")},
				ClaimRef:               &corev1.ObjectReference{Namespace: "default", Name: "bound", UID: "bound"},
				PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/x"}},
			},
			Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
		},
	}
}

// strippedFields are the paths that testdata/fields.txt says are stripped.
func strippedFields() []string {
	text, err := os.ReadFile(filepath.Join("testdata", "fields.txt"))
	if err != nil {
		panic(err)
	}
	var paths []string
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "stripped "); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// noise fills the paths of object.
func noise(object runtime.Object, paths []string) {
	into := reflect.ValueOf(object).Elem()
	for _, path := range paths {
		if fields, ok := strings.CutPrefix(path, into.Type().Name()+"."); ok {
			fillPath(into, strings.Split(fields, "."))
		}
	}
}

// fillPath fills the field that the names lead to, in every element on the way.
// Parts that are not there stay so.
func fillPath(v reflect.Value, names []string) {
	if len(names) == 0 {
		fill(v, 0)
		return
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	name, each := strings.CutSuffix(names[0], "[]")
	field := v.FieldByName(name)
	if !each {
		fillPath(field, names[1:])
		return
	}
	for i := range field.Len() {
		fillPath(field.Index(i), names[1:])
	}
}
