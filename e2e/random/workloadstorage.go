package random

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

// workloadClasses are the storage classes that claims of workloads name: volumes
// are made where a pod goes, in some zones only, or at once; or are there already;
// or no class is.
var workloadClasses = []string{"csi", "csi", "csi", "zonal", "instant", "local", "local", "nobody-made-it"}

// addWorkloadStorage adds the classes, what nodes have of drivers, and volumes.
func (c *Cluster) addWorkloadStorage() {
	late, now := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	c.addClass("csi", csiDriver, late)
	c.addClass("instant", csiDriver, now)
	c.addClass("local", noProvisioner, late)
	c.addClass("zonal", csiDriver, late).AllowedTopologies = []corev1.TopologySelectorTerm{{
		MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: zoneLabel, Values: []string{"a", "b"}}},
	}}
	for _, node := range c.Nodes {
		c.addCSINode(node.Name)
	}
	for i := range volumesPerCluster {
		volume := c.volume(fmt.Sprintf("local-%d", i), "local", pick(c, "1Gi", "5Gi"), once)
		c.only(volume, in(zoneLabel, pick(c, "a", "b", "c")))
		c.others = append(c.others, volume)
	}
}

// HasVolume tells whether a volume is one of the cluster's own, and not made for a
// claim.
func (c *Cluster) HasVolume(name string) bool {
	return slices.ContainsFunc(c.others, func(o runtime.Object) bool {
		volume, ok := o.(*corev1.PersistentVolume)
		return ok && volume.Name == name
	})
}

// newClaim makes a claim of a class of the seed.
func (c *Cluster) newClaim(namespace, name, class string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(c.prefix + "-" + class),
			AccessModes:      []corev1.PersistentVolumeAccessMode{pick(c, once, once, oncePod)},
			Resources:        corev1.VolumeResourceRequirements{Requests: amounts("storage", pick(c, "1Gi", "3Gi"))},
		},
	}
}

// workloadClaim mounts a claim that all pods of the workload share, which it
// gives, or one that does not exist.
func (c *Cluster) workloadClaim(pod *corev1.Pod) []runtime.Object {
	if c.one(8) {
		mount(pod, "data", Missing)
		return nil
	}
	mount(pod, "data", pod.Name)
	return []runtime.Object{c.newClaim(pod.Namespace, pod.Name, pick(c, workloadClasses...))}
}

// ProvisionAll plays the CSI driver as the embedded cluster has one: it makes the
// volumes of claims whose time has come, in the zone of the node if one was chosen.
func (c *Cluster) ProvisionAll(ctx context.Context, client kubernetes.Interface) error {
	at := map[string]bool{c.prefix + "-csi": true, c.prefix + "-zonal": true, c.prefix + "-instant": false}
	for _, namespace := range c.namespaces {
		list, err := client.CoreV1().PersistentVolumeClaims(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list claims: %w", err)
		}
		for i := range list.Items {
			claim := &list.Items[i]
			waits, made := at[*claim.Spec.StorageClassName]
			node := claim.Annotations[annSelectedNode]
			if !made || claim.Spec.VolumeName != "" || waits && node == "" {
				continue
			}
			_, err = client.CoreV1().PersistentVolumes().Create(ctx, c.volumeOf(claim, node), metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("make the volume of claim %s: %w", claim.Name, err)
			}
		}
	}
	return nil
}

// volumeOf makes the volume that a claim waits for.
func (c *Cluster) volumeOf(claim *corev1.PersistentVolumeClaim, chosen string) *corev1.PersistentVolume {
	size := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	volume := c.volume(string(claim.UID), "", size.String(), claim.Spec.AccessModes[0])
	volume.Spec.StorageClassName = *claim.Spec.StorageClassName
	volume.Spec.ClaimRef = &corev1.ObjectReference{
		Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
	}
	for _, node := range c.Nodes {
		if zone, ok := node.Labels[zoneLabel]; ok && node.Name == chosen {
			c.only(volume, in(zoneLabel, zone))
		}
	}
	return volume
}
