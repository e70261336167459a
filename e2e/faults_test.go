package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/faults"
)

// bookmarksLate is how long a watch may be silent before another one is opened: the
// API server sends a bookmark about every minute.
const bookmarksLate = 150 * time.Second

// fault is one way to break, and how it is mended.
type fault struct {
	name    string
	allowed time.Duration // how much older than usual the data of a live screen may be
	breaks  func(*broken) error
	mends   func(*broken) error
}

// proxied is a fault of the proxy.
func proxied(name string, allowed time.Duration, f faults.Fault) fault {
	return fault{
		name: name, allowed: allowed,
		breaks: func(b *broken) error { b.proxy.Set(f); return nil },
		mends:  func(b *broken) error { b.proxy.Set(faults.Fault{}); return nil },
	}
}

// While the link or the server is broken, what is said is true and no row is lost.
// Afterwards every row is what the API holds, and nothing is left behind.
func TestFaults(t *testing.T) {
	b := startBroken(t)
	short := *faultTime < time.Minute
	latency, share := 5*time.Second, 0.01
	if short {
		latency, share = time.Second, 0.2
	}
	for _, f := range []fault{
		proxied(fmt.Sprintf("connections are cut every %s", min(3*time.Second, *faultTime/3)), 0, faults.Fault{Cut: min(3*time.Second, *faultTime/3)}),
		proxied(fmt.Sprintf("%s latency", latency), 3*latency, faults.Fault{Latency: latency}),
		proxied(fmt.Sprintf("%.0f%% of answers are broken", 100*share), 0, faults.Fault{Broken: share, Cut: *faultTime / 4}),
		proxied("429 with Retry-After", 0, faults.Fault{Throttled: 0.5, After: 1, Cut: *faultTime / 4}),
		proxied("410 Gone", 0, faults.Fault{Gone: true}),
		proxied("watches that lie still", bookmarksLate, faults.Fault{Still: true}),
		proxied("stalled", 0, faults.Fault{Stalled: true}),
		{name: "the API server is killed", breaks: func(b *broken) error { b.StopAPIServer(); return nil }, mends: func(b *broken) error { return b.StartAPIServer(b.t.Context()) }},
		{name: "etcd is killed", breaks: func(b *broken) error { b.StopEtcd(); return nil }, mends: func(b *broken) error { return b.StartEtcd(b.t.Context()) }},
		{name: "objects are replaced under their names, unseen", breaks: unseen, mends: func(b *broken) error { b.proxy.Set(faults.Fault{}); return nil }},
	} {
		t.Run(f.name, func(t *testing.T) { b.of(t).suffers(f) })
	}
	t.Run("the token is renewed", func(t *testing.T) { b.of(t).renewsToken() })
	t.Run("rights are removed and given back", func(t *testing.T) { b.of(t).losesRights() })
	t.Run("the API server is killed during the list", func(t *testing.T) { b.of(t).diesListing() })
	t.Run("the API server is killed during an action", func(t *testing.T) { b.of(t).diesActing() })
	t.Run("events without end", func(t *testing.T) { b.of(t).floods() })
	t.Run("the largest objects", func(t *testing.T) { b.of(t).largest() })
}

