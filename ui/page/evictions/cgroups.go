package evictions

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// cgroups is the page of the cgroups of a pod.
type cgroups struct {
	page.Text
	node   string
	config *config
	pod    *model.Pod
}

func newCgroups(h page.Host, of *config, pod *model.Pod) *cgroups {
	p := &cgroups{node: of.node, config: of, pod: pod}
	p.Host = h
	return p
}

// Resize implements page.View.
func (p *cgroups) Resize(width, height int) {
	p.Text.Resize(width, height)
	p.Content.SetText(strings.Join(p.lines(), "\n"))
}

// lines are the cgroups that the pod is in, and its own.
func (p *cgroups) lines() []string {
	node, ok := p.Host.Observed().Snapshot.Node(p.node)
	if !ok {
		return nil
	}
	var lines []string
	differ, own := false, p.own(node)
	for i := range own {
		lines = append(lines, own[i].Lines(p.Width-1)...)
		differ = differ || own[i].HasNewer()
	}
	lines = append(lines, "")
	if differ {
		lines = append(lines, kubelet.NewerWords)
	}
	if p.config.poll.Value == nil {
		lines = append(lines, "cgroupfs: kubectl fathom get cgroups NODE --driver cgroupfs")
	}
	return append(lines, "cgroup v1: kubectl fathom get cgroups NODE --v1")
}

// own are the cgroups of the pod and those above it.
func (p *cgroups) own(node *model.Node) []kubelet.Cgroup {
	all := p.config.poll.Value.Driver().Cgroups(node)
	var own []kubelet.Cgroup
	for _, c := range all {
		if c.Namespace == p.pod.Object.Namespace && c.Pod == p.pod.Object.Name {
			own = append(own, c)
		}
	}
	if len(own) == 0 {
		return nil
	}
	var above []kubelet.Cgroup
	for _, c := range all {
		if c.Pod == "" && strings.HasPrefix(own[0].Path, c.Path+"/") {
			above = append(above, c)
		}
	}
	return append(above, own...)
}

// Crumbs implements page.View.
func (p *cgroups) Crumbs() []string {
	return []string{"nodes", p.Host.Observed().NodeName(p.node), p.pod.FullName(), "cgroups"}
}

// Answer implements page.View.
func (p *cgroups) Answer(int) string {
	if _, gone := page.PodIn(p.Host.Observed().Snapshot, p.pod); gone {
		return model.Clean(page.AbsentPod(p.Host.Observed(), p.pod, p.pod.FullName()))
	}
	driver := "systemd"
	if p.config.poll.Value.Driver().Cgroupfs {
		driver = "cgroupfs"
	}
	return "Computed for " + driver + " and cgroup v2: " + p.config.source() + "."
}

// Update implements page.View.
func (p *cgroups) Update(msg tea.Msg) tea.Cmd {
	if shown, ok := msg.(page.SnapshotMsg); ok {
		p.Content.SetText(strings.Join(p.lines(), "\n"))
		if shown.Shown {
			return p.config.ask(p.Host, p)
		}
		return nil
	}
	if news, cmd := p.config.poll.Update(p.Host, p, msg); news != page.NoNews {
		p.Content.SetText(strings.Join(p.lines(), "\n"))
		return cmd
	}
	return p.Text.Update(msg)
}
