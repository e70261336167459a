package get

import (
	"slices"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
)

func TestAccessHasARowForEachViewThatGetLists(t *testing.T) {
	var listed []string
	for _, v := range views {
		if v.list != nil {
			listed = append(listed, v.name)
		}
	}
	var told []string
	for _, v := range viewsLeft(nil) {
		told = append(told, v.View)
	}
	slices.Sort(listed)
	slices.Sort(told)
	if !slices.Equal(listed, told) {
		t.Errorf("access is told of %v, get lists %v", told, listed)
	}
}

// leftOf are the states of views, and why, where all but some resources can be listed.
func leftOf(namespace string, refused ...client.Access) map[string]viewAccess {
	rights := []client.Access{{Verb: "list", Resource: "pods", Namespace: namespace, Allowed: true}}
	for _, r := range refused {
		r.Verb = "list"
		rights = append(rights, r)
	}
	left := map[string]viewAccess{}
	for _, v := range viewsLeft(rights) {
		left[v.View] = v
	}
	return left
}

func TestAccessSaysWhatIsLeftOfAView(t *testing.T) {
	pods, nodes := client.Access{Resource: "pods"}, client.Access{Resource: "nodes"}
	const onlyShop = "only pods of namespace shop can be listed"
	for _, c := range []struct {
		name string
		left map[string]viewAccess
		want []viewAccess
	}{
		{"everything can be listed", leftOf(""), []viewAccess{{"pending", "open", ""}, {"cgroups", "open", ""}, {"schedulers", "open", ""}}},
		{"no PodDisruptionBudgets", leftOf("", client.Access{Group: "policy", Resource: "poddisruptionbudgets"}), []viewAccess{
			{"budgets", "closed", "not allowed to list poddisruptionbudgets"}, {"quotas", "open", ""},
		}},
		{"no pods", leftOf("", pods), []viewAccess{
			{"pods", "closed", "not allowed to list pods"},
			{"nodes", "partly", "free capacity is unknown: not allowed to list pods"},
			{"evictions", "closed", "not allowed to list pods"},
			{"quotas", "partly", "how many more pods fit is unknown: not allowed to list pods"},
		}},
		{"no nodes", leftOf("", nodes), []viewAccess{
			{"pending", "partly", "verdicts are unknown: not allowed to list nodes"}, {"pools", "closed", "not allowed to list nodes"}, {"budgets", "open", ""},
		}},
		{"neither nodes nor pods", leftOf("", nodes, pods), []viewAccess{{"quotas", "closed", "not allowed to list nodes"}, {"schedulers", "closed", "not allowed to list nodes"}}},
		{"pods of one namespace", leftOf("shop"), []viewAccess{
			{"pods", "partly", onlyShop}, {"cgroups", "closed", onlyShop}, {"volumes", "partly", onlyShop},
		}},
		{"pods of one namespace, and no LimitRanges", leftOf("shop", client.Access{Resource: "limitranges"}), []viewAccess{
			{"quotas", "partly", "default requests are unknown: not allowed to list limitranges; " + onlyShop},
		}},
		{"no metrics", leftOf("", client.Access{Group: "metrics.k8s.io", Resource: "pods"}), []viewAccess{
			{"evictions", "partly", "usage is unknown: not allowed to list metrics of pods"}, {"pods", "open", ""},
		}},
	} {
		for _, want := range c.want {
			if got := c.left[want.View]; got != want {
				t.Errorf("%s: %v, want %v", c.name, got, want)
			}
		}
	}
}
