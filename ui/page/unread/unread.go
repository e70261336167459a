// Package unread is the page of the resources that could not be read.
package unread

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// leavesOpen says what is unknown where a resource could not be read: the results of
// the plugins that use it, or what else it is read for.
var leavesOpen = map[string]string{
	"nodes":                  "all verdicts: only kube-scheduler's message is shown",
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
	"deviceclasses":          "DynamicResources and NodeResourcesFit, for pods that request devices",
	"devicetaintrules":       "DynamicResources, for pods with device claims",
	"podgroups":              "GangScheduling, for pods of PodGroups",
	"compositepodgroups":     "GangScheduling, for pods of CompositePodGroups",
	"poddisruptionbudgets":   "preemption: which pods it would evict",
	"services":               "scores of default spreading only; verdicts are complete",
	"replicationcontrollers": "pods that were not created, and scores of default spreading",
	"replicasets":            "pods that were not created, and scores of default spreading",
	"statefulsets":           "pods that were not created, and scores of default spreading",
	"leases":                 "whether the scheduler of a pod is running",
	"resourcequotas":         "why pods were not created",
	"events":                 "pods of StatefulSets, DaemonSets and Jobs that were not created; the events on Why, and the autoscaler's messages",
	"limitranges":            "why pods were not created",
	"priorityclasses":        "why pods were not created, and which class is the global default",
	"runtimeclasses":         "why pods were not created",
	"daemonsets":             "pods of DaemonSets that were not created",
	"jobs":                   "pods of Jobs that were not created",
}

// Page is the page. It follows each snapshot: permissions change, and each step of a
// recording has its own.
type Page struct {
	page.Text
	sentence string
}

// New makes the page.
func New(h page.Host) *Page {
	p := &Page{Text: page.Text{Base: page.Base{Host: h}}}
	p.show(h.Observed().Snapshot.Status)
	return p
}

func (p *Page) show(status model.Status) {
	p.sentence = unreadAnswer(status)
	p.Content.SetText(strings.Join(unreadLines(status), "\n"))
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string { return []string{"not read"} }

// ShowsUsage says that the page tells whether metrics could be read.
func (p *Page) ShowsUsage() bool { return true }

// Answer implements page.View.
func (p *Page) Answer(int) string { return p.sentence }

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if s, ok := msg.(page.SnapshotMsg); ok {
		p.show(s.Snapshot.Status)
		p.Content.Scroll(0)
		return nil
	}
	return p.Text.Update(msg)
}

// unreadAnswer counts the resources that could not be read.
func unreadAnswer(status model.Status) string {
	n := len(status.Unread)
	switch {
	case n == 0 && status.MetricsNote == "":
		return "Everything was read."
	case n == 0:
		return "Everything was read except metrics."
	case status.MetricsNote == "":
		return figures.Count(n, "resource", "resources") + " could not be read."
	}
	return figures.Count(n, "resource", "resources") + " and metrics could not be read."
}

// unreadLines are the resources that could not be read, why, and what that leaves
// unknown.
func unreadLines(status model.Status) []string {
	var lines []string
	tell := func(what, why, open string) {
		lines = append(lines, model.Clean(what), "  why      "+model.Clean(why), "  unknown  "+open, "")
	}
	for _, unread := range slices.SortedFunc(slices.Values(status.Unread), func(a, b model.Unread) int {
		return strings.Compare(a.Resource+"."+a.Group, b.Resource+"."+b.Group)
	}) {
		open, known := leavesOpen[unread.Resource]
		if !known {
			open = "not listed here"
		}
		what := unread.Resource
		if unread.Group != "" {
			what += "." + unread.Group
		}
		tell(what, unread.Why, open)
	}
	if status.MetricsNote != "" {
		tell("metrics.k8s.io", status.MetricsNote, "usage of cpu and memory; no verdict depends on it")
	}
	if status.Namespace != "" {
		lines = append(lines, "Pods outside namespace "+model.Clean(status.Namespace)+" could not be read.")
	}
	return lines
}
