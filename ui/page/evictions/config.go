package evictions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// config is the configuration of a node's kubelet, which is asked for once.
type config struct {
	node string
	poll page.Poll[*kubelet.Config]
}

// ask asks for it on behalf of a page, unless it is known already, or why it is not.
func (c *config) ask(h page.Host, v page.View) tea.Cmd {
	if c.poll.Value != nil || c.poll.Trouble != nil {
		return nil
	}
	return c.poll.AskNow(h, v, func(ctx context.Context, cluster page.Cluster) (*kubelet.Config, error) {
		return cluster.KubeletConfig(ctx, c.node)
	})
}

// source says whether the figures are by the kubelet's configuration.
func (c *config) source() string {
	if c.poll.Value != nil {
		return "by the kubelet's configuration"
	}
	return "by kubelet defaults (configz not readable)"
}

// thresholds are those at which the kubelet evicts: its own ones, else the defaults.
func (c *config) thresholds() string {
	of := c.poll.Value
	if of == nil {
		return "Evicts at (kubelet defaults): " + strings.Join(kubelet.DefaultThresholds, ", ") + "."
	}
	told := slices.Concat(of.EvictionHard, of.EvictionSoft)
	if len(told) == 0 {
		return "Evicts at no threshold."
	}
	return "Evicts at: " + strings.Join(told, ", ") + "."
}

// pinned says which CPUs of a pod are pinned; "" where none could be.
func (c *config) pinned(cpus int64) string {
	count := grammar.Count(int(cpus), "CPU", "CPUs")
	switch pins, known := c.poll.Value.PinsCPUs(); {
	case cpus == 0:
		return ""
	case !known:
		return fmt.Sprintf("The static CPU manager policy, where it is on, pins %s.", count)
	case pins:
		return "CPU manager policy static: " + count + " pinned."
	}
	return "CPU manager policy " + model.Clean(c.poll.Value.CPUManagerPolicy) + ": no CPUs pinned."
}

// aligned says what the topology manager aligns of a pod; "" where that is nothing.
func (c *config) aligned(pod *model.Pod) string {
	aligned := c.poll.Value.Aligned(pod.Object)
	if len(aligned) == 0 {
		return ""
	}
	what := strings.Join(aligned, "; ")
	if of := c.poll.Value; of != nil {
		return fmt.Sprintf("Topology manager policy %s, scope %s, aligns %s.", of.TopologyManagerPolicy, of.TopologyManagerScope, what)
	}
	return "A topology manager policy, where one is set, aligns " + what + "."
}
