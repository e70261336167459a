package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

const (
	fidelityNodes     = 14
	fidelityWorkloads = 30 // of one cluster
)

// fidelity is one cluster twice: on a real control plane and embedded.
type fidelity struct {
	cluster  *random.Cluster
	plane    *controlplane.ControlPlane
	real     kubernetes.Interface
	embedded *demo.Cluster
	applied  []random.Workload
	last     *outcome
	seen     *likeness
}

// likeness is what was compared.
type likeness struct {
	workloads, bound, pending int
	refused                   int // workloads or pods that admission refused, in the same words
	elsewhere                 int // bound pods that a tie led to another node
	between                   int // messages of a moment while others were preempted
	lacking                   int // controllers that lack pods for the same reason
	replayed                  int // how often the embedded cluster was made anew with the placement of the real one
	messages                  map[string]bool
	kinds                     map[string]int
}

// The embedded cluster does with workloads what a real one does: it has the same
// pods, with the same specs, binds the same ones, and says the same of the others.
func TestTheEmbeddedClusterDoesAsTheRealOne(t *testing.T) {
	seen := &likeness{messages: map[string]bool{}, kinds: map[string]int{}}
	for done := 0; done < *workloads; done += fidelityWorkloads {
		seed := *firstSeed + done/fidelityWorkloads
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			compareClusters(t, uint64(seed), min(fidelityWorkloads, *workloads-done), seen)
		})
	}
	fmt.Printf("%d of %d workloads did the same on the embedded cluster (%s): %d pods bound, all but %d on the same nodes too, and %d pending with the same messages, "+
		"%d different ones; %d workloads refused and %d left without some pods in the same words; %d times the placement of the real one was taken over and all compared once more\n",
		seen.workloads, *workloads, counts(seen.kinds), seen.bound, seen.elsewhere, seen.pending, len(seen.messages), seen.refused, seen.lacking, seen.replayed)
	if *workloads >= 30 && (seen.pending < 20 || seen.refused+seen.lacking == 0) {
		t.Errorf("too little was compared: %d pods pending, %d refused", seen.pending, seen.refused)
	}
}

// counts lists how many there are of each.
func counts(of map[string]int) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		words = append(words, fmt.Sprintf("%s %d", name, of[name]))
	}
	return strings.Join(words, ", ")
}

// compareClusters brings the workloads of a seed to both clusters, one after the
// other, and compares after each.
func compareClusters(t *testing.T, seed uint64, count int, seen *likeness) {
	t.Helper()
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true, Backoff: 1})
	f := &fidelity{cluster: random.NewWorkloads(seed, fidelityNodes, count), plane: plane, real: admin(t, plane), seen: seen}
	f.create(t, f.real)
	f.embed(t)
	for i, w := range f.cluster.Workloads {
		if !f.bring(t, w) {
			t.Fatalf("workload %d of seed %d, a %s, differs: the rest is not compared", i, seed, w.Kind)
		}
	}
	if f.replay(t) {
		seen.note(f.last)
	}
}

// note counts what the workloads of a cluster have come to.
func (l *likeness) note(o *outcome) {
	for _, pod := range o.pods {
		_, says, _ := strings.Cut(pod, " is ")
		if says == "bound" {
			l.bound++
			continue
		}
		l.pending++
		l.messages[says] = true
	}
	l.lacking += len(o.refused)
}

// embed starts an embedded cluster with all but the workloads.
func (f *fidelity) embed(t *testing.T) {
	t.Helper()
	embedded, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(embedded.Stop)
	f.embedded = embedded
	f.create(t, embedded.Client())
}

// create creates all but the workloads and waits until the nodes are as
// controllers have them, and quotas are in force.
func (f *fidelity) create(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	err := f.cluster.Create(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "nodes and quotas are settled", func(ctx context.Context) (bool, error) {
		quotas, err := client.CoreV1().ResourceQuotas("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, q := range quotas.Items {
			if len(q.Status.Hard) == 0 {
				return false, nil
			}
		}
		return nodesSettled(ctx, client)
	})
}

