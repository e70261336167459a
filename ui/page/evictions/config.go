package evictions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// config is the configuration of a node's kubelet, which is asked for until it is known.
type config struct {
	node  string
	asked time.Time // zero: it was not, or the page was left before the answer
	poll  page.Poll[*kubelet.Config]
}

// leave ends a question that nobody waits for.
func (c *config) leave() {
	if c.poll.Leave(); c.poll.Value == nil && c.poll.Trouble == nil {
		c.asked = time.Time{}
	}
}

// retryAfter is after how long it is asked for again where it could not be read.
const retryAfter = time.Minute

// ask asks for it on behalf of a page, unless it is known already or was asked for just now.
func (c *config) ask(h page.Host, v page.View) tea.Cmd {
	at := h.Observed().At
	if c.poll.Value != nil || h.Observed().IsReading() || !c.asked.IsZero() && at.Sub(c.asked) < retryAfter {
		return nil
	}
	c.asked = at
	return c.poll.AskNow(h, v, func(ctx context.Context, cluster page.Cluster) (*kubelet.Config, error) {
		return cluster.KubeletConfig(ctx, c.node)
	})
}

// source says whether the figures are by the kubelet's configuration.
func (c *config) source() string {
	switch {
	case c.poll.Value != nil:
		return "by the kubelet's configuration"
	case c.poll.Trouble != nil:
		return "by kubelet defaults (configz not readable)"
	}
	return "by kubelet defaults"
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
	aligned := c.poll.Value.Aligned(model.Granted(pod.Object))
	if len(aligned) == 0 {
		return ""
	}
	what := strings.Join(aligned, "; ")
	if of := c.poll.Value; of != nil {
		verb := "aligns"
		if of.TopologyManagerPolicy == "best-effort" {
			verb = "tries to align"
		}
		return fmt.Sprintf("Topology manager policy %s, scope %s, %s %s.", of.TopologyManagerPolicy, of.TopologyManagerScope, verb, what)
	}
	return "A topology manager policy, where one is set, aligns " + what + "."
}
