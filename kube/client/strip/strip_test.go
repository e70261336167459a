package strip

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
)

// fill sets every field below v to something that is not its zero value.
func fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse("3")))
		return
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.Unix(1_700_000_000, 0)))
		return
	case metav1.MicroTime:
		v.Set(reflect.ValueOf(metav1.NewMicroTime(time.Unix(1_700_000_000, 0))))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				fill(field, depth)
			}
		}
	case reflect.Pointer:
		if depth > 8 { // a schema that nests in itself
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth)
	case reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth)
		fill(element, depth)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, element)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64, reflect.Float32:
		v.SetFloat(1)
	case reflect.Uint8:
		v.SetUint(1)
	default:
		v.SetInt(1)
	}
}

// fate writes for every field whether it was kept or stripped, whole branches
// in one line.
func fate(path string, before, after reflect.Value, lines *[]string) (kept, lost bool) {
	if after.IsZero() {
		*lines = append(*lines, "stripped "+path)
		return false, true
	}
	for before.Kind() == reflect.Pointer {
		before, after = before.Elem(), after.Elem()
	}
	var below []string
	switch {
	case before.Kind() == reflect.Struct && before.Type().PkgPath() != reflect.TypeFor[metav1.Time]().PkgPath(),
		before.Type() == reflect.TypeFor[metav1.ObjectMeta](), before.Type() == reflect.TypeFor[metav1.OwnerReference]():
		for i := range before.NumField() {
			field := before.Type().Field(i)
			if before.Field(i).IsZero() || before.Field(i).Type() == reflect.TypeFor[metav1.TypeMeta]() {
				continue
			}
			name := path + "." + field.Name
			if field.Anonymous {
				name = path // its fields are this one's
			}
			k, l := fate(name, before.Field(i), after.Field(i), &below)
			kept, lost = kept || k, lost || l
		}
	case before.Kind() == reflect.Slice && before.Type().Elem().Kind() == reflect.Struct && after.Len() > 0:
		kept, lost = fate(path+"[]", before.Index(0), after.Index(0), &below)
	}
	if !lost {
		*lines = append(*lines, "kept     "+path)
		return true, false
	}
	*lines = append(*lines, below...)
	return kept, lost
}

func TestStripKeepsTheFieldsThatAreRead(t *testing.T) {
	pod := &corev1.Pod{}
	fill(reflect.ValueOf(pod).Elem(), 0)
	// What decides by its value: a condition that does not hold, a mount that
	// needs a node to know its options, a port of the node.
	pod.Status.Conditions[0].Status = corev1.ConditionFalse
	pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
	pod.Spec.Volumes = []corev1.Volume{{Name: "x", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: "x"}}}}

	node := &corev1.Node{}
	fill(reflect.ValueOf(node).Elem(), 0)
	node.Annotations = nil

	var lines []string
	for _, object := range []runtime.Object{pod, node} {
		before := object.DeepCopyObject()
		if _, err := New().Strip(object); err != nil {
			t.Fatal(err)
		}
		name := reflect.TypeOf(object).Elem().Name()
		fate(name, reflect.ValueOf(before).Elem(), reflect.ValueOf(object).Elem(), &lines)
	}
	requireRecorded(t, "fields.txt", lines, "other fields are kept than before; does anything read them?")
}

// requireRecorded compares lines with those of a file of testdata, which UPDATE=1 writes.
func requireRecorded(t *testing.T, name string, lines []string, message string) {
	t.Helper()
	got := strings.Join(lines, "\n") + "\n"
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s\n%s", message, diff)
	}
}

func TestTemplatesOfWorkloadsAreStrippedAsPodsAre(t *testing.T) {
	pod := sample.Pod("web-1", "")
	template := corev1.PodTemplateSpec{ObjectMeta: *pod.ObjectMeta.DeepCopy(), Spec: *pod.Spec.DeepCopy()}
	sets := []runtime.Object{
		&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Template: template}},
		&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: *template.DeepCopy()}},
		&corev1.ReplicationController{Spec: corev1.ReplicationControllerSpec{Template: template.DeepCopy()}},
	}
	if _, err := New().Strip(pod); err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		if _, err := New().Strip(set); err != nil {
			t.Fatal(err)
		}
		got := reflect.Indirect(reflect.ValueOf(set).Elem().FieldByName("Spec").FieldByName("Template")).FieldByName("Spec").Interface()
		if !equality.Semantic.DeepEqual(pod.Spec, got) {
			t.Errorf("%T: %s", set, cmp.Diff(pod.Spec, got))
		}
	}
}

