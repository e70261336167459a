package explain

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// startGangs is an engine that is told of groups.
func startGangs(t *testing.T, objects ...runtime.Object) *Engine {
	t.Helper()
	e := startEngine(t, Options{PodGroups: true}, testNode("n", "64"))
	var changes []scheduler.Change
	for _, object := range objects {
		changes = append(changes, scheduler.Change{New: object})
	}
	if err := e.Apply(2, changes); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAGangThatIsNotCompleteSaysWhatItLacks(t *testing.T) {
	gangsOn(t, false)
	first, second := testPod("ml/a", "", "1", ofGroup("train")), testPod("ml/b", "", "1", ofGroup("train"))
	e := startGangs(t, first, second, testPod("ml/c", "n", "1", ofGroup("train")))
	r := mustExplain(t, e, first)
	same(t, r.Summary, "PodGroup ml/train does not exist: kube-scheduler does not consider it until it exists.")
	same(t, r.Why, "PodGroup train does not exist")

	apply(t, e, scheduler.Change{New: testGroup("train", "", 8)})
	r = mustExplain(t, e, first)
	same(t, r.Summary, "PodGroup ml/train has 3 of the 8 pods that its gang requires: kube-scheduler does not consider it until 5 more pods exist.")
	same(t, r.Why, "gang train: 3 of 8 pods")
	same(t, r.State, "gated")

	apply(t, e, scheduler.Change{Old: second}, scheduler.Change{New: testGroup("train", "", 2)})
	same(t, string(mustExplain(t, e, first).Verdict), string(report.Schedulable))
	apply(t, e, scheduler.Change{Old: testGroup("train", "", 2)})
	same(t, string(mustExplain(t, e, first).Verdict), string(report.Gated))
}

func apply(t *testing.T, e *Engine, changes ...scheduler.Change) {
	t.Helper()
	if err := e.Apply(3, changes); err != nil {
		t.Fatal(err)
	}
}

func TestAGangOfGangsNamesTheGroupsThatAreNotComplete(t *testing.T) {
	gangsOn(t, true)
	pod := testPod("ml/a", "", "1", ofGroup("workers"))
	e := startGangs(t, testGroup("workers", "job", 2), testGroup("drivers", "job", 1), pod)
	same(t, mustExplain(t, e, pod).Why, "CompositePodGroup job does not exist")
	apply(t, e, scheduler.Change{New: testGroups("job", "", 2)})
	r := mustExplain(t, e, pod)
	same(t, r.Summary, "CompositePodGroup ml/job has 0 of the 2 groups that its gang requires (drivers has 0 of 1 pod, workers has 1 of 2 pods): "+
		"kube-scheduler does not consider it until 2 more groups are complete.")
	same(t, r.Why, "gang job: 0 of 2 groups")
}

func TestWithoutItsGroupAPodsVerdictIsOpen(t *testing.T) {
	r := mustExplain(t, startEngine(t, Options{}, testNode("n", "4")), testPod("ml/a", "", "1", ofGroup("train")))
	same(t, string(r.Verdict), string(report.Unknown))
	same(t, r.Unknown[0].Why, "PodGroups are not read, so it is unknown whether PodGroup train has enough pods")
}
