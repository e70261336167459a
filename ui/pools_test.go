package ui

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// pooled gives prod-eu GPUs and pods that target a zone: more than its nodes have free.
func (c *prodEU) pooled() {
	for _, n := range c.nodes {
		if n.Name[:3] == "gpu" {
			n.Status.Allocatable["nvidia.com/gpu"] = *resource.NewQuantity(8, resource.DecimalSI)
		}
	}
	for _, p := range c.pods {
		switch {
		case p.Name == "worker-gpu-a-01-00":
			p.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = *resource.NewQuantity(3, resource.DecimalSI)
		case p.Spec.NodeName == "" && (p.Namespace == "shop" || p.Namespace == "search"):
			p.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: "eu-1b", "eks.amazonaws.com/nodegroup": "std"}
			p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("4")
		}
	}
}

// poolsApp is Pools of prod-eu.
func poolsApp(t *testing.T, width, height int, change func(*prodEU), with func(*Options)) *App {
	t.Helper()
	c := newProdEU()
	c.pooled()
	if change != nil {
		change(c)
	}
	s := c.snapshot()
	if width >= 120 {
		s.Usage = c.usage
		for _, n := range s.Nodes {
			s.Usage.Nodes[n.Name] = model.Amount{MilliCPU: n.Allocatable.MilliCPU / 4, Memory: n.Allocatable.Memory / 2}
		}
	}
	app := newTestAppWith(t, width, height, s, &fakeCluster{reports: verdictsOf(s)}, with)
	press(t, app, "4")
	return app
}

func TestPoolsScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {180, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			app := poolsApp(t, size.width, size.height, nil, nil)
			press(t, app, "j", "j", "j", "j", "j", "j", "j")
			requireScreen(t, app)
		})
	}
}

func TestPoolsLargeAndPlain(t *testing.T) {
	requireScreen(t, poolsApp(t, 80, 24, nil, func(o *Options) { o.Large = true }))
}

func TestPoolsInASCII(t *testing.T) {
	requireScreen(t, poolsApp(t, 120, 24, nil, func(o *Options) { o.ASCII = true }))
}

func TestPoolsInColours(t *testing.T) {
	requireColours(t, poolsApp(t, 80, 24, nil, nil))
}

// TestPoolsThatAreNotSchedulable has a cordoned pool, one that is NotReady, nodes without
// a pool or a zone, and a node whose cpu is full.
func TestPoolsThatAreNotSchedulable(t *testing.T) {
	app := poolsApp(t, 80, 24, func(c *prodEU) {
		for _, n := range c.nodes {
			switch n.Name[:5] {
			case "gpu-a", "gpu-b", "gpu-c":
				n.Spec.Unschedulable = true
			case "spot-":
				n.Status.Conditions[0].Status = corev1.ConditionUnknown
			case "std-a":
				delete(n.Labels, "eks.amazonaws.com/nodegroup")
			case "std-c":
				delete(n.Labels, corev1.LabelTopologyZone)
				n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("12.5")
			}
		}
	}, nil)
	press(t, app, "G", "k")
	requireScreen(t, app)
}

func TestPoolsByALabel(t *testing.T) {
	app := poolsApp(t, 80, 24, func(c *prodEU) {
		for i, n := range c.nodes {
			if i%4 > 0 {
				n.Labels["team"] = []string{"", "search", "shop", "web"}[i%4]
			}
		}
	}, nil)
	press(t, app, "b")
	t.Run("choice", func(t *testing.T) { requireScreen(t, app) })
	write(t, app, "tea")
	press(t, app, "enter")
	t.Run("chosen", func(t *testing.T) { requireScreen(t, app) })
	press(t, app, "b", "enter")
	if got, want := screen(app), screen(poolsApp(t, 80, 24, nil, nil)); got != want {
		t.Errorf("by pool and zone again:\n%s", got)
	}
}

func TestEnterOpensTheNodesOfAPool(t *testing.T) {
	app := poolsApp(t, 80, 24, nil, nil)
	press(t, app, "j", "enter")
	requireScreen(t, app)
}

