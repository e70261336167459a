package wire

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// testMessage drops what the tests look for.
var testMessage = MessageOf[corev1.Pod]().
	Inside("ObjectMeta", MessageOf[metav1.ObjectMeta]().
		Drop("ManagedFields", "Generation").
		DropIf("Annotations", KeyIs(func(key []byte) bool { return string(key) == "unread" }))).
	Inside("Spec", MessageOf[corev1.PodSpec]().
		DropIf("Volumes", HasInside(MessageOf[corev1.Volume]().Number("VolumeSource"), MessageOf[corev1.VolumeSource]().Number("Projected"))).
		Inside("Containers", MessageOf[corev1.Container]().
			Drop("Env").
			DropIf("VolumeMounts", Lacks(MessageOf[corev1.VolumeMount]().Number("MountPropagation")))))

func TestWhatIsDroppedIsNotDecoded(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web", Generation: 3,
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubelet"}},
			Annotations:   map[string]string{"unread": "x", "read": strings.Repeat("long ", 100)},
		},
		Spec: corev1.PodSpec{
			NodeName: "node-1",
			Containers: []corev1.Container{{
				Name: "main", Env: []corev1.EnvVar{{Name: "A", Value: strings.Repeat("b", 300)}},
				VolumeMounts: []corev1.VolumeMount{{Name: "a", MountPropagation: new(corev1.MountPropagationNone)}, {Name: "b"}},
			}},
			Volumes: []corev1.Volume{
				{Name: "a"}, {Name: "b", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}},
			},
		},
	}
	data, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Pruned[corev1.Pod](testMessage)(data, nil)
	want := pod.DeepCopy()
	want.Generation, want.ManagedFields = 0, nil
	delete(want.Annotations, "unread")
	want.Spec.Containers[0].Env = nil
	want.Spec.Containers[0].VolumeMounts = want.Spec.Containers[0].VolumeMounts[:1]
	want.Spec.Volumes = want.Spec.Volumes[:1]
	if normal := decoded(t, want); !ok || !reflect.DeepEqual(got, normal) {
		t.Error(ok, cmp.Diff(normal, got))
	}
}

// decoded is a pod as it comes back from its encoding.
func decoded(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	data, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	back := &corev1.Pod{}
	if err := back.Unmarshal(data); err != nil {
		t.Fatal(err)
	}
	return back
}

func TestPruningLeavesTheShortestLengths(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Env: []corev1.EnvVar{{Value: strings.Repeat("b", 300)}}}}}}
	long, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	pod.Spec.Containers[0].Env = nil
	short, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	one := MessageOf[corev1.Pod]().Inside("Spec", MessageOf[corev1.PodSpec]().Inside("Containers", MessageOf[corev1.Container]().Drop("Env")))
	got, ok := one.Prune([]byte("before"), long)
	if string(got) != "before"+string(short) || !ok {
		t.Errorf("the encoding of equal objects differs: %x, want %x", got, short)
	}
}

func TestAFieldThatTheAPIDoesNotHaveCannotBeNamed(t *testing.T) {
	for _, name := range []string{"Nothing", "TypeMeta"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s can be dropped", name)
				}
			}()
			MessageOf[corev1.Pod]().Drop(name)
		}()
	}
}

// serializerFor is the protobuf serializer of a negotiated one.
func serializerFor(of runtime.NegotiatedSerializer) runtime.SerializerInfo {
	info, _ := runtime.SerializerInfoForMediaType(of.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	return info
}

func TestEventsAreDecodedAsBefore(t *testing.T) {
	before := serializerFor(scheme.Codecs).StreamSerializer.Serializer
	now := serializerFor(Through(nil, scheme.Codecs)).StreamSerializer.Serializer
	whole, err := (&metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: []byte("k8s")}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"whole": whole, "empty": {}, "none": nil, "cut": whole[:len(whole)-1], "twice": append(append([]byte{}, whole...), whole...),
		"another field": append([]byte{0x1a, 0x00}, whole...), "no object": whole[:7], "another type": {0x0a, 1, 'x'},
		"a number for a type": {0x08, 1}, "end of a group": {0x0c},
	} {
		var want, got metav1.WatchEvent
		_, wantKind, wantErr := before.Decode(data, nil, &want)
		object, gotKind, gotErr := now.Decode(data, nil, &got)
		if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) || wantErr == nil && (object != &got || *wantKind != *gotKind) {
			t.Errorf("%s: %v, %v, want %v, %v", name, gotKind, gotErr, wantKind, wantErr)
		}
		if want.Type != got.Type || string(want.Object.Raw) != string(got.Object.Raw) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestOtherMediaTypesAreLeftAlone(t *testing.T) {
	before, now := scheme.Codecs.SupportedMediaTypes(), Through(nil, scheme.Codecs).SupportedMediaTypes()
	for i, info := range now {
		if info.MediaType != runtime.ContentTypeProtobuf && !reflect.DeepEqual(info, before[i]) {
			t.Errorf("%s is decoded in another way", info.MediaType)
		}
	}
	if _, ok := serializerFor(scheme.Codecs).Serializer.(objects); ok {
		t.Error("the serializers of all clients changed")
	}
}
