package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The commands ask for dry runs alone with --plan, for nothing with --readonly,
// and for exactly what they say with --yes.
func TestCommandsChangeOnlyWhatIsConfirmed(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	a := startActing(t)
	wants := a.drained()
	a.asked()
	pod := a.running()[0].Name
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"cordon", "std-3"}, []string{"patch /api/v1/nodes/std-3 200"}},
		{[]string{"uncordon", "std-3"}, []string{"patch /api/v1/nodes/std-3 200"}},
		{[]string{"taint", "std-2", "std-3", "dedicated=gpu:PreferNoSchedule"}, []string{"patch /api/v1/nodes/std-2 200", "patch /api/v1/nodes/std-3 200"}},
		{[]string{"taint", "std-2", "std-3", "dedicated-"}, []string{"patch /api/v1/nodes/std-2 200", "patch /api/v1/nodes/std-3 200"}},
		{[]string{"label", "node", "std-2", "disktype=ssd"}, []string{"patch /api/v1/nodes/std-2 200"}},
		{[]string{"label", "pod", pod, "-n", "default", "seen=yes"}, []string{"patch " + podsPath + pod + " 200"}},
		{[]string{"drain", "std-1"}, wants},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) { a.of(t).commands(c.args, c.wants) })
	}
	t.Run("evict", func(t *testing.T) {
		pod := a.of(t).running()[0].Name
		a.commands([]string{"evict", "default/" + pod}, []string{"create " + podsPath + pod + "/eviction 201"})
	})
	t.Run("a terminal is asked on", func(t *testing.T) { a.of(t).commandAsks() })
	t.Run("a second client", func(t *testing.T) { a.of(t).commandChanged() })
}

// commands runs one in each way that needs no terminal.
func (a *acting) commands(args, wants []string) {
	run := func(code int, more ...string) result {
		a.t.Helper()
		r := fathom(a.t, append(append([]string{"--kubeconfig", a.config}, args...), more...)...)
		if r.code != code {
			a.t.Errorf("%q %q: exit code %d, want %d\n%s%s", args, more, r.code, code, r.stdout, r.stderr)
		}
		return r
	}
	name := args[0] + " "
	run(2)
	a.wantsNothing(name + "without a terminal")
	run(2, "--yes", "--readonly")
	run(0, "--plan", "--readonly")
	a.wantsNothing(name + "--readonly")
	var document struct {
		Kind           string `json:"kind"`
		PodsTerminated int    `json:"podsTerminated"`
		Changes        []any  `json:"changes"`
	}
	r := run(0, "--plan", "-o", "json")
	err := json.Unmarshal([]byte(r.stdout), &document)
	if err != nil || document.Kind != "Plan" || document.PodsTerminated+len(document.Changes) != len(wants) {
		a.t.Errorf("%q: the plan is %+v, %v\n%s", args, document, err, r.stdout)
	}
	a.wants(name + "--plan")
	r = run(0, "--yes")
	if !strings.Contains(r.stdout, "\nDone: ") {
		a.t.Errorf("%q: it says\n%s%s", args, r.stdout, r.stderr)
	}
	a.wants(name+"--yes", wants...)
}

// ask runs a command in a terminal, until it asks.
func (a *acting) ask(question string, args ...string) screen {
	a.t.Helper()
	s := open(a.t, 100, 30, append([]string{"--kubeconfig", a.config}, args...)...)
	s.shows(question)
	return s
}

