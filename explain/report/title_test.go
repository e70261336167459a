package report

import "testing"

func TestRequestsOfCPUAreShownExactly(t *testing.T) {
	pod := PodRef{Requests: map[string]string{"cpu": "3999m", "memory": "8191Mi"}}
	if got := pod.Requested(); got != "requests cpu 3.999, memory 8Gi" {
		t.Error(got)
	}
}
