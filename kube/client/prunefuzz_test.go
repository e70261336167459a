package client

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// FuzzPruned decodes broken answers. What can be decoded is the same object with and
// without pruning; what pruning cannot decode has the error that it has without. What is
// broken in a dropped field goes unseen.
func FuzzPruned(f *testing.F) {
	for _, object := range []runtime.Object{
		samplePod("web-1", "node-1"), sampleNode("node-1"),
		&corev1.PodList{Items: []corev1.Pod{*smallPod("a", ""), *smallPod("b", "node-1")}},
		&corev1.Service{},
	} {
		data := encodedObject(f, object)
		f.Add(data)
		f.Add(data[:len(data)/2])
		f.Add(append(data, data[4:]...))
	}
	f.Add([]byte("k8s\x00"))
	f.Add([]byte("{}"))
	whole, pruned := protobufDecoder(wholeObjects), protobufDecoder(prunedObjects())
	f.Fuzz(func(t *testing.T, data []byte) {
		want, _, wantErr := whole.Decode(data, nil, nil)
		got, _, gotErr := pruned.Decode(data, nil, nil)
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
	})
}

// stripWhole strips an object, or the items of a list.
func stripWhole(object runtime.Object) {
	switch o := object.(type) {
	case *corev1.PodList:
		stripItems(o.Items)
	case *corev1.NodeList:
		stripItems(o.Items)
	default:
		must(newStripper().strip(object))
	}
}
