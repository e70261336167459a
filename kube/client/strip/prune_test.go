package strip

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client/wire"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// drawValue fills v at random: any field may be absent, lists are short, and what strip
// looks at has values that matter to it.
func drawValue(t *rapid.T, v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse(rapid.SampledFrom([]string{"0", "1500m", "3Gi", "0.001"}).Draw(t, "amount"))))
		return
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.Unix(rapid.Int64Range(1, 1<<33).Draw(t, "time"), 0)))
		return
	case metav1.MicroTime:
		v.Set(reflect.ValueOf(metav1.NewMicroTime(time.Unix(1_700_000_000, 0))))
		return
	case metav1.FieldsV1:
		v.Set(reflect.ValueOf(*metav1.NewFieldsV1(`{"f:x":{}}`)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() && (depth < 3 || rapid.IntRange(0, 3).Draw(t, "set") > 0) {
				drawValue(t, field, depth+1)
			}
		}
	case reflect.Pointer:
		if depth > 12 || rapid.IntRange(0, 2).Draw(t, "nil") == 0 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		drawValue(t, v.Elem(), depth+1)
	case reflect.Slice:
		if n := rapid.IntRange(0, 2).Draw(t, "length"); n > 0 && depth <= 12 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				drawValue(t, v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if n := rapid.IntRange(0, 2).Draw(t, "size"); n > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				drawValue(t, key, depth+1)
				drawValue(t, element, depth+1)
				v.SetMapIndex(key, element)
			}
		}
	case reflect.String:
		v.SetString(rapid.SampledFrom(drawnWords).Draw(t, "word"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Float64, reflect.Float32:
		v.SetFloat(1)
	case reflect.Uint8:
		v.SetUint(1)
	default:
		v.SetInt(rapid.SampledFrom([]int64{0, 1, -1, 80, 1 << 30}).Draw(t, "number"))
	}
}

// drawnWords hold those that strip looks for.
var drawnWords = slices.Concat([]string{
	"", "x", "web", "True", "False", "Initialized", "ContainersReady", "PodReadyToStartContainers", "Running",
	strings.Repeat("long ", 60), metav1.InitialEventsAnnotationKey,
}, slices.Sorted(func(yield func(string) bool) {
	for name := range cluster.ReadAnnotations {
		if !yield(name) {
			return
		}
	}
}))

// protobufDecoder is the decoder of protobuf answers, whole or for informers.
func protobufDecoder(serializer runtime.NegotiatedSerializer) runtime.Decoder {
	for _, info := range serializer.SupportedMediaTypes() {
		if info.MediaType == runtime.ContentTypeProtobuf {
			return serializer.DecoderToVersion(info.Serializer, corev1.SchemeGroupVersion)
		}
	}
	panic("no protobuf")
}

// strippedOf is the object in data, stripped.
func strippedOf(t interface{ Fatal(...any) }, from runtime.Decoder, data []byte, into runtime.Object) runtime.Object {
	object, _, err := from.Decode(data, nil, into)
	if err != nil {
		t.Fatal(err)
	}
	stripWhole(object)
	return object
}

func TestPrunedAndStrippedIsStripped(t *testing.T) {
	whole, pruned := protobufDecoder(wholeObjects), protobufDecoder(prunedObjects(NewPool()))
	rapid.Check(t, func(t *rapid.T) {
		objects := []runtime.Object{&corev1.Pod{}, &corev1.Node{}, &corev1.PodList{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{}, &appsv1.ReplicaSetList{}, &appsv1.StatefulSetList{}}
		object := rapid.SampledFrom(objects).Draw(t, "kind").DeepCopyObject()
		drawValue(t, reflect.ValueOf(object).Elem(), 0)
		data := sample.Encoded(t, object)
		want, got := strippedOf(t, whole, data, nil), strippedOf(t, pruned, data, nil)
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("pruning before it was decoded changed it: %s", cmp.Diff(want, got))
		}
		into := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
		if into := strippedOf(t, pruned, data, into); !reflect.DeepEqual(want, into) {
			t.Fatalf("decoded into an object it is another one: %s", cmp.Diff(want, into))
		}
	})
}

