package cluster

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestTheKubeletIsAskedForItsConfiguration through kube-apiserver's proxy, and why it cannot be is told.
func TestTheKubeletIsAskedForItsConfiguration(t *testing.T) {
	status := func(code int, reason string) string {
		return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":%q,"code":%d}`, reason, code)
	}
	for name, test := range map[string]struct {
		code   int
		answer string
		want   string // the hard thresholds, or the error
	}{
		"read":        {http.StatusOK, `{"kubeletconfig":{"evictionHard":{"memory.available":"500Mi"}}}`, "[memory.available<500Mi]"},
		"forbidden":   {http.StatusForbidden, status(403, "Forbidden"), "read the kubelet's configuration: not allowed to get nodes/proxy"},
		"unreachable": {http.StatusServiceUnavailable, status(503, "ServiceUnavailable"), "read the kubelet's configuration: kube-apiserver does not reach the kubelet"},
		"strange":     {http.StatusOK, `<html>`, "read configz: "},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/v1/nodes/std-1/proxy/configz" || r.Method != http.MethodGet {
					t.Errorf("%s %s", r.Method, r.URL.Path)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.code)
				_, _ = w.Write([]byte(test.answer))
			}))
			defer server.Close()
			client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if config, err := KubeletConfig(t.Context(), client, "std-1"); err != nil {
				got = err.Error()
			} else {
				got = fmt.Sprint(config.EvictionHard)
			}
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("%q, not %q", got, test.want)
			}
		})
	}
}
