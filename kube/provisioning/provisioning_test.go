package provisioning

import (
	"errors"
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
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
)

const stdPool = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: std}
spec:
  weight: 10
  limits: {cpu: "100", memory: 400Gi}
  template:
    metadata: {labels: {team: web}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: topology.kubernetes.io/zone, operator: In, values: [eu-1a, eu-1b], minValues: 2}
      taints: [{key: dedicated, value: web, effect: NoSchedule}]
      startupTaints: [{key: example.com/starting, effect: NoSchedule}]
status:
  resources: {cpu: "98", memory: 200Gi, nodes: "7"}
  conditions:
  - {type: Ready, status: "False", reason: NodeClassNotReady, message: no subnets, lastTransitionTime: "2026-06-01T12:00:00Z", observedGeneration: 3}
`

const stdClaim = `
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: std-x8k2c, labels: {karpenter.sh/nodepool: std, topology.kubernetes.io/zone: eu-1a}, creationTimestamp: "2026-06-01T12:00:00Z"}
spec:
  startupTaints: [{key: example.com/starting, effect: NoSchedule}]
status:
  nodeName: std-1
  allocatable: {cpu: 3900m}
  conditions: [{type: Launched, status: "True", reason: Launched, message: "", lastTransitionTime: "2026-06-01T12:00:30Z"}]
`

func object(t *testing.T, text string) runtime.Object {
	t.Helper()
	found := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &found.Object); err != nil {
		t.Fatal(err)
	}
	return found
}

// aReader reads objects, or fails with an error.
func aReader(failing error, core []runtime.Object, custom ...runtime.Object) Reader {
	kinds := map[schema.GroupVersionResource]string{nodePools: "NodePoolList", nodeClaims: "NodeClaimList"}
	r := Reader{Dynamic: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, custom...), Core: fake.NewClientset(core...), Words: error.Error}
	if failing != nil {
		react := func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, failing }
		r.Dynamic.(*dynamicfake.FakeDynamicClient).PrependReactor("*", "*", react)
		r.Core.(*fake.Clientset).PrependReactor("*", "*", react)
	}
	return r
}

func TestANodePoolIsReadAsItStands(t *testing.T) {
	k := aReader(nil, nil, object(t, stdPool)).Karpenter(t.Context())
	if k == nil || k.Unread != "" || len(k.NodePools) != 1 {
		t.Fatalf("%+v", k)
	}
	p := k.NodePools[0]
	limit, used := p.Limits[corev1.ResourceCPU], p.Used[corev1.ResourceCPU]
	if p.Name != "std" || p.Weight != 10 || p.ClassGroup != "karpenter.k8s.aws" || p.Labels["team"] != "web" || p.Static || p.Deleting ||
		len(p.Requirements) != 1 || len(p.Requirements[0].Values) != 2 || len(p.Taints) != 1 || p.Taints[0].ToString() != "dedicated=web:NoSchedule" ||
		limit.String() != "100" || used.String() != "98" ||
		len(p.Conditions) != 1 || p.Conditions[0].Status != metav1.ConditionFalse || p.Conditions[0].Message != "no subnets" {
		t.Errorf("%+v", p)
	}
}

func TestANodeClaimIsReadAsItStands(t *testing.T) {
	r := aReader(nil, nil, object(t, stdClaim))
	c := r.NodeClaim(t.Context(), "std-x8k2c")
	cpu := c.Allocatable[corev1.ResourceCPU]
	if c.Unread != "" || c.Gone || c.NodePool != "std" || c.Node != "std-1" || cpu.String() != "3900m" || c.Labels["topology.kubernetes.io/zone"] != "eu-1a" ||
		len(c.StartupTaints) != 1 || len(c.Conditions) != 1 || !c.Created.Equal(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)) ||
		!c.Conditions[0].Since.Equal(time.Date(2026, 6, 1, 12, 0, 30, 0, time.UTC)) {
		t.Errorf("%+v", c)
	}
	if gone := r.NodeClaim(t.Context(), "other"); !gone.Gone || gone.Name != "other" {
		t.Errorf("%+v", gone)
	}
}

func TestWhatMayNotBeReadIsUnknownAndWhatIsNotServedIsNot(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "x"}, "", errors.New("no"))
	r := aReader(forbidden, nil)
	if k := r.Karpenter(t.Context()); k == nil || k.Unread != "not allowed to list nodepools" || k.NodePools == nil {
		t.Errorf("%+v", k)
	}
	if c := r.NodeClaim(t.Context(), "a"); c.Unread != "not allowed to get nodeclaims" || c.Gone {
		t.Errorf("%+v", c)
	}
	if c := r.ClusterAutoscaler(t.Context()); c == nil || c.Unread != "not allowed to get ConfigMap kube-system/cluster-autoscaler-status" {
		t.Errorf("%+v", c)
	}
	r = aReader(apierrors.NewNotFound(schema.GroupResource{Resource: "x"}, ""), nil)
	if k := r.Karpenter(t.Context()); k != nil {
		t.Errorf("%+v", k)
	}
	if c := r.ClusterAutoscaler(t.Context()); c != nil {
		t.Errorf("%+v", c)
	}
	r = aReader(errors.New("no answer"), nil)
	if k := r.Karpenter(t.Context()); k == nil || k.Unread != "no answer" {
		t.Errorf("%+v", k)
	}
}

func TestANodePoolThatCannotBeReadIsUnknown(t *testing.T) {
	k := aReader(nil, nil, object(t, strings.Replace(stdPool, `cpu: "100"`, `cpu: plenty`, 1))).Karpenter(t.Context())
	if k == nil || !strings.HasPrefix(k.Unread, "read NodePool std: ") || len(k.NodePools) != 0 {
		t.Errorf("%+v", k)
	}
}

func TestTheStatusOfClusterAutoscalerIsRead(t *testing.T) {
	status := `time: 2026-06-01 12:00:00.5 +0000 UTC
