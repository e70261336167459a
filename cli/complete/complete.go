// Package complete completes what the cluster, the kubeconfig and the lessons name.
package complete

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Completer completes what the cluster, the kubeconfig and the lessons name.
type Completer struct{ source *source.Options }

// New makes a completer of what a source names.
func New(from *source.Options) Completer { return Completer{source: from} }

// Labels completes node or pod, then the names.
func (c Completer) Labels(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch {
	case len(args) == 0:
		return []cobra.Completion{"node", "pod"}, cobra.ShellCompDirectiveNoFileComp
	case slices.Contains(named.PodKinds, args[0]):
		return c.Pods(cmd, args[1:], begun)
	}
	return c.Nodes(cmd, args[1:], begun)
}

// completionTime is how long a shell waits for names.
const completionTime = 3 * time.Second

// Nodes completes the names of nodes.
func (c Completer) Nodes(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return c.names(cmd.Context(), args, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
		nodes, err := listNodes(ctx, client)
		return namesOf(nodes), err
	})
}

func listNodes(ctx context.Context, client kubernetes.Interface) ([]corev1.Node, error) {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Fit completes the flags of fit that name nodes, pools and zones.
func (c Completer) Fit(cmd *cobra.Command) {
	of := func(list func([]corev1.Node) []string) cobra.CompletionFunc {
		return func(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return c.names(cmd.Context(), nil, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
				nodes, err := listNodes(ctx, client)
				return list(nodes), err
			})
		}
	}
	for flag, complete := range map[string]cobra.CompletionFunc{"like": of(namesOf), "pool": of(poolsOf), "lose": of(losableOf)} {
		if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err) // no such flag: a mistake in this package
		}
	}
}

// poolsOf are the pools of nodes, by the label of the settings or one that is known.
func poolsOf(nodes []corev1.Node) []string {
	label := ""
	if set, err := settings.Used(settings.PoolLabel); err == nil {
		label = set.PoolLabel
	}
	var pools []string
	for i := range nodes {
		if pool := model.PoolOf(&nodes[i], label); pool != "" {
			pools = append(pools, pool)
		}
	}
	return pools
}

// losableOf is what --lose takes: nodes, and their zones and pools.
func losableOf(nodes []corev1.Node) []string {
	names := namesOf(nodes)
	for i := range nodes {
		if zone := nodes[i].Labels[corev1.LabelTopologyZone]; zone != "" {
			names = append(names, "zone="+zone)
		}
	}
	for _, pool := range poolsOf(nodes) {
		names = append(names, "pool="+pool)
	}
	return names
}

// errReadOnce says that standard input cannot be read for names: the command needs it.
var errReadOnce = errors.New("standard input is read once")

// reader reads the cluster, or the file that --from names. end closes it.
func (c Completer) reader(ctx context.Context) (reader kubernetes.Interface, end func(), err error) {
	switch c.source.From {
	case "":
		client, err := c.source.Connect(ctx, "", nil)
		if err != nil {
			return nil, nil, err
		}
		return client.Reader(), client.Close, nil
	case "-":
		return nil, nil, errReadOnce
	}
	from, streams := *c.source, *c.source.Streams
	streams.ErrOut, from.Streams = io.Discard, &streams // what it says of the file would stand on the command line
	file, err := from.ReadFrom(ctx)
	if err != nil {
		return nil, nil, err
	}
	cluster, err := file.Source()
	if err != nil {
		return nil, nil, err
	}
	return cluster.Client, func() {}, nil
}

// names completes names that the cluster has. Errors are not reported: a shell shows
// none.
func (c Completer) names(ctx context.Context, args []string, begun string, list func(context.Context, kubernetes.Interface) ([]string, error)) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	reader, end, err := c.reader(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer end()
	names, err := list(ctx, reader)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, begun) || slices.Contains(args, name) })
	slices.Sort(names)
	names = slices.Compact(names)
	return names, cobra.ShellCompDirectiveNoFileComp
}

// Pods completes the names of pods: of the namespace that is typed before
// them, of that of -n or the context, or of all namespaces with it before the name.
func (c Completer) Pods(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return c.names(cmd.Context(), args, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
		namespace, prefix := c.source.Namespace(ctx), ""
		if first, _, cut := strings.Cut(begun, "/"); cut {
			prefix = first + "/"
			if !slices.Contains(named.PodKinds, strings.ToLower(first)) {
				namespace = first
			}
		}
		list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return nil, err
		}
		var names []string
		for i := range list.Items {
			name := prefix + list.Items[i].Name
			if namespace == "" && prefix == "" {
				name = list.Items[i].Namespace + "/" + name
			}
			names = append(names, name)
		}
		return names, nil
	})
}

