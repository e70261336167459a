package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
)

// ask sends a request through the check, to a server that gives that answer.
func ask(t *testing.T, prefix, method, url string, answer *http.Response) ([]byte, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "https://server"+url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := checked(prefix)(roundTripper(func(*http.Request) (*http.Response, error) { return answer, nil })).RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body, nil
}

// answerOf is an answer of a type.
func answerOf(code int, is string, body []byte) *http.Response {
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {is}}, Body: io.NopCloser(bytes.NewReader(body))}
}

// protobufOf is an object in protobuf, as text.
func protobufOf(t *testing.T, object runtime.Object) string {
	t.Helper()
	return string(sample.Encoded(t, object))
}

const (
	pathQuotas    = "/api/v1/namespaces/dev/resourcequotas?limit=500"
	pathNode      = "/api/v1/nodes/n1"
	pathEviction  = "/api/v1/namespaces/dev/pods/web/eviction"
	pathReview    = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
	pathScale     = "/apis/apps/v1/namespaces/dev/deployments/web/scale"
	pathNodePools = "/apis/karpenter.sh/v1/nodepools"

	successStatus = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`
	failureStatus = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","code":201}`
)

func TestWhatNoAPIServerAnswersIsRefused(t *testing.T) {
	const none = "an object without kind and resourceVersion"
	otherNode := protobufOf(t, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n2"}})
	pods := protobufOf(t, &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}})
	manyPods := `{"kind":"PodList","apiVersion":"v1","items":["` + strings.Repeat("x", 2*smallAnswer) + `"]}`
	for _, test := range []struct {
		says, method, url, body, answer string
	}{
		{"a patch answered with nothing", "PATCH", pathNode, `{}`, none},
		{"a patch answered with null", "PATCH", pathNode, `null`, none},
		{"a patch answered with success", "PATCH", pathNode, successStatus, "kind Status instead of Node"},
		{"a patch answered with another kind", "PATCH", pathNode, `{"kind":"Pod","metadata":{"name":"n1"}}`, "kind Pod instead of Node"},
		{"a patch answered with another node", "PATCH", pathNode, `{"kind":"Node","metadata":{"name":"n2"}}`, "another Node than was asked for"},
		{"a patch answered with another node in protobuf", "PATCH", pathNode, otherNode, "another Node than was asked for"},
		{"a patch answered with no name", "PATCH", pathNode, `{"kind":"Node"}`, "another Node than was asked for"},
		{"a patch answered without a body", "PATCH", pathNode, "", "an empty answer"},
		{"a scale answered with nothing", "PUT", pathScale, `{}`, none},
		{"a scale answered with the workload", "PUT", pathScale, `{"kind":"Deployment","metadata":{"name":"web"}}`, "kind Deployment instead of Scale"},
		{"a pod's creation answered with nothing", "POST", "/api/v1/namespaces/dev/pods?dryRun=All", `{}`, none},
		{"a pod's creation answered with success", "POST", "/api/v1/namespaces/dev/pods", successStatus, "kind Status instead of Pod"},
		{"an eviction answered with nothing", "POST", pathEviction, `{}`, none},
		{"an eviction answered with a failure", "POST", pathEviction, failureStatus, "a Status without success"},
		{"an eviction answered with a pod", "POST", pathEviction, `{"kind":"Pod","metadata":{"name":"web"}}`, "kind Pod instead of Status"},
		{"an eviction answered with half of a Status", "POST", pathEviction, successStatus[:30], "something that cannot be decoded"},
		{"an eviction answered with a failure in protobuf", "POST", pathEviction, protobufOf(t, &metav1.Status{Status: metav1.StatusFailure}), "a Status without success"},
		{"a deletion answered with nothing", "DELETE", "/api/v1/namespaces/dev/pods/web", `{}`, none},
		{"a deletion answered with another pod", "DELETE", "/api/v1/namespaces/dev/pods/web", `{"kind":"Pod","metadata":{"name":"db"}}`, "another Pod than was asked for"},
		{"a review answered with nothing", "POST", pathReview, `{}`, none},
		{"a review answered with success", "POST", pathReview, successStatus, "kind Status instead of SelfSubjectAccessReview"},
		{"quotas answered with success", "GET", pathQuotas, successStatus, "kind Status instead of ResourceQuotaList"},
		{"quotas answered with pods", "GET", pathQuotas, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`, "kind PodList instead of ResourceQuotaList"},
		{"quotas answered with many pods", "GET", pathQuotas, manyPods, "kind PodList instead of ResourceQuotaList"},
		{"quotas answered with pods in protobuf", "GET", pathQuotas, pods, "kind PodList instead of ResourceQuotaList"},
		{"quotas answered with one quota", "GET", pathQuotas, `{"kind":"ResourceQuota","metadata":{"name":"q"}}`, "kind ResourceQuota instead of ResourceQuotaList"},
		{"quotas answered with a list of anything", "GET", pathQuotas, `{"kind":"List","items":[]}`, "kind List instead of ResourceQuotaList"},
		{"quotas answered with a text for a terminal", "GET", pathQuotas, `{"kind":"\u001b[31mList"}`, "another kind instead of ResourceQuotaList"},
		{"leases answered with success", "GET", "/apis/coordination.k8s.io/v1/leases", successStatus, "kind Status instead of LeaseList"},
		{"PriorityClasses answered with success", "GET", "/apis/scheduling.k8s.io/v1/priorityclasses", successStatus, "kind Status instead of PriorityClassList"},
		{"events answered with pods", "GET", "/api/v1/events", `{"kind":"PodList"}`, "kind PodList instead of EventList"},
		{"a ConfigMap answered with a pod", "GET", "/api/v1/namespaces/dev/configmaps/c", `{"kind":"Pod","metadata":{"name":"c"}}`, "kind Pod instead of ConfigMap"},
		{"NodePools answered with success", "GET", pathNodePools, successStatus, "kind Status instead of a list"},
		{"NodePools answered with one thing", "GET", pathNodePools, `{"kind":"Thing","metadata":{"name":"x"}}`, "kind Thing instead of a list"},
		{"a NodePool answered with success", "GET", pathNodePools + "/p", successStatus, "kind Status instead of an object"},
	} {
		t.Run(test.says, func(t *testing.T) {
			is := runtime.ContentTypeJSON
			if strings.HasPrefix(test.body, "k8s\x00") {
				is = runtime.ContentTypeProtobuf
			}
			for _, prefix := range []string{"", "/api/v1/proxy"} {
				_, err := ask(t, prefix, test.method, prefix+test.url, answerOf(http.StatusOK, is, []byte(test.body)))
				if !isNotAnAPI(err) || shortly(err) != test.answer {
					t.Errorf("behind %q the error is %v, want %q", prefix, err, test.answer)
				}
			}
		})
	}
}

func TestAnAnswerThatIsNoObjectIsRefused(t *testing.T) {
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		for _, test := range []struct {
			code         int
			is, body     string
			answer, long string
		}{
			{200, "text/html; charset=utf-8", "<html>", "a web page", "https://s answered with a web page: it is not a Kubernetes API server, or a proxy answers for it"},
			{200, "text/plain", "ok", "an answer of type text/plain", "https://s answered with an answer of type text/plain"},
			{204, "", "", "an empty answer", "https://s answered with an empty answer"},
			{200, "application/json", " \n", "an empty answer", "https://s answered with an empty answer"},
			{200, "application/json", "[]", "something that cannot be decoded", "https://s answered with something that cannot be decoded"},
			{200, "application/json", "<html>x</html>", "something that cannot be decoded", "https://s answered with something that cannot be decoded"},
			{200, "application/json", "[" + strings.Repeat(`{"kind":"Node"},`, smallAnswer), "something that cannot be decoded", "https://s answered with something that cannot be decoded"},
		} {
			_, err := ask(t, "", method, pathNode, answerOf(test.code, test.is, []byte(test.body)))
			if !isNotAnAPI(err) || shortly(err) != test.answer {
				t.Errorf("%s: %d %s: the error is %v", method, test.code, test.is, err)
				continue
			}
			told := classify("x", "https://s", err)
			if !strings.Contains(told.Error(), test.long) || strings.Contains(told.Error(), "does not answer") {
				t.Errorf("%s: %d %s is told as %v", method, test.code, test.is, told)
			}
		}
	}
}

func TestWhatAPIServersAnswerPasses(t *testing.T) {
	const custom = `{"apiVersion":"karpenter.sh/v1","items":[%s],"kind":%q,"metadata":{"resourceVersion":"7"}}`
	long := strings.Repeat("x", 2*smallAnswer)
	named := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Annotations: map[string]string{"a": long}}
	}
	for _, test := range []struct {
		says, method, url, body string
	}{
		{"a node", "GET", pathNode, protobufOf(t, &corev1.Node{ObjectMeta: named("n1")})},
		{"a patched node", "PATCH", pathNode, protobufOf(t, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})},
		{"a patched node in JSON", "PATCH", pathNode, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","annotations":{"a":"` + long + `"}}}`},
		{"a patched node with its fields in the order of the alphabet", "PATCH", pathNode, `{"apiVersion":"v1","data":"` + long + `","kind":"Node","metadata":{"name":"n1"}}`},
		{"a scale", "PUT", pathScale, protobufOf(t, &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "web"}})},
		{"a created pod", "POST", "/api/v1/namespaces/dev/pods?dryRun=All", protobufOf(t, &corev1.Pod{ObjectMeta: named("web-x")})},
		{"an eviction", "POST", pathEviction, successStatus},
		{"an eviction in protobuf", "POST", pathEviction, protobufOf(t, &metav1.Status{Status: metav1.StatusSuccess, Code: 201})},
		{"a deleted pod that still terminates", "DELETE", "/api/v1/namespaces/dev/pods/web", protobufOf(t, &corev1.Pod{ObjectMeta: named("web")})},
		{"a deleted pod that is gone", "DELETE", "/api/v1/namespaces/dev/pods/web", successStatus},
		{"a review", "POST", pathReview, protobufOf(t, &authorizationv1.SelfSubjectAccessReview{})},
		{"a failure, which client-go tells", "PATCH", pathNode, failureStatus},
		{"JSON that is cut off, which client-go tells", "PATCH", pathNode, `{"kind":"No`},
		{"quotas", "GET", pathQuotas, protobufOf(t, &corev1.ResourceQuotaList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}})},
		{"quotas in JSON", "GET", pathQuotas, `{"kind":"ResourceQuotaList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":null}`},
		{"leases", "GET", "/apis/coordination.k8s.io/v1/leases", protobufOf(t, &coordinationv1.LeaseList{})},
		{"namespaces", "GET", "/api/v1/namespaces", `{"kind":"NamespaceList"}`},
		{"a namespace", "GET", "/api/v1/namespaces/dev", `{"kind":"Namespace","metadata":{"name":"dev"}}`},
		{"endpoints", "GET", "/api/v1/endpoints", `{"kind":"EndpointsList"}`},
		{"network policies", "GET", "/apis/networking.k8s.io/v1/networkpolicies", `{"kind":"NetworkPolicyList"}`},
		{"usage", "GET", "/apis/metrics.k8s.io/v1beta1/nodes", `{"kind":"NodeMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[]}`},
		{"usage in protobuf", "GET", "/apis/metrics.k8s.io/v1beta1/nodes", strings.Replace(protobufOf(t, &corev1.PodList{}), "PodList", "AnyList", 1)},
		{"NodeClaims", "GET", "/apis/karpenter.sh/v1/nodeclaims", fmt.Sprintf(custom, "", "NodeClaimList")},
		{"a list with a name of its own", "GET", pathNodePools, fmt.Sprintf(custom, "", "Pools")},
		{"the same without a version", "GET", pathNodePools, `{"kind":"Pools","items":[]}`},
		{"a long one, whose kind comes last", "GET", pathNodePools, fmt.Sprintf(custom, `"`+long+`"`, "Pools")},
		{"a custom resource that answers to an alias", "GET", "/apis/user.openshift.io/v1/users/~", `{"kind":"User","metadata":{"name":"dev"}}`},
		{"a custom subresource", "GET", "/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/q/pendingworkloads", `{"kind":"PendingWorkloadsSummary","metadata":{},"items":[]}`},
		{"the resources of a version", "GET", "/api/v1", `{"kind":"APIResourceList","resources":[]}`},
		{"those of a group", "GET", "/apis/apps/v1", `{"kind":"APIResourceList","resources":[]}`},
		{"a group", "GET", "/apis/apps", `{"kind":"APIGroup"}`},
		{"a watch", "GET", "/api/v1/pods?watch=true", `{"type":"ADDED"}`},
		{"a log", "GET", "/api/v1/namespaces/dev/pods/web/log", "{}"},
		{"what is not of the API", "GET", "/version", "{}"},
	} {
		t.Run(test.says, func(t *testing.T) {
			kinds := []string{runtime.ContentTypeJSON, ""}
			if strings.HasPrefix(test.body, "k8s\x00") {
				kinds[0] = runtime.ContentTypeProtobuf
			}
			for _, is := range kinds {
				for _, prefix := range []string{"", "/api/v1/proxy"} {
					body, err := ask(t, prefix, test.method, prefix+test.url, answerOf(http.StatusCreated, is, []byte(test.body)))
					if err != nil || string(body) != test.body {
						t.Errorf("%q behind %q: %v, %d bytes of %d", is, prefix, err, len(body), len(test.body))
					}
				}
			}
		})
	}
	errText := []byte(`{"kind":"PodList"}`)
	if _, err := ask(t, "", "GET", pathQuotas, answerOf(http.StatusForbidden, runtime.ContentTypeJSON, errText)); err != nil {
		t.Errorf("an error of the server fails by %v", err)
	}
}

