package e2e

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var randomKeys = flag.Duration("random-keys", 20*time.Second, "how long random keys are pressed in a dashboard that is read-only")

// deed is an action of the dashboard: its keys, the box's title, the answer, and
// what is asked of the API server then.
type deed struct {
	name   string
	pods   bool // of a pod; else of a node
	keys   string
	input  string // typed into the input that the keys open
	box    string
	answer string
	wants  []string
}

const podsPath = "/api/v1/namespaces/default/pods/"

// deeds in their order: each leaves the cluster as the next one needs it.
var deeds = []deed{
	{"taint", false, "t", "dedicated=gpu:PreferNoSchedule", `Taint std-1 `, "y", []string{"patch /api/v1/nodes/std-1 200"}},
	{"untaint", false, "t", "dedicated-", `Remove taint dedicated from std-1 `, "y", []string{"patch /api/v1/nodes/std-1 200"}},
	{"label", false, "l", "disktype=ssd", `Label std-1 `, "y", []string{"patch /api/v1/nodes/std-1 200"}},
	{"cordon", false, "c", "", `Cordon std-1 `, "y", []string{"patch /api/v1/nodes/std-1 200"}},
	{"uncordon", false, "u", "", `Uncordon std-1 `, "y", []string{"patch /api/v1/nodes/std-1 200"}},
	{"evict", true, "e", "", `Evict .*web-`, "y", []string{"create " + podsPath + `web-\S+/eviction 201`}},
	{"drain", false, "r", "", `Drain std-1 `, "", nil}, // its number is known once it is planned
}

// Each action of the dashboard asks for no change before it is confirmed, for
// exactly what it says after, and for none when it is left.
func TestTheDashboardChangesOnlyWhatIsConfirmed(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	a := startActing(t)
	t.Run("each action", func(t *testing.T) {
		for _, d := range deeds {
			t.Run(d.name, func(t *testing.T) { a.of(t).does(d) })
		}
	})
	t.Run("a held key", func(t *testing.T) { a.of(t).heldKey() })
	t.Run("a paste", func(t *testing.T) { a.of(t).paste() })
	t.Run("read-only", func(t *testing.T) { a.of(t).readOnly() })
	t.Run("random keys, read-only", func(t *testing.T) { a.of(t).randomKeys() })
	t.Run("a second client", func(t *testing.T) { a.of(t).secondClient() })
	t.Run("no right", func(t *testing.T) { a.of(t).noRight() })
	t.Run("a policy refuses", func(t *testing.T) { a.of(t).refused() })
	t.Run("no answer", func(t *testing.T) { a.of(t).noAnswer() })
}

// of is the same cluster for another test.
func (a *acting) of(t *testing.T) *acting {
	a.t = t
	return a
}

// at opens the dashboard where the deed is done.
func (a *acting) at(d deed, args ...string) screen {
	a.t.Helper()
	if !d.pods {
		return a.dashboard("std-1", args...)
	}
	s := a.dashboard("std-1", args...)
	s.press("2")
	s.shows(`› pods`)
	s.choose(a.running()[0].Name)
	return s
}

// wish presses the keys of a deed, and waits for its box.
func (s screen) wish(d deed) {
	s.t.Helper()
	s.press(d.keys)
	if d.input != "" {
		s.shows(`enter plan`)
		s.press(d.input + enter)
	}
	s.shows(d.box)
	s.shows(`esc cancel`)
}

// does plans, leaves, plans again and confirms.
func (a *acting) does(d deed) {
	s := a.at(d)
	a.asked()
	s.wish(d)
	time.Sleep(armed)
	a.wants(d.name + ", planned")
	s.press(escape)
	s.hides(d.box)
	time.Sleep(armed)
	a.wants(d.name + ", left by esc")

	wants := d.wants
	if d.name == "drain" {
		wants = a.drained()
		d.answer = fmt.Sprint(len(wants)-1) + enter
	}
	s.wish(d)
	s.answer(d.answer)
	s.hides(d.box)
	a.confirmed(d.name, wants)
	eventually(a.t, "the pods are back", func(context.Context) (bool, error) { return len(a.running()) == 4, nil })
	s.leave()
}

