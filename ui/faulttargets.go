package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// faultPlace is one of the things that a fault can be put on.
type faultPlace struct {
	name, what string
	on         FaultTarget
}

// targetChoices list what faults can be put on, by what they take.
var targetChoices = map[string]func(*training) []faultPlace{
	"node": (*training).faultNodes, "namespace": (*training).faultNamespaces, "workload": (*training).faultWorkloads, "deployment": (*training).faultWorkloads,
}

// openTargets asks what a fault is put on.
func (t *training) openTargets(trainer Trainer, fault Fault) tea.Cmd {
	menu := &choice{app: t.app, title: fault.Name + ": on which " + fault.Takes, does: "does it at once"}
	if list, ok := targetChoices[fault.Takes]; ok {
		for _, place := range list(t) {
			faults := trainer.Faults(place.on)
			at := slices.IndexFunc(faults, func(f Fault) bool { return f.Name == fault.Name && f.Has })
			if at >= 0 {
				menu.add(place.name, place.what, "", func() tea.Cmd { return t.strikeOn(trainer, faults[at], place.on) })
			}
		}
	}
	if len(menu.items) == 0 {
		return t.app.said.say(fault.Name + ": there is no " + fault.Takes + " that it could be put on.")
	}
	return menu.open()
}

func (t *training) faultNodes() (all []faultPlace) {
	for _, n := range t.app.observed.snapshot.Nodes {
		all = append(all, faultPlace{t.app.observed.nodeName(n.Name), n.Zone + "  " + n.Status, FaultTarget{Node: n.Name, Zone: n.Zone}})
	}
	return all
}

func (t *training) faultNamespaces() (all []faultPlace) {
	for _, name := range t.app.observed.namespaces() {
		all = append(all, faultPlace{name: name, on: FaultTarget{Namespace: name}})
	}
	return all
}

// faultWorkloads are what the pods belong to, each once.
func (t *training) faultWorkloads() (all []faultPlace) {
	known := map[FaultTarget]bool{}
	for _, pod := range t.app.observed.snapshot.Pods {
		on := FaultTarget{Namespace: pod.Object.Namespace, Kind: pod.Owner.Kind, Name: pod.Owner.Name}
		if on.Name != "" && !known[on] {
			known[on] = true
			all = append(all, faultPlace{on.Namespace + "/" + on.Name, on.Kind, on})
		}
	}
	return all
}