func TestPoolsWhereNotAllPodsCouldBeRead(t *testing.T) {
	s := newProdEU().at(1, func() model.Status {
		status := liveStatus()
		status.Namespace = "shop"
		return status
	}())
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	press(t, app, "4")
	requireScreen(t, app)
}

func TestPoolsAreFiltered(t *testing.T) {
	app := poolsApp(t, 80, 24, nil, nil)
	press(t, app, "/")
	write(t, app, "pool=std cpu.percent>75")
	press(t, app, "enter")
	requireScreen(t, app)
}

func TestPoolsCountOneNode(t *testing.T) {
	app := poolsApp(t, 80, 24, func(c *prodEU) {
		c.nodes, c.pods = c.nodes[:1], nil
		delete(c.nodes[0].Labels, "eks.amazonaws.com/nodegroup")
	}, nil)
	if got, want := app.history.top().Answer(80), "1 node in 1 zone. None has 95% of cpu or memory requested."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPoolsOfLongZones keep the ends of the zones and the whole of the answer, as long as the pool's name is.
func TestPoolsOfLongZones(t *testing.T) {
	for pool, want := range map[string]string{
		"s":               "s in europe-west1-c: largest free slot cpu 6.3; 2 of 7 pending pods need more.",
		"general-purpose": "general-purpose in europe-west1-c: 2 of 7 pending pods need more cpu.",
	} {
		app := poolsApp(t, 80, 24, func(c *prodEU) {
			for _, n := range c.nodes {
				n.Labels[corev1.LabelTopologyZone] = strings.Replace(n.Labels[corev1.LabelTopologyZone], "eu-1", "europe-west1-", 1)
				if n.Labels["eks.amazonaws.com/nodegroup"] == "std" {
					n.Labels["eks.amazonaws.com/nodegroup"] = pool
				}
			}
		}, nil)
		if got := app.history.top().Answer(79); got != want {
			t.Errorf("pool %s: got %q, want %q", pool, got, want)
		}
		if text := screen(app); !strings.Contains(text, "…-west1-b") {
			t.Errorf("pool %s: the ends of zones are cut:\n%s", pool, text)
		}
	}
}

func TestMOpensTheMapAtTheFirstNodeOfAPool(t *testing.T) {
	app := poolsApp(t, 80, 24, nil, nil)
	press(t, app, "j", "j", "j", "m")
	if got := app.history.top().Selected().Ref.Name; got != "spot-a-01" {
		t.Errorf("the selected node is %q", got)
	}
	requireRow(t, app, 1, "› nodes › map of cpu requested")
}

func TestFShowsHowManyMorePodsFitLikeTheFirstThatTargetsAPool(t *testing.T) {
	app := poolsApp(t, 80, 24, nil, nil)
	press(t, app, "F")
	requireRow(t, app, 23, "o pending pod targets the pool.")
	press(t, app, "G", "k", "F")
	requireRow(t, app, 1, "pending › search/index-2 › fit")
}

// TestPoolsTellGPUsOfTwoVendorsApart has a pool whose GPUs are all requested, of another vendor than the first.
func TestPoolsTellGPUsOfTwoVendorsApart(t *testing.T) {
	for width, heads := range map[int][]string{80: {" AMD ", " NVIDIA "}, 120: {" AMD.COM/GPU ", " NVIDIA.COM/GPU "}} {
		app := poolsApp(t, width, 24, func(c *prodEU) {
			for _, n := range c.nodes {
				if n.Name == "std-a-01" {
					n.Status.Allocatable["amd.com/gpu"] = *resource.NewQuantity(2, resource.DecimalSI)
				}
				if n.Name == "gpu-a-01" {
					n.Status.Allocatable["nvidia.com/gpu"] = *resource.NewQuantity(3, resource.DecimalSI)
				}
			}
		}, nil)
		text := screen(app)
		for _, want := range append(heads, " 0/2 ", " !3/3 ", "PENDING") {
			if !strings.Contains(text, want) {
				t.Errorf("at %d cells it lacks %q:\n%s", width, want, text)
			}
		}
	}
}
