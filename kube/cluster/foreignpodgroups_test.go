package cluster

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
)

func TestGroupsOfOtherSchedulersAreAskedForWhereTheyAreServed(t *testing.T) {
	gv := func(k *foreignpodgroups.Kind) schema.GroupVersion {
		return schema.GroupVersion{Group: k.Group, Version: k.Version}
	}
	both := []foreignpodgroups.Named{{Kind: foreignpodgroups.Volcano, Name: "train"}, {Kind: foreignpodgroups.KAI, Name: "train"}}
	for name, c := range map[string]struct {
		groups *metav1.APIGroupList
		named  []foreignpodgroups.Named
		want   string // the group that is given, and what was asked
	}{
		"none is served":          {served(schema.GroupVersion{Group: "apps", Version: "v1"}), both, " []"},
		"the first is served":     {served(gv(foreignpodgroups.Volcano), gv(foreignpodgroups.KAI)), both, "scheduling.volcano.sh [get scheduling.volcano.sh]"},
		"the second is served":    {served(gv(foreignpodgroups.KAI)), both, "scheduling.run.ai gone [get scheduling.run.ai]"},
		"in another version":      {served(schema.GroupVersion{Group: foreignpodgroups.Volcano.Group, Version: "v2"}), both, "scheduling.volcano.sh the server has podgroups.scheduling.volcano.sh in other versions than v1beta1 []"},
		"nobody knows the groups": {nil, both, " []"}, // the server says that it has none of them
	} {
		t.Run(name, func(t *testing.T) {
			kinds := map[schema.GroupVersionResource]string{}
			for _, k := range foreignpodgroups.Kinds {
				kinds[gv(k).WithResource("podgroups")] = "PodGroupList"
			}
			client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": map[string]any{"namespace": "ml", "name": "train"},
				"spec": map[string]any{"minMember": int64(3)},
			}})
			asker := newTestCachedReader(t, "")
			asker.options.Dynamic = client
			asker.Use(Held{Groups: c.groups})
			var got string
			for range 2 { // the second answer is remembered
				got = ""
				if s := groupOf(t.Context(), asker, foreignpodgroups.Subject{Namespace: "ml", Named: c.named}); s != nil {
					got = s.Group
					if s.Gone {
						got += " gone"
					}
					if s.Unread != "" {
						got += " " + s.Unread
					}
				}
			}
			var asked []string
			for _, a := range client.Actions() {
				asked = append(asked, a.GetVerb()+" "+a.GetResource().Group)
			}
			if got += " " + fmt.Sprint(asked); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
