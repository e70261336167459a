package manifest

import "testing"

func TestRequestsThatAreNoneAreNamed(t *testing.T) {
	for _, test := range []struct{ requests, want string }{
		{"cpu", `"cpu": write RESOURCE=AMOUNT, as in cpu=2,memory=4Gi`},
		{"cpu=x", `cpu: "x" is not a quantity such as 500m or 4Gi`},
		{"cpu=1,memory=4GiB", `memory: "4GiB" is not a quantity such as 500m or 4Gi`},
		{"cpu=1e99999", "cpu is 1e99999: an exponent of more than three digits is not a quantity"},
		{"cpu=1,cpu=2", "cpu is given twice"},
	} {
		if _, err := Requesting(test.requests, "default"); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.requests, err, test.want)
		}
	}
}
