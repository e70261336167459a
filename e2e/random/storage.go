package random

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The CSI drivers. A node without capacityDriver takes no pod that needs it.
const (
	csiDriver      = "csi.example"
	capacityDriver = "capacity.example"
	ebsDriver      = "ebs.csi.aws.com" // has taken over the disks that pods name themselves
	noProvisioner  = "kubernetes.io/no-provisioner"
)

const (
	zoneLabel         = corev1.LabelTopologyZone
	once              = corev1.ReadWriteOnce
	oncePod           = corev1.ReadWriteOncePod
	many              = corev1.ReadWriteMany
	annSelectedNode   = "volume.kubernetes.io/selected-node"
	annBindCompleted  = "pv.kubernetes.io/bind-completed"
	volumesPerCluster = 12
)

// addStorage adds classes, volumes and claims in every state that a pod can meet.
func (c *Cluster) addStorage() {
	for _, driver := range []string{csiDriver, capacityDriver} {
		c.others = append(c.others, &storagev1.CSIDriver{
			ObjectMeta: metav1.ObjectMeta{Name: driver},
			Spec: storagev1.CSIDriverSpec{
				AttachRequired: new(true), StorageCapacity: new(driver == capacityDriver), PreventPodSchedulingIfMissing: new(driver == capacityDriver),
			},
		})
	}
	late, now := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	c.addClass("late", noProvisioner, late)
	c.addClass("now", noProvisioner, now)
	c.addClass("csi", csiDriver, late)
	c.addClass("instant", "nobody.example", now)
	c.addClass("stuck", "nobody.example", late)
	c.addClass("capacity", capacityDriver, late)
	zonal := c.addClass("zonal", csiDriver, late)
	zonal.AllowedTopologies = []corev1.TopologySelectorTerm{{
		MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: zoneLabel, Values: []string{"a", "b"}}},
	}}
	for _, node := range c.Nodes {
		c.addCSINode(node.Name)
	}
	for _, zone := range []string{"a", "b"} {
		c.others = append(c.others, &storagev1.CSIStorageCapacity{
			ObjectMeta:       metav1.ObjectMeta{Namespace: c.namespaces[0], Name: "zone-" + zone},
			StorageClassName: c.prefix + "-capacity", Capacity: new(resource.MustParse(pick(c, "20Gi", "100Gi"))),
			NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{zoneLabel: zone}},
		})
	}
	for i := range volumesPerCluster {
		c.addVolume(i)
	}
	for _, namespace := range c.namespaces {
		c.addClaims(namespace)
		c.addBoundClaims(namespace)
	}
	c.addAttachments()
}

// addClass adds a StorageClass of the seed.
func (c *Cluster) addClass(name, provisioner string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: c.prefix + "-" + name}, Provisioner: provisioner, VolumeBindingMode: &mode}
	c.others = append(c.others, class)
	return class
}

// addCSINode adds what a node has of drivers, or not.
func (c *Cluster) addCSINode(name string) {
	if c.one(8) {
		return
	}
	object := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}}
	driver := storagev1.CSINodeDriver{Name: csiDriver, NodeID: name}
	if !c.one(6) {
		driver.Allocatable = &storagev1.VolumeNodeResources{Count: new(pick(c, int32(1), 1, 2, 3))}
	}
	object.Spec.Drivers = append(object.Spec.Drivers, driver)
	if !c.one(3) {
		object.Spec.Drivers = append(object.Spec.Drivers, storagev1.CSINodeDriver{
			Name: capacityDriver, NodeID: name, Allocatable: &storagev1.VolumeNodeResources{Count: new(int32(2))},
		})
	}
	if c.one(2) {
		object.Spec.Drivers = append(object.Spec.Drivers, storagev1.CSINodeDriver{
			Name: ebsDriver, NodeID: name, Allocatable: &storagev1.VolumeNodeResources{Count: new(int32(1))},
		})
	}
	c.others = append(c.others, object)
}

// addVolume adds a volume that some claim may be bound to.
func (c *Cluster) addVolume(i int) {
	volume := c.volume(fmt.Sprintf("free-%d", i), pick(c, "late", "late", "late", "now"), pick(c, "1Gi", "5Gi", "50Gi"), pick(c, once, once, many))
	if c.one(4) {
		volume.Spec.VolumeMode = new(corev1.PersistentVolumeBlock)
	}
	if c.one(2) {
		volume.Labels = map[string]string{"tier": pick(c, "gold", "silver")}
	}
	switch c.rand.IntN(3) {
	case 0:
		c.only(volume, in(corev1.LabelHostname, pick(c, c.Nodes...).Name))
	case 1:
		c.only(volume, in(zoneLabel, pick(c, "a", "b", "c")))
	}
	c.others = append(c.others, volume)
}

