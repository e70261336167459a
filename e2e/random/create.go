package random

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

// Create creates an object of any kind that clusters are made of.
func Create(ctx context.Context, client kubernetes.Interface, object runtime.Object) (err error) {
	var o metav1.CreateOptions
	switch x := object.(type) {
	case *corev1.Namespace:
		_, err = client.CoreV1().Namespaces().Create(ctx, x, o)
	case *corev1.ResourceQuota:
		_, err = client.CoreV1().ResourceQuotas(x.Namespace).Create(ctx, x, o)
	case *schedulingv1.PriorityClass:
		_, err = client.SchedulingV1().PriorityClasses().Create(ctx, x, o)
	case *nodev1.RuntimeClass:
		_, err = client.NodeV1().RuntimeClasses().Create(ctx, x, o)
	case *policyv1.PodDisruptionBudget:
		_, err = client.PolicyV1().PodDisruptionBudgets(x.Namespace).Create(ctx, x, o)
	case *corev1.LimitRange:
		_, err = client.CoreV1().LimitRanges(x.Namespace).Create(ctx, x, o)
	case *appsv1.Deployment, *appsv1.ReplicaSet, *appsv1.StatefulSet, *appsv1.DaemonSet, *batchv1.Job, *corev1.Pod, *corev1.ReplicationController:
		err = createWorkload(ctx, client, object)
	default:
		err = createUsed(ctx, client, object)
	}
	return err
}

// createWorkload creates a workload.
func createWorkload(ctx context.Context, client kubernetes.Interface, object runtime.Object) (err error) {
	var o metav1.CreateOptions
	apps := client.AppsV1()
	switch x := object.(type) {
	case *appsv1.Deployment:
		_, err = apps.Deployments(x.Namespace).Create(ctx, x, o)
	case *appsv1.ReplicaSet:
		_, err = apps.ReplicaSets(x.Namespace).Create(ctx, x, o)
	case *appsv1.StatefulSet:
		_, err = apps.StatefulSets(x.Namespace).Create(ctx, x, o)
	case *appsv1.DaemonSet:
		_, err = apps.DaemonSets(x.Namespace).Create(ctx, x, o)
	case *batchv1.Job:
		_, err = client.BatchV1().Jobs(x.Namespace).Create(ctx, x, o)
	case *corev1.Pod: // of several that come at once, the API server may fail to charge one to a quota
		err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			_, err := client.CoreV1().Pods(x.Namespace).Create(ctx, x, o)
			return err
		})
	case *corev1.ReplicationController:
		_, err = client.CoreV1().ReplicationControllers(x.Namespace).Create(ctx, x, o)
	}
	return err
}

// createUsed creates storage, and devices.
func createUsed(ctx context.Context, client kubernetes.Interface, object runtime.Object) (err error) {
	var o metav1.CreateOptions
	storage, devices := client.StorageV1(), client.ResourceV1()
	switch x := object.(type) {
	case *storagev1.StorageClass:
		_, err = storage.StorageClasses().Create(ctx, x, o)
	case *storagev1.CSIDriver:
		_, err = storage.CSIDrivers().Create(ctx, x, o)
	case *storagev1.CSINode:
		_, err = storage.CSINodes().Create(ctx, x, o)
	case *storagev1.CSIStorageCapacity:
		_, err = storage.CSIStorageCapacities(x.Namespace).Create(ctx, x, o)
	case *storagev1.VolumeAttachment:
		_, err = storage.VolumeAttachments().Create(ctx, x, o)
	case *corev1.PersistentVolume:
		_, err = client.CoreV1().PersistentVolumes().Create(ctx, x, o)
	case *corev1.PersistentVolumeClaim:
		err = createClaim(ctx, client, x)
	case *resourcev1.DeviceClass:
		_, err = devices.DeviceClasses().Create(ctx, x, o)
	case *resourcev1.ResourceSlice:
		_, err = devices.ResourceSlices().Create(ctx, x, o)
	case *resourcev1.DeviceTaintRule:
		_, err = devices.DeviceTaintRules().Create(ctx, x, o)
	case *resourcev1.ResourceClaim:
		_, err = devices.ResourceClaims(x.Namespace).Create(ctx, x, o)
	case *resourcev1.ResourceClaimTemplate:
		_, err = devices.ResourceClaimTemplates(x.Namespace).Create(ctx, x, o)
	default:
		err = fmt.Errorf("no way is known to create it")
	}
	return err
}

// createClaim creates a claim; one with the finalizer is deleted at once and stays.
func createClaim(ctx context.Context, client kubernetes.Interface, claim *corev1.PersistentVolumeClaim) error {
	claims := client.CoreV1().PersistentVolumeClaims(claim.Namespace)
	_, err := claims.Create(ctx, claim, metav1.CreateOptions{})
	if err != nil || len(claim.Finalizers) == 0 {
		return err
	}
	return claims.Delete(ctx, claim.Name, metav1.DeleteOptions{})
}
