package snapshot

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLeasesOfAFileSayWhichSchedulersRan by comparing them with each other: the file itself may be a copy.
func TestLeasesOfAFileSayWhichSchedulersRan(t *testing.T) {
	lease := func(name string, ago time.Duration) string {
		renewed := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC).Add(-ago).Format("2006-01-02T15:04:05.000000Z07:00")
		return fmt.Sprintf("{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: %s, namespace: kube-system}, spec: {holderIdentity: a, renewTime: '%s'}}\n---\n", name, renewed)
	}
	bound := "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: dev}, spec: {nodeName: a, schedulerName: ml}, " +
		"status: {conditions: [{type: PodScheduled, status: 'True', lastTransitionTime: '2026-07-01T11:58:00Z'}]}}\n---\n"
	for name, c := range map[string]struct{ file, scheduler, want string }{
		"renewed with the others":    {lease("kube-scheduler", 2*time.Second) + lease("cm", 0), "default-scheduler", "running: Lease last renewed 2s before the newest Lease (kube-system/kube-scheduler)"},
		"it is the newest":           {lease("ml", 0) + lease("cm", time.Second), "ml", "running: Lease renewed when the file was made (kube-system/ml)"},
		"far older than the others":  {lease("ml", 10*time.Minute) + lease("cm", 0) + lease("ccm", time.Second), "ml", "not running: Lease last renewed 10m before the newest Lease (kube-system/ml)"},
		"one other is not enough":    {lease("ml", 10*time.Minute) + lease("cm", 0), "ml", "unknown: Lease last renewed 10m before the newest Lease (kube-system/ml), but not before most others"},
		"one clock is ahead":         {lease("ml", 10*time.Minute) + lease("cm", 10*time.Minute) + lease("node", 0), "ml", "unknown: Lease last renewed 10m before the newest Lease (kube-system/ml), but not before most others"},
		"most nodes are lost":        {lease("ml", 0) + lease("a", time.Hour) + lease("b", time.Hour), "ml", "running: Lease renewed when the file was made (kube-system/ml)"},
		"older, but it bound a pod":  {lease("ml", 10*time.Minute) + lease("cm", 0) + lease("ccm", time.Second) + bound, "ml", "unknown: Lease last renewed 10m before the newest Lease (kube-system/ml), and pods were bound after that"},
		"nothing to compare it with": {lease("ml", 10*time.Minute), "ml", "unknown: the file has no other Lease to compare its age with"},
		"another one":                {lease("cm", 0), "ml", "unknown: the file has no Lease of that name"},
		"never renewed":              {strings.Replace(lease("ml", 0), "renewTime", "acquireTime", 1) + lease("cm", 0), "ml", "unknown: the file has no Lease of that name"},
		"a file without Leases":      {"", "ml", "unknown: the file has no Leases"},
		"twice, in two namespaces":   {lease("ml", time.Hour) + strings.Replace(lease("ml", 0), "kube-system", "dev", 1), "ml", "running: Lease renewed when the file was made (dev/ml)"},
		"its Deployment is scaled to 0": {
			strings.Replace(lease("ml", 10*time.Minute), "holderIdentity: a", "holderIdentity: ml-rg5-5dfmq_6", 1) + lease("cm", 0) + lease("ccm", time.Second) +
				strings.Replace(bound, "ml", "x", 1) + strings.NewReplacer("ml", "x", "dev", "kube-system").Replace(bound) + "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: ml-rg5, namespace: kube-system, " +
				"ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: ml, uid: u, controller: true}]}, spec: {replicas: 0}}\n---\n", "ml",
			"not running: deployment/ml is scaled to 0; to start it: kubectl -n kube-system scale deployment/ml --replicas=1; " +
				"Lease last renewed 10m before the newest Lease (kube-system/ml)",
		},
		"another scheduler's pod only": {lease("ml", 10*time.Minute) + lease("cm", 0) + lease("ccm", time.Second) + strings.Replace(bound, "ml", "x", 1), "ml", "not running: Lease last renewed 10m before the newest Lease (kube-system/ml)"},
	} {
		f, err := Read(strings.NewReader("{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n"+c.file), ReadOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		alive, known, why := f.schedulerAlive(t.Context(), c.scheduler)
		got := map[[2]bool]string{{true, true}: "running", {false, true}: "not running", {false, false}: "unknown"}[[2]bool{alive, known}] + ": " + why
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAFileIsOfTheTimeWhenKubeletsLastRenewedTheirLeases(t *testing.T) {
	const (
		node = "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: a, namespace: kube-node-lease}, spec: {renewTime: '2026-07-01T11:59:00.000000Z'}}\n---\n"
		cm   = "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: cm, namespace: kube-system}, spec: {renewTime: '2026-07-01T11:59:03.000000Z'}}\n---\n"
		pod  = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: dev, creationTimestamp: '2026-07-01T11:59:05Z'}}\n---\n"
	)
	for name, c := range map[string]struct {
		file    string
		written time.Duration // after 11:59
		want    time.Duration // the same
	}{
		"just written":                 {node + cm, 20 * time.Second, 20 * time.Second},
		"a copy":                       {node + cm, time.Hour, 3 * time.Second},
		"a copy, with a new pod":       {node + cm + pod, time.Hour, 5 * time.Second},
		"written before, by its clock": {node + pod, -time.Hour, 5 * time.Second},
		"a node's clock is ahead":      {node + cm + strings.NewReplacer("name: a", "name: b", "11:59:00", "12:40:00").Replace(node), 2 * time.Hour, 3 * time.Second},
		"no Leases of nodes":           {cm + pod, time.Hour, time.Hour},
	} {
		begin := time.Date(2026, 7, 1, 11, 59, 0, 0, time.UTC)
		f, err := Read(strings.NewReader(c.file+"{apiVersion: v1, kind: Node, metadata: {name: a}}\n"), ReadOptions{Taken: begin.Add(c.written)})
		if err != nil {
			t.Fatal(name, err)
		}
		if got := f.Info.Taken.Sub(begin); got != c.want {
			t.Errorf("%s: it is of %v, not of %v", name, got, c.want)
		}
	}
}

func TestTheLeaseOfANodeIsReadFromAFile(t *testing.T) {
	f, err := Read(strings.NewReader("{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: a, namespace: kube-node-lease}, spec: {renewTime: '2026-07-01T11:59:00.000000Z'}}\n"+
		"---\n{apiVersion: v1, kind: Node, metadata: {name: a}}\n"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if at, err := f.NodeLease(t.Context(), "a"); err != nil || !at.Equal(time.Date(2026, 7, 1, 11, 59, 0, 0, time.UTC)) {
		t.Errorf("%v, %v", at, err)
	}
	if _, err := f.NodeLease(t.Context(), "b"); err == nil {
		t.Error("a Lease that is not in the file was found")
	}
}
