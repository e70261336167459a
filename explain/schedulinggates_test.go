package explain

import (
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestEveryGateIsNamed(t *testing.T) {
	e := startEngine(t, Options{}, testNode("n", "4"))
	r := mustExplain(t, e, testPod("shop/x", "", "1", gatedBy("example.com/budget", "example.com/image")))
	same(t, string(r.Verdict), string(report.Gated))
	same(t, r.Summary, "Gated by example.com/budget, example.com/image until all of them are removed.")
	same(t, r.Why, "example.com/budget, example.com/image")
	same(t, r.Facts[0], "The controller of example.com normally removes this gate; a gate that you remove cannot be added again.")
}
