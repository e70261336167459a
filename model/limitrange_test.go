package model

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestLimitRangeDefaultsAreThoseThatTheAnnotationNames(t *testing.T) {
	container := func(name, cpu, memory string) corev1.Container {
		return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
		}}}
	}
	for says, want := range map[string]map[corev1.ResourceName]string{
		"LimitRanger plugin set: cpu, memory request for container a; memory limit for container a; cpu request for container b": {"cpu": "5", "memory": "1Gi"},
		"LimitRanger plugin set: cpu request for init container a; cpu limit for container b":                                    {},
		"LimitRanger plugin set: cpu request for container gone; gpu request for container a":                                    {},
		"something else": {},
		"":               {},
	} {
		pod := &corev1.Pod{Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{container("a", "9", "9Gi")},
			Containers:     []corev1.Container{container("a", "2", "1Gi"), container("b", "3", "2Gi"), container("c", "7", "7Gi")},
		}}
		pod.Annotations = map[string]string{limitRanger: says}
		if got := HasDefaultRequests(pod); got != strings.Contains(says, "request") {
			t.Errorf("%q: requests %t", says, got)
		}
		if got := HasDefaultLimits(pod); got != strings.Contains(says, "limit ") {
			t.Errorf("%q: limits %t", says, got)
		}
		got := LimitRangeDefaults(pod)
		if len(got) != len(want) || HasLimitRangeDefaults(pod) != (says != "") {
			t.Errorf("%q: %v", says, got)
		}
		for name, amount := range want {
			if is := got[name]; is.Cmp(resource.MustParse(amount)) != 0 {
				t.Errorf("%q: %s %s, want %s", says, name, is.String(), amount)
			}
		}
	}
}
