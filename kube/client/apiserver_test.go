package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// apiserver is a server that lists and watches as the real one does, and can be
// told to misbehave.
type apiserver struct {
	*httptest.Server

	mu       sync.Mutex
	objects  map[string][]runtime.Object // by resource
	streams  bool                        // it knows WatchList
	forbid   func(verb, namespace, resource string) bool
	absent   map[string]bool   // resources that it does not have
	older    map[string]string // groups that it has in another version
	refuse   bool              // it takes nobody's credentials
	down     bool              // it hangs up on everybody
	unready  bool              // it starts
	metrics  bool              // someone serves metrics.k8s.io
	oldest   int               // watches from before this resource version are too old
	requests []string          // "GET /api/v1/pods?limit=500"
	log      []happening       // the resource version is how many there are
	news     chan struct{}     // closed when something happens

	instead func(http.ResponseWriter, *http.Request) bool // answers in place of the server, if it wants to; nil: never
}

// happening is an event of one resource.
type happening struct {
	resource string
	event    watch.Event
}

func newAPIServer(t *testing.T) *apiserver {
	s := &apiserver{
		objects: map[string][]runtime.Object{}, news: make(chan struct{}), log: make([]happening, 1),
		forbid: func(string, string, string) bool { return false }, absent: map[string]bool{}, older: map[string]string{},
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections() // watches would hold it open
		s.Close()
	})
	return s
}

// set changes how the server behaves; hanging up on all that are connected.
func (s *apiserver) set(change func()) {
	s.mu.Lock()
	change()
	down := s.down
	s.mu.Unlock()
	if down {
		s.CloseClientConnections()
	}
}

func (s *apiserver) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	down, refuse, unready, metrics, instead := s.down, s.refuse, s.unready, s.metrics, s.instead
	s.mu.Unlock()
	if instead != nil && instead(w, r) {
		return
	}
	switch {
	case down:
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = connection.Close()
		}
	case refuse:
		fail(w, http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized")
	case r.URL.Path == "/version":
		write(w, map[string]string{"major": "1", "minor": "37", "gitVersion": "v1.37.1"})
	case r.URL.Path == "/readyz" && unready:
		http.Error(w, "starting", http.StatusInternalServerError)
	case r.URL.Path == "/readyz":
		_, _ = io.WriteString(w, "ok")
	case r.URL.Path == "/api", r.URL.Path == "/apis":
		s.groups(w)
	case strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		s.review(w, r)
	case strings.HasPrefix(r.URL.Path, "/apis/metrics.k8s.io/") && !metrics:
		fail(w, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	default:
		s.read(w, r)
	}
}

func (s *apiserver) groups(w http.ResponseWriter) {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for group, version := range s.older {
		of := metav1.GroupVersionForDiscovery{GroupVersion: group + "/" + version, Version: version}
		list.Groups = append(list.Groups, metav1.APIGroup{Name: group, Versions: []metav1.GroupVersionForDiscovery{of}, PreferredVersion: of})
	}
	write(w, list)
}

func (s *apiserver) review(w http.ResponseWriter, r *http.Request) {
	var review struct {
		Spec struct {
			ResourceAttributes struct{ Verb, Namespace, Resource string }
		} `json:"spec"`
	}
	_ = json.NewDecoder(r.Body).Decode(&review) // protobuf: then nothing is asked
	asked := review.Spec.ResourceAttributes
	write(w, map[string]any{
		"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
		"status": map[string]any{"allowed": !s.forbids(asked.Verb, asked.Namespace, asked.Resource)},
	})
}

func (s *apiserver) forbids(verb, namespace, resource string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forbid(verb, namespace, resource)
}

