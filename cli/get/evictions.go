package get

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// evictions lists the pods of a node in the order in which its kubelet evicts them. The
// ranks are those among all pods of the node, whatever the scope takes.
func evictions(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	node, err := g.node(live, "get evictions")
	if err != nil {
		return nil, err
	}
	usage, err := g.usage(ctx, live)
	if err != nil {
		return nil, err
	}
	l := &output.List{
		Kind:  "EvictionList",
		Heads: []string{"NAMESPACE", "NAME", "MEMORY", "DISK", "PID", "QOS", "PRIORITY", "USED", "REQUESTED", "OOM"},
		More:  []string{"PINNED CPUS", "NEVER EVICTED", "WHY THIS QOS"},
		Empty: g.scope.Empty("pods of node " + node.Name),
	}
	config, why := kubeletConfig(ctx, live, node.Name)
	all := kubelet.Evictions(node, usage)
	l.Extra, l.Notes = map[string]any{kubeletField: config}, thresholdLines(config, why)
	if config == nil && slices.ContainsFunc(all, func(e kubelet.Eviction) bool { return e.Pinned > 0 }) {
		l.Notes[0] += " So it is unknown whether the CPU manager pins CPUs: by default it pins none."
	}
	most := slices.IndexFunc(all, func(e kubelet.Eviction) bool { return e.Never != "" })
	if most < 0 {
		most = len(all)
	}
	for i := range all {
		e := &all[i]
		e.PinnedNow = config.PinnedCPUs(e.Pinned)
		if config != nil {
			e.Aligned = config.Aligned(model.Granted(e.Pod.Object))
		}
		if !g.scope.Holds(e.Pod) {
			continue
		}
		l.Add(e,
			e.Namespace,
			e.Name,
			rankText(e.Ranks.Memory, most),
			rankText(e.Ranks.Disk, most),
			rankText(e.Ranks.PIDs, most),
			string(e.Class),
			strconv.Itoa(int(e.Priority)),
			memoryText(e),
			requestText(e),
			figureOr(e.Score()),
			pinnedText(e),
			orNone(e.Never),
			e.WhyClass,
		)
		l.Names = append(l.Names, "pod/"+e.Name)
	}
	return l, nil
}

// node is the one that the command line names, with all of its pods.
func (g *Options) node(live *source.Live, verb string) (*model.Node, error) {
	names, err := named.ParseNodes(verb, []string{g.object})
	if err != nil {
		return nil, err
	}
	for _, resource := range []string{"nodes", "pods"} {
		if err := live.Unread(resource); err != nil {
			return nil, fmt.Errorf("%s %s: %w", verb, names[0], err)
		}
	}
	if namespace := live.Snapshot.Status.Namespace; namespace != "" {
		return nil, fmt.Errorf("%s %s: only pods of namespace %s can be read, and the node may have others", verb, names[0], namespace)
	}
	if err := named.Nodes(live, verb, names); err != nil {
		return nil, err
	}
	node, _ := live.Snapshot.Node(names[0])
	return node, nil
}

// usage is what metrics.k8s.io says; nil where it says nothing, which is reported.
func (g *Options) usage(ctx context.Context, live *source.Live) (*model.Usage, error) {
	unknown := errors.New("metrics are not in the file")
	if ask := live.Source().Usage; ask != nil {
		usage, err := ask(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && usage != nil:
			return usage, nil
		case err != nil:
			unknown = err
		case live.Source().Status().MetricsNote != "":
			unknown = errors.New(live.Source().Status().MetricsNote)
		}
	}
	g.Say(fmt.Errorf("usage is unknown: %w", unknown))
	return nil, nil //nolint:nilnil // what is used is not known
}

// rankText is the place of a pod among so many; "?" where nothing is known of it.
func rankText(r *kubelet.Rank, most int) string {
	switch {
	case r == nil:
		return "never"
	case r.Exact():
		return strconv.Itoa(r.First)
	case r.First == 1 && r.Last == most:
		return model.UnknownFigure
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// pinnedText is how many CPUs are pinned to a pod; "?" where that is not known.
func pinnedText(e *kubelet.Eviction) string {
	if e.PinnedNow == nil {
		return model.UnknownFigure
	}
	return strconv.FormatInt(*e.PinnedNow, 10)
}

// memoryText is what a pod uses of memory.
func memoryText(e *kubelet.Eviction) string {
	if e.Used == nil {
		return model.UnknownFigure
	}
	return model.FormatMemory(e.Used.Memory, model.Nearest)
}

// requestText is what a pod requests of memory.
func requestText(e *kubelet.Eviction) string {
	if request := e.Request(); request > 0 {
		return model.FormatMemory(request, model.Nearest)
	}
	return "<none>"
}