// unseen has nothing heard while nodes and pods are deleted and others made under
// their names.
func unseen(b *broken) error {
	b.proxy.Set(faults.Fault{Stalled: true})
	ctx := b.t.Context()
	for range 2 {
		node, err := b.client.CoreV1().Nodes().Get(ctx, b.node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		err = b.client.CoreV1().Nodes().Delete(ctx, b.node, metav1.DeleteOptions{})
		if err != nil {
			return err
		}
		node.UID, node.ResourceVersion = "", ""
		node.Labels["generation"] = fmt.Sprint(time.Now().UnixNano())
		_, err = b.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		err = b.client.CoreV1().Pods("default").Delete(ctx, b.pod.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
		if err != nil {
			return err
		}
		_, err = b.client.CoreV1().Pods("default").Create(ctx, smallPod(b.pod.Name, b.node), metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

// renewsToken has the token of a file expire, and a new one written to it.
func (b *broken) renewsToken() {
	file := filepath.Join(b.t.TempDir(), "token")
	genuine := "Bearer " + b.Config(controlplane.Admin).BearerToken
	valid := "first"
	var mu sync.Mutex
	token := func(to string) {
		mu.Lock()
		valid = to
		mu.Unlock()
	}
	defer b.proxy.Set(faults.Fault{})
	b.proxy.Set(faults.Fault{Denied: func(r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+valid {
			return true
		}
		r.Header.Set("Authorization", genuine)
		return false
	}})
	b.write(file, "first")
	text, err := os.ReadFile(b.config)
	if err != nil {
		b.t.Fatal(err)
	}
	config := filepath.Join(b.t.TempDir(), "config")
	b.write(config, regexp.MustCompile(`(?m)^(\s+)token: .*$`).ReplaceAllString(string(text), "${1}tokenFile: "+file))
	f := fault{
		name: "the token expires",
		mends: func(b *broken) error {
			b.write(file, "second")
			return nil
		},
	}
	before := goroutines()
	w := b.watch(config)
	s := open(b.t, 200, 50, "--kubeconfig", config)
	s.shows(live)
	b.equal("before", w)
	said := b.during(f, w, s, func() {
		token("second")
		b.proxy.CloseClientConnections()
		s.shows(`Unauthorized|credentials`)
		time.Sleep(*faultTime / 2)
	})
	_ = f.mends(b)
	took := b.equal("after the token was renewed", w)
	s.shows(live)
	s.press(ctrlC)
	s.ends(0)
	w.close()
	b.gone(before)
	fmt.Printf("%-52s said %s; equal after %s\n", "the token expires and is renewed", said, took.Round(100*time.Millisecond))
}

// write writes a file.
func (b *broken) write(path, text string) {
	b.t.Helper()
	err := os.WriteFile(path, []byte(text), 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
}

// losesRights takes a user's rights to read away and gives them back: to pods, to
// nodes, to all.
func (b *broken) losesRights() {
	role := func(resources string) {
		b.t.Helper()
		kubectl(b.t, b.ControlPlane, fmt.Sprintf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: faults}
rules: [{apiGroups: ["*"], resources: [%s], verbs: [get, list, watch]}]
`, resources), "apply", "-f", "-")
	}
	role(`"*"`)
	kubectl(b.t, b.ControlPlane, "", "create", "clusterrolebinding", "faults", "--clusterrole=faults", "--user="+watched)
	config := b.through(watched)
	eventually(b.t, "the rights are known", func(context.Context) (bool, error) {
		return fathom(b.t, "get", "nodes", "--kubeconfig", config).code == 0, nil
	})
	before := goroutines()
	w := b.watch(config)
	s := open(b.t, 200, 50, "--kubeconfig", config)
	s.shows(live)
	for _, c := range []struct{ what, left string }{
		{"to list nodes", `pods, namespaces, services, replicasets`},
		{"to list pods", `nodes, namespaces, services, replicasets`},
	} {
		b.equal("before", w)
		f := fault{name: "no right " + c.what}
		said := b.during(f, w, s, func() {
			role(c.left)
			b.proxy.CloseClientConnections() // watches that are open go on
			s.hides(` {2}live$`)
			time.Sleep(*faultTime / 2)
		})
		role(`"*"`)
		took := b.equal("after the right "+c.what+" was given back", w)
		s.shows(live)
		fmt.Printf("%-52s said %s; equal after %s\n", "the right "+c.what+" is lost and given back", said, took.Round(100*time.Millisecond))
	}
	s.press(ctrlC)
	s.ends(0)
	w.close()
	b.gone(before)
}

// diesListing kills the API server while pods are being listed for the first time.
func (b *broken) diesListing() {
	listing, dead := make(chan struct{}), make(chan struct{})
	var once sync.Once
	b.proxy.Set(faults.Fault{Answered: func(r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/pods") || r.URL.Query().Get("watch") == "" {
			return false
		}
		first := false
		once.Do(func() { first = true; close(listing) })
		if first {
			<-dead
		}
		return first
	}})
	defer b.proxy.Set(faults.Fault{})
	before := goroutines()
	w := b.watch(b.config)
	<-listing
	b.StopAPIServer()
	close(dead)
	s := open(b.t, 200, 50, "--kubeconfig", b.config)
	s.hides(` {2}live$`)
	time.Sleep(*faultTime / 2)
	if s := w.Newest(); s.Status.Connection.Live {
		b.t.Errorf("live without a server: %+v", s.Status)
	}
	err := b.StartAPIServer(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	took := b.equal("after the API server died during the list", w)
	w.close()
	code, err := s.Ended(b.t.Context()) // it could not connect, which ends it
	if err == nil && code == 0 {
		b.t.Errorf("exit code 0 without a server")
	}
	b.gone(before)
	fmt.Printf("%-52s equal after %s\n", "the API server is killed during the list", took.Round(100*time.Millisecond))
}

// diesActing kills the API server when a cordon was confirmed: before the server
// sees it, and when it has carried it out but not answered.
func (b *broken) diesActing() {
	short, _, _ := strings.Cut(b.node, ".")
	isCordon := func(r *http.Request) bool {
		return r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/nodes/"+b.node) && r.URL.Query().Get("dryRun") == ""
	}
	die := func() func(r *http.Request) bool {
		var once sync.Once
		return func(r *http.Request) (first bool) {
			if isCordon(r) {
				once.Do(func() { first = true; b.StopAPIServer() })
			}
			return first
		}
	}
	const unsure = `(no answer|connection|may still have been made).*`
	before := die()
	for _, c := range []struct {
		name     string
		fault    faults.Fault
		cordoned bool
		says     string
	}{
		{"before it is carried out", faults.Fault{Denied: func(r *http.Request) bool { before(r); return false }}, false, unsure},
		{"before it is answered", faults.Fault{Answered: die()}, true, unsure},
	} {
		kubectl(b.t, b.ControlPlane, "", "uncordon", b.node)
		s := open(b.t, 160, 50, "--kubeconfig", b.config)
		s.shows(live)
		s.press("3")
		s.shows(`› nodes`)
		s.press("g")
		s.shows(`^▸ +` + short + ` `)
		b.proxy.Set(c.fault)
		s.press("c")
		s.shows(`Cordon ` + short)
		s.answer("y")
		s.shows(c.says)
		said := regexp.MustCompile(c.says).FindString(s.String())
		b.proxy.Set(faults.Fault{})
		err := b.StartAPIServer(b.t.Context())
		if err != nil {
			b.t.Fatal(err)
		}
		s.shows(live)
		node, err := b.client.CoreV1().Nodes().Get(b.t.Context(), b.node, metav1.GetOptions{})
		if err != nil {
			b.t.Fatal(err)
		}
		status := ` Ready +`
		if node.Spec.Unschedulable {
			status = ` Ready,cordoned +`
		}
		s.shows(`^▸.*` + short + `.*` + status)
		if node.Spec.Unschedulable != c.cordoned {
			b.t.Errorf("%s: the node is cordoned: %t", c.name, node.Spec.Unschedulable)
		}
		fmt.Printf("%-52s said %q; cordoned, and shown as that: %t\n", "killed during a cordon, "+c.name, said, node.Spec.Unschedulable)
		s.press(ctrlC)
		s.ends(0)
	}
	kubectl(b.t, b.ControlPlane, "", "uncordon", b.node)
}

const (
	floodPods  = 200
	floodBatch = 100
	floodPause = 10 * time.Millisecond // 10,000 events a second
)

// floods changes pods as quickly as etcd takes it, up to 10,000 a second.
func (b *broken) floods() {
	first, err := b.client.CoreV1().Pods("default").Create(b.t.Context(), smallPod("flood", b.node), metav1.CreateOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	var pods []*corev1.Pod
	for i := range floodPods {
		pod := first.DeepCopy()
		pod.TypeMeta, pod.ResourceVersion = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ""
		pod.Name, pod.UID = fmt.Sprintf("flood-%d", i), types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i))
		pods = append(pods, pod)
	}
	before := goroutines()
	w, s := b.showsPods()
	began, events := time.Now(), 0
	said := b.during(fault{name: "events without end"}, w, s, func() {
		tick := time.NewTicker(floodPause)
		defer tick.Stop()
		for time.Since(began) < *faultTime {
			<-tick.C
			var entries []controlplane.Entry
			for range floodBatch {
				pod := pods[events%floodPods]
				pod.Labels["count"] = fmt.Sprint(events)
				entry, err := controlplane.Encode("/registry/pods/default/"+pod.Name, pod)
				if err != nil {
					b.t.Fatal(err)
				}
				entries = append(entries, entry)
				events++
			}
			err := controlplane.Put(b.t.Context(), b.ControlPlane, entries)
			if err != nil {
				b.t.Fatal(err)
			}
		}
	})
	rate := float64(events) / time.Since(began).Seconds()
	b.putEach(pods)
	took := b.equal("after the events", w)
	b.rows(s)
	s.press(ctrlC)
	s.ends(0)
	w.close()
	b.gone(before)
	fmt.Printf("%-52s %.0f a second for %s; said %s; equal after %s\n", "events without end", rate, *faultTime, said, took.Round(100*time.Millisecond))
	err = b.client.CoreV1().Pods("default").DeleteCollection(b.t.Context(), metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{LabelSelector: "app=flood"})
	if err != nil {
		b.t.Fatal(err)
	}
}

// putEach changes each pod once more, in a transaction of its own. No API server writes
// two objects in one; a watch that ends between two events of one revision goes on after
// both.
func (b *broken) putEach(pods []*corev1.Pod) {
	for _, pod := range pods {
		pod.Labels["count"] = "last"
		entry, err := controlplane.Encode("/registry/pods/default/"+pod.Name, pod)
		if err != nil {
			b.t.Fatal(err)
		}
		err = controlplane.Put(b.t.Context(), b.ControlPlane, []controlplane.Entry{entry})
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

const (
	mostAnnotations = 256<<10 - 1024 // bytes that the API server allows, and some for keys
	longestValue    = 63
	manyLabels      = 300
	manyContainers  = 200
)

// largest shows a pod of 200 containers, and a node and pods with the largest
// labels and annotations that the API server takes.
func (b *broken) largest() {
	labels := map[string]string{}
	for i := range manyLabels {
		labels[fmt.Sprintf("%s.example.com/%0*d", strings.Repeat("a", longestValue), longestValue, i)] = strings.Repeat("b", longestValue)
	}
	notes := map[string]string{"example.com/note": strings.Repeat("long ", mostAnnotations/len("long "))}
	pod := smallPod("largest", "")
	pod.Labels, pod.Annotations = labels, notes
	pod.Spec.Containers = nil
	for i := range manyContainers {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
			Name: fmt.Sprintf("container-%d", i), Image: "registry.example/app:v1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("7")}},
		})
	}
	ctx := b.t.Context()
	_, err := b.client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	node, err := b.client.CoreV1().Nodes().Get(ctx, b.node, metav1.GetOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	maps.Copy(node.Labels, labels)
	node.Annotations = notes
	_, err = b.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	w := b.watch(b.config)
	took := b.equal("with the largest objects", w)
	w.close()
	const columns, rows = 80, 24
	s := open(b.t, columns, rows, "--kubeconfig", b.config)
	s.shows(live)
	s.press("/largest" + enter)
	s.shows(`^▸.*default/largest.* too large`)
	for _, page := range []struct{ keys, shows string }{
		{enter, `it requests cpu 1400, the largest node has`},
		{"d", `Labels: +a+`},
		{escape, `it requests cpu 1400`},
		{"y", `annotations:|apiVersion:`},
	} {
		s.press(page.keys)
		s.shows(page.shows)
		s.fits(columns, rows)
		time.Sleep(armed / 4) // an escape and a key at once would be alt and that key
	}
	s.press(ctrlC)
	s.ends(0)
	if r := fathom(b.t, "explain", "largest", "-n", "default", "--kubeconfig", b.config); !strings.Contains(r.stdout, "1400") {
		b.t.Errorf("explain: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	fmt.Printf("%-52s equal after %s\n", "the largest labels and annotations, 200 containers", took.Round(100*time.Millisecond))
}