func TestTheKindOfEveryResourceThatIsReadIsKnown(t *testing.T) {
	for _, k := range resourcesRead(true) {
		if want := fmt.Sprintf("%T", k.object); !strings.HasSuffix(want, "."+builtInKinds()[k.gvr]) || builtInKinds()[k.gvr] == "" {
			t.Errorf("%s is of kind %q, want %s", k.gvr, builtInKinds()[k.gvr], want)
		}
	}
}

// instead200 gives all requests of a method, to paths that end so, an answer.
func (s *apiserver) instead200(method, path, body string) {
	s.set(func() {
		s.instead = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != method || !strings.HasSuffix(r.URL.Path, path) {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
			return true
		}
	})
}

func TestAWriteThatNoAPIServerAnsweredIsNotDone(t *testing.T) {
	server := newAPIServer(t)
	client := server.open(t)
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "web"}}
	for name, test := range map[string]struct {
		method, path, right string
		send                func(context.Context) error
	}{
		"a patch": {"PATCH", "/nodes/n1", `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}}`, func(ctx context.Context) error {
			_, err := client.DryRunner().CoreV1().Nodes().Patch(ctx, "n1", types.MergePatchType, []byte("{}"), metav1.PatchOptions{})
			return err
		}},
		"an eviction": {"POST", "/eviction", successStatus, func(ctx context.Context) error {
			return client.DryRunner().PolicyV1().Evictions("dev").Evict(ctx, eviction)
		}},
		"a dry run of a pod": {"POST", "/pods", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"},"spec":{"containers":[{"name":"app"}]}}`, func(ctx context.Context) error {
			_, err := client.DryRunCreate(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "web"}})
			return err
		}},
		"a question about a right": {"POST", "/selfsubjectaccessreviews", `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":true}}`, func(ctx context.Context) error {
			_, err := client.Access(ctx)
			return err
		}},
		"quotas": {"GET", "/resourcequotas", `{"kind":"ResourceQuotaList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`, func(ctx context.Context) error {
			_, err := client.Reader().CoreV1().ResourceQuotas("dev").List(ctx, metav1.ListOptions{})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := []string{`{}`, `{"kind":"PodList","apiVersion":"v1","metadata":{}}`, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}`}
			if test.right != successStatus {
				wrong = append(wrong, successStatus)
			}
			for _, body := range wrong {
				server.instead200(test.method, test.path, body)
				if err := test.send(t.Context()); !isNotAnAPI(err) {
					t.Errorf("%s: the error is %v", body, err)
				}
			}
			server.instead200(test.method, test.path, test.right)
			if err := test.send(t.Context()); err != nil {
				t.Errorf("%s: the error is %v", test.right, err)
			}
		})
	}
}

func TestConnectingNeedsNoReviewOfTheRightKind(t *testing.T) {
	server := newAPIServer(t)
	server.instead200("POST", "/selfsubjectaccessreviews", `{}`)
	if _, err := server.open(t).Access(t.Context()); !errors.Is(err, ErrUnreachable) {
		t.Errorf("the rights fail by %v", err)
	}
}

func TestRedirectsAreToldAsWhatTheyAre(t *testing.T) {
	server := newAPIServer(t)
	client := server.open(t)
	for name, test := range map[string]struct {
		to   string
		page bool
		says string
	}{
		"in a circle":              {"/api/v1/namespaces/dev/resourcequotas", false, " answered with redirects only: "},
		"to a page to log in":      {"/login", true, " answered with a web page: "},
		"to a server that is away": {"http://127.0.0.1:1/login", false, "127.0.0.1:1, where " + server.URL + " redirects to, does not answer (connection refused)"},
	} {
		t.Run(name, func(t *testing.T) {
			server.set(func() {
				server.instead = func(w http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path == "/login" && test.page {
						w.Header().Set("Content-Type", "text/html")
						_, _ = io.WriteString(w, "<html>")
						return true
					}
					if strings.HasSuffix(r.URL.Path, "/resourcequotas") {
						http.Redirect(w, r, test.to, http.StatusFound)
						return true
					}
					return false
				}
			})
			_, err := client.Reader().CoreV1().ResourceQuotas("dev").List(t.Context(), metav1.ListOptions{})
			if told := client.Explain("list quotas", err); err == nil || !strings.Contains(told.Error(), test.says) {
				t.Errorf("it is told as %v", told)
			}
		})
	}
}
