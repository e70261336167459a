package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	podrules "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1rules "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	schedulingrules "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
)

// graceForLostNodes is what the API server's DefaultTolerationSeconds plugin
// gives a pod on a node that is lost.
const graceForLostNodes = 300

// admission does to a pod what the API server does to it on creation, as far as
// the objects that this depends on can be read. It is for where no dry run may
// be sent.
type admission struct {
	client  kubernetes.Interface
	caveats []string // what it could not do
}

// admit completes pod in place.
func (a *admission) admit(ctx context.Context, pod *corev1.Pod) error {
	corev1rules.SetObjectDefaults_Pod(pod)
	if err := a.limitRanges(ctx, pod); err != nil {
		return err
	}
	a.priority(ctx, pod)
	a.runtimeClass(ctx, pod)
	tolerateLostNodes(pod)
	return nil
}

// validate refuses what the API server would call invalid.
func validate(pod *corev1.Pod) error {
	filled := pod.DeepCopy()
	corev1rules.SetObjectDefaults_Pod(filled)
	filled.OwnerReferences = nil // the owner does not exist yet, so it has no UID
	if filled.Name == "" && filled.GenerateName != "" {
		filled.Name = filled.GenerateName + "00000" // the API server makes one up before it validates
	}
	// Admission adds it before the API server validates; both names are one.
	filled.Spec.ServiceAccountName = cmp.Or(filled.Spec.ServiceAccountName, filled.Spec.DeprecatedServiceAccount, "default")
	filled.Spec.DeprecatedServiceAccount = filled.Spec.ServiceAccountName
	var internal core.Pod
	if err := corev1rules.Convert_v1_Pod_To_core_Pod(filled, &internal, nil); err != nil {
		return err
	}
	options := podrules.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec, nil, &internal.ObjectMeta, nil)
	options.ResourceIsPod = true
	if errs := validation.ValidatePodCreate(&internal, options); len(errs) > 0 {
		return errs.ToAggregate()
	}
	return nil
}

// leaveOut notes what could not be read, or is not there.
func (a *admission) leaveOut(what string, err error) {
	switch {
	case apierrors.IsNotFound(err):
		a.caveats = append(a.caveats, what+" does not exist: kube-apiserver would refuse this pod")
	case apierrors.IsForbidden(err):
		a.caveats = append(a.caveats, what+" left out: not allowed to read it")
	default:
		a.caveats = append(a.caveats, fmt.Sprintf("%s left out: %v", what, err))
	}
}

// limitRanges fills in the requests and limits that the namespace's LimitRanges give.
func (a *admission) limitRanges(ctx context.Context, pod *corev1.Pod) error {
	ranges, err := a.client.CoreV1().LimitRanges(pod.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		a.leaveOut("LimitRanges of namespace "+pod.Namespace, err)
		return nil
	}
	if len(ranges.Items) == 0 {
		return nil
	}
	var internal core.Pod
	if err := corev1rules.Convert_v1_Pod_To_core_Pod(pod, &internal, nil); err != nil {
		return fmt.Errorf("apply LimitRanges: %w", err)
	}
	for i := range ranges.Items {
		if err := limitranger.PodMutateLimitFunc(&ranges.Items[i], &internal); err != nil {
			return fmt.Errorf("apply LimitRange %s: %w", ranges.Items[i].Name, err)
		}
		if err := limitranger.PodValidateLimitFunc(&ranges.Items[i], &internal); err != nil {
			a.caveats = append(a.caveats, fmt.Sprintf("LimitRange %s would refuse this pod: %v", ranges.Items[i].Name, err))
		}
	}
	if err := corev1rules.Convert_core_Pod_To_v1_Pod(&internal, pod, nil); err != nil {
		return fmt.Errorf("apply LimitRanges: %w", err)
	}
	return nil
}

// priority resolves the PriorityClass, or the cluster's default one.
func (a *admission) priority(ctx context.Context, pod *corev1.Pod) {
	class, err := a.priorityClass(ctx, pod.Spec.PriorityClassName)
	switch {
	case err != nil:
		a.leaveOut("PriorityClass "+cmp.Or(pod.Spec.PriorityClassName, "by default"), err)
	case class == nil:
		pod.Spec.Priority = new(int32(0))
		pod.Spec.PreemptionPolicy = new(corev1.PreemptLowerPriority)
	default:
		pod.Spec.PriorityClassName, pod.Spec.Priority = class.Name, &class.Value
		pod.Spec.PreemptionPolicy = class.PreemptionPolicy
		if pod.Spec.PreemptionPolicy == nil {
			pod.Spec.PreemptionPolicy = new(corev1.PreemptLowerPriority)
		}
	}
}

// priorityClass finds a class by name; "" is the lowest of the default ones,
// nil if there is none.
func (a *admission) priorityClass(ctx context.Context, name string) (*schedulingv1.PriorityClass, error) {
	for _, class := range schedulingrules.SystemPriorityClasses() {
		if class.Name == name {
			return class, nil
		}
	}
	if name != "" {
		return a.client.SchedulingV1().PriorityClasses().Get(ctx, name, metav1.GetOptions{})
	}
	classes, err := a.client.SchedulingV1().PriorityClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var lowest *schedulingv1.PriorityClass
	for i, class := range classes.Items {
		if class.GlobalDefault && (lowest == nil || class.Value < lowest.Value) {
			lowest = &classes.Items[i]
		}
	}
	return lowest, nil
}

// runtimeClass adds the overhead and the placement of the pod's RuntimeClass.
func (a *admission) runtimeClass(ctx context.Context, pod *corev1.Pod) {
	if pod.Spec.RuntimeClassName == nil {
		return
	}
	name := *pod.Spec.RuntimeClassName
	class, err := a.client.NodeV1().RuntimeClasses().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		a.leaveOut("RuntimeClass "+name, err)
		return
	}
	if class.Overhead != nil {
		pod.Spec.Overhead = class.Overhead.PodFixed
	}
	if class.Scheduling == nil {
		return
	}
	if pod.Spec.NodeSelector == nil {
		pod.Spec.NodeSelector = map[string]string{}
	}
	maps.Copy(pod.Spec.NodeSelector, class.Scheduling.NodeSelector)
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, class.Scheduling.Tolerations...)
}

// tolerateLostNodes adds the tolerations that every pod gets.
func tolerateLostNodes(pod *corev1.Pod) {
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		}) {
			continue
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
			Key:               key,
			Operator:          corev1.TolerationOpExists,
			Effect:            corev1.TaintEffectNoExecute,
			TolerationSeconds: new(int64(graceForLostNodes)),
		})
	}
}