// drained is what a drain of std-1 asks for: a cordon, and the end of each pod.
func (a *acting) drained() []string {
	a.t.Helper()
	kubectl(a.t, a.ControlPlane, "", "cordon", "std-2", "std-3")
	for _, pod := range a.running() {
		kubectl(a.t, a.ControlPlane, "", "delete", "pod", pod.Name)
	}
	eventually(a.t, "all pods are on std-1", func(context.Context) (bool, error) {
		pods := a.running()
		for i := range pods {
			if pods[i].Spec.NodeName != "std-1" {
				return false, nil
			}
		}
		return len(pods) == 4, nil
	})
	kubectl(a.t, a.ControlPlane, "", "uncordon", "std-2", "std-3")
	wants := []string{"patch /api/v1/nodes/std-1 200"}
	for _, pod := range a.running() {
		wants = append(wants, "create "+podsPath+pod.Name+"/eviction 201")
	}
	return wants
}

// held is how fast a terminal repeats a key that is held down.
const held = 33 * time.Millisecond

// heldKey holds the key of a cordon, then that of the answer.
func (a *acting) heldKey() {
	s := a.dashboard("std-2")
	a.asked()
	for range 50 {
		s.press("c")
		time.Sleep(held)
	}
	s.shows(`Cordon std-2 `)
	for range 50 {
		s.press("y")
		time.Sleep(held)
	}
	time.Sleep(armed)
	a.wants("c, then y held down")
	s.press(escape)
	s.hides(`Cordon std-2 `)
	s.leave()
}

// pasted are 10,000 characters with every key in them.
var pasted = strings.Repeat("cy\rry\rey4\r1\rty\rl y\nqay", 10000/20)[:10000]

// paste pastes, as a terminal marks a paste: into the list, as a box opens, and
// into a box that takes answers.
func (a *acting) paste() {
	const paste = "\x1b[200~" + "%s" + "\x1b[201~"
	for _, c := range []struct {
		when, before string
		pause        time.Duration
	}{
		{"a paste into the list", "", 0},
		{"a paste as the box opens", "c", 0},
		{"a paste into a box that has armed", "c", 3 * time.Second},
	} {
		s := a.dashboard("std-2")
		a.asked()
		s.press(c.before)
		time.Sleep(c.pause)
		s.press(fmt.Sprintf(paste, pasted))
		a.quit(s)
		a.wants(c.when + ", 10,000 characters")
	}
}

// quit ends a dashboard wherever it is, once it has taken all keys.
func (a *acting) quit(s screen) {
	a.t.Helper()
	for range 120 {
		time.Sleep(500 * time.Millisecond)
		s.press(ctrlC) // closes a box or an input, then quits
		select {
		case <-s.Gone():
			s.ends(0)
			return
		default:
		}
	}
	a.t.Errorf("it does not end:\n%s", s)
}

// readOnly tries each action where nothing may be changed.
func (a *acting) readOnly() {
	for _, d := range deeds {
		s := a.at(d, "--readonly")
		a.asked()
		s.shows(`READ-ONLY`)
		s.press(d.keys)
		s.shows(`read-only, set by --readonly for this session\.`)
		s.answer(d.answer)
		time.Sleep(armed)
		a.wantsNothing(d.name + ", read-only")
		a.quit(s)
	}
}

// randomKeys presses keys at random where nothing may be changed.
func (a *acting) randomKeys() {
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	keys := strings.Split("abcdefghijklmnoprstuvwxyzCGJLMNPSTW0123456789!?:/-+[],. \r\t", "")
	keys = append(keys, escape, "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "yes", "cy", "ry", "4\r", "write\r", "watched\r")
	pressed := 0
	s := a.dashboard("std-2", "--readonly")
	a.asked()
	for end := time.Now().Add(*randomKeys); time.Now().Before(end); pressed++ {
		s.press(keys[random.IntN(len(keys))])
		time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
	}
	a.wantsNothing(fmt.Sprintf("%d random keys, read-only", pressed))
	a.quit(s)
}
