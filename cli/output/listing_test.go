package output

import (
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestWhatIsToldBesideAListIsNoData(t *testing.T) {
	const note = "shop/web: selects no pods"
	table := &List{Kind: "BudgetList", Heads: []string{"NAME"}, Notes: []string{note}}
	table.Add("web", "web")
	tree := &List{Kind: "CgroupList", IsText: true, Lines: []string{"kubepods.slice"}, Notes: []string{note}}
	tree.Add("kubepods.slice")
	empty := &List{Kind: "BudgetList", Empty: "no PodDisruptionBudgets", Notes: []string{note}}
	for _, c := range []struct {
		name      string
		list      *List
		form      string
		noHeaders bool
		out, said string
	}{
		{"a table", table, "text", false, "NAME\nweb\n", note + "\n"},
		{"a table of scripts", table, "wide", true, "web\n", ""},
		{"a text", tree, "text", false, "kubepods.slice\n", note + "\n"},
		{"a text of scripts", tree, "text", true, "kubepods.slice\n", ""},
		{"nothing", empty, "text", false, "", "no PodDisruptionBudgets\n" + note + "\n"},
		{"nothing, of scripts", empty, "text", true, "", "no PodDisruptionBudgets\n"},
		{"names", empty, "name", false, "", "no PodDisruptionBudgets\n"},
	} {
		var out, said strings.Builder
		if err := c.list.Print(&out, &said, c.form, c.noHeaders); err != nil || out.String() != c.out || said.String() != c.said {
			t.Errorf("%s: standard output %q, error %q (%v), want %q and %q", c.name, &out, &said, err, c.out, c.said)
		}
	}
}

func TestThatNothingWasExplainedIsNoData(t *testing.T) {
	for form, want := range map[string]string{"text": "", "markdown": "", "json": `{"apiVersion":"` + report.APIVersion + `","kind":"` + report.ListKind + `","items":[]}` + "\n"} {
		var out, said strings.Builder
		reports := NewReports(&terminal.Streams{Out: &out, ErrOut: &said}, form, true, report.TextOptions{})
		if err := reports.Close(); err != nil || out.String() != want {
			t.Errorf("%s: standard output %q (%v)", form, &out, err)
		}
		if told := said.String() == "No pending pods.\n"; told != (form != "json") {
			t.Errorf("%s: standard error %q", form, &said)
		}
	}
}
