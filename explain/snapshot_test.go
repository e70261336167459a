package explain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// A file explains each pod that waits as the cluster did that it was taken of:
// verdict, message, groups, numbers, fixes and preemption.
func TestASnapshotExplainsAsTheClusterDid(t *testing.T) {
	verdicts := map[report.Verdict]int{}
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			source := sourceOf(t, explaintest.RandomCluster(explaintest.Seeded(seed), 6, 14, 8).Objects())
			one, state := opened(t, source)
			taken, err := snapshot.Take(t.Context(), source, state, snapshot.Options{Taken: explaintest.Now})
			if err != nil {
				t.Fatal(err)
			}
			other, _ := opened(t, reread(t, taken, []snapshot.Format{snapshot.YAML, snapshot.JSON}[seed%2]))
			for _, pod := range state.Pods {
				if !pod.Waits {
					continue
				}
				want, got := told(t, one, pod.Object.UID), told(t, other, pod.Object.UID)
				verdicts[want.Report.Verdict]++
				if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
					t.Errorf("%s, live (-) and from the file (+):\n%s", pod.FullName(), diff)
				}
			}
		})
	}
	if verdicts[report.Unschedulable] == 0 || verdicts[report.Schedulable] == 0 || verdicts[report.Gated] == 0 {
		t.Errorf("the clusters show too little: %v", verdicts)
	}
}

// sourceOf is a cluster of objects that lives, with somebody to ask.
func sourceOf(t *testing.T, objects []runtime.Object) *cluster.Source {
	t.Helper()
	for i, object := range objects { // as an API server would have them
		m, err := meta.Accessor(object)
		if err != nil {
			t.Fatal(err)
		}
		m.SetResourceVersion(fmt.Sprint(i + 1))
		if m.GetUID() == "" {
			m.SetUID(types.UID(fmt.Sprint("uid-", i)))
		}
		if pod, ok := object.(*corev1.Pod); ok {
			pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
		}
	}
	client := fake.NewClientset(objects...)
	seen := metav1.NewTime(explaintest.Now.Add(-1234567 * time.Microsecond))
	return &cluster.Source{
		Factory: informers.NewSharedInformerFactory(client, 0),
		Client:  client,
		Trace:   scheduler.NewUnreadable(),
		Now:     func() time.Time { return explaintest.Now },
		Status:  func() model.Status { return model.Status{Context: "test", Version: "v1.37.1"} },
		Lookups: explain.Lookups{
			SchedulerAlive: func(_ context.Context, name string) (alive, known bool, why string) {
				return name != "other", true, "the Lease of " + name
			},
			AttemptSeen: func(context.Context, *corev1.Pod) *metav1.Time { return &seen },
			Autoscalers: func(context.Context, *corev1.Pod) []report.AutoscalerWord {
				return []report.AutoscalerWord{{Component: "karpenter", Reason: "FailedScheduling", Message: "no room", LastSeen: seen}}
			},
			Events: func(_ context.Context, ref model.Ref) ([]model.Event, error) {
				return []model.Event{{
					Type: "Warning", Reason: "ProvisioningFailed", Source: "csi.example.com", Message: "no room for " + ref.Name,
					Count: 3, First: seen.Time, Last: seen.Time,
				}}, nil
			},
		},
	}
}

// opened is a cluster that has read all of its source.
func opened(t *testing.T, source *cluster.Source) (*cluster.Cluster, *model.Snapshot) {
	t.Helper()
	c, err := cluster.New(t.Context(), source, cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		s, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Status.Reading) == 0 {
			return c, s
		}
	}
}

// reread is the source that a written snapshot serves.
func reread(t *testing.T, taken *snapshot.Snapshot, format snapshot.Format) *cluster.Source {
	t.Helper()
	var text bytes.Buffer
	if err := taken.Write(&text, format); err != nil {
		t.Fatal(err)
	}
	file, err := snapshot.Read(&text, snapshot.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	source, err := file.Source()
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// all is all that is told of a pod.
type all struct {
	Report *report.Report
	Way    *report.Report
	Fixes  *report.Fixes
	Plan   *report.PreemptionPlan
}

func told(t *testing.T, c *cluster.Cluster, uid types.UID) (a all) {
	t.Helper()
	var err error
	if a.Report, err = c.Ask(t.Context(), report.Query{Target: report.PodOf(uid), Parts: report.Nodes}); err != nil {
		t.Fatal(err)
	}
	if a.Way, err = c.Ask(t.Context(), report.Query{Target: report.PodOf(uid), Parts: report.Nodes | report.TracePart}); err != nil {
		t.Fatal(err)
	}
	fixed, err := c.Ask(t.Context(), report.Query{Target: report.PodOf(uid), Parts: report.FixesPart})
	if err != nil {
		t.Fatal(err)
	}
	a.Fixes = fixed.Tried
	if a.Report.Verdict != report.Unschedulable {
		return a
	}
	planned, err := c.Ask(t.Context(), report.Query{Target: report.PodOf(uid), Parts: report.PreemptionPart})
	if err != nil {
		t.Fatal(err)
	}
	a.Plan = planned.Plan
	return a
}

// asJSON is what programs are told, and what people read.
func asJSON(t *testing.T, a all) any {
	t.Helper()
	a.Report = a.Report.WithFixes(a.Fixes)
	var plan any
	if a.Plan != nil {
		plan = a.Plan.Brief(a.Report.Preemption)
	}
	text, err := json.Marshal(map[string]any{
		"report": a.Report, "way": a.Way, "preemption": plan,
		"text": report.Text(a.Report, 100, report.TextOptions{Now: explaintest.Now, Nodes: true, Fixes: true}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

// What a snapshot does not hold is not said to be missing in the cluster.
func TestFitFromASnapshotSaysThatItHoldsNoClaimTemplates(t *testing.T) {
	pod := explaintest.Pod("ml/infer", "", "1", func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new("one-gpu")}}
	})
	for text, want := range map[string]string{
		`{"kind":"SnapshotInfo","apiVersion":"fathom/v1alpha1","taken":"2026-06-01T12:00:00Z"}`: "the snapshot does not hold ResourceClaimTemplates",
		"": "ResourceClaimTemplates are not read from a file",
	} {
		text += `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4","pods":"9"}}}`
		file, err := snapshot.Read(strings.NewReader(text), snapshot.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		source, err := file.Source()
		if err != nil {
			t.Fatal(err)
		}
		c, _ := opened(t, source)
		got, err := cluster.Fit(t.Context(), c, report.FitQuery{Pod: pod, Replicas: 2, Admittance: report.Admittance{Admitted: true}})
		if err != nil {
			t.Fatal(err)
		}
		want = fmt.Sprintf("its ResourceClaims are made from ResourceClaimTemplate ml/one-gpu, which cannot be read (%s)", want)
		if got.Fits != nil || !slices.ContainsFunc(got.Unknown, func(part report.UnknownPart) bool { return part.Why == want }) {
			t.Errorf("%v fit, unknown %v, want %q", got.Fits, got.Unknown, want)
		}
	}
}
