package get

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
)

// cgroupFlags are those of get cgroups.
type cgroupFlags struct {
	driver    string
	v1        bool
	memoryQoS bool
}

const (
	systemd  = "systemd"
	cgroupfs = "cgroupfs"
)

// addFlags adds the flags. They are of one view only, so that the help leaves them out;
// the user guide has them.
func (f *cgroupFlags) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.driver, "driver", "", "With get cgroups: the cgroup driver, systemd or cgroupfs; else the kubelet's, or systemd.")
	cmd.Flags().BoolVar(&f.v1, "v1", false, "With get cgroups: use cgroup v1.")
	cmd.Flags().BoolVar(&f.memoryQoS, "memory-qos", false, "With get cgroups: assume the feature gate MemoryQoS is on.")
	for _, name := range []string{"driver", "v1", "memory-qos"} {
		cmd.Flags().Lookup(name).Hidden = true
	}
}

// check rejects the flags for other views, and unknown drivers.
func (f *cgroupFlags) check(view string) error {
	switch {
	case f.driver != "" && f.driver != systemd && f.driver != cgroupfs:
		return exit.Usagef("--driver %s: choose systemd or cgroupfs", f.driver)
	case view != "cgroups" && (f.driver != "" || f.v1 || f.memoryQoS):
		return exit.Usagef("get %s: --driver, --v1 and --memory-qos are only for get cgroups", view)
	}
	return nil
}

// cgroups lists the cgroups of a node's pods, with the files that are set.
func cgroups(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	node, err := g.node(live, "get cgroups")
	if err != nil {
		return nil, err
	}
	ids, err := containerIDs(ctx, live, node.Name)
	if err != nil {
		return nil, err
	}
	config, why := kubeletConfig(ctx, live, node.Name)
	d := config.Driver()
	d.ContainerID = func(pod *corev1.Pod, container string) string { return ids[string(pod.UID)+"/"+container] }
	d.V1 = g.cgroup.v1
	if g.cgroup.driver != "" {
		d.Cgroupfs = g.cgroup.driver == cgroupfs
	}
	if g.cgroup.memoryQoS {
		d.MemoryQoS, d.Configured = true, false
	}
	labels := map[string]map[string]string{}
	for _, pod := range node.Pods {
		labels[pod.FullName()] = pod.Object.Labels
	}
	l := &output.List{Kind: "CgroupList", Empty: g.scope.Empty("cgroups of pods of node " + node.Name), IsText: true, Extra: map[string]any{kubeletField: config}}
	differ := false
	all := d.Cgroups(node)
	for i := range all {
		c := &all[i]
		if c.Pod != "" && !g.scope.Takes(c.Namespace, labels[c.Namespace+"/"+c.Pod]) {
			continue
		}
		l.Add(c)
		l.Names = append(l.Names, c.Path)
		l.Lines = append(l.Lines, c.Lines(cgroupWidth)...)
		differ = differ || c.HasNewer()
	}
	if differ {
		l.Notes = append(l.Notes, kubelet.NewerWords)
	}
	if config == nil {
		l.Notes = append(l.Notes, "By the kubelet's defaults, with the driver systemd. Its configuration cannot be read: "+why+".")
	}
	return l, nil
}

// containerIDs are the IDs of the containers of a node, by the pod's UID and the name. One
// that is not known is left out: they are not in a file, and not every server says them.
func containerIDs(ctx context.Context, live *source.Live, node string) (map[string]string, error) {
	ids := map[string]string{}
	pods, err := live.Reader().CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String()})
	if err != nil {
		return ids, ctx.Err()
	}
	for i := range pods.Items {
		status := &pods.Items[i].Status
		for _, statuses := range [][]corev1.ContainerStatus{status.InitContainerStatuses, status.ContainerStatuses} {
			for j := range statuses {
				if _, id, ok := strings.Cut(statuses[j].ContainerID, "://"); ok {
					ids[string(pods.Items[i].UID)+"/"+statuses[j].Name] = id
				}
			}
		}
	}
	return ids, nil
}

// cgroupWidth is the width of a line of the tree.
const cgroupWidth = 80
