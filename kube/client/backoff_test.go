package client

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func TestARequestThatIsAlwaysRefusedEndsAtTheRequestTimeout(t *testing.T) {
	for name, test := range map[string]struct {
		after string
		limit time.Duration
		took  time.Duration
	}{
		"with a short wait":            {"1", 3 * time.Second, 3 * time.Second},
		"with a wait that is too long": {"60", 3 * time.Second, 3 * time.Second},
		"with no time for a wait":      {"1", 100 * time.Millisecond, time.Second},
		"without a limit":              {"1", 0, 10 * time.Second}, // client-go's ten tries
		"without a wait":               {"", 3 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refusing := roundTripper(func(*http.Request) (*http.Response, error) {
					answer := httptest.NewRecorder()
					answer.Header().Set("Retry-After", test.after)
					answer.WriteHeader(http.StatusTooManyRequests)
					return answer.Result(), nil
				})
				config := &rest.Config{
					Host: "http://server", QPS: -1, ContentConfig: rest.ContentConfig{NegotiatedSerializer: scheme.Codecs},
					Transport: (&retries{limit: test.limit, since: map[string]refusal{}}).over(refusing),
				}
				client, err := rest.UnversionedRESTClientForConfigAndClient(config, &http.Client{Transport: config.Transport})
				if err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second is not held against the first
					began := time.Now()
					err := client.Get().AbsPath("/version").Do(t.Context()).Error()
					if took := time.Since(began); err == nil || took != test.took {
						t.Errorf("it took %s, %v; want %s", took, err, test.took)
					}
				}
			})
		})
	}
}
