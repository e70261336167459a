package manifest

import "testing"

func TestRequestsThatAreNoneAreNamed(t *testing.T) {
	for _, test := range []struct{ requests, want string }{
		{"cpu", `"cpu": write RESOURCE=AMOUNT, as in cpu=2,memory=4Gi`},
		{"cpu=x", `cpu: "x" is not a quantity such as 500m or 4Gi`},
		{"cpu=1,memory=4GiB", `memory: "4GiB" is not a quantity such as 500m or 4Gi`},
		{"cpu=1e99999", "cpu is 1e99999: an exponent of more than three digits is not a quantity"},
		{"cpu=1,cpu=2", "cpu is given twice"},
		{"cpu=-1", "cpu: must be greater than or equal to 0"},
		{"cpu=1,example.com/gpu=1.5", "example.com/gpu: must be an integer"},
		{"pods=1", "pods: must be a standard resource for containers"},
		{"hugepages-2Mi=2Mi", "HugePages require cpu or memory"},
		{"cpu=9E", "the pod requests cpu 9E, more than kube-scheduler can count in 64 bits: request less"},
		{"memory=1e30", "the pod requests memory 1e30, more than kube-scheduler can count in 64 bits: request less"},
	} {
		if _, err := Requesting(test.requests, "default"); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.requests, err, test.want)
		}
	}
}

func TestRequestsThatAreLargeArePods(t *testing.T) {
	for _, requests := range []string{"cpu=9223372036854775,memory=9223372036854775807", "example.com/gpu=9E", "cpu=0", "hugepages-2Mi=2Mi,cpu=1"} {
		if _, err := Requesting(requests, "default"); err != nil {
			t.Errorf("%s: %v", requests, err)
		}
	}
}
