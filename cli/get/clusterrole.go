package get

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/docs"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
)

// lackingRole is the name of a ClusterRole of what lacks. It is not that of all that
// fathom reads, so that it replaces no such role.
const lackingRole = "fathom-additional"

// clusterRole prints the ClusterRole to ask an administrator for: of what this user may
// not read in the whole cluster, or of all that is read if nothing lacks.
func (g *Options) clusterRole(ctx context.Context) error {
	var all rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(docs.ClusterRole, &all); err != nil {
		return fmt.Errorf("read ClusterRole of the program: %w", err)
	}
	ctx, told := g.source.Wait(ctx)
	lacks, user, err := g.lacking(ctx, told, all.Rules)
	if err := told.Finish(ctx, err); err != nil {
		return err
	}
	if len(lacks) == 0 {
		g.Say(fmt.Errorf("get access: %s may already read everything that fathom reads; this ClusterRole grants all of it", user))
		_, err := g.Out.Write(docs.ClusterRole)
		return err
	}
	role := rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: lackingRole},
		Rules:      lacks,
	}
	var text bytes.Buffer
	text.WriteString("# Cluster-wide read permissions that " + terminal.OneLine(user) + " lacks for fathom. Bind it with\n#\n" +
		"#   kubectl create clusterrolebinding " + lackingRole + " --clusterrole=" + lackingRole + " --user=NAME\n")
	if err := output.YAML(&text, role); err != nil {
		return err
	}
	_, err = io.Copy(g.Out, &text)
	return err
}

// lacking are the rules that this user lacks, and who that is.
func (g *Options) lacking(ctx context.Context, told *source.Waiting, rules []rbacv1.PolicyRule) ([]rbacv1.PolicyRule, string, error) {
	connected, err := g.source.Connect(ctx, "", told.Throttled)
	if err != nil {
		return nil, "", err
	}
	defer connected.Close()
	rights, err := client.Review(ctx, connected, flattened(rules))
	if err != nil {
		return nil, "", fmt.Errorf("get access: %w", err)
	}
	rights = slices.DeleteFunc(rights, func(a client.Access) bool { return a.Allowed })
	return gathered(rights), client.UserName(ctx, connected), nil
}

// flattened are the single permissions of rules, in all namespaces; that on an object of
// a name is asked about where fathom reads it.
func flattened(rules []rbacv1.PolicyRule) (rights []client.Access) {
	for _, rule := range rules {
		names, namespace := rule.ResourceNames, metav1.NamespaceSystem
		if len(names) == 0 {
			names, namespace = []string{""}, ""
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range names {
					for _, verb := range rule.Verbs {
						rights = append(rights, client.Access{Verb: verb, Group: group, Resource: resource, Name: name, Namespace: namespace})
					}
				}
			}
		}
	}
	return rights
}

// gathered makes rules of single permissions: one for each API group and set of verbs,
// in the order of the permissions.
func gathered(rights []client.Access) (rules []rbacv1.PolicyRule) {
	type object struct{ group, resource, name string }
	var objects []object
	verbs := map[object][]string{}
	for _, a := range rights {
		o := object{a.Group, a.Resource, a.Name}
		if verbs[o] == nil {
			objects = append(objects, o)
		}
		verbs[o] = append(verbs[o], a.Verb)
	}
	at := map[string]int{}
	for _, o := range objects {
		key := o.group + " " + strings.Join(verbs[o], ",")
		if o.name != "" {
			key += " " + o.resource
		}
		i, known := at[key]
		if !known {
			i, at[key] = len(rules), len(rules)
			rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{o.group}, Verbs: verbs[o]})
		}
		rule := &rules[i]
		if !slices.Contains(rule.Resources, o.resource) {
			rule.Resources = append(rule.Resources, o.resource)
		}
		if o.name != "" {
			rule.ResourceNames = append(rule.ResourceNames, o.name)
		}
	}
	return rules
}
