package e2e

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// menuDeed is an action that the menu alone offers.
type menuDeed struct {
	deed
	on    string // the pod; "" is a node, and "web" any pod of the Deployment
	makes string // what has to be there
	left  int    // how many pods run in the end
}

const bare = `{apiVersion: v1, kind: Pod, metadata: {namespace: default, name: bare}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: x}]}}`

const gated = `{apiVersion: v1, kind: Pod, metadata: {namespace: default, name: gated}, spec: {schedulingGates: [{name: example.com/budget}], containers: [{name: main, image: x}]}}`

const webPath = "/apis/apps/v1/namespaces/default/deployments/web"

// menuDeeds in their order; keys are the words of the menu.
var menuDeeds = []menuDeed{
	{deed{"annotate", false, "annotate", "team=a", `Annotate std-1 `, "y", []string{"patch /api/v1/nodes/std-1 200"}}, "", "", 4},
	{deed{"scale up", true, "scale the workload", "5", `Scale .*web`, "y", []string{"update " + webPath + "/scale 200"}}, "web", "", 5},
	{deed{"scale down", true, "scale the workload", "4", `Scale .*web`, "1" + enter, []string{"update " + webPath + "/scale 200"}}, "web", "", 4},
	{deed{"restart", true, "restart the workload", "", `Restart .*web`, "4" + enter, []string{"patch " + webPath + " 200"}}, "web", "", 4},
	{deed{"delete", true, "delete", "", `Delete .*bare`, "1" + enter, []string{"delete " + podsPath + "bare 200"}}, "bare", bare, 4},
	{deed{"ungate", true, "remove gates", "", `gates? .*gated`, "y", []string{"patch " + podsPath + "gated 200"}}, "gated", gated, 5},
}

// Each action of the menu, as those that have a key.
func TestTheMenuChangesOnlyWhatIsConfirmed(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	a := startActing(t)
	for _, d := range menuDeeds {
		t.Run(d.name, func(t *testing.T) { a.of(t).doesByMenu(d) })
	}
	t.Run("undo", func(t *testing.T) { a.of(t).undoes() })
}

// from opens the menu and takes the action.
func (s screen) from(d menuDeed) {
	s.t.Helper()
	s.press("a")
	s.shows(d.keys)
	chosen := regexp.MustCompile(`▸.*` + d.keys)
	for range 12 {
		if slices.ContainsFunc(s.Lines(), chosen.MatchString) {
			break
		}
		before := s.selected()
		s.press("j")
		eventually(s.t, "the next row is selected", func(context.Context) (bool, error) { return s.selected() != before, nil })
	}
	s.press(enter)
	if d.input != "" {
		s.shows(`▏`)
		s.press(d.input + enter)
	}
	s.shows(d.box)
	s.shows(`esc cancel`)
}

// selected is the selected row of the menu: the last one on the screen that is marked.
func (s screen) selected() string {
	found := ""
	for _, line := range s.Lines() {
		if _, row, ok := strings.Cut(line, "▸"); ok {
			found = row
		}
	}
	return found
}

// doesByMenu plans, leaves, plans again and confirms.
func (a *acting) doesByMenu(d menuDeed) {
	if d.makes != "" {
		kubectl(a.t, a.ControlPlane, d.makes, "apply", "-f", "-")
	}
	s := a.dashboard("std-1")
	if d.pods {
		s.press("2")
		s.shows(`› pods`)
		name := d.on
		if name == "web" {
			name = a.running()[0].Name
		}
		s.choose(name)
	}
	a.asked()
	s.from(d)
	time.Sleep(armed)
	a.wants(d.name + ", planned")
	s.press(escape)
	s.hides(d.box)
	time.Sleep(armed)
	a.wants(d.name + ", left by esc")
	s.from(d)
	s.answer(d.answer)
	s.hides(`esc cancel`)
	a.confirmed(d.name, d.wants)
	eventually(a.t, "the pods are back", func(context.Context) (bool, error) { return len(a.running()) == d.left, nil })
	s.leave()
}

// confirmed waits until what was confirmed is asked for, and wants nothing more.
func (a *acting) confirmed(name string, wants []string) {
	a.t.Helper()
	var earnest []string
	dry := 0
	look := func() {
		n, more := a.asked()
		dry, earnest = dry+n, append(earnest, more...)
	}
	eventually(a.t, "what was confirmed is asked for", func(context.Context) (bool, error) {
		look()
		return len(earnest) >= len(wants), nil
	})
	time.Sleep(armed) // nothing comes after it
	look()
	a.matches(name+", confirmed", earnest, wants)
	fmt.Printf("%-52s %2d dry runs, %d changes %s\n", name+", confirmed", dry, len(earnest), strings.Join(earnest, ", "))
}

// undoes cordons, and takes that back from the page of what was done.
func (a *acting) undoes() {
	s := a.dashboard("std-2")
	s.press("c")
	s.shows(`Cordon std-2 `)
	s.answer("y")
	s.shows(`Ready,cordoned`)
	a.asked()
	for _, answer := range []string{escape, "y"} {
		s.press("z")
		s.shows(`› activity`)
		s.press(enter)
		s.shows(`Undo of cordon std-2 `)
		s.answer(answer)
		s.hides(`Undo of cordon std-2 `)
		if answer == escape {
			time.Sleep(armed)
			a.wants("undo, left by esc")
			s.press(escape)
			s.shows(`› nodes`)
		}
	}
	a.confirmed("undo", []string{"patch /api/v1/nodes/std-2 200"})
	if a.node("std-2").Spec.Unschedulable {
		a.t.Error("std-2 is cordoned still")
	}
	s.leave()
}
