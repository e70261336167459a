package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// fill puts n pods on the server, every tenth without a node.
func (s *apiserver) fill(n int) {
	for i := range n {
		node := "node-1"
		if i%10 == 0 {
			node = ""
		}
		s.objects["pods"] = append(s.objects["pods"], sample.SmallPod(fmt.Sprintf("web-%d", i), node))
	}
	s.objects["nodes"] = append(s.objects["nodes"], sample.Node("node-1"))
}

func podsIn(t *testing.T, source *cluster.Source) []*corev1.Pod {
	t.Helper()
	pods, err := source.Factory.Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil {
		t.Fatal(err)
	}
	return pods
}

func TestEverythingIsReadHoweverTheServerLists(t *testing.T) {
	for name, streams := range map[string]bool{"streamed": true, "in pages": false} {
		t.Run(name, func(t *testing.T) {
			server := newAPIServer(t)
			server.streams = streams
			server.fill(1200)
			source := start(t, server.open(t))

			pods := podsIn(t, source)
			if len(pods) != 1200 {
				t.Errorf("%d pods are in, want 1200", len(pods))
			}
			for _, pod := range pods {
				if len(pod.Spec.Containers[0].Env) > 0 {
					t.Fatalf("%s was stored as it came", pod.Name)
				}
			}
			status := until(t, source, "in and live", func(s model.Status) bool { return len(s.Reading) == 0 && s.Connection.Live })
			if status.Unread != nil || status.Namespace != "" || status.Version != "v1.37.1" || status.Context != "dev" || !status.Insecure {
				t.Errorf("status is %+v", status)
			}
			whole := slices.DeleteFunc(server.asked("GET /api/v1/pods?"), func(r string) bool {
				return strings.Contains(r, "watch=") || strings.Contains(r, "limit=")
			})
			if len(whole) > 0 {
				t.Errorf("all pods were asked for in one list: %s", whole)
			}
			if pages := server.asked("GET /api/v1/pods?", "continue="); streams && len(pages) > 0 || !streams && len(pages) != 2 {
				t.Errorf("asked for these pages: %s", pages)
			}

			server.tell("pods", watch.Added, sample.SmallPod("late-1", ""))
			until(t, source, "one more", func(model.Status) bool { return len(podsIn(t, source)) == 1201 })
		})
	}
}

func TestFirstRowsAreAPageOfNodesAndTheUnboundPods(t *testing.T) {
	server := newAPIServer(t)
	server.fill(1200)
	source, err := server.open(t).Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first, err := source.First(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Nodes) != 1 || len(first.Pods) != 120 {
		t.Errorf("%d nodes and %d pods, want 1 and 120", len(first.Nodes), len(first.Pods))
	}
	if first.Pods[0].Spec.NodeName != "" || len(first.Pods[0].Spec.Containers[0].Env) > 0 {
		t.Errorf("not an unbound pod, stripped: %v", first.Pods[0])
	}
	status := source.Status()
	if _, reading := status.Reading["pods"]; !reading {
		t.Errorf("pods count as in before they were asked for: %+v", status)
	}
}

func TestEachForbiddenKindIsUnreadAndHoldsUpNothing(t *testing.T) {
	for _, k := range watchedResources {
		t.Run(k.gvr.Resource, func(t *testing.T) {
			server := newAPIServer(t)
			server.fill(3)
			server.forbid = func(_, _, resource string) bool { return resource == k.gvr.Resource }
			source := start(t, server.open(t))

			status := until(t, source, "in and live", func(s model.Status) bool { return len(s.Reading) == 0 && s.Connection.Live })
			want := []model.Unread{{Resource: k.gvr.Resource, Group: k.gvr.Group, Why: "not allowed to list " + k.gvr.Resource}}
			if !slices.Equal(status.Unread, want) {
				t.Errorf("unread is %v, want %v", status.Unread, want)
			}
			if why := source.Trace.Forbidden()[k.gvr.Resource]; why != want[0].Why && !k.unplugged {
				t.Errorf("the trace says %q, want %q", why, want[0].Why)
			}
			if first, err := source.First(t.Context()); err != nil {
				t.Errorf("first rows: %v, %v", first, err)
			}
		})
	}
}