// nodesSettled tells whether the taints of nodes are what follows from their specs.
func nodesSettled(ctx context.Context, client kubernetes.Interface) (bool, error) {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	for _, node := range nodes.Items {
		cordoned := false
		for _, taint := range node.Spec.Taints {
			cordoned = cordoned || taint.Key == "node.kubernetes.io/unschedulable"
			if strings.HasPrefix(taint.Key, "node.kubernetes.io/not-ready") {
				return false, nil
			}
		}
		if cordoned != node.Spec.Unschedulable {
			return false, nil
		}
	}
	return true, nil
}

// bring brings a workload to both clusters and compares what becomes of all pods;
// where pods are on other nodes, once more with the placement of the real one.
func (f *fidelity) bring(t *testing.T, w random.Workload) bool {
	t.Helper()
	f.applied = append(f.applied, w)
	words := [2]string{apply(t, f.real, w), apply(t, f.embedded.Client(), w)}
	if words[0] != words[1] {
		t.Errorf("the %s is answered\n  real:     %q\n  embedded: %q", w.Kind, words[0], words[1])
		return false
	}
	one, other := f.rest(t)
	f.seen.workloads++
	f.seen.kinds[w.Kind]++
	if words[0] != "" {
		f.seen.refused++
	}
	moved := f.last != nil && len(beyond(f.last.where(), one.where())) > 0
	f.last = one
	alike := slices.Equal(one.where(), other.where())
	switch {
	case alike && one.equal(other):
		return f.specsAlike(t, one, other)
	case alike && !moved:
		t.Errorf("with the same placement:%s", one.differences(other))
		return false
	case alike: // it tells of a moment between the end of a victim and what came of it
		f.seen.between++
	}
	t.Logf("a %s, pods of others moved: %t:%s", w.Kind, moved, one.differences(other))
	f.seen.elsewhere += len(beyond(other.where(), one.where()))
	return f.replay(t)
}

// apply creates the objects of a workload and gives what the API server says
// against it.
func apply(t *testing.T, client kubernetes.Interface, w random.Workload) string {
	t.Helper()
	var words []string
	for _, object := range w.Objects {
		err := random.Create(t.Context(), client, object)
		if err != nil {
			words = append(words, inOneOrder(err.Error()))
		}
	}
	return strings.Join(words, "\n")
}

// rest waits until both clusters rest, and gives their outcomes.
func (f *fidelity) rest(t *testing.T) (real, embedded *outcome) {
	t.Helper()
	var both sync.WaitGroup
	var errs [2]error
	both.Go(func() { real, errs[0] = resting(t.Context(), f.real, f.cluster.ProvisionAll) })
	both.Go(func() { embedded, errs[1] = resting(t.Context(), f.embedded.Client(), nil) })
	both.Wait()
	for i, name := range []string{"real", "embedded"} {
		if errs[i] != nil {
			t.Fatalf("the %s cluster: %v", name, errs[i])
		}
	}
	return real, embedded
}

// restsFor is how long nothing may change in a cluster that rests.
const restsFor = 700 * time.Millisecond

// resting waits until a cluster rests. A driver of volumes may do its part.
func resting(ctx context.Context, client kubernetes.Interface, drive func(context.Context, kubernetes.Interface) error) (*outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	var before *outcome
	var since time.Time
	for {
		if drive != nil {
			if err := drive(ctx, client); err != nil {
				return nil, err
			}
		}
		now, rests, err := outcomeOf(ctx, client)
		switch {
		case err != nil && ctx.Err() != nil && before != nil:
			return nil, fmt.Errorf("it does not come to rest:\n%s\n%s", strings.Join(before.pods, "\n"), strings.Join(before.refused, "\n"))
		case err != nil:
			return nil, err
		case !rests || before == nil || !now.equal(before) || !maps.Equal(now.placed, before.placed):
			since = time.Now()
		case time.Since(since) >= restsFor:
			return now, nil
		}
		before = now
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// specsAlike compares the specs of pods, as admission and defaults have made them.
func (f *fidelity) specsAlike(t *testing.T, real, embedded *outcome) bool {
	t.Helper()
	for who, spec := range real.specs {
		if spec != embedded.specs[who] {
			t.Errorf("%s is kept as\n  real:     %s\n  embedded: %s", who, spec, embedded.specs[who])
			return false
		}
	}
	return true
}
