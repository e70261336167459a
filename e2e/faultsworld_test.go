package e2e

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/bigfleet"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/faults"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

var (
	faultTime = flag.Duration("fault", 4*time.Second, "how long each fault lasts")
	recovery  = flag.Duration("recovery", time.Minute, "how long after a fault the rows may differ from the API")
	faultSeed = flag.Uint64("fault-seed", 0, "the seed of the cluster of the faults; 0: another one each time")
)

const (
	// beatLabel is on a node and on a pod, and counts up while a fault lasts: what
	// is live has seen the last count.
	beatLabel = "fathom.example/beat"
	beatEvery = 200 * time.Millisecond
	// late is how old the data of a screen that says that it is live may be. Four
	// seconds without an answer are told; the rest is a machine that does other things.
	late = 8 * time.Second
	// more goroutines than before the fault are a leak.
	moreGoroutines = 12
)

// ours are goroutines of a cluster that is open.
var ours = regexp.MustCompile(`kubectl-fathom/(kube|explain|model)/|client-go/tools/cache\.`)

// broken is a control plane, a proxy before it and what goes on meanwhile.
type broken struct {
	*controlplane.ControlPlane
	t      *testing.T
	client kubernetes.Interface
	config string // through the proxy, as an administrator
	proxy  *faults.Proxy
	node   string
	pod    types.NamespacedName
	stable map[types.UID]string // pods that nobody touches
}

// startBroken fills a control plane with a random cluster that is at rest.
func startBroken(t *testing.T) *broken {
	t.Helper()
	plane := startPlane(t, controlplane.Options{Users: []string{watched}})
	seed := cmp.Or(*faultSeed, 1+rand.Uint64N(1<<16))
	fleet := bigfleet.New(seed, bigfleet.Size{Nodes: 12, Pods: 120, Pending: 12})
	fmt.Printf("faults: seed %d: %s\n", seed, fleet)
	err := fleet.Fill(t.Context(), plane, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	b := &broken{ControlPlane: plane, t: t, client: admin(t, plane), stable: map[types.UID]string{}}
	for name, pod := range listPods(t, b.client) {
		b.stable[pod.UID] = name
	}
	nodes, err := b.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.node = nodes.Items[0].Name
	b.pod = types.NamespacedName{Namespace: "default", Name: "beat"}
	_, err = b.client.CoreV1().Pods("default").Create(t.Context(), smallPod("beat", b.node), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.proxy, err = faults.Start(plane.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.proxy.CloseClientConnections()
		b.proxy.Close()
	})
	b.config = b.through(controlplane.Admin)
	return b
}

// through writes a user's kubeconfig that goes through the proxy.
func (b *broken) through(user string) string {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "config")
	err := b.proxy.Kubeconfig(kubeconfig(b.t, b.ControlPlane, user), path)
	if err != nil {
		b.t.Fatal(err)
	}
	return path
}

// smallPod is one that runs nowhere; "" is no node.
func smallPod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:v1"}}},
	}
}

// watcher is fathom's own state of the cluster, with what was wrong with it.
type watcher struct {
	*cluster.Cluster
	client *client.Client
	end    context.CancelFunc
}

// watch opens the cluster as the dashboard does.
func (b *broken) watch(config string) *watcher {
	b.t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &config
	ctx, end := context.WithCancel(b.t.Context())
	c, err := client.Connect(ctx, client.Options{Getter: flags, UserAgent: "fathom/e2e"})
	if err != nil {
		end()
		b.t.Fatal(err)
	}
	source, err := c.Source(ctx)
	if err != nil {
		end()
		b.t.Fatal(err)
	}
	w := &watcher{client: c, end: end}
	w.Cluster, err = cluster.New(ctx, source, cluster.Options{Reopen: c.Source})
	if err != nil {
		end()
		b.t.Fatal(err)
	}
	return w
}

// close ends it.
func (w *watcher) close() {
	w.Close()
	w.client.Close()
	w.end()
}

// goroutines are how many belong to open clusters.
func goroutines() int {
	buffer := make([]byte, 16<<20)
	count := 0
	for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if ours.MatchString(stack) {
			count++
		}
	}
	return count
}

