package controlplane

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quotaapi "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/version"
	quotainstall "k8s.io/kubernetes/pkg/quota/v1/install"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
)

// newAdmission is the chain of the admission plugins of kube-apiserver that mutate or
// validate pods, in its order.
func newAdmission(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (admission.Interface, error) {
	namespaces, err := lifecycle.NewLifecycle(sets.New(corev1.NamespaceDefault, "kube-system", "kube-public"))
	if err != nil {
		return nil, fmt.Errorf("start NamespaceLifecycle: %w", err)
	}
	limits, err := limitranger.NewLimitRanger(&limitranger.DefaultLimitRangerActions{})
	if err != nil {
		return nil, fmt.Errorf("start LimitRanger: %w", err)
	}
	quotas, err := resourcequota.NewResourceQuota(&quotaapi.Configuration{}, workers)
	if err != nil {
		return nil, fmt.Errorf("start ResourceQuota: %w", err)
	}
	counting, err := quotainstall.NewQuotaConfigurationForAdmission(factory, nil)
	if err != nil {
		return nil, fmt.Errorf("start ResourceQuota: %w", err)
	}
	quotas.SetDrainedNotification(ctx.Done()) // first: the quota plugin runs until then
	quotas.SetQuotaConfiguration(counting)
	plugins := []admission.Interface{
		namespaces, limits, priority.NewPlugin(), defaulttolerationseconds.NewDefaultTolerationSeconds(), runtimeclass.NewRuntimeClass(), quotas,
	}
	wire := initializer.New(client, nil, factory, nil, utilfeature.DefaultFeatureGate, compatibility.NewEffectiveVersionFromString(version.DefaultKubeBinaryVersion, "", ""), ctx.Done(), nil)
	for _, plugin := range plugins {
		wire.Initialize(plugin)
		if err := admission.ValidateInitialization(plugin); err != nil {
			return nil, fmt.Errorf("start %T: %w", plugin, err)
		}
	}
	return admission.NewChainHandler(plugins...), nil
}
