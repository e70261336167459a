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
KUBE-SCHEDULER'S WAY, as of now, not of its last attempt
  queue ✓       Nothing keeps the pod out of the scheduling queue.
  PreFilter ✓   Each plugin looks at the pod and all nodes once; some leave nodes out.
  Filter 12→0   Each node is asked plugin after plugin and drops out at the first refusal.
    PLUGIN                ASKED REFUSE  LEFT  WHAT IT REFUSED
    NodeName                 12      0    12
    NodeUnschedulable        12      1    11  spot-a-01, cordoned
    TaintToleration          11      4     7  3 dedicated=gpu, 1 NotReady
    NodeAffinity              7      4     3  3 disktype=hdd, 1 no label
    NodePorts                 –      –     3  skipped: no host ports
    NodeResourcesFit          3      3     0  cpu short by 350m, 1.2, 3.1
    8 more                    –      –     0  not asked: no node is left
  PostFilter ✗  No node is left: is there one where ending pods of lower priority makes room?
    DynamicResources     skipped: no claim to free
    DefaultPreemption    makes room on no node
  Score –       Not reached: no node is left.
  Bind –        Not reached: no node is left.
`},
		{"it would go somewhere", mustWay(t, e, aPod("web", "4")), `
KUBE-SCHEDULER'S WAY, as of now, not of its last attempt
  It would go to std-c-01: it scores 425, next std-a-01 418.
  queue ✓       Nothing keeps the pod out of the scheduling queue.
  PreFilter ✓   Each plugin looks at the pod and all nodes once; some leave nodes out.
  Filter 12→3   Each node is asked plugin after plugin and drops out at the first refusal.
    PLUGIN                ASKED REFUSE  LEFT  WHAT IT REFUSED
    NodeName                 12      0    12
    NodeUnschedulable        12      1    11  spot-a-01, cordoned
    TaintToleration          11      4     7  3 dedicated=gpu, 1 NotReady
    NodeAffinity              –      –     7  skipped: no node affinity
    NodePorts                 –      –     7  skipped: no host ports
    NodeResourcesFit          7      4     3  cpu short by 350m, 400m, 1.2, 1 more
    VolumeRestrictions        –      –     3  skipped: no exclusive volumes
    NodeVolumeLimits          –      –     3  skipped: no claims
    VolumeBinding             –      –     3  skipped: no claims
    VolumeZone                –      –     3  skipped: no claims
    PodTopologySpread         –      –     3  skipped: no spread constraints
    InterPodAffinity          –      –     3  skipped: no pod affinity rules
    DynamicResources          –      –     3  skipped: no resource claims
    NodeDeclaredFeatures      –      –     3  skipped: wants no node feature
  PostFilter –  Not reached: a node is left, so nothing is preempted.
  Score ✓       Each plugin gives each node 0 to 100, times its weight. The highest sum wins.
    NODE     TOTAL  taint    fit  vol-bind  claims  balance  image
    std-c-01   425  100×3   56×1       0×1     0×2     69×1    0×1
    std-a-01   418  100×3   50×1       0×1     0×2     68×1    0×1
    std-a-02   418  100×3   49×1       0×1     0×2     69×1    0×1
    NodeAffinity skipped: no preferred node affinity
    PodTopologySpread skipped: nothing to spread by
    InterPodAffinity skipped: no preferred pod affinity
  Bind ✓        It would be bound to std-c-01.
    DefaultBinder        after Reserve, Permit and PreBind, which are not tried
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
		"| Filter 12→3 |  |  | 12 | 3 | Each node is asked plugin after plugin and drops out at the first refusal. |",
		"|  | TaintToleration | 11 | 4 | 7 | 3 dedicated=gpu, 1 NotReady |",
		"| node | total | TaintToleration | NodeResourcesFit |",
		"It would go to std-c-01: it scores",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
