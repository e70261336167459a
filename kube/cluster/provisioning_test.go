package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// provisioningAsker asks a cluster with a NodePool, a NodeClaim and the ConfigMap of Cluster
// Autoscaler, which are asked for only where something shows that they are there.
func provisioningAsker(t *testing.T, objects ...runtime.Object) (asker *CachedReader, asked func() []string) {
	t.Helper()
	custom := func(kind, name string) runtime.Object {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "karpenter.sh/v1", "kind": kind, "metadata": map[string]any{"name": name}}}
	}
	kinds := map[schema.GroupVersionResource]string{
		{Group: "karpenter.sh", Version: "v1", Resource: "nodepools"}: "NodePoolList", {Group: "karpenter.sh", Version: "v1", Resource: "nodeclaims"}: "NodeClaimList",
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, custom("NodePool", "std"), custom("NodeClaim", "std-1"))
	asker = newTestCachedReader(t, "", append(objects, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "cluster-autoscaler-status"}, Data: map[string]string{"status": "autoscalerStatus: Running"},
	})...)
	asker.options.Dynamic = client
	return asker, func() []string {
		var all []string
		for _, a := range slices.Concat(asker.options.Client.(*fake.Clientset).Actions(), client.Actions()) {
			if resource := a.GetResource().Resource; resource != "events" {
				all = append(all, a.GetVerb()+" "+resource)
			}
		}
		return all
	}
}

func TestAutoscalersAreAskedOnlyWhereSomethingShowsThem(t *testing.T) {
	word := func(by, reason string) runtime.Object {
		at := metav1.NewTime(time.Now())
		return &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: by}, Reason: reason, Source: corev1.EventSource{Component: by},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", UID: "one"}, FirstTimestamp: at, LastTimestamp: at,
		}
	}
	node := func(change func(*corev1.Node)) []*corev1.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "std-1"}}
		change(n)
		return []*corev1.Node{n}
	}
	groups := func(names ...string) *metav1.APIGroupList {
		list := &metav1.APIGroupList{}
		for _, name := range names {
			list.Groups = append(list.Groups, metav1.APIGroup{Name: name})
		}
		return list
	}
	for name, c := range map[string]struct {
		events []runtime.Object
		nodes  []*corev1.Node
		groups *metav1.APIGroupList
		want   string
	}{
		"nothing":                     {nil, node(func(*corev1.Node) {}), nil, "[]"},
		"a scheduler's event":         {[]runtime.Object{word("default-scheduler", "FailedScheduling")}, nil, nil, "[]"},
		"Karpenter's":                 {[]runtime.Object{word("karpenter", "FailedScheduling")}, nil, nil, "[list nodepools]"},
		"EKS Auto Mode's":             {[]runtime.Object{word("eks-auto-mode/compute", "Nominated")}, nil, nil, "[list nodepools]"},
		"Cluster Autoscaler's":        {[]runtime.Object{word("cluster-autoscaler", "NotTriggerScaleUp")}, nil, nil, "[get configmaps]"},
		"a node of a NodePool":        {nil, node(func(n *corev1.Node) { n.Labels = map[string]string{"karpenter.sh/nodepool": "std"} }), nil, "[list nodepools]"},
		"a node that is removed":      {nil, node(func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "ToBeDeletedByClusterAutoscaler"}} }), nil, "[get configmaps]"},
		"the API group":               {nil, nil, groups("apps", "karpenter.sh"), "[list nodepools]"},
		"an event, and no such group": {[]runtime.Object{word("karpenter", "FailedScheduling")}, nil, groups("apps"), "[]"},
		"a pod of Karpenter":          {nil, nil, nil, "[list nodepools]"},
		"its pod, and no such group":  {nil, nil, groups("apps"), "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			asker, asked := provisioningAsker(t, c.events...)
			pods := []*corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "web"}}}
			if strings.Contains(name, "pod") {
				pods = append(pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "karpenter-0", Labels: map[string]string{"app.kubernetes.io/name": "karpenter"}}})
			}
			asker.Use(Held{Nodes: func() []*corev1.Node { return c.nodes }, Groups: c.groups, Pods: func() []*corev1.Pod { return pods }})
			for range 2 { // the second answer is remembered
				state := asker.Provisioning(t.Context(), nil)
				if (state == nil) != (c.want == "[]") {
					t.Errorf("%+v", state)
				}
			}
			if got := fmt.Sprint(asked()); got != c.want {
				t.Errorf("asked for %s, want %s", got, c.want)
			}
		})
	}
}