// differs says in what a snapshot differs from the API; "" if in nothing.
func (b *broken) differs(ctx context.Context, s *model.Snapshot) string {
	pods, err := b.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	nodes, err := b.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	want, got := map[string]string{}, map[string]string{}
	for i := range pods.Items {
		p := &pods.Items[i]
		want["pod "+p.Namespace+"/"+p.Name] = string(p.UID) + " " + p.ResourceVersion
	}
	for i := range nodes.Items {
		n := &nodes.Items[i]
		want["node "+n.Name] = string(n.UID) + " " + n.ResourceVersion
	}
	for _, p := range s.Pods {
		got["pod "+p.FullName()] = string(p.Object.UID) + " " + p.Object.ResourceVersion
	}
	for _, n := range s.Nodes {
		got["node "+n.Name] = string(n.Object.UID) + " " + n.Object.ResourceVersion
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			return fmt.Sprintf("%s is %q, want %q", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d objects, want %d", len(got), len(want))
	}
	if !s.Status.Connection.Live || len(s.Status.Reading) > 0 {
		return fmt.Sprintf("not live: %+v", s.Status.Connection)
	}
	return ""
}

// life changes a cluster while a fault lasts, and knows what it has written.
type life struct {
	b     *broken
	mu    sync.Mutex
	beats []time.Time // when each count was written
	made  int
}

// run changes the cluster until ctx ends. What fails is not noted: the API server
// may be away.
func (l *life) run(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		l.beat(ctx)
		switch n % 5 {
		case 1:
			l.made++
			_, _ = l.b.client.CoreV1().Pods("default").Create(ctx, smallPod(fmt.Sprintf("life-%d", l.made), l.b.node), metav1.CreateOptions{})
		case 3:
			_ = l.b.client.CoreV1().Pods("default").Delete(ctx, fmt.Sprintf("life-%d", max(1, l.made-1)), metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
		case 4:
			patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, n%2 == 0)
			_, _ = l.b.client.CoreV1().Nodes().Patch(ctx, l.b.node, types.MergePatchType, patch, metav1.PatchOptions{})
		}
		select {
		case <-ctx.Done():
		case <-time.After(beatEvery):
		}
	}
}

