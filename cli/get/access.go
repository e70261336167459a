package get

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
)

// accessList is get access -o json.
type accessList struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Items      []accessItem `json:"items"`
	Views      []viewAccess `json:"views"`
	Context    contextWrite `json:"context"`
}

// contextWrite is whether fathom treats a context as read-only.
type contextWrite struct {
	Name     string `json:"name"`
	ReadOnly bool   `json:"readOnly"`
	Why      string `json:"why"`
}

// accessItem is one right.
type accessItem struct {
	Verb      string `json:"verb"`
	Group     string `json:"group"`
	Resource  string `json:"resource"`
	Name      string `json:"name"`      // "" is all
	Namespace string `json:"namespace"` // "" is all
	Allowed   bool   `json:"allowed"`
	Why       string `json:"why"`
	NeededFor string `json:"neededFor"`
}

// viewAccess is how much of a view the rights allow.
type viewAccess struct {
	View  string `json:"view"`
	State string `json:"state"` // open, partly or closed
	Why   string `json:"why"`
}

// validateAccess rejects what permissions cannot be listed as.
func (g *Options) validateAccess() error {
	switch {
	case g.source.From != "":
		return exit.Usagef("get access: it needs a cluster: leave out --from")
	case g.output == "name":
		return exit.Usagef("get access: -o name: permissions have no names: choose text, wide, json or yaml")
	}
	return nil
}

// access lists what this user may do, and which views that allows.
func (g *Options) access(ctx context.Context) error {
	ctx, told := g.source.Wait(ctx)
	write, rights, err := g.rights(ctx, told)
	if err := told.Finish(ctx, err); err != nil {
		return err
	}
	if g.output == "json" {
		return g.printAccess(rights, write)
	}
	rows := [][]string{{"CONTEXT", "READ-ONLY", "WHY"}, {write.Name, yesNo(write.ReadOnly), write.Why}}
	text := g.tableOf(rows) + "\n"
	rows = [][]string{{"VIEW", "STATE", "WHY"}}
	for _, v := range viewsLeft(rights) {
		rows = append(rows, []string{v.View, v.State, v.Why})
	}
	text += g.tableOf(rows) + "\n"
	rows = [][]string{{"ALLOWED", "VERB", "RESOURCE", "NAMESPACE", "NEEDED FOR"}}
	for _, r := range rights {
		rows = append(rows, []string{yesNo(r.Allowed), r.Verb, resourceName(r), orAll(r.Namespace), r.Needed})
	}
	_, err = io.WriteString(g.Out, text+g.tableOf(rows))
	return err
}

// tableOf is a table whose first row is its head, which --no-headers leaves out.
func (g *Options) tableOf(rows [][]string) string {
	if g.noHeaders {
		rows = rows[1:]
	}
	return output.Table(rows)
}

// writable reports whether a context is read-only, and which flag or setting makes it so.
func (g *Options) writable(context string) contextWrite {
	write := contextWrite{Name: context, ReadOnly: true}
	because := g.settings.ReadOnly.Because(context)
	switch {
	case g.source.ReadOnly:
		write.Why = "--readonly is set for this session"
	case because != "":
		write.Why = fmt.Sprintf("%q in %s", "readonly: "+because, settings.File())
	default:
		write.ReadOnly, write.Why = false, "no readonly setting for this context in "+settings.File()
	}
	return write
}

// rights asks what this user may do, and whether the context is read-only.
func (g *Options) rights(ctx context.Context, told *source.Waiting) (contextWrite, []client.Access, error) {
	client, err := g.source.Connect(ctx, "", told.Throttled)
	if err != nil {
		return contextWrite{}, nil, err
	}
	defer client.Close()
	g.source.SayIdle(&g.settings, client)
	rights, err := client.Access(ctx)
	if err != nil {
		return contextWrite{}, nil, fmt.Errorf("get access: %w", err)
	}
	return g.writable(client.Context()), rights, nil
}

// printAccess writes the rights for programs.
func (g *Options) printAccess(rights []client.Access, write contextWrite) error {
	list := accessList{
		APIVersion: report.APIVersion,
		Kind:       "AccessList",
		Items:      make([]accessItem, 0, len(rights)),
		Views:      viewsLeft(rights),
		Context:    write,
	}
	for _, r := range rights {
		list.Items = append(list.Items, accessItem{
			Verb: r.Verb, Group: r.Group, Resource: r.Resource, Name: r.Name, Namespace: r.Namespace,
			Allowed: r.Allowed, Why: r.Why, NeededFor: r.Needed,
		})
	}
	return output.JSON(g.Out, list)
}

// viewNeeds are the resources that a view needs, as resourceName writes them.
type viewNeeds struct {
	view   string
	closed []string // without one of these nothing is shown
	whole  bool     // nothing is shown either of pods of one namespace
	partly []unknownWithout
}

