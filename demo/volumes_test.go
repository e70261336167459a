package demo

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAVolumeComesAtOnceWhereTheClassSaysSoAndGoesWithItsClaim(t *testing.T) {
	c := startTest(t, 1)
	ctx, client := t.Context(), c.Client()
	for name, policy := range map[string]corev1.PersistentVolumeReclaimPolicy{
		"gone": corev1.PersistentVolumeReclaimDelete, "kept": corev1.PersistentVolumeReclaimRetain,
	} {
		if _, err := client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "disk.csi.example.com", ReclaimPolicy: new(policy),
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.CoreV1().PersistentVolumeClaims("default").Create(ctx, &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PersistentVolumeClaimSpec{
				StorageClassName: &name, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
			},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	volumes := map[string]string{}
	until(t, "both claims are bound", func() bool {
		for _, name := range []string{"gone", "kept"} {
			claim, err := client.CoreV1().PersistentVolumeClaims("default").Get(ctx, name, metav1.GetOptions{})
			if err != nil || claim.Status.Phase != corev1.ClaimBound {
				return false
			}
			volumes[name] = claim.Spec.VolumeName
		}
		return true
	})
	for name := range volumes {
		if err := client.CoreV1().PersistentVolumeClaims("default").Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "one volume is gone and one released", func() bool {
		list, err := client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 1 && list.Items[0].Name == volumes["kept"] && list.Items[0].Status.Phase == corev1.VolumeReleased
	})
}

func TestAVolumeThatIsThereAlreadyIsBoundWhereAPodGoes(t *testing.T) {
	c := startTest(t, 1)
	ctx, client := t.Context(), c.Client()
	const class = "local"
	if _, err := client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	size := corev1.ResourceList{"storage": resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	if _, err := client.CoreV1().PersistentVolumes().Create(ctx, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "disk"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: size, AccessModes: modes, StorageClassName: class, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/disk"}},
		},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().PersistentVolumeClaims("default").Create(ctx, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: new(class), AccessModes: modes, Resources: corev1.VolumeResourceRequirements{Requests: size}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pod := template("db", "100m")
	pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	if _, err := client.CoreV1().Pods("default").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "db"}, Spec: pod.Spec}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the pod is bound and its claim has the volume", func() bool {
		bound, err := client.CoreV1().Pods("default").Get(ctx, "db", metav1.GetOptions{})
		claim, errClaim := client.CoreV1().PersistentVolumeClaims("default").Get(ctx, "data", metav1.GetOptions{})
		return err == nil && errClaim == nil && bound.Spec.NodeName != "" && claim.Spec.VolumeName == "disk" && claim.Status.Phase == corev1.ClaimBound
	})
}
