package get

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/model"
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
	cmd.Flags().StringVar(&f.driver, "driver", systemd, "Of get cgroups: the cgroup driver, systemd or cgroupfs.")
	cmd.Flags().BoolVar(&f.v1, "v1", false, "Of get cgroups: cgroup v1.")
	cmd.Flags().BoolVar(&f.memoryQoS, "memory-qos", false, "Of get cgroups: memory requests are protected.")
	for _, name := range []string{"driver", "v1", "memory-qos"} {
		cmd.Flags().Lookup(name).Hidden = true
	}
}

// check rejects the flags for other views, and unknown drivers.
func (f *cgroupFlags) check(view string) error {
	switch {
	case f.driver != systemd && f.driver != cgroupfs:
		return exit.Usagef("--driver %s: choose systemd or cgroupfs", f.driver)
	case view != "cgroups" && (f.driver != systemd || f.v1 || f.memoryQoS):
		return exit.Usagef("get %s: --driver, --v1 and --memory-qos are of get cgroups", view)
	}
	return nil
}

// cgroups lists the cgroups of a node's pods, with the files that are set.
func (g *Options) cgroups(ctx context.Context, live *source.Live) (*output.List, error) {
	node, err := g.node(live, "get cgroups")
	if err != nil {
		return nil, err
	}
	ids, err := containerIDs(ctx, live, node.Name)
	if err != nil {
		return nil, err
	}
	d := kubelet.Driver{
		Cgroupfs: g.cgroup.driver == cgroupfs, V1: g.cgroup.v1, MemoryQoS: g.cgroup.memoryQoS,
		ContainerID: func(pod *corev1.Pod, container string) string { return ids[string(pod.UID)+"/"+container] },
	}
	labels := map[string]map[string]string{}
	for _, pod := range node.Pods {
		labels[pod.FullName()] = pod.Object.Labels
	}
	l := &output.List{Kind: "CgroupList", Empty: g.scope.Empty("cgroups of pods of node " + node.Name), IsText: true}
	differ := false
	for _, c := range d.Cgroups(node) {
		if c.Pod != "" && !g.scope.Takes(c.Namespace, labels[c.Namespace+"/"+c.Pod]) {
			continue
		}
		l.Add(c)
		l.Names = append(l.Names, c.Path)
		l.Lines = append(l.Lines, cgroupLines(c)...)
		for _, f := range c.Files {
			differ = differ || f.Newer != ""
		}
	}
	if differ {
		l.Lines = append(l.Lines, "A or B: B with runc from 1.3.2 or crun from 1.23, A with an older one.")
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

const (
	cgroupWidth = 80 // of a line of the tree
	fileWidth   = 23 // of a file's name, the longest that is common
	valueWidth  = 14
)

// cgroupLines are a cgroup in the tree: whose it is, the last part of its path, its files.
func cgroupLines(c kubelet.Cgroup) []string {
	indent := strings.Repeat("  ", strings.Count(c.Path, "/")-1)
	of := ""
	switch {
	case c.Container != "":
		of = c.Container + ": "
	case c.Pod != "":
		of = c.Namespace + "/" + c.Pod + ": "
	}
	name := path.Base(c.Path)
	lines := []string{cutLine(indent + of + name)}
	if c.Pod != "" && c.Container == "" && len([]rune(indent+of+name)) > cgroupWidth {
		lines = []string{cutLine(indent + c.Namespace + "/" + c.Pod), cutLine(indent + name)}
	}
	for _, f := range c.Files {
		value := f.Value
		if f.Newer != "" {
			value += " or " + f.Newer
		}
		lines = append(lines, cutLine(fmt.Sprintf("%s  %-*s %-*s %s", indent, max(fileWidth-len(indent), 0), f.Name, valueWidth, value, f.From)))
	}
	return lines
}

// cutLine is a line as the terminal shows it.
func cutLine(text string) string {
	runes := []rune(model.Clean(text))
	if len(runes) > cgroupWidth {
		return string(runes[:cgroupWidth-1]) + "…"
	}
	return string(runes)
}