func TestPruningDropsOnlyWhatStripTakes(t *testing.T) {
	var left []string
	pruned := protobufDecoder(wire.Through(wire.Readers{
		wire.Kind("Pod"):  wire.Pruned[corev1.Pod](prunedPod),
		wire.Kind("Node"): wire.Pruned[corev1.Node](prunedNode),
	}, wholeObjects))
	for _, object := range []runtime.Object{&corev1.Pod{}, &corev1.Node{}} {
		fill(reflect.ValueOf(object).Elem(), 0)
		setTypeMeta(object)
		data := sample.Encoded(t, object)
		before, _, err := protobufDecoder(wholeObjects).Decode(data, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		after, _, err := pruned.Decode(data, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		stripped := must(New().Strip(before.DeepCopyObject())).(metav1.Object)
		stripped.SetManagedFields(nil) // in place of which it has its mark
		name := reflect.TypeOf(object).Elem().Name()
		lost, taken := fieldsTaken(name, before, after), fieldsTaken(name, before, stripped.(runtime.Object))
		for _, field := range lost {
			if !amongFields(field, taken) {
				t.Errorf("%s is dropped before it is decoded, and strip would keep it", field)
			}
		}
		for _, field := range taken {
			if !amongFields(field, lost) {
				left = append(left, field)
			}
		}
	}
	requireRecorded(t, "decoded.txt", left, "other fields than before are decoded and then stripped; can they be dropped before?")
}

// setTypeMeta gives an object its own kind.
func setTypeMeta(object runtime.Object) {
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err == nil {
		object.GetObjectKind().SetGroupVersionKind(kinds[0])
	}
}

// fieldsTaken are the fields that after lacks of before.
func fieldsTaken(name string, before, after runtime.Object) []string {
	var lines, fields []string
	fate(name, reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem(), &lines)
	for _, line := range lines {
		if field, ok := strings.CutPrefix(line, "stripped "); ok {
			fields = append(fields, field)
		}
	}
	return fields
}

// amongFields says that a field or one that it is of is among some.
func amongFields(field string, fields []string) bool {
	return slices.ContainsFunc(fields, func(f string) bool {
		return f == field || strings.HasPrefix(field, f+".") || strings.HasPrefix(field, f+"[]")
	})
}

func TestOnlyInformersReadPrunedPods(t *testing.T) {
	pod := sample.Pod("web-1", "node-1")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Pod{*pod}}
		if r.URL.Query().Get("limit") != "" { // as a server without protobuf
			list.Kind, list.APIVersion = "PodList", "v1"
			w.Header().Set("Content-Type", runtime.ContentTypeJSON)
			_ = json.NewEncoder(w).Encode(list)
			return
		}
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
		_, _ = w.Write(sample.Encoded(t, list))
	}))
	defer server.Close()
	config := &rest.Config{Host: server.URL}
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	reader, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	lister, err := Pruned(config, reader, NewPool())
	if err != nil {
		t.Fatal(err)
	}
	variables := len(pod.Spec.Containers[0].Env)
	for name, test := range map[string]struct {
		client  kubernetes.Interface
		options metav1.ListOptions
		want    int
	}{
		"others":                    {reader, metav1.ListOptions{}, variables},
		"informers":                 {lister, metav1.ListOptions{}, 0},
		"informers, answer in JSON": {lister, metav1.ListOptions{Limit: 1}, variables},
	} {
		list, err := test.client.CoreV1().Pods("").List(t.Context(), test.options)
		if err != nil || len(list.Items) != 1 || list.ResourceVersion != "1" {
			t.Fatalf("%s: %v, %+v", name, err, list)
		}
		got := list.Items[0]
		if len(got.Spec.Containers[0].Env) != test.want || got.Name != pod.Name || got.Spec.NodeName != pod.Spec.NodeName {
			t.Errorf("%s read %d variables of %s on %s, want %d", name, len(got.Spec.Containers[0].Env), got.Name, got.Spec.NodeName, test.want)
		}
	}
}

func TestNumbersOfFieldsAreThoseOfTheAPI(t *testing.T) {
	for _, field := range []struct{ got, want wire.Number }{
		{listMeta, wire.MessageOf[corev1.PodList]().Number("ListMeta")},
		{listItems, wire.MessageOf[corev1.PodList]().Number("Items")},
		{objectMeta, prunedPod.Number("ObjectMeta")},
		{objectSpec, prunedPod.Number("Spec")},
		{objectStatus, prunedPod.Number("Status")},
		{objectMeta, prunedReplicaSet.Number("ObjectMeta")},
		{objectSpec, prunedReplicaSet.Number("Spec")},
		{objectStatus, prunedReplicaSet.Number("Status")},
		{objectMeta, prunedStatefulSet.Number("ObjectMeta")},
		{objectSpec, prunedStatefulSet.Number("Spec")},
		{objectStatus, prunedStatefulSet.Number("Status")},
		{objectMeta, prunedTemplate.Number("ObjectMeta")},
		{objectSpec, prunedTemplate.Number("Spec")},
		{objectMeta, prunedNode.Number("ObjectMeta")},
		{objectSpec, prunedNode.Number("Spec")},
		{objectStatus, prunedNode.Number("Status")},
		{statusImages, wire.MessageOf[corev1.NodeStatus]().Number("Images")},
		{templateField, wire.MessageOf[appsv1.ReplicaSetSpec]().Number("Template")},
		{templateField, wire.MessageOf[appsv1.StatefulSetSpec]().Number("Template")},
		{nodeName, prunedSpec.Number("NodeName")},
		{statusConditions, prunedStatus.Number("Conditions")},
		{conditionTime, prunedCondition.Number("LastTransitionTime")},
	} {
		if field.got != field.want {
			t.Errorf("a field is taken for number %d, in the API it is %d", field.got, field.want)
		}
	}
}