func TestAKindThatTheServerDoesNotHaveIsNotUnknown(t *testing.T) {
	server := newAPIServer(t)
	server.fill(3)
	server.absent["devicetaintrules"] = true
	source := start(t, server.open(t))
	status := until(t, source, "in and live", func(s model.Status) bool { return len(s.Reading) == 0 && s.Connection.Live })
	if status.Unread != nil || len(source.Trace.Forbidden()) > 0 {
		t.Errorf("unread is %v, the trace says %v", status.Unread, source.Trace.Forbidden())
	}
}

// A server without pods or nodes is not a cluster that has none.
func TestAServerWithoutPodsOrNodesIsNoCluster(t *testing.T) {
	for _, resource := range []string{"pods", "nodes"} {
		server := newAPIServer(t)
		server.fill(3)
		server.absent[resource] = true
		_, err := server.open(t).Source(t.Context())
		if want := "answered with no list of " + resource + ": it is not a Kubernetes API server"; !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v", resource, err)
		}
	}
}

func TestAKindInAnotherVersionIsUnknown(t *testing.T) {
	server := newAPIServer(t)
	server.fill(3)
	server.absent["resourceclaims"] = true
	server.older["resource.k8s.io"] = "v1beta1"
	source := start(t, server.open(t))
	want := "the server does not serve the version of resourceclaims that fathom reads, resource.k8s.io/v1"
	if why := source.Trace.Forbidden()["resourceclaims"]; why != want {
		t.Errorf("the trace says %q, want %q", why, want)
	}
	if unread := source.Status().Unread; len(unread) != 1 || unread[0].Why != want {
		t.Errorf("unread is %v", unread)
	}
}

func TestWherePodsAreForbiddenTheContextsNamespaceIsRead(t *testing.T) {
	server := newAPIServer(t)
	server.fill(3)
	server.forbid = func(_, namespace, resource string) bool { return namespace != "dev" || resource == "services" }
	source := start(t, server.open(t))

	status := source.Status()
	if status.Namespace != "dev" || len(podsIn(t, source)) != 3 {
		t.Errorf("%d pods of namespace %q are in, want 3 of dev", len(podsIn(t, source)), status.Namespace)
	}
	unread := map[string]string{}
	for _, u := range status.Unread {
		unread[u.Resource] = u.Why
	}
	for resource, why := range map[string]string{
		"pods":                   "not allowed to list pods in all namespaces; only those of dev are read",
		"nodes":                  "not allowed to list nodes",
		"services":               "not allowed to list services",
		"persistentvolumeclaims": "",
	} {
		if unread[resource] != why {
			t.Errorf("%s: unread is %q, want %q", resource, unread[resource], why)
		}
	}
	first, err := source.First(t.Context())
	if err != nil || len(first.Pods) != 1 || len(first.Nodes) != 0 {
		t.Errorf("first rows are %+v, %v", first, err)
	}
}

func TestWhoMayListNeitherPodsNorNodesIsToldWhatToDo(t *testing.T) {
	server := newAPIServer(t)
	server.forbid = func(string, string, string) bool { return true }
	_, err := server.open(t).Source(t.Context())
	if !errors.Is(err, ErrForbidden) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "-n") {
		t.Errorf("the error is %v", err)
	}
}

func TestAWatchThatIsForbiddenIsToldAndTheListIsThere(t *testing.T) {
	server := newAPIServer(t)
	server.fill(3)
	server.forbid = func(verb, _, resource string) bool { return verb == "watch" && resource == "services" }
	source := start(t, server.open(t))
	until(t, source, "told", func(s model.Status) bool {
		return len(s.Unread) == 1 && s.Unread[0].Resource == "services" && strings.HasPrefix(s.Unread[0].Why, "not allowed to watch services")
	})
	select {
	case <-source.Stale:
		t.Error("the source is stale, though every list is allowed")
	default:
	}
}

func TestARightThatIsLostOrWonAsksForANewSource(t *testing.T) {
	nothing := func(string, string, string) bool { return false }
	events := func(_, _, resource string) bool { return resource == "services" }
	for name, rights := range map[string][2]func(string, string, string) bool{"lost": {nothing, events}, "won": {events, nothing}} {
		t.Run(name, func(t *testing.T) {
			server := newAPIServer(t)
			server.fill(3)
			server.forbid = rights[0]
			source := start(t, server.open(t))
			server.set(func() { server.forbid = rights[1] })
			server.CloseClientConnections() // a watch that is open stays allowed
			select {
			case <-source.Stale:
			case <-time.After(time.Minute):
				t.Errorf("the source never turned stale: %+v", source.Status())
			}
		})
	}
}