// volume makes a volume of a CSI driver, of a class of the seed.
func (c *Cluster) volume(name, class, size string, mode corev1.PersistentVolumeAccessMode) *corev1.PersistentVolume {
	name = c.prefix + "-" + name
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      amounts("storage", size),
			AccessModes:                   []corev1.PersistentVolumeAccessMode{mode},
			StorageClassName:              c.prefix + "-" + class,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource:        corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: csiDriver, VolumeHandle: name}},
		},
	}
}

// only lets nodes of the term use the volume.
func (c *Cluster) only(volume *corev1.PersistentVolume, term corev1.NodeSelectorTerm) {
	volume.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}}
}

// addClaims adds claims that are not bound yet, or never will be.
func (c *Cluster) addClaims(namespace string) {
	for i := range 6 {
		claim := c.claim(namespace, fmt.Sprintf("late-%d", i), "late", pick(c, "1Gi", "3Gi", "20Gi", "500Gi"), pick(c, once, once, many))
		if c.one(4) {
			claim.Spec.VolumeMode = new(corev1.PersistentVolumeBlock)
		}
		if c.one(4) {
			claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "gold"}}
		}
	}
	for i := range 4 {
		c.claim(namespace, fmt.Sprintf("csi-%d", i), "csi", "1Gi", pick(c, once, oncePod))
		c.claim(namespace, fmt.Sprintf("zonal-%d", i), "zonal", "2Gi", once)
		c.claim(namespace, fmt.Sprintf("capacity-%d", i), "capacity", pick(c, "5Gi", "50Gi", "500Gi"), once)
	}
	c.claim(namespace, "now", "now", pick(c, "1Gi", "20Gi"), once)
	c.claim(namespace, "instant", "instant", "1Gi", once)
	c.claim(namespace, "no-such-class", "that-nobody-made", "1Gi", once)
	c.claim(namespace, "no-class", "", "1Gi", once).Spec.StorageClassName = new("")
	c.claim(namespace, "named", "late", "1Gi", once).Spec.VolumeName = c.prefix + "-that-nobody-made"
	c.claim(namespace, "stuck", "stuck", "1Gi", once).Annotations = map[string]string{annSelectedNode: "gone.internal"}
	c.claim(namespace, "ending", "csi", "1Gi", once).Finalizers = []string{Finalizer}
	lost := c.claim(namespace, "lost", "late", "1Gi", once)
	lost.Spec.VolumeName, lost.Annotations = c.prefix+"-lost", map[string]string{annBindCompleted: "yes"}
}

// claim adds a claim of a class of the seed.
func (c *Cluster) claim(namespace, name, class, size string, mode corev1.PersistentVolumeAccessMode) *corev1.PersistentVolumeClaim {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(c.prefix + "-" + class),
			AccessModes:      []corev1.PersistentVolumeAccessMode{mode},
			Resources:        corev1.VolumeResourceRequirements{Requests: amounts("storage", size)},
		},
	}
	c.others = append(c.others, claim)
	return claim
}

// addBoundClaims adds claims with their volumes, which kube-controller-manager
// binds to each other: in a zone by affinity, by labels, or anywhere, for many
// pods or for one.
func (c *Cluster) addBoundClaims(namespace string) {
	for i := range 8 {
		name, mode := fmt.Sprintf("bound-%d", i), once
		if i < 2 {
			mode = oncePod
		}
		volume := c.volume(namespace[len(c.prefix)+1:]+"-"+name, "csi", "1Gi", mode)
		volume.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: namespace, Name: name}
		switch i % 3 {
		case 1:
			c.only(volume, in(zoneLabel, pick(c, "a", "b", "c")))
		case 2:
			volume.Labels = map[string]string{zoneLabel: pick(c, "a", "b", "b__c")}
		}
		c.others = append(c.others, volume)
		c.volumes = append(c.volumes, volume.Name)
		c.claim(namespace, name, "csi", "1Gi", mode).Spec.VolumeName = volume.Name
	}
}

// addAttachments attaches some of the volumes to nodes where no pod may use them.
func (c *Cluster) addAttachments() {
	for _, volume := range c.volumes {
		if !c.one(3) {
			continue
		}
		c.others = append(c.others, &storagev1.VolumeAttachment{
			ObjectMeta: metav1.ObjectMeta{Name: volume},
			Spec: storagev1.VolumeAttachmentSpec{
				Attacher: csiDriver, NodeName: pick(c, c.Nodes...).Name, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume},
			},
		})
	}
}
