package e2e

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/recount"
)

// manyNames is how many objects a sentence must name before it may count the rest.
const manyNames = 10

// morePattern ends a list of names that goes on.
var morePattern = regexp.MustCompile(`(?: and|;) (\d+) more\b`)

// recounted are the plugins that the checker knows.
var recounted = []string{
	"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity",
	"VolumeRestrictions", "VolumeBinding", "VolumeZone", "NodeVolumeLimits", "DynamicResources", "NodeDeclaredFeatures",
}

// Every rejection of the plugins that know nodes, and no other, is found by a count that
// knows only what kubectl prints; its names and figures are told.
func TestFiguresAreThoseOfKubectl(t *testing.T) {
	plane := startRandom(t)
	client := admin(t, plane)
	checked := map[string]int{}
	clusters := max(1, *seeds*2/5)
	for seed := *firstSeed; seed < *firstSeed+clusters; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			defer clearRandom(t, plane)
			fillRandom(t, plane, client, uint64(seed))
			checkCluster(t, plane, checked)
		})
	}
	t.Run("one of each", func(t *testing.T) {
		createHardCases(t, plane, client)
		checkCluster(t, plane, checked)
		checkHardCases(t, plane)
	})
	total := 0
	for _, plugin := range recounted[1:] { // the first refuses only pods that are bound
		total += checked[plugin]
		if checked[plugin] == 0 {
			t.Errorf("no rejection of %s was checked", plugin)
		}
	}
	fmt.Printf("%d rejections with names and figures recounted, of %d random clusters: %v\n", total, clusters, checked)
}

// checkCluster explains every pod and counts again.
func checkCluster(t *testing.T, plane *controlplane.ControlPlane, checked map[string]int) {
	t.Helper()
	explained := explainAll(t, kubeconfig(t, plane, controlplane.Admin), "--nodes")
	state, err := recount.Read([]byte(kubectl(t, plane, "", "get", recount.Kinds, "-A", "-o", "json")))
	if err != nil {
		t.Fatal(err)
	}
	for i := range state.Pods {
		pod := &state.Pods[i]
		if !lookedAt(pod) {
			continue
		}
		e := explained[pod.Namespace+"/"+pod.Name]
		if len(e.Nodes) != len(state.Nodes) {
			t.Errorf("%s (%s): %d nodes are told, there are %d", pod.Namespace+"/"+pod.Name, e.Verdict, len(e.Nodes), len(state.Nodes))
			continue
		}
		for j := range state.Nodes {
			checkNode(t, pod, &state.Nodes[j], e, state.Rejections(pod, &state.Nodes[j]), checked)
		}
	}
}

// checkNode compares what is told of one node with what was counted.
func checkNode(t *testing.T, pod *corev1.Pod, node *corev1.Node, e explanation, counted []recount.Rejection, checked map[string]int) {
	t.Helper()
	where := e.name() + " on " + node.Name
	i := slices.IndexFunc(e.Nodes, func(n nodeResult) bool { return n.Name == node.Name })
	if i < 0 {
		t.Errorf("%s: the node is not told", where)
		return
	}
	told := e.Nodes[i]
	if fits := told.Fits != nil && *told.Fits; fits != (len(told.Rejections) == 0) {
		t.Errorf("%s: fits is %s with %d rejections", where, boolean(told.Fits), len(told.Rejections))
	}
	var plugins, expected []string
	for _, r := range told.Rejections {
		if slices.Contains(recounted, r.Plugin) {
			plugins = append(plugins, r.Plugin)
		}
	}
	for _, r := range counted {
		expected = append(expected, r.Plugin)
	}
	slices.Sort(plugins)
	slices.Sort(expected)
	if !slices.Equal(plugins, expected) {
		t.Errorf("%s: refused by %v, counted %v", where, plugins, expected)
		return
	}
	for _, r := range counted {
		k := slices.IndexFunc(told.Rejections, func(each rejection) bool { return each.Plugin == r.Plugin })
		checkRefusal(t, where, told.Rejections[k], r)
		checked[r.Plugin]++
	}
}

