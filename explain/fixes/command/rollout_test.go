package command

import "testing"

// TestARolloutOfAWorkloadWithoutPodsNamesNone: a LimitRange or a quota has kept all of them from being created.
func TestARolloutOfAWorkloadWithoutPodsNamesNone(t *testing.T) {
	for want, w := range map[string]workload{
		"rolls out to 2 pods":       {facts: &Facts{Replicas: 2}},
		"rolls out to all its pods": {facts: &Facts{Unread: "the file has no deployments"}},
	} {
		if how, _ := w.rollout(); how != want {
			t.Errorf("it %q, want %q", how, want)
		}
	}
}
