package explanation

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// TestWhyOfAPodWithANodeRepeatsNoSentence that the row above has, and leaves one row empty.
func TestWhyOfAPodWithANodeRepeatsNoSentence(t *testing.T) {
	const begins, ends = "Scheduled to n-1 10d ago, all containers started.", "Its resize to memory 33Gi is deferred for 2h: n-1 needs memory 7.4Gi more."
	for _, c := range []struct {
		summary string
		want    []string // the rows after the first
	}{
		{begins, []string{"", "   T shows how kube-scheduler would place it now."}},
		{begins + " " + ends, []string{"", "   " + ends, "   T shows how kube-scheduler would place it now."}},
	} {
		page := &Drawing{
			Width: 80, Height: 12, Styles: &themes.Styles{}, Cursor: NoCursor, Snapshot: &model.Snapshot{},
			Pod:    &model.Pod{Object: &corev1.Pod{Spec: corev1.PodSpec{NodeName: "n-1"}}},
			Report: &report.Report{Verdict: report.Scheduled, Summary: c.summary},
		}
		var got []string
		for _, line := range page.Lines()[1 : 1+len(c.want)] {
			got = append(got, strings.TrimRight(line.Text, " "))
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%q:\n%s\nwant\n%s", c.summary, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
