package explain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// TestAJobThatHoldsTheCapacityCanBeSuspended unless it has ended, is suspended, would be resumed or ranks higher. It is
// simulated without all its pods, also those that are pending, and stands before evictions of single ones.
func TestAJobThatHoldsTheCapacityCanBeSuspended(t *testing.T) {
	job := func(name string, edits ...func(*corev1.Pod)) []func(*corev1.Pod) {
		return append(edits, podControlledBy("batch/v1", "Job", name))
	}
	held := func(edits ...func(*corev1.Pod)) (all []runtime.Object) {
		for i, node := range []string{"a", "a", "b", "b"} {
			all = append(all, testPod(fmt.Sprintf("finance/report-%d", i), node, "2", job("report", edits...)...))
		}
		return append(all, testNode("a", "4"), testNode("b", "4"))
	}
	const line = `kubectl -n finance patch job report --type=merge -p '{"spec":{"suspend":true}}'`
	const affects = "[job/report 4 pods of it are deleted and start again from the beginning when it is resumed]"
	for name, c := range map[string]struct {
		facts   command.Facts
		objects []runtime.Object
		want    string // "": none
	}{
		"of equal priority": {command.Facts{}, held(), "+ 2 nodes, 2 of 2, deletes 4 pods of the Job " + affects},
		"with a pod that is pending": {
			command.Facts{},
			append(held(), testPod("finance/report-4", "", "4", job("report")...)),
			"+ 2 nodes, 2 of 2, deletes 5 pods of the Job [job/report 5 pods of it are deleted and start again from the beginning when it is resumed]",
		},
		"of a CronJob": {
			command.Facts{CronJob: "monthly"},
			held(),
			"+ 2 nodes, 2 of 2, deletes 4 pods of the Job [job/report 4 pods of it are deleted and start again from the beginning when it is resumed; cronjob/monthly may create another Job]",
		},
		"that cannot be read": {
			command.Facts{Unread: "not allowed to get jobs"},
			held(),
			"x 2 nodes, 2 of 2, unknown: whether a controller would resume job finance/report: not allowed to get jobs " + affects,
		},
		"that has ended":         {command.Facts{Finished: true}, held(), ""},
		"that is suspended":      {command.Facts{Suspended: true}, held(), ""},
		"that would be resumed":  {command.Facts{Managed: true}, held(), ""},
		"that is gone":           {command.Facts{Gone: true}, held(), ""},
		"of a higher priority":   {command.Facts{}, held(priority(10)), ""},
		"that holds too little":  {command.Facts{}, []runtime.Object{testNode("a", "4"), testPod("finance/report-0", "a", "1", job("report")...), testPod("s/other", "a", "3")}, ""},
		"of another API version": {command.Facts{}, []runtime.Object{testNode("a", "4"), testPod("finance/report-0", "a", "4", podControlledBy("example.com/v1", "Job", "report"))}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := testPod("s/x", "", "3", podControlledBy("apps/v1", "ReplicaSet", "web"))
			other := testPod("s/y", "", "3", podControlledBy("apps/v1", "ReplicaSet", "web"))
			e := startEngine(t, Options{Lookups: Lookups{Facts: func(context.Context, model.Ref) command.Facts { return c.facts }}}, append(c.objects, pod, other)...)
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.FixesPart})
			if err != nil {
				t.Fatal(err)
			}
			got, evicted := "", false
			for _, fix := range r.Tried.Tried {
				evicted = evicted || fix.Kind == report.FixEvict
				if fix.Kind != report.FixSuspend {
					continue
				}
				if evicted {
					t.Error("an eviction comes before it")
				}
				mark, _, _ := strings.Cut(strings.Split(toldFixes(&report.Fixes{Tried: []report.Fix{fix}}), "\n")[0], " ")
				got = fmt.Sprintf("%s %s, %s, %s", mark, fix.Gains(), fix.Places(), fix.Outcome())
				for _, affected := range fix.Affects {
					got += fmt.Sprintf(" [%s %s]", affected.Title(), affected.How)
				}
				same(t, fix.Title, "suspend job finance/report")
				same(t, fix.Command, line)
				same(t, fix.Undo, strings.Replace(line, "true", "false", 1))
			}
			same(t, got, c.want)
		})
	}
}
