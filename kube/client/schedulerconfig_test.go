package client

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestTheSchedulersConfigurationIsFoundInAConfigMap(t *testing.T) {
	const text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	configMap := func(namespace, name, key, value string) runtime.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{"a-note": "{", key: value}}
	}
	for name, test := range map[string]struct {
		objects []runtime.Object
		forbid  bool
		source  string
	}{
		"by its name":               {[]runtime.Object{configMap("kube-system", "kube-scheduler", "config.yaml", text)}, false, "ConfigMap kube-system/kube-scheduler"},
		"by another name":           {[]runtime.Object{configMap("kube-system", "kube-scheduler-config", "scheduler.yaml", text)}, false, "ConfigMap kube-system/kube-scheduler-config"},
		"on OpenShift":              {[]runtime.Object{configMap("openshift-kube-scheduler", "config", "config.yaml", text)}, false, "ConfigMap openshift-kube-scheduler/config"},
		"not in another namespace":  {[]runtime.Object{configMap("default", "kube-scheduler", "config.yaml", text)}, false, ""},
		"not where it is not meant": {[]runtime.Object{configMap("kube-system", "kube-scheduler", "config.yaml", "kind: KubeProxyConfiguration\n")}, false, ""},
		"not where it is forbidden": {[]runtime.Object{configMap("kube-system", "kube-scheduler", "config.yaml", text)}, true, ""},
		"not where there is none":   {nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(test.objects...)
			asked := 0
			client.PrependReactor("get", "configmaps", func(a clienttesting.Action) (bool, runtime.Object, error) {
				asked++
				return test.forbid, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "", nil)
			})
			c := &schedulerConfig{client: client}
			for range 2 {
				found := c.find(t.Context())
				switch {
				case found == nil && test.source != "", found != nil && (found.Source != test.source || string(found.Data) != text || found.Asked):
					t.Errorf("%+v, want %q", found, test.source)
				}
			}
			if asked != len(configMaps) {
				t.Errorf("%d questions", asked)
			}
		})
	}
}
