package strip

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
)

// FuzzPruned decodes broken answers. What can be decoded is the same object with and
// without pruning; what pruning cannot decode has the error that it has without. What is
// broken in a dropped field goes unseen.
func FuzzPruned(f *testing.F) {
	for _, object := range []runtime.Object{
		sample.Pod("web-1", "node-1"), sample.Node("node-1"),
		&corev1.PodList{Items: []corev1.Pod{*sample.SmallPod("a", ""), *sample.SmallPod("b", "node-1")}},
		&corev1.Service{},
	} {
		data := sample.Encoded(f, object)
		f.Add(data)
		f.Add(data[:len(data)/2])
		f.Add(append(data, data[4:]...))
	}
	f.Add([]byte("k8s\x00"))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) { checkPruned(t, data) })
}

func TestBrokenAnswersAreDecodedAsWithoutPruning(t *testing.T) {
	answers := [][]byte{
		sample.Encoded(t, sample.Pod("web-1", "node-1")), sample.Encoded(t, sample.Node("node-1")),
		sample.Encoded(t, &corev1.PodList{Items: []corev1.Pod{*sample.SmallPod("a", ""), *sample.SmallPod("b", "node-1")}}),
	}
	rapid.Check(t, func(t *rapid.T) {
		data := slices.Clone(rapid.SampledFrom(answers).Draw(t, "answer"))
		for range rapid.IntRange(1, 4).Draw(t, "faults") {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "fault") {
			case 0:
				data[at] = rapid.Byte().Draw(t, "byte")
			case 1:
				data = data[:max(at, 1)]
			default:
				data = slices.Insert(data, at, rapid.Byte().Draw(t, "byte"))
			}
		}
		checkPruned(t, data)
	})
}

// checkPruned decodes an answer with and without pruning.
func checkPruned(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, data []byte,
) {
	want, _, wantErr := protobufDecoder(wholeObjects).Decode(data, nil, nil)
	got, _, gotErr := protobufDecoder(prunedObjects(NewPool())).Decode(data, nil, nil)
	if gotErr != nil && fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
		t.Fatalf("error %v, without pruning %v", gotErr, wantErr)
	}
	if wantErr != nil {
		return
	}
	for _, object := range []runtime.Object{want, got} {
		stripWhole(object)
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatal(cmp.Diff(want, got))
	}
}

// stripWhole strips an object, or the items of a list.
func stripWhole(object runtime.Object) {
	switch o := object.(type) {
	case *corev1.PodList:
		Items(o.Items)
	case *corev1.NodeList:
		Items(o.Items)
	case *appsv1.ReplicaSetList:
		Items(o.Items)
	case *appsv1.StatefulSetList:
		Items(o.Items)
	default:
		must(New().Strip(object))
	}
}