// TestTheAPIGroupsShowKarpenterWhereEventsMayNotBeRead wants a cluster whose events say nothing, because they
// may not be read, to be asked for its groups; others are not.
func TestTheAPIGroupsShowKarpenterWhereEventsMayNotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		forbidden bool
		served    []*metav1.APIResourceList
		want      string
	}{
		"events are read":   {false, []*metav1.APIResourceList{{GroupVersion: "karpenter.sh/v1"}}, "[]"},
		"events, Karpenter": {true, []*metav1.APIResourceList{{GroupVersion: "karpenter.sh/v1"}}, "[get group list nodepools]"},
		"events, none":      {true, []*metav1.APIResourceList{{GroupVersion: "apps/v1"}}, "[get group]"},
	} {
		t.Run(name, func(t *testing.T) {
			asker, asked := provisioningAsker(t)
			client := asker.options.Client.(*fake.Clientset)
			client.Resources = c.served
			if c.forbidden {
				client.PrependReactor("list", "events", func(clienttesting.Action) (bool, runtime.Object, error) {
					return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "", errors.New("no"))
				})
			}
			for range 2 { // the second answer is remembered
				asker.Provisioning(t.Context(), nil)
			}
			if got := fmt.Sprint(asked()); got != c.want {
				t.Errorf("asked for %s, want %s", got, c.want)
			}
		})
	}
}

func TestNodeClaimsAreReadThatAMessageNames(t *testing.T) {
	asker, asked := provisioningAsker(t)
	asker.Use(Held{Groups: &metav1.APIGroupList{Groups: []metav1.APIGroup{{Name: "karpenter.sh"}}}})
	words := []report.AutoscalerWord{{Component: "karpenter", Reason: "Nominated", Message: "Pod should schedule on: nodeclaim/std-1"}}
	state := asker.Provisioning(t.Context(), words)
	if state == nil || len(state.Karpenter.Claims) != 1 || state.Karpenter.Claims[0].Name != "std-1" || state.Karpenter.Claims[0].Gone {
		t.Fatalf("%+v", state)
	}
	if state := asker.Provisioning(t.Context(), nil); len(state.Karpenter.Claims) != 0 {
		t.Errorf("another pod is given it too: %+v", state.Karpenter)
	}
	if got, want := fmt.Sprint(asked()), "[list nodepools get nodeclaims]"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}

// Karpenter's events cost no request beside those for the failed attempts and nominations.
func TestAutoscalersEventsAreReadByThreeLists(t *testing.T) {
	asker, _ := provisioningAsker(t)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "one"}, Spec: corev1.PodSpec{SchedulerName: "default-scheduler"}}
	asker.AttemptSeen(t.Context(), pod)
	asker.Autoscalers(t.Context(), pod)
	asker.Provisioning(t.Context(), nil)
	var lists []string
	for _, a := range asker.options.Client.(*fake.Clientset).Actions() {
		if list, ok := a.(clienttesting.ListAction); ok {
			lists = append(lists, list.GetListRestrictions().Fields.String())
		}
	}
	slices.Sort(lists)
	want := []string{"involvedObject.kind=Pod,reason=FailedScheduling", "involvedObject.kind=Pod,reason=Nominated", "involvedObject.kind=Pod,source=cluster-autoscaler"}
	if !slices.Equal(lists, want) {
		t.Errorf("%q, want %q", lists, want)
	}
}