func TestWhatPodsShareIsWhatEachHas(t *testing.T) {
	whole := protobufDecoder(wholeObjects)
	rapid.Check(t, func(t *rapid.T) {
		base := &corev1.Pod{}
		drawValue(t, reflect.ValueOf(base).Elem(), 0)
		replicas := []*corev1.Pod{base}
		for range rapid.IntRange(1, 3).Draw(t, "replicas") {
			other := base.DeepCopy()
			part := rapid.SampledFrom([]any{
				&other.ObjectMeta, &other.Spec, &other.Status, &other.Labels, &other.OwnerReferences,
				&other.Spec.NodeName, &other.Spec.Affinity, &other.Spec.Volumes, &other.Spec.Containers, &other.Status.Conditions,
				&other.Status.Phase, &other.Status.ContainerStatuses, &other.Status.InitContainerStatuses,
			}).Draw(t, "part")
			drawValue(t, reflect.ValueOf(part).Elem(), 3)
			replicas = append(replicas, other)
		}
		shared := protobufDecoder(prunedObjects(NewPool()))
		var got []runtime.Object
		for _, pod := range replicas {
			got = append(got, strippedOf(t, shared, sample.Encoded(t, pod), nil))
		}
		for i, pod := range replicas {
			if want := strippedOf(t, whole, sample.Encoded(t, pod), nil); !reflect.DeepEqual(want, got[i]) {
				t.Fatalf("pod %d of %d is another one beside the others: %s", i, len(replicas), cmp.Diff(want, got[i]))
			}
		}
	})
}

func TestReplicasThatAreDecodedShareTheirParts(t *testing.T) {
	decoder := protobufDecoder(prunedObjects(NewPool()))
	one, two := strippedOf(t, decoder, sample.Encoded(t, sample.Pod("web-1", "node-1")), nil).(*corev1.Pod), strippedOf(t, decoder, sample.Encoded(t, sample.Pod("web-2", "node-2")), nil).(*corev1.Pod)
	requireShared(t, one, two)
	if one.Name != "web-1" || two.Name != "web-2" || one.Spec.NodeName != "node-1" || two.Spec.NodeName != "node-2" {
		t.Errorf("pods share what is their own: %s on %s, %s on %s", one.Name, one.Spec.NodeName, two.Name, two.Spec.NodeName)
	}
}

func TestTheBookmarkThatEndsAListIsLeftAsItIs(t *testing.T) {
	for _, object := range []metav1.Object{&corev1.Pod{}, &corev1.Node{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{}} {
		object.SetResourceVersion("7")
		object.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		got, _, err := protobufDecoder(prunedObjects(NewPool())).Decode(sample.Encoded(t, object.(runtime.Object)), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		is := got.(metav1.Object)
		if is.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" || is.GetResourceVersion() != "7" {
			t.Errorf("%T: client-go would wait for the end of the list for ever: %v", object, got)
		}
	}
}

// BenchmarkDecode is what a pod of a known workload costs from its encoding to what is stored.
func BenchmarkDecode(b *testing.B) {
	data := sample.Encoded(b, sample.Pod("web-1", "node-1"))
	for name, decoder := range map[string]runtime.Decoder{
		"whole":  protobufDecoder(wholeObjects),
		"pruned": protobufDecoder(wire.Through(wire.Readers{wire.Kind("Pod"): wire.Pruned[corev1.Pod](prunedPod)}, wholeObjects)),
		"parts":  protobufDecoder(prunedObjects(NewPool())),
	} {
		b.Run(name, func(b *testing.B) {
			strip := New()
			b.ReportAllocs()
			for b.Loop() {
				object, _, err := decoder.Decode(data, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				must(strip.Strip(object))
			}
		})
	}
}
