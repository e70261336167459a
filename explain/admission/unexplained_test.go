package admission

import "testing"

// TestTheReasonInAMessage begins after what controllers and kube-apiserver put before it, and only there.
func TestTheReasonInAMessage(t *testing.T) {
	const webhook = `failed calling webhook "pods.policy.example": no endpoints available for service "policy"`
	for message, want := range map[string]string{
		`Error creating: Internal error occurred: ` + webhook:                                  webhook,
		`create Pod db-0 in StatefulSet db failed error: Internal error occurred: ` + webhook:  webhook,
		`Error creating: pods "a-" is forbidden: exceeded quota: q`:                            `pods "a-" is forbidden: exceeded quota: q`,
		`admission webhook "x" denied the request: Error creating: Internal error occurred: y`: `admission webhook "x" denied the request: Error creating: Internal error occurred: y`,
		`create Pod db-0 failed error: no`:                                                     `create Pod db-0 failed error: no`,
		"":                                                                                     "",
	} {
		if got := reasonIn(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
