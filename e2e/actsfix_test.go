package e2e

import (
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// picky is a pod that only std-3 may have, to which kwok gives 1000 cpus. It does not fit
// there beside rival, whose priority is higher.
const (
	picky = `{apiVersion: v1, kind: Pod, metadata: {namespace: default, name: picky}, spec: {nodeSelector: {kubernetes.io/hostname: std-3}, ` +
		`containers: [{name: main, image: x, resources: {requests: {cpu: "600"}}}]}}`
	rival = `{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: default, name: rival}, spec: {priorityClassName: high, nodeSelector: {kubernetes.io/hostname: std-3}, ` +
		`containers: [{name: main, image: x, resources: {requests: {cpu: "600"}}}]}}`
)

// A fix that the dashboard carries out is followed until kube-scheduler has given the pod
// its node, or another pod.
func TestThePodOfAFixIsFollowed(t *testing.T) {
	a := startActing(t)
	t.Run("it gets its node", func(t *testing.T) {
		a.of(t).uncordonsFor(picky)
		s := a.fixes("picky")
		s.fix(`uncordon std-3`)
		s.shows(`^ picky is on std-3 \((at once|after \d+s)\)\.$`)
		s.press("z")
		s.shows(`^▸ +uncordon std-3 .* done → picky on std-3`)
		s.leave()
	})
	t.Run("another pod came first", func(t *testing.T) {
		s := a.of(t).outrun()
		s.press("3N")
		s.shows(`› default/picky › fixes`)
		s.shows(`^ default/rival took std-3\. `)
		s.shows(`^▸[$· ] ✓ `)
		s.leave()
	})
}

// outrun carries out the fix of picky until rival comes first. Their back-off decides which of
// them kube-scheduler tries first: where it is picky, rival preempts it, and it is gone.
func (a *acting) outrun() screen {
	a.t.Helper()
	const took = `^ default/rival took std-3 before picky · N fixes again$`
	for range 6 {
		a.uncordonsFor(picky, rival)
		s := a.fixes("picky")
		s.fix(`uncordon std-3`)
		s.shows(took + `|^ Deleted\.`)
		if slices.ContainsFunc(s.Lines(), regexp.MustCompile(took).MatchString) {
			return s
		}
		s.leave()
	}
	a.t.Fatal("picky came first each time")
	return screen{}
}

// uncordonsFor cordons std-3, empties it, and creates pods that wait for it.
func (a *acting) uncordonsFor(manifests ...string) {
	a.t.Helper()
	kubectl(a.t, a.ControlPlane, "", "cordon", "std-3")
	kubectl(a.t, a.ControlPlane, "", "delete", "pod", "-l", "!app", "--now")
	for _, manifest := range manifests {
		kubectl(a.t, a.ControlPlane, manifest, "apply", "-f", "-")
	}
	eventually(a.t, "the pods are unschedulable", func(ctx context.Context) (bool, error) {
		list, err := a.client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName="})
		if err != nil || len(list.Items) != len(manifests) {
			return false, err
		}
		for i := range list.Items {
			if len(list.Items[i].Status.Conditions) == 0 {
				return false, nil
			}
		}
		return true, nil
	})
}

// fixes opens the fixes of a pending pod, and waits until all were simulated: until then
// the rows change their order under the cursor.
func (a *acting) fixes(pod string) screen {
	a.t.Helper()
	s := open(a.t, 100, 30, "--kubeconfig", a.config)
	s.shows(`› pending.* live$`)
	s.choose(pod)
	s.press("f")
	s.shows(`› fixes`)
	s.shows(`FIX .*FITS`)
	s.hides(`Simulating fixes`)
	return s
}

// fix plans and confirms the fix of that title.
func (s screen) fix(title string) {
	s.t.Helper()
	chosen := regexp.MustCompile(`▸.*` + title)
	for range 20 {
		if slices.ContainsFunc(s.Lines(), chosen.MatchString) {
			break
		}
		s.press("j")
		time.Sleep(50 * time.Millisecond)
	}
	s.shows(chosen.String())
	s.press(enter)
	s.shows(`esc cancel`)
	s.answer("y")
}