autoscalerStatus: Running
clusterWide: {health: {status: Healthy}}
nodeGroups:
- name: std
  health: {status: Healthy, nodeCounts: {registered: {total: 4, ready: 3, unready: {total: 1}}}, cloudProviderTarget: 5, minSize: 0, maxSize: 5}
  scaleUp: {status: Backoff, backoffInfo: {errorCode: QUOTA_EXCEEDED, errorMessage: "Quota 'CPUS' exceeded"}}
- name: bare
`
	r := aReader(nil, []runtime.Object{&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "cluster-autoscaler-status"}, Data: map[string]string{"status": status},
	}})
	c := r.ClusterAutoscaler(t.Context())
	if c == nil || c.Unread != "" || c.Status != "Running" || len(c.NodeGroups) != 2 || !c.Written.Equal(time.Date(2026, 6, 1, 12, 0, 0, 5e8, time.UTC)) {
		t.Fatalf("%+v", c)
	}
	g := c.NodeGroups[0]
	if *g.Ready != 3 || *g.Target != 5 || *g.Min != 0 || *g.Max != 5 || g.Health != "Healthy" || g.ScaleUp != "Backoff" ||
		g.Code != "QUOTA_EXCEEDED" || g.Message != "Quota 'CPUS' exceeded" {
		t.Errorf("%+v", g)
	}
	if g := c.NodeGroups[1]; g.Ready != nil || g.Target != nil || g.Min != nil || g.Max != nil {
		t.Errorf("figures that are missing are given: %+v", g)
	}
}

func TestAStatusOfAnotherFormatIsUnknown(t *testing.T) {
	for _, text := range []string{
		"", "nonsense", "a: [",
		"Cluster-autoscaler status at 2023-11-24 04:28:19 +0000 UTC:\nCluster-wide:\n  Health:      Healthy (ready=4 unready=0)\n",
	} {
		if c := statusOf(text); !strings.HasPrefix(c.Unread, "the status of Cluster Autoscaler is not in the format") || c.NodeGroups != nil {
			t.Errorf("%q: %+v", text, c)
		}
	}
	if c := statusOf("autoscalerStatus: Initializing\n"); c.Unread != "" || c.Status != "Initializing" || provisioning.ClusterName == "" {
		t.Errorf("%+v", c)
	}
}
