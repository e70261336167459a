package ui

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// ledgerUID is the pod that the mock-up of Preemption is about.
const ledgerUID = types.UID("pod-payments-ledger-0")

// ledgerPlan says what payments/ledger-0 preempts, as in the mock-up.
func ledgerPlan() *report.Report {
	victim := func(namespace, name string, priority int32, amount, afterwards string, budgets ...string) report.PreemptionVictim {
		return report.PreemptionVictim{
			Victim: report.Victim{Namespace: namespace, Name: name, Priority: priority, Afterwards: afterwards},
			Amount: amount, Budgets: budgets,
		}
	}
	r := victim("batch", "report-3", 0, "1", "rescheduled on std-a-02")
	r.RescheduledOn = "std-a-02"
	index := victim("search", "index-0", 1000, "4", "Pending: volume in eu-1b")
	cart := victim("shop", "cart-7b5c4d9f8-2kq8x", 0, "2", "rescheduled on std-c-01", "cart: allows 0")
	cart.RescheduledOn, cart.ViolatesPDB = "std-c-01", true
	node := func(name, why, room string, broken int, victims ...report.PreemptionVictim) report.PreemptionNode {
		return report.PreemptionNode{Name: name, Why: why, Room: room, Broken: broken, Victims: victims, Resource: "cpu", Landed: true}
	}
	others := []report.PreemptionVictim{
		victim("team-a", "worker-std-a-02-00", 1000, "2", "Pending: needs cpu 1 more"), victim("team-a", "worker-std-a-02-01", 1000, "2", "not recreated: no controller"),
	}
	p := &report.PreemptionPlan{
		PriorityClass: "payments",
		Answer:        "Preempting: nominated to std-c-01; 2 victims are terminating, 18s of grace left.",
		Nominated:     "std-c-01", Node: "std-c-01",
		Nodes: []report.PreemptionNode{
			node("std-c-01", "chosen: least disruptive", "free cpu 6.3 + 2 from its victims = 8.3; the pod requests 8", 0,
				r, victim("web", "front-5d8f9c6b4-q8z2m", 0, "1", "Pending: one per node", "front: allows 1")),
			node("std-a-01", "a victim has priority 1000", "free cpu 4.5 + 4 from its victims = 8.5; the pod requests 8", 0, index),
			node("std-b-02", "violates PDB cart", "free cpu 3.65 + 6 from its victims = 9.65; the pod requests 8", 1,
				cart, victim("batch", "report-1", 0, "4", "Pending: needs cpu 350m more")),
			node("std-a-02", "a victim has priority 1000", "free cpu 4 + 4 from its victims = 8; the pod requests 8", 0, others...),
			node("std-b-01", "violates PDB cart", "free cpu 900m + 8 from its victims = 8.9; the pod requests 8", 1, cart),
			node("std-c-02", "violates PDB cart", "free cpu 3.6 + 5 from its victims = 8.6; the pod requests 8", 1, cart),
		},
		Others: []report.NoPreemption{
			{Why: "gpu taint", Nodes: []string{"gpu-a-01", "gpu-b-01", "gpu-c-01"}},
			{Why: "NotReady", Nodes: []string{"spot-b-01"}},
			{Why: "cordoned", Nodes: []string{"spot-a-01"}},
			{Why: "allocatable cpu only 7.9", Nodes: []string{"spot-c-01"}},
		},
		Could: 6, Tried: 6,
	}
	p.Nodes[0].May = true
	return &report.Report{
		Pod:     report.PodRef{Namespace: "payments", Name: "ledger-0", UID: string(ledgerUID), Priority: 100000, Requests: map[string]string{"cpu": "8", "memory": "12Gi"}},
		Verdict: report.Preempting,
		Plan:    p,
	}
}

// preemptionOn opens the page of payments/ledger-0 with a plan.
func preemptionOn(t testing.TB, width, height int, planned *report.Report) (*App, *fakeCluster, *prodEU) {
	t.Helper()
	prod := newProdEU()
	s := prod.snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s), plans: map[types.UID]*report.Report{ledgerUID: planned}}
	app := newTestAppWith(t, width, height, s, cluster, nil)
	press(t, app, "p")
	return app, cluster, prod
}

// refusedPlan is one of a pod that preemption cannot help.
func refusedPlan(verdict report.Verdict, answer string, others ...report.NoPreemption) *report.Report {
	r := ledgerPlan()
	p := r.Plan
	r.Verdict, p.Answer, p.Nodes, p.Node, p.Nominated, p.Others = verdict, answer, nil, "", "", others
	p.Could, p.Tried = 0, 0
	return r
}
