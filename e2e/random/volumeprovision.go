package random

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Provision plays the CSI drivers: it makes the volumes of claims that the
// scheduler has chosen a node for, in the zone of that node.
func (c *Cluster) Provision(ctx context.Context, client kubernetes.Interface) error {
	for _, namespace := range c.namespaces {
		list, err := client.CoreV1().PersistentVolumeClaims(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list claims: %w", err)
		}
		for i := range list.Items {
			err = c.provision(ctx, client, &list.Items[i])
			if err != nil {
				return fmt.Errorf("provision claim %s: %w", list.Items[i].Name, err)
			}
		}
	}
	return nil
}

// provision makes the volume of one claim, if it waits for one.
func (c *Cluster) provision(ctx context.Context, client kubernetes.Interface, claim *corev1.PersistentVolumeClaim) error {
	i := slices.IndexFunc(c.Nodes, func(n *corev1.Node) bool { return n.Name == claim.Annotations[annSelectedNode] })
	if i < 0 || claim.Spec.VolumeName != "" {
		return nil
	}
	size := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	volume := c.volume(string(claim.UID), "", size.String(), claim.Spec.AccessModes[0])
	volume.Spec.StorageClassName = *claim.Spec.StorageClassName
	if volume.Spec.StorageClassName == c.prefix+"-capacity" {
		volume.Spec.CSI.Driver = capacityDriver
	}
	volume.Spec.ClaimRef = &corev1.ObjectReference{
		Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
	}
	if zone, ok := c.Nodes[i].Labels[zoneLabel]; ok {
		c.only(volume, in(zoneLabel, zone))
	}
	_, err := client.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