// beat counts up on the node and on the pod.
func (l *life) beat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	l.mu.Lock()
	next := len(l.beats)
	l.mu.Unlock()
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:"%d"}}}`, beatLabel, next)
	_, err := l.b.client.CoreV1().Nodes().Patch(ctx, l.b.node, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return
	}
	_, err = l.b.client.CoreV1().Pods(l.b.pod.Namespace).Patch(ctx, l.b.pod.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.beats = append(l.beats, time.Now())
}

// age is how long ago something was written that is not seen yet.
func (l *life) age(seen string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range slices.Backward(l.beats) {
		if seen != fmt.Sprint(i) {
			continue
		}
		if i == len(l.beats)-1 {
			return 0
		}
		return time.Since(l.beats[i+1])
	}
	if len(l.beats) == 0 {
		return 0
	}
	return time.Since(l.beats[0])
}

// lie is what a state says that is not so; "" if it says nothing of the kind.
func (l *life) lie(s *model.Snapshot, allowed time.Duration) string {
	if len(s.Status.Reading) > 0 || s.Revision == 0 {
		return ""
	}
	there := map[types.UID]bool{}
	pod, node := "", ""
	for _, p := range s.Pods {
		there[p.Object.UID] = true
		if p.Object.Name == l.b.pod.Name && p.Object.Namespace == l.b.pod.Namespace {
			pod = p.Object.Labels[beatLabel]
		}
	}
	for _, n := range s.Nodes {
		if n.Name == l.b.node {
			node = n.Object.Labels[beatLabel]
		}
	}
	unread := slices.ContainsFunc(s.Status.Unread, func(u model.Unread) bool { return u.Resource == "pods" || u.Resource == "nodes" })
	if unread {
		return ""
	}
	for uid, name := range l.b.stable {
		if !there[uid] {
			return "pod " + name + " is gone, though nobody has deleted it"
		}
	}
	if age := max(l.age(pod), l.age(node)); s.Status.Connection.Live && age > allowed {
		return fmt.Sprintf("live, though what is shown is %s old", age.Round(time.Second))
	}
	return ""
}

// of is the same cluster for another test.
func (b *broken) of(t *testing.T) *broken {
	b.t = t
	return b
}

// showsPods opens the dashboard on Pods beside a watch of its own, and waits until both agree.
func (b *broken) showsPods() (*watcher, screen) {
	w := b.watch(b.config)
	s := open(b.t, 200, 50, "--kubeconfig", b.config)
	s.shows(live)
	s.press("2")
	s.shows(`› all › pods`)
	b.equal("before", w)
	return w, s
}

// suffers lasts a fault out.
func (b *broken) suffers(f fault) {
	before := goroutines()
	w, s := b.showsPods()
	settled := goroutines()
	requests, spoiled := b.proxy.Counts()

	said := b.during(f, w, s, func() {
		err := f.breaks(b)
		if err != nil {
			b.t.Fatal(err)
		}
		time.Sleep(*faultTime)
	})
	nowRequests, nowSpoiled := b.proxy.Counts()
	err := f.mends(b)
	if err != nil {
		b.t.Fatal(err)
	}
	took := b.equal("after "+f.name, w)
	b.rows(s)
	after := goroutines()
	if after > settled+moreGoroutines {
		b.t.Errorf("%d goroutines before the fault, %d after it", settled, after)
	}
	s.press(ctrlC)
	s.ends(0)
	w.close()
	b.gone(before)
	fmt.Printf("%-52s %s, %d requests, %d spoiled; said %s; equal after %s; goroutines %d → %d\n",
		f.name, *faultTime, nowRequests-requests, nowSpoiled-spoiled, said, took.Round(100*time.Millisecond), settled, after)
}

// during changes the cluster while something is done, and fails the test if what
// is said meanwhile is not so. It gives what the header has said.
func (b *broken) during(f fault, w *watcher, s screen, do func()) string {
	ctx, cancel := context.WithCancel(b.t.Context())
	l := &life{b: b}
	var group sync.WaitGroup
	group.Go(func() { l.run(ctx) })
	said, lies := map[string]bool{}, map[string]bool{}
	group.Go(func() {
		for ctx.Err() == nil {
			if lie := l.lie(w.Newest(), late+f.allowed); lie != "" {
				lies[lie] = true
			}
			said[headerEnd(s.Lines()[0])] = true
			time.Sleep(beatEvery / 2)
		}
	})
	do()
	cancel()
	group.Wait()
	for lie := range lies {
		b.t.Errorf("%s: %s", f.name, lie)
	}
	return fmt.Sprintf("%q", slices.Sorted(maps.Keys(said)))
}

// headerEnd is what a header says of the connection, with n for numbers.
func headerEnd(line string) string {
	fields := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
	return regexp.MustCompile(`\d+`).ReplaceAllString(fields[len(fields)-1], "n")
}

// equal waits until the state is what the API holds, and gives how long that took.
func (b *broken) equal(when string, w *watcher) time.Duration {
	b.t.Helper()
	began := time.Now()
	for {
		differs := b.differs(b.t.Context(), w.Newest())
		took := time.Since(began)
		if differs == "" {
			return took
		}
		if took > *recovery {
			b.t.Fatalf("%s: %s later, %s", when, took.Round(time.Second), differs)
		}
		time.Sleep(beatEvery / 4)
	}
}

// rows wants each pod on the screen to be one that the API holds, and the count
// to be right.
func (b *broken) rows(s screen) {
	b.t.Helper()
	pods := listPods(b.t, b.client)
	s.shows(live)
	s.shows(fmt.Sprintf(`^ %d pods: `, len(pods)))
	gone := regexp.MustCompile(` gone +`) // one that was deleted stays for a moment
	row := regexp.MustCompile(`^[▸ ] [ *+~!✓✗]?\s*([a-z0-9-]+/[a-z0-9.-]+) `)
	found := 0
	for _, line := range s.Lines() {
		if match := row.FindStringSubmatch(line); match != nil && !gone.MatchString(line) {
			found++
			if pods[match[1]] == nil {
				b.t.Errorf("the screen shows %s, which is not there:\n%s", match[1], s)
			}
		}
	}
	if found == 0 {
		b.t.Errorf("the screen shows no pods:\n%s", s)
	}
}

// gone waits until no goroutine of the cluster is left.
func (b *broken) gone(before int) {
	b.t.Helper()
	for range 100 {
		if goroutines() <= before {
			return
		}
		time.Sleep(beatEvery / 4)
	}
	buffer := make([]byte, 1<<20)
	b.t.Errorf("%d goroutines are left, %d were there before:\n%s", goroutines(), before, buffer[:runtime.Stack(buffer, true)])
}
