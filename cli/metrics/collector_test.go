package metrics

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// testNow is the time of these tests.
var testNow = time.Unix(1_700_000_000, 0)

// stateOf is what is known with a status of the connection.
func stateOf(found *reading, status model.Status) *current {
	c := &current{now: func() time.Time { return testNow }}
	c.connect(func() model.Status { return status })
	if found != nil {
		c.set(found)
	}
	return c
}

// live is a connection that works.
var live = model.Connection{Live: true, Heard: testNow}

// someReading has two namespaces and two nodes, one with GPUs.
func someReading() *reading {
	builder := model.NewBuilder()
	ready := modeltest.NewNode("a", "z", "4", "8Gi")
	ready.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	ready.Status.Allocatable["example.com/gpu"] = modeltest.Quantities("example.com/gpu", "8")["example.com/gpu"]
	silent := modeltest.NewNode("b", "z", "2", "4Gi")
	silent.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: "Perhaps"}}
	silent.Spec.Unschedulable = true
	builder.Node(nil, ready)
	builder.Node(nil, silent)
	builder.Pod(nil, modeltest.NewPod("runs", "a", "1500m", "1Gi", time.Hour, nil))
	s := builder.Build(1, model.Status{}, nil)
	found := &reading{evaluated: testNow.Add(-time.Second), took: 250 * time.Millisecond, counted: true}
	found.addNodes(s.Nodes)
	found.blocked = []blocked{
		{cause{"shop", report.Unschedulable, "cpu", "NodeResourcesFit", report.MayAddNode}, 3, testNow.Add(-time.Hour)},
		{cause{"shop", report.Unschedulable, "cpu", "NodeResourcesFit", report.AddsNode}, 1, testNow.Add(-2 * time.Hour)},
		{cause{"ml", report.NotCreated, "quota", "", report.NoAutoscaler}, 7, time.Time{}},
	}
	found.sum(false)
	return found
}

