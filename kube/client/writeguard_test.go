package client

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func TestTheTransportLetsThrough(t *testing.T) {
	reads, tries, writes := readsOnly, dryRunsOnly, confirmedOnly
	for _, test := range []struct {
		says    string
		guard   func(http.RoundTripper) http.RoundTripper
		method  string
		url     string
		through bool
	}{
		{"a list, to a reader", reads, "GET", "/api/v1/pods?limit=500", true},
		{"a question about the head of it", reads, "HEAD", "/api/v1/pods", true},
		{"a question about the user's rights", reads, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", true},
		{"a question about the user's rules", reads, "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", true},
		{"a question who the user is", reads, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", true},
		{"the same behind a path of a proxy", reads, "POST", "/k8s/clusters/c1/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", true},
		{"no question about another's rights", reads, "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", false},
		{"no pod", reads, "POST", "/api/v1/namespaces/dev/pods", false},
		{"not even a dry run", reads, "POST", "/api/v1/namespaces/dev/pods?dryRun=All", false},
		{"no eviction", reads, "POST", "/api/v1/namespaces/dev/pods/web/eviction", false},
		{"nothing that is named like a review", reads, "POST", "/api/v1/namespaces/selfsubjectaccessreviews/pods", false},
		{"no patch", reads, "PATCH", "/api/v1/nodes/n1", false},
		{"no update", reads, "PUT", "/api/v1/nodes/n1", false},
		{"no deletion", reads, "DELETE", "/api/v1/nodes/n1", false},
		{"a creation, as a dry run", tries, "POST", "/api/v1/namespaces/dev/pods", true},
		{"an eviction, as a dry run", tries, "POST", "/api/v1/namespaces/dev/pods/web/eviction", true},
		{"a patch, as a dry run", tries, "PATCH", "/api/v1/nodes/n1?fieldManager=fathom", true},
		{"a patch that speaks of a dry run of its own", tries, "PATCH", "/api/v1/nodes/n1?dryRun=&dryRun=x", true},
		{"no creation of another kind", tries, "POST", "/api/v1/namespaces/dev/services", false},
		{"a deletion, as a dry run, without a body that may say otherwise", tries, "DELETE", "/api/v1/namespaces/dev/pods/web", true},
		{"no deletion of many", tries, "DELETE", "/api/v1/namespaces/dev/pods", false},
		{"no patch that nobody confirmed", writes, "PATCH", "/api/v1/nodes/n1", false},
		{"no eviction that nobody confirmed", writes, "POST", "/api/v1/namespaces/dev/pods/web/eviction", false},
		{"no deletion that nobody confirmed", writes, "DELETE", "/api/v1/namespaces/dev/pods/web", false},
	} {
		t.Run(test.says, func(t *testing.T) {
			sent := false
			guard := test.guard(roundTripper(func(r *http.Request) (*http.Response, error) {
				sent = true
				if tried := r.URL.Query()["dryRun"]; r.Method != http.MethodGet && strings.Contains(test.says, "dry run") && (len(tried) != 1 || tried[0] != "All") {
					t.Errorf("%s %s was sent in earnest", r.Method, r.URL)
				}
				if r.Method == http.MethodDelete && (r.Body != http.NoBody || r.ContentLength != 0) {
					t.Errorf("%s %s was sent with a body", r.Method, r.URL)
				}
				return &http.Response{Body: http.NoBody}, nil
			}))
			request, err := http.NewRequestWithContext(t.Context(), test.method, "https://server"+test.url, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			response, err := guard.RoundTrip(request)
			if err == nil {
				_ = response.Body.Close()
			}
			if sent != test.through || errors.Is(err, ErrReadOnly) == test.through {
				t.Errorf("sent is %v, the error is %v", sent, err)
			}
		})
	}
}

// What a server may have done although it has trouble is not sent a second time.
func TestAChangeIsSentAgainOnlyWhereItWasTurnedAway(t *testing.T) {
	for _, test := range []struct {
		says  string
		code  int
		guard func(http.RoundTripper) http.RoundTripper
		sent  int
	}{
		{"the server has too many requests", http.StatusTooManyRequests, sentOnce, 2},
		{"etcd was slow to say that it is stored", http.StatusInternalServerError, sentOnce, 1},
		{"a proxy lost the answer", http.StatusBadGateway, sentOnce, 1},
		{"a dry run", http.StatusInternalServerError, dryRunsOnly, 2},
	} {
		t.Run(test.says, func(t *testing.T) {
			var sent atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if sent.Add(1) == 1 {
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(test.code)
				}
				_, _ = io.WriteString(w, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}}`)
			}))
			defer server.Close()
			client, err := guarded(&rest.Config{Host: server.URL}, test.guard, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.CoreV1().Nodes().Patch(t.Context(), "n1", types.MergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
			if got := int(sent.Load()); got != test.sent || (err == nil) != (test.sent > 1) {
				t.Errorf("sent %d times, want %d; the error is %v", got, test.sent, err)
			}
		})
	}
}

func TestAServerThatAcceptsAndSaysNothingIsGivenUp(t *testing.T) {
	silent := roundTripper(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://server/version", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := within(time.Millisecond)(silent).RoundTrip(request)
	if err == nil {
		_ = response.Body.Close()
	}
	if shortly(err) != "i/o timeout" {
		t.Errorf("the error is %v", err)
	}
}