// checkRefusal wants every name and figure in the sentence, none that was not
// counted, and equal numbers.
func checkRefusal(t *testing.T, where string, told rejection, counted recount.Rejection) {
	t.Helper()
	names := slices.Compact(slices.Sorted(slices.Values(counted.Names)))
	var missing []string
	for _, name := range names {
		if !strings.Contains(told.What, name) {
			missing = append(missing, name)
		}
	}
	more := 0
	for _, rest := range morePattern.FindAllStringSubmatch(told.What, -1) {
		n, err := strconv.Atoi(rest[1])
		if err != nil {
			t.Fatal(err)
		}
		more += n
	}
	if len(missing) > more || len(missing) > 0 && len(names)-len(missing) < manyNames {
		t.Errorf("%s: %s does not name %q: %q", where, told.Plugin, missing, told.What)
	}
	checkFigures(t, where, told, counted)
	checkNumbers(t, where+": "+told.Plugin, told.Numbers, counted.Numbers)
}

// checkFigures wants every figure that was counted in the sentence, unless it leaves
// something out ("3 more"), and no figure in it that was not.
func checkFigures(t *testing.T, where string, told rejection, counted recount.Rejection) {
	t.Helper()
	whole := morePattern.ReplaceAllString(told.What, "")
	figures := figuresIn(whole)
	for _, figure := range counted.Figures {
		if whole == told.What && !slices.ContainsFunc(figures, func(q resource.Quantity) bool { return q.Cmp(figure) == 0 }) {
			t.Errorf("%s: %s does not tell the figure %s: %q", where, told.Plugin, figure.String(), told.What)
		}
	}
	known := slices.Concat(counted.Figures, counted.Also)
	for _, word := range slices.Concat(counted.Names, counted.Words) {
		known = append(known, figuresIn(word)...)
	}
	for _, figure := range figures {
		if !slices.ContainsFunc(known, func(q resource.Quantity) bool { return q.Cmp(figure) == 0 }) {
			t.Errorf("%s: %s tells %s, which was not counted: %q", where, told.Plugin, figure.String(), told.What)
		}
	}
}

// figuresIn are all words of a sentence that are quantities.
func figuresIn(sentence string) []resource.Quantity {
	var found []resource.Quantity
	for _, word := range strings.FieldsFunc(sentence, func(r rune) bool { return strings.ContainsRune(" ,;:()=", r) }) {
		q, err := resource.ParseQuantity(strings.TrimSuffix(word, "."))
		if err == nil {
			found = append(found, q)
		}
	}
	return found
}

// checkNumbers compares the numbers of a rejection, by resource.
func checkNumbers(t *testing.T, where string, told []number, counted []recount.Number) {
	t.Helper()
	if len(told) != len(counted) {
		t.Errorf("%s: %d numbers are told, %d were counted: %+v, %+v", where, len(told), len(counted), told, counted)
		return
	}
	for _, c := range counted {
		i := slices.IndexFunc(told, func(n number) bool { return n.Resource == c.Resource })
		if i < 0 {
			t.Errorf("%s: no number of %s: %+v", where, c.Resource, told)
			continue
		}
		for what, pair := range map[string]struct {
			told    string
			counted resource.Quantity
		}{
			"wanted":      {told[i].Wanted, c.Wanted},
			"requested":   {told[i].Requested, c.Requested},
			"allocatable": {told[i].Allocatable, c.Allocatable},
			"short":       {told[i].Short, c.Short},
		} {
			q, err := resource.ParseQuantity(pair.told)
			if err != nil || q.Cmp(pair.counted) != 0 {
				t.Errorf("%s: %s of %s is told as %q, counted %s", where, what, c.Resource, pair.told, pair.counted.String())
			}
		}
	}
}

// checkHardCases wants the node that refuses for many reasons to show them all.
func checkHardCases(t *testing.T, plane *controlplane.ControlPlane) {
	t.Helper()
	explained := explainAll(t, kubeconfig(t, plane, controlplane.Admin), "--nodes")
	refuses := map[string][]string{
		"hard/three": {"NodeUnschedulable", "TaintToleration", "NodeResourcesFit"},
		"hard/seven": {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity"},
	}
	for _, name := range slices.Sorted(maps.Keys(refuses)) {
		told := map[string]bool{}
		for _, node := range explained[name].Nodes {
			for _, r := range node.Rejections {
				told[r.Plugin] = told[r.Plugin] || node.Name == "bad"
			}
		}
		for _, plugin := range refuses[name] {
			if !told[plugin] {
				t.Errorf("%s: node bad is not said to be refused by %s; told are %v", name, plugin, told)
			}
		}
		if len(told) != len(refuses[name]) {
			t.Errorf("%s: refused by %v, want %v", name, told, refuses[name])
		}
	}
}