// commandAsks answers in several ways, all but one of them no.
func (a *acting) commandAsks() {
	kubectl(a.t, a.ControlPlane, "", "uncordon", "std-1")
	const question = `Type y to cordon:`
	for _, c := range []struct {
		when, keys string
		code       int
		wants      []string
	}{
		{"another word", "yes\r", 1, nil},
		{"enter alone", "\r", 1, nil},
		{"ctrl-d", "\x04", 1, nil},
		{"ctrl-c", ctrlC, 3, nil},
		{"y", "y\r", 0, []string{"patch /api/v1/nodes/std-1 200"}},
	} {
		s := a.ask(question, "cordon", "std-1")
		s.press(c.keys)
		s.ends(c.code)
		a.wants("cordon on a terminal, "+c.when, c.wants...)
	}
	kubectl(a.t, a.ControlPlane, "", "uncordon", "std-1")
	a.commandShowsThePlanWhereItAsks()
	pods := len(a.on("std-2"))
	s := a.ask(fmt.Sprintf(`Type %d \(pods to evict\):`, pods), "drain", "std-2")
	s.press(fmt.Sprint(pods+1) + "\r")
	s.ends(1)
	a.wants("drain on a terminal, another number")
}

// commandShowsThePlanWhereItAsks sends standard output elsewhere: nobody confirms what he does not see.
func (a *acting) commandShowsThePlanWhereItAsks() {
	file := filepath.Join(a.t.TempDir(), "plan.txt")
	s := openProgram(a.t, 100, 30, "sh", "-c", `"$0" --kubeconfig "$1" cordon std-1 > "$2"`, binary, a.config, file)
	s.shows(`Type y to cordon:`)
	s.shows(`Cordon std-1, context`)
	s.press("n\r")
	s.ends(1)
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "Cordon std-1, context") { //nolint:gosec // the test's own
		a.t.Errorf("the file has %q, %v", text, err)
	}
	a.wants("cordon with its output in a file")
}

// on are the pods that run on a node.
func (a *acting) on(node string) []string {
	var names []string
	for _, pod := range a.running() {
		if pod.Spec.NodeName == node {
			names = append(names, pod.Name)
		}
	}
	return names
}

// commandChanged changes the node between the plan and its confirmation.
func (a *acting) commandChanged() {
	s := a.ask(`Type y to cordon:`, "cordon", "std-3")
	kubectl(a.t, a.ControlPlane, "", "label", "node", "std-3", "second=client")
	s.press("y\r")
	s.shows(`changed since the plan was made; this is the new plan`)
	// What is typed before the question stands there is no answer to it.
	eventually(a.t, "it asks again", func(context.Context) (bool, error) {
		return strings.Count(strings.Join(s.Lines(), "\n"), `Type y to cordon:`) == 2, nil
	})
	a.wants("cordon, another client was quicker", "patch /api/v1/nodes/std-3 409")
	s.press("y\r")
	s.ends(0)
	a.wants("cordon, confirmed again", "patch /api/v1/nodes/std-3 200")
	if node := a.node("std-3"); node.Labels["second"] != "client" || !node.Spec.Unschedulable {
		a.t.Errorf("labels %v, cordoned %v", node.Labels, node.Spec.Unschedulable)
	}
	a.commandChangedInPart()
}

// commandChangedInPart has the second of two nodes change between the plan and its confirmation, and answers no to the
// new plan, or nothing.
func (a *acting) commandChangedInPart() {
	for _, c := range []struct {
		keys, says string
		code       int
	}{
		{"n\r", `cordon std-3: not confirmed\. Changed: std-2$`, 1},
		{ctrlC, `cordon std-3: interrupted\. Changed: std-2$`, 3},
	} {
		kubectl(a.t, a.ControlPlane, "", "uncordon", "std-2", "std-3")
		s := a.ask(`Type y to cordon:`, "cordon", "std-2", "std-3")
		kubectl(a.t, a.ControlPlane, "", "label", "--overwrite", "node", "std-3", fmt.Sprintf("third=client%d", c.code))
		s.press("y\r")
		eventually(a.t, "it asks again", func(context.Context) (bool, error) {
			return strings.Count(strings.Join(s.Lines(), "\n"), `Type y to cordon:`) == 2, nil
		})
		s.press(c.keys)
		s.shows(c.says)
		s.ends(c.code)
		a.wants("cordon of two, another client was quicker", "patch /api/v1/nodes/std-2 200", "patch /api/v1/nodes/std-3 409")
	}
	kubectl(a.t, a.ControlPlane, "", "uncordon", "std-2")
}
