package foreignpodgroups

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
)

// aReader reads one PodGroup, or fails with an error.
func aReader(t *testing.T, text string, failing error) Reader {
	t.Helper()
	var objects []runtime.Object
	if text != "" {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	kinds := map[schema.GroupVersionResource]string{}
	for _, k := range foreignpodgroups.Kinds {
		kinds[schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: "podgroups"}] = "PodGroupList"
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, objects...)
	if failing != nil {
		client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, failing })
	}
	return Reader{Dynamic: client, Words: error.Error}
}

func TestGroupsAreReadAsTheirSchedulersWriteThem(t *testing.T) {
	for _, c := range []struct {
		kind *foreignpodgroups.Kind
		text string
		want string
	}{
		{
			foreignpodgroups.Volcano, `
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {namespace: ml, name: train}
spec: {minMember: 8, queue: research, minTaskMember: {worker: 7}, minResources: {cpu: 8}}
status:
  phase: Inqueue
  running: 2
  conditions: [{type: Unschedulable, status: "True", transitionID: abc, reason: NotEnoughResources, message: 3/8 tasks, lastTransitionTime: "2026-06-01T12:00:00Z"}]`,
			"8 - map[worker:7] research Inqueue [{running 2} {succeeded 0} {failed 0}] Unschedulable|True|NotEnoughResources|3/8 tasks|2026-06-01 12:00:00|",
		},
		{
			foreignpodgroups.KAI, `
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {namespace: ml, name: train}
spec: {minSubGroup: 2, queue: team, subGroups: [{name: a}, {name: b}]}
status:
  pending: 4
  schedulingConditions:
  - {type: UnschedulableOnNodePool, nodePool: default, status: "True", transitionID: "1", reason: Unschedulable, message: old words, lastTransitionTime: "2026-06-01T12:00:00Z",
     reasons: [{reason: OverLimit, message: over its limit}, {reason: OverLimit, message: by 2}, {reason: Other, message: more}]}
  - {type: UnschedulableOnNodePool, nodePool: spot, reason: Unschedulable, message: no node}`,
			"- 2 map[] team  [{pending 4} {running 0} {succeeded 0} {failed 0}] UnschedulableOnNodePool|True|OverLimit|over its limit; by 2; Other: more|2026-06-01 12:00:00|default " +
				"UnschedulableOnNodePool||Unschedulable|no node|0001-01-01 00:00:00|spot",
		},
		{
			foreignpodgroups.Coscheduling, `
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {namespace: ml, name: train}
spec: {minMember: 3, scheduleTimeoutSeconds: 10}
status: {phase: Scheduling, occupiedBy: ml/train, scheduleStartTime: "2026-06-01T12:00:00Z", failed: 1}`,
			"3 - map[]  Scheduling [{running 0} {succeeded 0} {failed 1}]",
		},
		{
			foreignpodgroups.Coscheduling, "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {namespace: ml, name: train}\nspec: {}",
			"- - map[]   []",
		},
	} {
		t.Run(c.kind.Scheduler, func(t *testing.T) {
			s := aReader(t, c.text, nil).Get(t.Context(), c.kind, "ml", "train")
			figure := func(n *int) string {
				if n == nil {
					return "-"
				}
				return fmt.Sprint(*n)
			}
			got := fmt.Sprintf("%s %s %v %s %s %v", figure(s.Needs), figure(s.NeedsParts), s.ByTask, s.Queue, s.Phase, s.Counts)
			for _, of := range s.Conditions {
				got += fmt.Sprintf(" %s|%s|%s|%s|%s|%s", of.Type, of.Status, of.Reason, of.Message, of.LastTransitionTime.UTC().Format("2006-01-02 15:04:05"), of.NodePool)
			}
			if got != c.want || s.Group != c.kind.Group || s.Name != "train" || s.Gone || s.Unread != "" {
				t.Errorf("got  %s\nwant %s\n%+v", got, c.want, s)
			}
		})
	}
}

func TestAGroupThatMayNotBeReadIsUnknown(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "x"}, "", errors.New("no"))
	if s := aReader(t, "", forbidden).Get(t.Context(), foreignpodgroups.Volcano, "ml", "train"); s.Unread != "not allowed to get podgroups.scheduling.volcano.sh" || s.Gone {
		t.Errorf("%+v", s)
	}
	if s := aReader(t, "", errors.New("no answer")).Get(t.Context(), foreignpodgroups.KAI, "ml", "train"); s.Unread != "get podgroups.scheduling.run.ai: no answer" || s.Gone {
		t.Errorf("%+v", s)
	}
	if s := aReader(t, "", nil).Get(t.Context(), foreignpodgroups.KAI, "ml", "train"); s.Unread != "" || !s.Gone {
		t.Errorf("%+v", s)
	}
	odd := "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {namespace: ml, name: train}\nspec: {minMember: many}"
	if s := aReader(t, odd, nil).Get(t.Context(), foreignpodgroups.Volcano, "ml", "train"); s.Unread == "" || s.Needs != nil {
		t.Errorf("%+v", s)
	}
}
