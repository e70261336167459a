package client

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// configMaps are where distributions keep the scheduler's configuration. kubeadm
// keeps it in a file on the control plane's nodes, which nobody can read here.
var configMaps = [][2]string{
	{metav1.NamespaceSystem, "kube-scheduler"},
	{metav1.NamespaceSystem, "kube-scheduler-config"},
	{metav1.NamespaceSystem, "kube-scheduler-configuration"},
	{metav1.NamespaceSystem, "scheduler-config"},
	{"openshift-kube-scheduler", "config"},
}

// schedulerConfig looks for the scheduler's configuration in ConfigMaps, and
// remembers what was found.
type schedulerConfig struct {
	client kubernetes.Interface
	once   sync.Once
	found  *scheduler.Configuration
}

// find looks once for the scheduler's configuration; nil where none can
// be read.
func (c *schedulerConfig) find(ctx context.Context) *scheduler.Configuration {
	c.once.Do(func() {
		found := make([]*scheduler.Configuration, len(configMaps))
		var asking sync.WaitGroup
		for i, name := range configMaps {
			asking.Go(func() {
				defer utilruntime.HandleCrash()
				found[i] = c.read(ctx, name[0], name[1])
			})
		}
		asking.Wait()
		if at := slices.IndexFunc(found, func(f *scheduler.Configuration) bool { return f != nil }); at >= 0 {
			c.found = found[at]
		}
	})
	return c.found
}

// read reads one ConfigMap. That it is not there or not allowed says
// nothing.
func (c *schedulerConfig) read(ctx context.Context, namespace, name string) *scheduler.Configuration {
	object, err := c.client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(object.Data)) {
		if isSchedulerConfiguration(object.Data[key]) {
			return &scheduler.Configuration{Data: []byte(object.Data[key]), Source: "ConfigMap " + namespace + "/" + name}
		}
	}
	return nil
}

// isSchedulerConfiguration goes by what a text says it is.
func isSchedulerConfiguration(text string) bool {
	var kind metav1.TypeMeta
	return yaml.Unmarshal([]byte(text), &kind) == nil && kind.Kind == "KubeSchedulerConfiguration" &&
		strings.HasPrefix(kind.APIVersion, "kubescheduler.config.k8s.io/")
}