func TestStripTwiceIsStripOnce(t *testing.T) {
	for _, object := range []runtime.Object{sample.Pod("web-1", "node-1"), sample.Node("node-1")} {
		strip := New()
		if _, err := strip.Strip(object); err != nil {
			t.Fatal(err)
		}
		once := object.DeepCopyObject()
		if _, err := strip.Strip(object); err != nil {
			t.Fatal(err)
		}
		if !equality.Semantic.DeepEqual(once, object) {
			t.Errorf("stripping again changed it: %s", cmp.Diff(once, object))
		}
	}
}

func TestReplicasShareWhatTheyHaveInCommon(t *testing.T) {
	strip := New()
	one, two := sample.Pod("web-1", "node-1"), sample.Pod("web-2", "node-2")
	alone := sample.Pod("web-2", "node-2")
	for _, pod := range []*corev1.Pod{one, two} {
		if _, err := strip.Strip(pod); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := New().Strip(alone); err != nil {
		t.Fatal(err)
	}
	if !equality.Semantic.DeepEqual(two, alone) {
		t.Errorf("sharing changed the pod: %s", cmp.Diff(alone, two))
	}
	if one.Name == two.Name || one.UID == two.UID || one.Spec.NodeName == two.Spec.NodeName {
		t.Errorf("pods share what is their own: %s on %s, %s on %s", one.Name, one.Spec.NodeName, two.Name, two.Spec.NodeName)
	}
	requireShared(t, one, two)
}

// requireShared says what two replicas have twice.
func requireShared(t *testing.T, one, two *corev1.Pod) {
	t.Helper()
	for what, shared := range map[string]bool{
		"containers":         &one.Spec.Containers[0] == &two.Spec.Containers[0],
		"tolerations":        &one.Spec.Tolerations[0] == &two.Spec.Tolerations[0],
		"owners":             &one.OwnerReferences[0] == &two.OwnerReferences[0],
		"labels":             reflect.ValueOf(one.Labels).Pointer() == reflect.ValueOf(two.Labels).Pointer(),
		"container statuses": &one.Status.ContainerStatuses[0] == &two.Status.ContainerStatuses[0],
	} {
		if !shared {
			t.Errorf("the replicas keep their %s twice", what)
		}
	}
}

func TestSecretsInTheEnvironmentAreNotKept(t *testing.T) {
	pod := sample.Pod("web-1", "node-1")
	pod.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "PASSWORD", Value: "hunter2"}}
	pod.Spec.Containers[0].Args = []string{"--password=hunter2"}
	pod.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "hunter2"}
	if _, err := New().Strip(pod); err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(pod); strings.Contains(text, "hunter2") {
		t.Errorf("the pod still holds a password: %s", text)
	}
}

func TestPoolForgetsWhatNobodyAsksFor(t *testing.T) {
	r := recent[int, int]{size: 10}
	for i := range 1000 {
		r.put(i, i)
		if _, ok := r.get(0); !ok {
			t.Fatalf("what is asked for again and again was forgotten after %d", i)
		}
	}
	if n := len(r.young) + len(r.old); n > 20 {
		t.Errorf("%d of 1000 are remembered, more than twice the size of 10", n)
	}
	if _, ok := r.get(500); ok {
		t.Error("what nobody asked for is still there")
	}
}

func TestAllPortsAreKeptBesideOneOfTheHost(t *testing.T) {
	pod := sample.Pod("web-1", "")
	pod.Spec.Containers = []corev1.Container{
		{Name: "a", Ports: []corev1.ContainerPort{{ContainerPort: 53, Protocol: "UDP"}, {ContainerPort: 53, Protocol: "TCP", HostPort: 53}}},
		{Name: "b", Ports: []corev1.ContainerPort{{ContainerPort: 80}}},
	}
	if _, err := New().Strip(pod); err != nil {
		t.Fatal(err)
	}
	if a, b := pod.Spec.Containers[0].Ports, pod.Spec.Containers[1].Ports; len(a) != 2 || len(b) != 0 {
		t.Errorf("kept are %v of a, which has a port of the host, and %v of b, which has none", a, b)
	}
}
