package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAKeyThatCannotChangeAnythingSaysWhy(t *testing.T) {
	patchNodes := model.Right{Verb: "patch", Resource: "nodes"}
	for _, c := range []struct {
		does string
		with func(*Options)
		do   func(*acted)
		keys []string
		want string
	}{
		{"a node that is not cordoned", nil, nil, []string{"u"}, " u uncordon: std-b-02 is not cordoned."},
		{"one that is", nil, func(d *acted) { d.node("spot-a-01") }, []string{"c"}, " c cordon: spot-a-01 is already cordoned."},
		{"the flag", func(o *Options) { o.ReadOnly = true }, nil, []string{"c"}, " c cordon: read-only, set by --readonly for this session."},
		{"the setting", nil, func(d *acted) { d.actor.readOnly = "read-only for this context. :write asks to raise it." }, []string{"c"}, " c cordon: read-only for this context. :write asks to raise it."},
		{"no right", nil, func(d *acted) {
			d.app.acts.rights.known[patchNodes] = model.Permission{}
		}, []string{"c"}, " c cordon: not allowed to patch nodes. Ask for that permission."},
		{"no connection", nil, func(d *acted) {
			status := liveStatus()
			status.Connection = model.Connection{Heard: now, Err: "EOF", Retry: now.Add(4 * time.Second)}
			send(d.t, d.app, snapshotMsg{snapshot: d.prod.at(2, status)})
		}, []string{"c"}, " c cordon: no connection: ctrl-r tries now."},
		{"c on a pod", nil, nil, []string{"2", "c"}, " c cordons a node; o goes to this pod's node"},
		{"u on a pod", nil, nil, []string{"2", "u"}, " u uncordons a node; o goes to this pod's node"},
		{"u on a node's page", nil, nil, []string{"enter", "u"}, " u uncordon: std-b-02 is not cordoned."},
	} {
		d := newActed(t, 80, 24, "staging-eu", c.with)
		d.node("std-b-02")
		if c.do != nil {
			c.do(d)
		}
		d.press(c.keys...)
		if got := screenRow(d.app, message); got != c.want {
			t.Errorf("%s: says %q, not %q", c.does, got, c.want)
		}
		if len(d.actor.asked) != 0 {
			t.Errorf("%s: planned %v", c.does, d.actor.asked)
		}
	}
}

func TestRightsAreAskedOnce(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	d.node("std-b-02")
	d.press("j", "k", "1", "3")
	if d.actor.rights != 5 { // to patch nodes, and for a pod to evict, patch and delete it, and to evict any
		t.Errorf("%d rights were asked for", d.actor.rights)
	}
}

// On a node's page the keys of nodes are about that node, and those of pods about the selected pod.
func TestKeysOfNodesActOnTheNodeOfAPage(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	d.node("std-b-02")
	d.press("enter", "c", "y")
	if len(d.actor.run) != 1 || len(d.actor.run[0].Changes) != 1 || d.actor.run[0].Changes[0].Target.Name != "std-b-02" {
		t.Fatalf("ran %+v", d.actor.run)
	}
	d.press("l")
	if got := screen(d.app); !strings.Contains(got, "Label batch/report-1") {
		t.Errorf("l is about another object:\n%s", got)
	}
}

func TestMarkedNodesAreChangedTogether(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	d.node("std-a-01")
	d.press("space", "space", "c", "y")
	if len(d.actor.run) != 1 || len(d.actor.run[0].Changes) != 2 {
		t.Fatalf("ran %+v", d.actor.run)
	}
	if got := screenRow(d.app, message); got != " Cordoned 2 nodes. z opens Activity to undo it." {
		t.Errorf("says %q", got)
	}
}
