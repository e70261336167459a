package snapshot

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// awkwardTexts are messages with each character that YAML readers reject, that
// breaks lines or that cannot be seen.
func awkwardTexts() (texts []string) {
	awkward := []rune{0x7f, 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff, 0x202e, 0x200b, 0xfe0f, 0xe0041, 0x10ffff, 0x1f600, 0xfffd}
	for r := range rune(0x20) {
		awkward = append(awkward, r, 0x80+r)
	}
	for _, r := range awkward {
		texts = append(texts, "0/1 nodes: "+string(r)+" x", string(r), "a\n"+string(r)+"\n- b: c")
	}
	return texts
}

// awkwardPod is a pending pod with a message.
func awkwardPod(message string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "waits", Namespace: "shop", UID: "waits", ResourceVersion: "1"}}
	pod.Spec.Containers = []corev1.Container{{Name: "app", Image: "app"}}
	pod.Status.Phase = corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
	}}
	return pod
}

// requireMessage wants a pod with that message.
func requireMessage(t *testing.T, by, want string, pod *corev1.Pod) {
	t.Helper()
	if got := pod.Status.Conditions[0].Message; got != want {
		t.Errorf("%s reads %q, want %q", by, got, want)
	}
}

func TestNoCharacterKeepsASnapshotFromBeingWrittenAndReadBackEqual(t *testing.T) {
	var objects []runtime.Object
	texts := awkwardTexts()
	for i, text := range texts {
		pod := awkwardPod(text)
		pod.Name += strings.Repeat("x", i)
		pod.UID = types.UID(pod.Name)
		objects = append(objects, pod)
	}
	objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "a", ResourceVersion: "1"}})
	s := taken(t, sourceOf(objects))
	for _, format := range []Format{YAML, JSON} {
		text := written(t, s, format)
		file, err := Read(strings.NewReader(text), ReadOptions{Taken: time.Unix(1, 0)})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if n := len(file.objects["pods"]); n != len(texts) {
			t.Errorf("%s: %d pods, want %d", format, n, len(texts))
		}
		for _, object := range file.objects["pods"] {
			pod := object.(*corev1.Pod)
			requireMessage(t, string(format)+": fathom", texts[strings.Count(pod.Name, "x")], pod)
		}
		read := map[string]corev1.PodList{"kubectl": readByKubectl(t, text)}
		if format == YAML { // as YAML, JSON may hold no surrogates
			read["sigs.k8s.io/yaml"] = readWhole(t, text)
		}
		for by, list := range read {
			for i := range list.Items {
				if pod := &list.Items[i]; pod.Kind == "Pod" {
					requireMessage(t, string(format)+": "+by, texts[strings.Count(pod.Name, "x")], pod)
				}
			}
		}
	}
}

// readByKubectl reads as kubectl apply -f does.
func readByKubectl(t *testing.T, text string) (list corev1.PodList) {
	t.Helper()
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	if err := decoder.Decode(&list); err != nil {
		t.Fatalf("kubectl: %v", err)
	}
	var none corev1.PodList
	if err := decoder.Decode(&none); !errors.Is(err, io.EOF) {
		t.Fatalf("kubectl: more than one document: %v", err)
	}
	return list
}

func readWhole(t *testing.T, text string) (list corev1.PodList) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("sigs.k8s.io/yaml: %v", err)
	}
	return list
}
