package evictions

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// cgroups is the page of the cgroups of a node, or of one of its pods.
type cgroups struct {
	page.Text
	node   string
	config *config
	pod    *model.Pod // nil: of all pods
}

// NewCgroups is the page of the cgroups of a node.
func NewCgroups(h page.Host, node string) page.View { return newCgroups(h, &config{node: node}, nil) }

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

// lines are the cgroups of the node, or those that the pod is in and its own.
func (p *cgroups) lines() []string {
	seen := p.Host.Observed()
	node, ok := seen.Snapshot.Node(p.node)
	if !ok || p.pod == nil && seen.PodsUnknown() != "" {
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
		lines = append(lines, "cgroupfs: kubectl fathom get cgroups "+model.Clean(p.node)+" --driver cgroupfs")
	}
	return append(lines, "cgroup v1: kubectl fathom get cgroups "+model.Clean(p.node)+" --v1")
}

// own are the cgroups of the pod and those above it; without a pod all.
func (p *cgroups) own(node *model.Node) []kubelet.Cgroup {
	all := p.config.poll.Value.Driver().Cgroups(node)
	if p.pod == nil {
		return all
	}
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
	crumbs := []string{"nodes", p.Host.Observed().NodeName(p.node)}
	if p.pod != nil {
		crumbs = append(crumbs, p.pod.FullName())
	}
	return append(crumbs, "cgroups")
}

// Answer implements page.View.
func (p *cgroups) Answer(int) string {
	seen := p.Host.Observed()
	_, there := seen.Snapshot.Node(p.node)
	switch why := seen.PodsUnknown(); {
	case !there && !seen.IsReading():
		return page.AbsentNode(seen, nil, model.Clean(seen.NodeName(p.node)))
	case p.pod == nil && why != "":
		return "Not all pods of the node are known: " + why + "."
	case p.pod == nil:
		return p.computed()
	}
	if _, gone := page.PodIn(p.Host.Observed().Snapshot, p.pod); gone {
		return model.Clean(page.AbsentPod(p.Host.Observed(), p.pod, p.pod.FullName()))
	}
	return p.computed()
}

// computed says by what the cgroups are computed.
func (p *cgroups) computed() string {
	driver := "systemd"
	if p.config.poll.Value.Driver().Cgroupfs {
		driver = "cgroupfs"
	}
	return "Computed for " + driver + " and cgroup v2 " + p.config.source() + "."
}

// Update implements page.View.
func (p *cgroups) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(page.SnapshotMsg); ok {
		p.Content.SetText(strings.Join(p.lines(), "\n"))
		return p.config.ask(p.Host, p)
	}
	if news, cmd := p.config.poll.Update(p.Host, p, msg); news != page.NoNews {
		p.Content.SetText(strings.Join(p.lines(), "\n"))
		return cmd
	}
	return p.Text.Update(msg)
}

// Leave ends what nobody will look at.
func (p *cgroups) Leave() { p.config.leave() }