// unknownWithout is what is unknown where a resource cannot be listed.
type unknownWithout struct{ resource, unknown string }

// needs are those of all views that need the state of a cluster, in the order of the dashboard's keys.
var needs = []viewNeeds{
	{view: "pending", closed: []string{"pods"}, partly: []unknownWithout{{"nodes", "verdicts are"}}},
	{view: "pods", closed: []string{"pods"}},
	{view: "nodes", closed: []string{"nodes"}, partly: []unknownWithout{{"pods", "free capacity is"}}},
	{view: "pools", closed: []string{"nodes"}, partly: []unknownWithout{{"pods", "free capacity is"}}},
	{view: "taints", closed: []string{"nodes"}, partly: []unknownWithout{{"pods", "which pods tolerate them is"}}},
	{view: "priorities", closed: []string{"priorityclasses.scheduling.k8s.io"}, partly: []unknownWithout{{"pods", "the number of pods is"}}},
	{view: "evictions", closed: []string{"nodes", "pods"}, whole: true, partly: []unknownWithout{{"pods.metrics.k8s.io", "usage is"}}},
	{view: "cgroups", closed: []string{"nodes", "pods"}, whole: true},
	{view: "quotas", closed: []string{"resourcequotas"}, partly: []unknownWithout{{"pods", "how many more pods fit is"}, {"limitranges", "default requests are"}}},
	{view: "budgets", closed: []string{"poddisruptionbudgets.policy"}, partly: []unknownWithout{{"pods", "which pods they select is"}}},
	{
		view: "volumes", closed: []string{"persistentvolumeclaims", "persistentvolumes"},
		partly: []unknownWithout{
			{"pods", "which pods use a claim is"},
			{"storageclasses.storage.k8s.io", "StorageClasses are"},
			{"csinodes.storage.k8s.io", "attach limits are"},
			{"volumeattachments.storage.k8s.io", "the number of attached volumes is"},
		},
	},
	{
		view: "devices", closed: []string{"resourceslices.resource.k8s.io"},
		partly: []unknownWithout{{"resourceclaims.resource.k8s.io", "allocated devices are"}, {"deviceclasses.resource.k8s.io", "DeviceClasses are"}},
	},
	{view: "resizes", closed: []string{"pods"}, partly: []unknownWithout{{"nodes", "what a node lacks is"}}},
	{view: "schedulers", partly: []unknownWithout{{"leases.coordination.k8s.io", "whether they are running is"}, {"pods", "the number of pending pods is"}}},
}

// viewsLeft lists how much of each view the rights allow.
func viewsLeft(rights []client.Access) []viewAccess {
	refused, namespace := map[string]bool{}, ""
	for _, r := range rights {
		if r.Verb != "list" {
			continue
		}
		refused[resourceName(r)] = !r.Allowed
		if r.Resource == "pods" && r.Group == "" {
			namespace = r.Namespace
		}
	}
	views := make([]viewAccess, len(needs))
	for i, v := range needs {
		state, why := v.left(refused, namespace)
		views[i] = viewAccess{v.view, state, why}
	}
	return views
}

// left is how much of a view is left, and why not all of it. Of pods, those of a namespace can be
// listed; "" is all.
func (v *viewNeeds) left(refused map[string]bool, namespace string) (state, why string) {
	closed := v.closed
	if refused["nodes"] && refused["pods"] {
		closed = append(slices.Clone(closed), "nodes") // then no command reads the cluster
	}
	for _, resource := range closed {
		if refused[resource] {
			return "closed", "not allowed to list " + plural(resource)
		}
	}
	only := ""
	if namespace != "" && !refused["pods"] {
		only = "only pods of namespace " + namespace + " can be listed"
	}
	if v.whole && only != "" {
		return "closed", only
	}
	var lacks []string
	for _, w := range v.partly {
		if refused[w.resource] {
			lacks = append(lacks, w.unknown+" unknown: not allowed to list "+plural(w.resource))
		}
	}
	if only != "" {
		lacks = append(lacks, only)
	}
	if len(lacks) == 0 {
		return "open", ""
	}
	return "partly", strings.Join(lacks, "; ")
}

// plural is a resource without its API group; of metrics it says that they are.
func plural(resource string) string {
	name, group, _ := strings.Cut(resource, ".")
	if group == "metrics.k8s.io" {
		return "metrics of " + name
	}
	return name
}

// resourceName is a resource as kubectl auth can-i names it.
func resourceName(r client.Access) string {
	if r.Name != "" {
		return r.Resource + "/" + r.Name
	}
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func orAll(namespace string) string {
	if namespace == "" {
		return "all"
	}
	return namespace
}
