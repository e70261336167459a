package ui

import (
	"regexp"
	"testing"

	"github.com/charmbracelet/x/ansi"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// negative is a figure below zero.
var negative = regexp.MustCompile(`[ /(]-[0-9]`)

func TestNoFigureIsNegativeHoweverLargeAmountsAre(t *testing.T) {
	most := resource.MustParse("9223372036854775807")
	all := corev1.ResourceList{corev1.ResourceCPU: most, corev1.ResourceMemory: most, corev1.ResourcePods: most, "example.com/gpu": most}
	some := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("9000000000000000"), corev1.ResourceMemory: resource.MustParse("4Ei")}
	less := corev1.ResourceList{corev1.ResourceCPU: some[corev1.ResourceCPU], corev1.ResourceMemory: resource.MustParse("4095Pi")} // more is not free
	b := model.NewBuilder()
	for _, name := range []string{"huge", "vast"} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
		node.Status.Allocatable = all
		b.Node(nil, node)
	}
	for name, on := range map[string]struct {
		node     string
		requests corev1.ResourceList
	}{"one": {"huge", some}, "two": {"huge", less}, "three": {"", all}, "four": {"", some}} {
		b.Pod(nil, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name)},
			Spec: corev1.PodSpec{NodeName: on.node, Containers: []corev1.Container{{
				Name: "app", Resources: corev1.ResourceRequirements{Requests: on.requests, Limits: on.requests},
			}}},
		})
	}
	snapshot := b.Build(1, model.Status{Context: "prod-eu"}, nil)
	for _, width := range []int{80, 120, 220} {
		app := newTestApp(t, width, 24, snapshot)
		for _, key := range []string{"1", "2", "3"} {
			press(t, app, key)
			for _, more := range []string{"", "s", "s"} {
				if more != "" {
					press(t, app, more)
				}
				if screen := ansi.Strip(app.View().Content); negative.MatchString(screen) {
					t.Errorf("%s at %d columns shows %q:\n%s", key, width, negative.FindString(screen), screen)
				}
			}
		}
	}
}
