package get

import (
	"context"
	"fmt"
	"io"

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

// viewsLeft lists how much of each view the rights allow.
func viewsLeft(rights []client.Access) []viewAccess {
	refused, namespace := map[string]bool{}, ""
	for _, r := range rights {
		if r.Verb != "list" || r.Group != "" {
			continue
		}
		refused[r.Resource] = !r.Allowed
		if r.Resource == "pods" {
			namespace = r.Namespace
		}
	}
	return []viewAccess{
		accessTo("pending", refused["pods"], refused["nodes"], namespace, "verdicts are unknown: not allowed to list nodes"),
		accessTo("pods", refused["pods"], false, namespace, ""),
		accessTo("nodes", refused["nodes"], refused["pods"], namespace, "free capacity is unknown: not allowed to list pods"),
	}
}

// accessTo is the access to one view.
func accessTo(name string, closed, lacks bool, namespace, why string) viewAccess {
	switch {
	case closed && name == "nodes":
		return viewAccess{name, "closed", "not allowed to list nodes"}
	case closed:
		return viewAccess{name, "closed", "not allowed to list pods"}
	case lacks:
		return viewAccess{name, "partly", why}
	case namespace != "":
		return viewAccess{name, "partly", "only pods of namespace " + namespace + " can be listed"}
	default:
		return viewAccess{name, "open", ""}
	}
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
