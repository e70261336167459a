package explain

import (
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestTheWayIsToldAsText(t *testing.T) {
	e := startEngine(t, Options{}, prodEU()...)
	for _, test := range []struct {
		name string
		r    *report.Report
		want string
	}{
		{"no node fits", mustWay(t, e, checkout()), `
SCHEDULING CYCLE, simulated now
  PreEnqueue ✓    The pod can enter the scheduling queue.
  PreFilter ✓     Each plugin checks the pod and all nodes once; some exclude
                  nodes.
  Filter 12→0     Plugins check each node in turn; the first rejection excludes
                  it.
    PLUGIN             CHECKED  REJECTED  LEFT  REASON
    NodeName                12         0    12
    NodeUnschedulable       12         1    11  spot-a-01: cordoned
    TaintToleration         11         4     7  3: dedicated=gpu; 1: NotReady
    NodeAffinity             7         4     3  3: disktype=hdd; 1: no label
    NodePorts                –         –     3  skipped: no host ports
    NodeResourcesFit         3         3     0  3 lack cpu: 350m, 1.2, 3.1
    8 more plugins           –         –     0  not run: no node remains
  PostFilter ✗    No node fits: kube-scheduler tries to preempt pods of lower
                  priority.
    PLUGIN             RESULT
    DynamicResources   skipped: no claim to deallocate
    DefaultPreemption  won't help on any node
  Score –         Not reached: no node remains.
  Bind –          Not reached: no node remains.
`},
		{"it would go somewhere", mustWay(t, e, aPod("web", "4")), `
SCHEDULING CYCLE, simulated now
It would be scheduled on std-c-01: it scores 425, next std-a-01 418.
  PreEnqueue ✓    The pod can enter the scheduling queue.
  PreFilter ✓     Each plugin checks the pod and all nodes once; some exclude
                  nodes.
  Filter 12→3     Plugins check each node in turn; the first rejection excludes
                  it.
    PLUGIN                CHECKED  REJECTED  LEFT  REASON
    NodeName                   12         0    12
    NodeUnschedulable          12         1    11  spot-a-01: cordoned
    TaintToleration            11         4     7  3: dedicated=gpu; 1: NotReady
    NodeAffinity                –         –     7  skipped: no node affinity
    NodePorts                   –         –     7  skipped: no host ports
    NodeResourcesFit            7         4     3  4 lack cpu: 350m, 400m, 1.2, 1 more
    VolumeRestrictions          –         –     3  skipped: no volumes for one pod only
    NodeVolumeLimits            –         –     3  skipped: no PersistentVolumeClaims
    VolumeBinding               –         –     3  skipped: no PersistentVolumeClaims
    VolumeZone                  –         –     3  skipped: no PersistentVolumeClaims
    PodTopologySpread           –         –     3  skipped: no spread constraints
    InterPodAffinity            –         –     3  skipped: no pod affinity rules
    DynamicResources            –         –     3  skipped: no resource claims
    NodeDeclaredFeatures        –         –     3  skipped: no required node features
  PostFilter –    Not reached: a node fits, so nothing is preempted.
  Score ✓         Score × weight of each plugin, added up: the highest total
                  wins.
    NODE      TOTAL  taint   fit  vol-bind  claims  balance  image
    std-c-01    425  100×3  56×1       0×1     0×2     69×1    0×1
    std-a-01    418  100×3  50×1       0×1     0×2     68×1    0×1
    std-a-02    418  100×3  49×1       0×1     0×2     69×1    0×1
    NodeAffinity skipped: no preferred node affinity
    PodTopologySpread skipped: no spread constraints
    InterPodAffinity skipped: no preferred pod affinity
  Bind ✓          It would be bound to std-c-01.
    PLUGIN         RESULT
    DefaultBinder  after Reserve, Permit and PreBind, which are not simulated
`},
	} {
		if got := report.Text(test.r, 80, report.TextOptions{}); !strings.Contains(got, strings.TrimPrefix(test.want, "\n")) {
			t.Errorf("%s: no\n%s\nin\n%s", test.name, test.want, got)
		}
	}
}

func TestTheWayIsToldAsMarkdown(t *testing.T) {
	got := mustWay(t, startEngine(t, Options{}, prodEU()...), aPod("web", "4")).Markdown()
	for _, want := range []string{
		"Filter 12→3     Plugins check each node in turn; the first rejection excludes it.\n",
		"|   TaintToleration | 11 | 4 | 7 | 3: dedicated=gpu; 1: NotReady |",
		"|   NODE | TOTAL | taint | fit |",
		"It would be scheduled on std-c-01: it scores",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
