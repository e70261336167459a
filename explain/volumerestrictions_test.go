package explain

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestTheHolderOfAnExclusiveClaimIsNamed(t *testing.T) {
	held := aClaim("data/db", "csi", boundTo("pv-1"), claimMode(corev1.ReadWriteOncePod))
	report := mustExplain(t, startEngine(t, Options{}, testNode("m", "4"), testNode("n", "4"), held, aVolume("pv-1", "csi"),
		testPod("data/db-0", "m", "", mounting("db")), testPod("shop/db-0", "n", "", mounting("db"))), testPod("data/x", "", "", mounting("db")))
	rejection := refusalIn(t, report, names.VolumeRestrictions, "n")
	same(t, rejection.What, "n: claim data/db is ReadWriteOncePod and in use by data/db-0 on m")
	same(t, rejection.Short, "claim data/db is in use by data/db-0")
	same(t, report.Groups[0].Rejections[0].What, "m, n: claim data/db is ReadWriteOncePod and in use by data/db-0 on m")
}

func TestTheHolderOfADiskIsNamed(t *testing.T) {
	mount := func(source corev1.VolumeSource) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "disk", VolumeSource: source})
		}
	}
	ceph := func(image string, readOnly bool, monitors ...string) corev1.VolumeSource {
		return corev1.VolumeSource{RBD: &corev1.RBDVolumeSource{CephMonitors: monitors, RBDPool: "rbd", RBDImage: image, ReadOnly: readOnly}}
	}
	disk := func(readOnly bool) corev1.VolumeSource {
		return corev1.VolumeSource{GCEPersistentDisk: &corev1.GCEPersistentDiskVolumeSource{PDName: "pd-1", ReadOnly: readOnly}}
	}
	e := startEngine(t, Options{}, testNode("n", "4"),
		testPod("data/a", "n", "", mount(disk(true))), testPod("data/b", "n", "", mount(ceph("img", false, "m1", "m2"))))
	rejection := refusalIn(t, mustExplain(t, e, testPod("data/x", "", "", mount(disk(false)), mount(ceph("img", true, "m2")))), names.VolumeRestrictions, "n")
	same(t, rejection.What, "n: GCE disk pd-1 is in use by data/a on n; RBD image rbd/img is in use by data/b on n")
	same(t, rejection.Short, "GCE disk pd-1 is in use by data/a; RBD image rbd/img is in use by data/b")
	if r := mustExplain(t, e, testPod("data/x", "", "", mount(disk(true)), mount(ceph("img", false, "m3")))); r.Verdict != report.Schedulable {
		t.Errorf("disks that go together leave the pod %s: %s", r.Verdict, r.Summary)
	}
}

// TestAClaimThatALostNodeKeepsIsSaidToBe: its pod is being deleted, and no kubelet says that it has ended.
func TestAClaimThatALostNodeKeepsIsSaidToBe(t *testing.T) {
	notReady := func(n *corev1.Node) {
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
	}
	ending := func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(testNow.Add(-time.Hour))) }
	held := aClaim("data/db", "csi", boundTo("pv-1"), claimMode(corev1.ReadWriteOncePod))
	for name, c := range map[string]struct {
		node      *corev1.Node
		holder    *corev1.Pod
		want, fix string
	}{
		"lost": {
			testNode("m", "4", notReady), testPod("data/db-0", "m", "", mounting("db"), ending),
			"n: claim data/db is ReadWriteOncePod and in use by data/db-0 on m, which is NotReady: the pod is Terminating until its kubelet confirms it",
			"Pod data/db-0 is Terminating on m, which is NotReady, and keeps the claim: start the node again, or, once its machine is certainly off, " +
				"taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute. Its pods are then deleted and their volumes detached.",
		},
		"lost a moment ago": {
			testNode("m", "4", notReady), testPod("data/db-0", "m", "", mounting("db"), func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(testNow.Add(30 * time.Second))) }),
			"n: claim data/db is ReadWriteOncePod and in use by data/db-0 on m, which is NotReady: the pod is Terminating until its kubelet confirms it", "",
		},
		"ending on a Ready node": {
			testNode("m", "4"), testPod("data/db-0", "m", "", mounting("db"), ending),
			"n: claim data/db is ReadWriteOncePod and in use by data/db-0 on m", "",
		},
		"on a lost node, not being deleted": {
			testNode("m", "4", notReady), testPod("data/db-0", "m", "", mounting("db")),
			"n: claim data/db is ReadWriteOncePod and in use by data/db-0 on m", "",
		},
	} {
		pod := testPod("data/x", "", "", mounting("db"))
		e := startEngine(t, Options{}, c.node, testNode("n", "4"), held, aVolume("pv-1", "csi"), c.holder, pod)
		same(t, refusalIn(t, mustExplain(t, e, pod), names.VolumeRestrictions, "n").What, c.want)
		found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
		if err != nil {
			t.Fatal(err)
		}
		if c.fix != "" && found.None != c.fix || c.fix == "" && strings.Contains(found.None, "Terminating on") {
			t.Errorf("%s: %q, want %q", name, found.None, c.fix)
		}
	}
}