func TestWhatMayNoLongerBeReadIsNotLive(t *testing.T) {
	server := newAPIServer(t)
	server.fill(3)
	p := quick
	p.settle = time.Hour // no other source comes
	source := start(t, openAt(t, server.URL, p))
	until(t, source, "live", live)
	server.set(func() { server.forbid = func(_, _, resource string) bool { return resource == "pods" } })
	server.CloseClientConnections()
	status := until(t, source, "unread", func(s model.Status) bool {
		return slices.ContainsFunc(s.Unread, func(u model.Unread) bool { return u.Why == "not allowed to list pods" })
	})
	if c := status.Connection; c.Live || c.Err != "Forbidden" {
		t.Errorf("the connection is %+v, though pods are those from before", c)
	}
}

func TestARightThatIsGivenBackIsFoundSoon(t *testing.T) {
	server := newAPIServer(t)
	server.fill(3)
	p := quick
	p.recheck = time.Hour
	client := openAt(t, server.URL, p)
	for _, forbidden := range []bool{true, false} {
		source := start(t, client)
		server.set(func() {
			server.forbid = func(_, _, resource string) bool { return forbidden && resource == "services" }
		})
		server.CloseClientConnections()
		select {
		case <-source.Stale:
		case <-time.After(time.Minute):
			t.Fatalf("forbidden is %t and the source never turned stale: %+v", forbidden, source.Status())
		}
	}
}

func TestATokenThatWasRenewedIsReadAtOnce(t *testing.T) {
	server := newAPIServer(t)
	var valid atomic.Value
	var rejected atomic.Int32
	valid.Store("Bearer first")
	server.instead = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == valid.Load() {
			return false
		}
		rejected.Add(1)
		fail(w, http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized")
		return true
	}
	file := filepath.Join(t.TempDir(), "token")
	token := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	token("first")
	secure := httptest.NewTLSServer(server.Config.Handler) // no token goes over plain HTTP
	defer secure.Close()
	defer secure.CloseClientConnections()
	getter := flags(t, secure.URL)
	*getter.Insecure = true
	config := strings.Replace(readFile(t, *getter.KubeConfig), "token: secret", fmt.Sprintf("tokenFile: %q", file), 1)
	if err := os.WriteFile(*getter.KubeConfig, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := connect(t.Context(), Options{Getter: getter, UserAgent: "fathom/test"}, quick)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	source := start(t, client)
	until(t, source, "live", live)
	valid.Store("Bearer second")
	secure.CloseClientConnections()
	until(t, source, "unauthorized", func(s model.Status) bool { return s.Connection.Problem == model.Unauthorized })
	token("second")
	rejected.Store(0)
	until(t, source, "live again", live)
	if n := rejected.Load(); n > 100 { // those that were under way; for 50 seconds it would be a thousand
		t.Errorf("%d requests were made with the old token", n)
	}
}

// readFile is the text of a file.
func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNothingCanBeWrittenThroughASource(t *testing.T) {
	server := newAPIServer(t)
	source, err := server.open(t).Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Client.CoreV1().Pods("dev").Delete(t.Context(), "web-1", deleteNow); !errors.Is(err, ErrReadOnly) {
		t.Errorf("deleting gives %v", err)
	}
	if sent := server.asked("DELETE"); len(sent) > 0 {
		t.Errorf("the server was sent %s", sent)
	}
}

func TestUsageSaysWhyThereIsNone(t *testing.T) {
	server := newAPIServer(t)
	source, err := server.open(t).Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	usage, err := source.Usage(t.Context())
	if usage != nil || err != nil {
		t.Errorf("usage is %v, %v", usage, err)
	}
	if note := source.Status().MetricsNote; note != "metrics.k8s.io is not served" {
		t.Errorf("the note is %q", note)
	}
	server.set(func() {
		server.metrics = true
		server.forbid = func(_, _, resource string) bool { return true }
	})
	if _, err := source.Usage(t.Context()); err != nil {
		t.Error(err)
	}
	if note := source.Status().MetricsNote; note != "not allowed to list nodes and pods in metrics.k8s.io" {
		t.Errorf("the note is %q", note)
	}
}
