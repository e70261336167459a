package get

import (
	"context"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// kubeletField is the field of a list with the configuration of the node's kubelet.
const kubeletField = "kubelet"

// kubeletConfig is the configuration of a node's kubelet; nil where it cannot be read, and why.
func kubeletConfig(ctx context.Context, live *source.Live, node string) (config *kubelet.Config, why string) {
	if live.Client == nil {
		return nil, "a file does not have it"
	}
	config, err := cluster.KubeletConfig(ctx, live.Reader(), node)
	if err != nil {
		return nil, terminal.OneLine(strings.TrimPrefix(err.Error(), "read the kubelet's configuration: "))
	}
	return config, ""
}

// thresholdLines tell at which thresholds the kubelet evicts, and what else of its configuration
// decides how it treats pods.
func thresholdLines(config *kubelet.Config, why string) []string {
	if config == nil {
		return []string{"Thresholds are the kubelet's defaults, " + strings.Join(kubelet.DefaultThresholds, ", ") + ". Its configuration cannot be read: " + why + "."}
	}
	lines := []string{"Evicts at: " + strings.Join(config.EvictionHard, ", ")}
	if len(config.EvictionHard) == 0 {
		lines[0] = "Evicts at: no hard threshold"
	}
	if len(config.EvictionSoft) > 0 {
		lines = append(lines, "Evicts after a grace period at: "+strings.Join(config.EvictionSoft, ", "))
	}
	return append(lines, "CPU manager policy "+config.CPUManagerPolicy+", memory manager policy "+config.MemoryManagerPolicy+
		", topology manager policy "+config.TopologyManagerPolicy+" (scope "+config.TopologyManagerScope+")")
}