func TestMetricsOfAReading(t *testing.T) {
	c := stateOf(someReading(), model.Status{Connection: live})
	const want = `fathom_allocatable{resource="cpu",unit="core"} 6
fathom_allocatable{resource="ephemeral-storage",unit="byte"} 0
fathom_allocatable{resource="example.com/gpu",unit="integer"} 8
fathom_allocatable{resource="memory",unit="byte"} 1.2884901888e+10
fathom_allocatable{resource="pods",unit="integer"} 220
fathom_blocked_pods{autoscaler="adds_node",blocked_by="cpu",namespace="shop",plugin="NodeResourcesFit",verdict="Unschedulable"} 1
fathom_blocked_pods{autoscaler="may_add_node",blocked_by="cpu",namespace="shop",plugin="NodeResourcesFit",verdict="Unschedulable"} 3
fathom_blocked_pods{autoscaler="none",blocked_by="quota",namespace="ml",plugin="",verdict="NotCreated"} 7
fathom_connected 1
fathom_cordoned_nodes 1
fathom_last_answer_timestamp_seconds 1.7e+09
fathom_last_evaluation_duration_seconds 0.25
fathom_last_evaluation_timestamp_seconds 1.699999999e+09
fathom_nodes{ready="false"} 0
fathom_nodes{ready="true"} 1
fathom_nodes{ready="unknown"} 1
fathom_oldest_blocked_pod_timestamp_seconds{blocked_by="cpu",namespace="shop",verdict="Unschedulable"} 1.6999928e+09
fathom_pending_pods{verdict="Gated"} 0
fathom_pending_pods{verdict="NotConsidered"} 0
fathom_pending_pods{verdict="NotCreated"} 7
fathom_pending_pods{verdict="Preempting"} 0
fathom_pending_pods{verdict="Schedulable"} 0
fathom_pending_pods{verdict="Scheduled"} 0
fathom_pending_pods{verdict="Unknown"} 0
fathom_pending_pods{verdict="Unschedulable"} 4
fathom_requested{resource="cpu",unit="core"} 1.5
fathom_requested{resource="ephemeral-storage",unit="byte"} 0
fathom_requested{resource="example.com/gpu",unit="integer"} 0
fathom_requested{resource="memory",unit="byte"} 1.073741824e+09
fathom_requested{resource="pods",unit="integer"} 1
fathom_view_complete 1
`
	var got []string
	for line := range strings.Lines(scrape(t, c)) {
		if strings.HasPrefix(line, "fathom_") && !strings.HasPrefix(line, "fathom_build_info") {
			got = append(got, line)
		}
	}
	if text := strings.Join(got, ""); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestMetricsAreWrittenAsPrometheusRecommends(t *testing.T) {
	problems, err := testutil.CollectAndLint(stateOf(someReading(), model.Status{
		Connection: live, Unread: []model.Unread{{Group: "apps", Resource: "jobs"}},
	}))
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
}

func TestWhatIsUnknownHasNoValue(t *testing.T) {
	unreadPods := someReading()
	unreadPods.verdicts, unreadPods.blocked, unreadPods.counted = nil, nil, false
	unreadNodes := &reading{}
	unreadNodes.sum(true)
	lost := func(heard time.Duration) model.Status {
		return model.Status{Connection: model.Connection{Heard: testNow.Add(-heard), Err: "refused", Tries: 9}}
	}
	for name, c := range map[string]struct {
		state       *current
		has, hasNot []string
	}{
		"before the cluster is read":     {&current{now: time.Now}, []string{"connected 0", "view_complete 0"}, []string{"pending_pods", "nodes", "allocatable", "last_answer_timestamp_seconds"}},
		"while it is read":               {stateOf(nil, model.Status{Connection: live, Reading: map[string]int{"pods": 1}}), []string{"connected 1", "view_complete 0"}, []string{"pending_pods"}},
		"pods may not be read":           {stateOf(unreadPods, model.Status{Connection: live, Unread: []model.Unread{{Resource: "pods"}}}), []string{`unread_resource{group="",resource="pods"} 1`, "view_complete 0", "allocatable{", "nodes{"}, []string{"pending_pods", "blocked_pods", "requested"}},
		"nodes may not be read":          {stateOf(unreadNodes, model.Status{Connection: live, Unread: []model.Unread{{Resource: "nodes"}}}), []string{`pending_pods{verdict="Unschedulable"} 0`, "view_complete 0"}, []string{"nodes", "cordoned_nodes", "allocatable", "requested", `pending_pods{verdict="NotCreated"}`}},
		"one namespace is read":          {stateOf(someReading(), model.Status{Connection: live, Namespace: "shop"}), []string{"view_complete 0", "blocked_pods{"}, nil},
		"it is not known what fails":     {stateOf(someReading(), model.Status{Connection: live, Seeking: true}), []string{"view_complete 0"}, nil},
		"the server is lost for seconds": {stateOf(someReading(), lost(10*time.Second)), []string{"connected 0", "last_answer_timestamp_seconds 1.69999999e+09", "blocked_pods{"}, nil},
		"it is lost for long":            {stateOf(someReading(), lost(staleAfter+time.Second)), []string{"connected 0", "view_complete 0"}, []string{"pending_pods", "blocked_pods", "nodes", "allocatable", "last_evaluation_timestamp_seconds"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := scrape(t, c.state)
			for _, want := range c.has {
				if !strings.Contains(text, "\nfathom_"+want) {
					t.Errorf("no fathom_%s in\n%s", want, text)
				}
			}
			for _, not := range c.hasNot {
				if strings.Contains(text, "\nfathom_"+not) {
					t.Errorf("fathom_%s has a value in\n%s", not, text)
				}
			}
		})
	}
}

func TestLabelsHaveAtMostSoManyValues(t *testing.T) {
	var rows []blocked
	total := 0
	for namespace := range 60 {
		for by := range 60 {
			pods := namespace + by + 1
			total += pods
			rows = append(rows, blocked{cause{fmt.Sprintf("ns-%02d", namespace), report.Unschedulable, fmt.Sprintf("r%02d", by), "NodeResourcesFit", report.NoAutoscaler}, pods, testNow})
		}
	}
	got := limited(rows, 3)
	values := func(of func(*blocked) string) map[string]bool {
		all := map[string]bool{}
		for i := range got {
			all[of(&got[i])] = true
		}
		return all
	}
	namespaces := values(func(b *blocked) string { return b.namespace })
	if len(namespaces) != 4 || !namespaces[other] || !namespaces["ns-59"] || namespaces["ns-00"] {
		t.Errorf("namespaces %v", namespaces)
	}
	if causes := values(func(b *blocked) string { return b.by }); len(causes) != mostCauses+1 || !causes[other] || causes["r00"] {
		t.Errorf("causes %v", causes)
	}
	if all := limited(rows, 60); len(all) != mostRows+1 {
		t.Errorf("%d rows, want %d", len(all), mostRows+1)
	}
	for _, rows := range [][]blocked{got, limited(rows, 60), limited(rows, 0)} {
		sum := 0
		for i := range rows {
			sum += rows[i].pods
		}
		if sum != total {
			t.Errorf("%d pods, want %d: none may be lost", sum, total)
		}
	}
}

func TestResourcesAreLimited(t *testing.T) {
	builder := model.NewBuilder()
	node := modeltest.NewNode("a", "z", "4", "8Gi")
	for i := range 2 * mostResources {
		name := corev1.ResourceName(fmt.Sprintf("example.com/r%03d", i))
		node.Status.Allocatable[name] = modeltest.Quantities("cpu", "1")["cpu"]
	}
	builder.Node(nil, node)
	found := &reading{}
	found.addNodes(builder.Build(1, model.Status{}, nil).Nodes)
	if got := resources(found.capacity); len(got) != len(plain)+mostResources {
		t.Errorf("%d resources", len(got))
	}
}

var metricName = regexp.MustCompile("`(fathom_[a-z_]+)")

// TestEachMetricIsDocumented holds the page of the guide to the metrics that there are.
func TestEachMetricIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, found := range metricName.FindAllStringSubmatch(string(page), -1) {
		documented[found[1]] = true
	}
	for name := range metricNames() {
		if !documented[name] {
			t.Errorf("%s is not documented", name)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("%s is documented, and there is no such metric", name)
	}
	for _, word := range report.ScaleUps {
		if !strings.Contains(string(page), "`"+string(word)+"`") {
			t.Errorf("the value %s of autoscaler is not documented", word)
		}
	}
}

var fqName = regexp.MustCompile(`fqName: "([a-z_]+)"`)

// metricNames are those of all metrics.
func metricNames() map[string]bool {
	names := map[string]bool{}
	for _, d := range all {
		names[fqName.FindStringSubmatch(d.String())[1]] = true
	}
	return names
}

var usedName = regexp.MustCompile(`fathom_[a-z_]+`)

// TestRulesAndDashboardUseMetricsThatExist looks at each expression.
func TestRulesAndDashboardUseMetricsThatExist(t *testing.T) {
	names := metricNames()
	for _, file := range []string{"alerts.yaml", "dashboard.json"} {
		text, err := os.ReadFile("../../docs/metrics/" + file)
		if err != nil {
			t.Fatal(err)
		}
		used := usedName.FindAllString(string(text), -1)
		if len(used) < 8 {
			t.Errorf("%s has only %d metrics", file, len(used))
		}
		for _, name := range used {
			if !names[name] {
				t.Errorf("%s: there is no metric %s", file, name)
			}
		}
	}
}
