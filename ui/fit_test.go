package ui

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// fitOn is the page of how many more checkouts fit, opened from Pending.
func fitOn(t *testing.T, width, height int, answer *report.Fit, keys string) (*App, *fakeCluster) {
	t.Helper()
	s := newProdEU().snapshot()
	checkout, ok := s.PodNamed("shop", checkoutName)
	if !ok {
		t.Fatal("no checkout")
	}
	reports := verdictsOf(s)
	reports[checkout.Object.UID] = checkoutReport()
	cluster := &fakeCluster{reports: reports, fit: answer}
	app := newTestAppWith(t, width, height, s, cluster, nil)
	press(t, app, strings.Fields(keys)...)
	return app, cluster
}

// checkoutFit says that as many more checkouts fit.
func checkoutFit(placed ...report.PlacedOn) *report.Fit {
	answer := &report.Fit{Asked: 50, Placed: placed, Unknown: []report.UnknownPart{}}
	answer.StoppedBy(checkoutReport())
	answer.Count()
	return answer
}

func TestFitIsDrawnAsDesigned(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			app, _ := fitOn(t, size.width, size.height, checkoutFit(
				report.PlacedOn{Node: "spot-c-01", Pods: 1}, report.PlacedOn{Node: "std-a-01", Pods: 1}, report.PlacedOn{Node: "std-c-01", Pods: 2},
			), "j j j j F")
			requireScreen(t, app)
		})
	}
}

func TestFitTellsEachCase(t *testing.T) {
	all := &report.Fit{Asked: 50, Placed: []report.PlacedOn{{Node: "std-a-01", Pods: 50}}}
	all.Count()
	quota := &report.Fit{Asked: 50, Placed: []report.PlacedOn{{Node: "std-a-01", Pods: 2}}}
	quota.NotCreated([]report.Rejection{{Plugin: "ResourceQuota", What: "ResourceQuota shop/compute allows requests.cpu 20, 19 used, the pod needs 4"}})
	quota.Count()
	unknown := &report.Fit{Asked: 50, Unknown: []report.UnknownPart{{Resource: "persistentvolumes", Why: "not allowed to list persistentvolumes"}}}
	for _, test := range []struct {
		name, says string
		answer     *report.Fit
	}{
		{"all fit", "At least 50 more fit.", all},
		{"none fits", "0 more fit. The next needs cpu 350m more on std-b-02, the closest of 12 nodes.", checkoutFit()},
		{"a quota stops it", "2 more fit. The 3rd would not be created: ResourceQuota shop/compute allows", quota},
		{"unknown", "How many of 50 fit is unknown: not allowed to list persistentvolumes.", unknown},
		{"no answer", "Not available: fit ", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			app, _ := fitOn(t, 80, 24, test.answer, "j j j j F")
			if says := screenRow(app, 2); !strings.HasPrefix(strings.TrimSpace(says), test.says) {
				t.Errorf("it says %q, want %q …", says, test.says)
			}
			if text := strings.Join(strings.Fields(screen(app)), " "); test.name == "a quota stops it" && !strings.Contains(text, "19 used, the pod needs 4.") {
				t.Errorf("the end of the answer is not shown:\n%s", screen(app))
			}
		})
	}
}

func TestFitOpensFromTheRowsOfPods(t *testing.T) {
	for keys, says := range map[string]string{
		"j j j j F":             "› fit",
		"j j j j enter F":       "› fit",
		"j j j j F F":           "this page shows how many more pods fit",
		"2 F":                   "› fit",
		"j j j j : f i t enter": "› fit",
		"j j j j F f":           "› fixes",
		"G F":                   "no pod of team-a/api",
		"j j j j F esc esc":     "› pending",
	} {
		t.Run(keys, func(t *testing.T) {
			app, _ := fitOn(t, 80, 24, checkoutFit(), keys)
			if drawn := screen(app); !strings.Contains(drawn, says) {
				t.Errorf("it lacks %q:\n%s", says, drawn)
			}
		})
	}
}

func TestFitAsksAboutThePodOnce(t *testing.T) {
	_, cluster := fitOn(t, 80, 24, checkoutFit(), "j j j j F")
	if asked := cluster.fitted; len(asked) != 1 || asked[0] != types.UID("pod-shop-"+checkoutName) {
		t.Errorf("asked %v", asked)
	}
}