// read answers a list or a watch.
func (s *apiserver) read(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(path) < 3 { // as /metrics
		http.NotFound(w, r)
		return
	}
	path = path[2:] // api/v1
	if r.URL.Path[:6] == "/apis/" {
		path = path[1:]
	}
	namespace := ""
	if path[0] == "namespaces" && len(path) > 2 {
		namespace, path = path[1], path[2:]
	}
	resource, query := path[0], r.URL.Query()
	verb := "list"
	if query.Get("watch") != "" {
		verb = "watch"
	}
	s.mu.Lock()
	absent, streams, oldest := s.absent[resource], s.streams, s.oldest
	s.mu.Unlock()
	switch {
	case absent:
		fail(w, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	case s.forbids(verb, namespace, resource):
		fail(w, http.StatusForbidden, metav1.StatusReasonForbidden, fmt.Sprintf("%s is forbidden: User \"dev\" cannot %s it", resource, verb))
	case query.Get("sendInitialEvents") != "" && !streams:
		fail(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "sendInitialEvents is forbidden")
	case verb == "watch" && query.Get("sendInitialEvents") == "" && number(query.Get("resourceVersion")) < oldest:
		fail(w, http.StatusGone, metav1.StatusReasonExpired, "too old resource version")
	case verb == "watch":
		s.watch(w, r, resource)
	default:
		s.list(w, r, resource)
	}
}

func (s *apiserver) list(w http.ResponseWriter, r *http.Request, resource string) {
	s.mu.Lock()
	items, version := s.objects[resource], len(s.log)
	s.mu.Unlock()
	if r.URL.Query().Get("fieldSelector") == "spec.nodeName=" {
		items = slices.DeleteFunc(slices.Clone(items), func(o runtime.Object) bool {
			return reflect.ValueOf(o).Elem().FieldByName("Spec").FieldByName("NodeName").String() != ""
		})
	}
	from, limit := number(r.URL.Query().Get("continue")), number(r.URL.Query().Get("limit"))
	if r.URL.Query().Get("resourceVersion") == "0" {
		limit = 0 // the watch cache takes no notice of it
	}
	meta := map[string]string{"resourceVersion": strconv.Itoa(version)}
	items = items[min(from, len(items)):]
	if limit > 0 && len(items) > limit {
		items = items[:limit]
		meta["continue"] = strconv.Itoa(from + limit)
	}
	group := kindOf(resource)
	write(w, map[string]any{"kind": group.Kind + "List", "apiVersion": group.GroupVersion().String(), "metadata": meta, "items": typed(items)})
}

// watch streams what happens, after what there is if that is asked for.
func (s *apiserver) watch(w http.ResponseWriter, r *http.Request, resource string) {
	s.mu.Lock()
	items, version := s.objects[resource], len(s.log)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	send := func(kind watch.EventType, object any) {
		_ = json.NewEncoder(w).Encode(map[string]any{"type": kind, "object": object})
		w.(http.Flusher).Flush()
	}
	w.(http.Flusher).Flush()
	if r.URL.Query().Get("sendInitialEvents") != "" {
		for _, item := range typed(items) {
			send(watch.Added, item)
		}
		group := kindOf(resource)
		send(watch.Bookmark, map[string]any{"kind": group.Kind, "apiVersion": group.GroupVersion().String(), "metadata": map[string]any{
			"resourceVersion": strconv.Itoa(version), "annotations": map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		}})
	} else {
		version = number(r.URL.Query().Get("resourceVersion"))
	}
	for {
		s.mu.Lock()
		events, news := s.log[version:], s.news
		s.mu.Unlock()
		for _, happened := range events {
			version++
			if happened.resource == resource {
				send(happened.event.Type, typed([]runtime.Object{happened.event.Object})[0])
			}
		}
		select {
		case <-news:
		case <-r.Context().Done():
			return
		}
	}
}

// tell lets something happen.
func (s *apiserver) tell(resource string, kind watch.EventType, object runtime.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, happening{resource, watch.Event{Type: kind, Object: object}})
	object.(metav1.Object).SetResourceVersion(strconv.Itoa(len(s.log)))
	s.objects[resource] = append(s.objects[resource], object)
	close(s.news)
	s.news = make(chan struct{})
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// asked are the requests so far that hold all of the words.
func (s *apiserver) asked(words ...string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.requests), func(request string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(request, w) })
	})
}

func kindOf(resource string) schema.GroupVersionKind {
	for _, k := range resourcesRead(true) {
		if k.gvr.Resource == resource {
			return k.gvr.GroupVersion().WithKind(reflect.TypeOf(k.object).Elem().Name())
		}
	}
	for of, kind := range builtInKinds() { // those that are asked about only now and then
		if of.Resource == resource && of.Version == "v1" {
			return of.GroupVersion().WithKind(kind)
		}
	}
	return schema.GroupVersionKind{}
}

// typed sets kind and version, which objects in memory go without.
func typed(objects []runtime.Object) []runtime.Object {
	copies := make([]runtime.Object, len(objects))
	for i, o := range objects {
		copies[i] = o.DeepCopyObject()
		if found, _, err := scheme.Scheme.ObjectKinds(o); err == nil {
			copies[i].GetObjectKind().SetGroupVersionKind(found[0])
		}
	}
	return copies
}

func write(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func fail(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}

// flags are kubectl's, for a kubeconfig with a context dev in namespace dev.
func flags(t *testing.T, server string) *genericclioptions.ConfigFlags {
	file := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q}}]
users: [{name: dev, user: {token: secret}}, {name: ops, user: {token: other}}]
contexts:
- {name: dev, context: {cluster: c, user: dev, namespace: dev}}
- {name: ops, context: {cluster: c, user: ops}}
current-context: dev
`, server)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := genericclioptions.NewConfigFlags(true)
	f.KubeConfig = &file
	return f
}

func TestMain(m *testing.M) {
	explain.Silence() // as the program does
	goleak.VerifyTestMain(m)
}

// quick is a pace for tests.
var quick = pace{
	idle: 20 * time.Millisecond, silent: 10 * time.Second, limit: 20 * time.Second,
	retry: 10 * time.Millisecond, most: 50 * time.Millisecond, calm: time.Hour,
	settle: 10 * time.Millisecond, recheck: 20 * time.Millisecond,
}

// open connects to the server.
func (s *apiserver) open(t *testing.T) *Client {
	t.Helper()
	return openAt(t, s.URL, quick)
}

func openAt(t *testing.T, url string, p pace) *Client {
	t.Helper()
	getter := flags(t, url)
	*getter.Insecure = strings.HasPrefix(url, "https:")
	client, err := connect(t.Context(), Options{Getter: getter, UserAgent: "fathom/test"}, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// start opens a source and waits until everything is in.
func start(t *testing.T, client *Client) *cluster.Source {
	t.Helper()
	source, err := client.Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	source.Factory.StartWithContext(t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if result := source.Factory.WaitForCacheSyncWithContext(ctx); result.Err != nil {
		t.Fatalf("not in after a minute: %v; %+v", result.Err, source.Status())
	}
	return source
}

// until waits for the status to be so.
func until(t *testing.T, source *cluster.Source, what string, so func(model.Status) bool) model.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		status := source.Status()
		if so(status) {
			return status
		}
		select {
		case <-source.Changed:
		case <-time.After(10 * time.Millisecond): // time changes it too
		case <-ctx.Done():
			t.Fatalf("never %s: %+v", what, status)
		}
	}
}
