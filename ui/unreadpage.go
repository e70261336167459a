package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// leavesOpen says what cannot be told where a resource could not be read: the
// plugins that look at it, or what else it is read for.
var leavesOpen = map[string]string{
	"nodes":                  "every plugin: no verdict can be given but kube-scheduler's own words",
	"pods":                   "NodeResourcesFit, NodePorts, VolumeRestrictions, NodeVolumeLimits, PodTopologySpread, InterPodAffinity",
	"namespaces":             "InterPodAffinity, for terms with a namespaceSelector",
	"persistentvolumes":      "VolumeBinding, VolumeZone, NodeVolumeLimits, for pods with claims",
	"persistentvolumeclaims": "VolumeRestrictions, VolumeBinding, VolumeZone, NodeVolumeLimits, for pods with claims",
	"storageclasses":         "VolumeBinding, VolumeZone, for pods with claims",
	"csinodes":               "NodeVolumeLimits, for pods with claims",
	"csidrivers":             "VolumeBinding, NodeVolumeLimits, for pods with claims",
	"csistoragecapacities":   "VolumeBinding, for claims without a volume",
	"volumeattachments":      "NodeVolumeLimits, for pods with claims",
	"resourceclaims":         "DynamicResources, for pods with device claims",
	"resourceslices":         "DynamicResources, for pods with device claims",
	"deviceclasses":          "DynamicResources and NodeResourcesFit, for pods that want devices",
	"devicetaintrules":       "DynamicResources, for pods with device claims",
	"poddisruptionbudgets":   "preemption: which pods it would end",
	"services":               "no verdict: only where default spreading would rank nodes",
	"replicationcontrollers": "no verdict: only where default spreading would rank nodes",
	"replicasets":            "pods that were not created, and where default spreading would rank nodes",
	"statefulsets":           "no verdict: only where default spreading would rank nodes",
	"leases":                 "whether the scheduler that a pod names is alive",
	"resourcequotas":         "why pods were not created",
	"events":                 "pods of StatefulSets, DaemonSets and Jobs that were not created; the events on Why, and the autoscaler's words",
	"limitranges":            "why pods were not created",
	"daemonsets":             "pods of DaemonSets that were not created",
	"jobs":                   "pods of Jobs that were not created",
}

// unread is the page of what could not be read. Rights are won and lost, and of a
// recording each step has its own.
type unread struct {
	textPage
}

func newUnread(a *App) view {
	u := &unread{textPage: textPage{page: page{app: a}, path: []string{"not read"}}}
	u.tell(a.observed.snapshot.Status)
	return u
}

func (u *unread) tell(status model.Status) {
	u.sentence = unreadAnswer(status)
	u.fill(strings.Join(unreadLines(status), "\n"))
}

func (u *unread) update(msg tea.Msg) tea.Cmd {
	if s, ok := msg.(snapshotMsg); ok {
		u.tell(s.snapshot.Status)
		u.scroll(0)
		return nil
	}
	return u.textPage.update(msg)
}

// unreadAnswer counts what could not be read.
func unreadAnswer(status model.Status) string {
	n := len(status.Unread)
	switch {
	case n == 0 && status.MetricsNote == "":
		return "Everything was read."
	case n == 0:
		return "Everything was read but metrics."
	case status.MetricsNote == "":
		return figures.Count(n, "resource", "resources") + " could not be read."
	}
	return figures.Count(n, "resource", "resources") + " and metrics could not be read."
}

// unreadLines tell what could not be read, why, and what that leaves open.
func unreadLines(status model.Status) []string {
	var lines []string
	tell := func(what, why, open string) {
		lines = append(lines, model.Clean(what), "  why   "+model.Clean(why), "  open  "+open, "")
	}
	for _, unread := range slices.SortedFunc(slices.Values(status.Unread), func(a, b model.Unread) int {
		return strings.Compare(a.Resource+"."+a.Group, b.Resource+"."+b.Group)
	}) {
		open, known := leavesOpen[unread.Resource]
		if !known {
			open = "not known"
		}
		what := unread.Resource
		if unread.Group != "" {
			what += "." + unread.Group
		}
		tell(what, unread.Why, open)
	}
	if status.MetricsNote != "" {
		tell("metrics.k8s.io", status.MetricsNote, "what is used of cpu and memory; no verdict depends on it")
	}
	if status.Namespace != "" {
		lines = append(lines, "Only the pods of namespace "+model.Clean(status.Namespace)+" could be read: what others hold is not known.")
	}
	return lines
}