// Explain completes the pod or the workload that explain is about, also after its kind.
func (c Completer) Explain(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	kind, prefix := "", ""
	if first, _, cut := strings.Cut(begun, "/"); cut {
		kind, prefix = named.WorkloadKind(first), first+"/"
	}
	if len(args) == 1 {
		kind, prefix = named.WorkloadKind(args[0]), ""
	}
	switch {
	case kind != "":
		return c.names(cmd.Context(), nil, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
			names, err := named.OfKind(ctx, client, kind, c.source.Namespace(ctx))
			for i := range names {
				names[i] = prefix + names[i]
			}
			return names, err
		})
	case len(args) == 1 && !slices.Contains(named.PodKinds, strings.ToLower(args[0])):
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.Pods(cmd, nil, begun)
}

// Workloads completes KIND/NAME of Deployments and StatefulSets.
func (c Completer) Workloads(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.names(cmd.Context(), nil, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
		options := metav1.ListOptions{ResourceVersion: "0"}
		deployments, err := client.AppsV1().Deployments(c.source.Namespace(ctx)).List(ctx, options)
		if err != nil {
			return nil, err
		}
		sets, err := client.AppsV1().StatefulSets(c.source.Namespace(ctx)).List(ctx, options)
		if err != nil {
			return nil, err
		}
		var names []string
		for i := range deployments.Items {
			names = append(names, "deployment/"+deployments.Items[i].Name)
		}
		for i := range sets.Items {
			names = append(names, "statefulset/"+sets.Items[i].Name)
		}
		return names, nil
	})
}

// Taints completes nodes, and once one is named the taints in use, and to
// be removed those that it has.
func (c Completer) Taints(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return c.names(cmd.Context(), args, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
		nodes, err := listNodes(ctx, client)
		if err != nil {
			return nil, err
		}
		names := namesOf(nodes)
		if len(args) == 0 {
			return names, nil
		}
		for i := range nodes {
			for _, taint := range nodes[i].Spec.Taints {
				names = append(names, taint.ToString())
				if slices.Contains(args, nodes[i].Name) {
					names = append(names, taint.ToString()+"-")
				}
			}
		}
		return names, nil
	})
}

func namesOf(nodes []corev1.Node) []string {
	names := make([]string, 0, len(nodes))
	for i := range nodes {
		names = append(names, nodes[i].Name)
	}
	return names
}

// Connection completes the flags that say which namespace and context, as kubectl does.
func (c Completer) Connection(cmd *cobra.Command) {
	for flag, complete := range map[string]cobra.CompletionFunc{"namespace": c.namespaces, "context": c.contexts} {
		if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err) // no such flag: a mistake in this package
		}
	}
}

// namespaces completes the names of the cluster's namespaces.
func (c Completer) namespaces(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return c.names(cmd.Context(), nil, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
		list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return nil, err
		}
		var names []string
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
		if len(names) > 0 || c.source.From == "" {
			return names, nil
		}
		pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{}) // a file need not have Namespaces
		if err != nil {
			return nil, err
		}
		for i := range pods.Items {
			names = append(names, pods.Items[i].Namespace)
		}
		return names, nil
	})
}

// contexts completes the names of the kubeconfig's contexts.
func (c Completer) contexts(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	config, err := input.UnlessEnded(cmd.Context(), c.source.Flags.ToRawKubeConfigLoader().RawConfig)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := slices.Sorted(maps.Keys(config.Contexts))
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, begun) })
	return names, cobra.ShellCompDirectiveNoFileComp
}

// Lesson completes the names of lessons, each with its title, and files.
func Lesson(cmd *cobra.Command) {
	complete := func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		all, err := lessons.All()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []cobra.Completion
		for _, lesson := range all {
			names = append(names, cobra.CompletionWithDesc(lesson.Name, lesson.Title))
		}
		return names, cobra.ShellCompDirectiveDefault
	}
	if err := cmd.RegisterFlagCompletionFunc("lesson", complete); err != nil {
		panic(err) // no such flag: a mistake in this package
	}
}
