package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// secondClient changes the node between the plan and its confirmation.
func (a *acting) secondClient() {
	s := a.dashboard("std-2")
	a.asked()
	s.press("c")
	s.shows(`Cordon std-2 `)
	kubectl(a.t, a.ControlPlane, "", "label", "node", "std-2", "second=client")
	s.answer("y")
	s.shows(`std-2 changed while you were reading`)
	a.wants("another client was quicker", "patch /api/v1/nodes/std-2 409")
	s.answer("y")
	s.hides(`Cordon std-2 `)
	s.shows(`Cordoned std-2`)
	a.wants("confirmed again", "patch /api/v1/nodes/std-2 200")
	if node := a.node("std-2"); node.Labels["second"] != "client" || !node.Spec.Unschedulable {
		a.t.Errorf("labels %v, cordoned %v", node.Labels, node.Spec.Unschedulable)
	}
	s.leave()
	kubectl(a.t, a.ControlPlane, "", "uncordon", "std-2")
}

// noRight is a user who may not change anything: nothing is tried, and why is said.
func (a *acting) noRight() {
	s := a.dashboard("std-2", "--kubeconfig", kubeconfig(a.t, a.ControlPlane, lookers))
	s.shows(`\(c cordon\)  \(u uncordon\)  \(r drain\)`)
	s.press("c")
	s.shows(`c cordon: not allowed to patch nodes\. Ask for that permission\.`)
	s.leave()
	all, err := a.Writes(lookers)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, w := range all {
		if !strings.HasPrefix(w.URI, "/apis/authorization.k8s.io/") {
			a.t.Errorf("%+v was asked for", w)
		}
	}
}

// policies refuse cordons: of std-3 always, of std-1 in earnest only.
const policies = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: keep-open}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [nodes]}]
  validations:
  - expression: "object.metadata.name != 'std-3' || !has(object.spec.unschedulable)"
    message: std-3 has to stay open for the night shift
  - expression: "object.metadata.name != 'std-1' || !has(object.spec.unschedulable) || request.dryRun"
    message: std-1 may be cordoned in theory only
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: keep-open}
spec: {policyName: keep-open, validationActions: [Deny]}
`

// refused has the API server's policies refuse a dry run, and what was confirmed.
func (a *acting) refused() {
	kubectl(a.t, a.ControlPlane, "", "uncordon", "std-1", "std-3") // a drain leaves its node cordoned
	kubectl(a.t, a.ControlPlane, policies, "apply", "-f", "-")
	eventually(a.t, "the policy holds", func(ctx context.Context) (bool, error) {
		cmd := exec.CommandContext(ctx, filepath.Join(binaries(a.t), "kubectl"), "--kubeconfig", a.config, "cordon", "std-3", "--dry-run=server")
		out, _ := cmd.CombinedOutput() // kubectl says it, and ends with 0
		return strings.Contains(string(out), "night shift"), nil
	})
	s := a.dashboard("std-3")
	a.asked()
	s.press("c")
	s.shows(`Cordon std-3 `)
	s.shows(`night shift`)
	s.answer("y")
	time.Sleep(armed)
	a.wants("a policy refuses the dry run")
	s.press(escape)
	s.hides(`Cordon std-3 `)
	s.press(escape)
	s.hides(`: 1 matches\.`)
	s.choose("std-1")
	s.press("c")
	s.shows(`Cordon std-1 `)
	s.shows(`accepts it \(dry run\)`)
	s.answer("y")
	s.shows(`std-1: kube-apiserver: nodes "std-1" is forbidden: ValidatingAdmissionPolicy 'keep-open'`)
	a.wants("a policy refuses what was confirmed", "patch /api/v1/nodes/std-1 422")
	s.leave()

	r := fathom(a.t, "cordon", "std-3", "--yes", "--kubeconfig", a.config)
	if r.code != 1 || !strings.Contains(r.stdout, "kube-apiserver: ") || !strings.Contains(r.stdout, "night shift") {
		a.t.Errorf("cordon std-3: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	a.wants("cordon --yes, the dry run is refused")
	r = fathom(a.t, "cordon", "std-1", "--yes", "--kubeconfig", a.config)
	if r.code != 1 || !strings.Contains(r.stderr, "in theory only") {
		a.t.Errorf("cordon std-1: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	a.wants("cordon --yes, the change is refused", "patch /api/v1/nodes/std-1 422")
	kubectl(a.t, a.ControlPlane, policies, "delete", "-f", "-")
}

// noAnswer freezes the API server between the plan and its confirmation.
func (a *acting) noAnswer() {
	s := a.dashboard("std-2", "--request-timeout", "3s")
	s.press("c")
	s.shows(`Cordon std-2 `)
	time.Sleep(armed)
	err := a.FreezeAPIServer(true)
	if err != nil {
		a.t.Fatal(err)
	}
	s.press("y")
	s.shows(`cordon std-2: kube-apiserver has not answered yet`)
	s.shows(`std-2: no answer in time; the change may still have been made`)
	err = a.FreezeAPIServer(false)
	if err != nil {
		a.t.Fatal(err)
	}
	s.shows(`› nodes.* live$`)
	s.leave()
	kubectl(a.t, a.ControlPlane, "", "uncordon", "std-2")
}
