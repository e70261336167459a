package e2e

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// aboutToPreempt is a node that is full of a pod of low priority, and a pod
// that ranks above it.
const aboutToPreempt = `
apiVersion: v1
kind: Namespace
metadata: {name: preempts}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: first}
value: 1000
---
apiVersion: v1
kind: Node
metadata: {name: only, labels: {kubernetes.io/hostname: only}}
status:
  allocatable: {cpu: "2", memory: 4Gi, pods: "10"}
  capacity: {cpu: "2", memory: 4Gi, pods: "10"}
---
apiVersion: v1
kind: Pod
metadata: {namespace: preempts, name: victim}
spec:
  nodeName: only
  containers:
  - name: main
    image: registry.example/batch:v1
    resources: {requests: {cpu: 1500m}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: preempts, name: first}
spec:
  priorityClassName: first
  containers:
  - name: main
    image: registry.example/web:v1
    resources: {requests: {cpu: "1"}}
`

// A preemption is foretold before the scheduler has seen the pod, and told as
// one while its victim ends. No kubelet runs, so it never does.
func TestPreemptionIsForetoldAndThenTold(t *testing.T) {
	plane := startPlane(t, controlplane.Options{})
	client := admin(t, plane)
	config := kubeconfig(t, plane, controlplane.Admin)
	plane.StopScheduler()
	kubectl(t, plane, aboutToPreempt, "apply", "-f", "-")
	foretold := explainAll(t, config)["preempts/first"]
	if foretold.Verdict != "Unschedulable" || foretold.Observed.Agrees != nil {
		t.Errorf("verdict %s, agrees %s; no node fits, and the scheduler has said nothing", foretold.Verdict, boolean(foretold.Observed.Agrees))
	}
	err := plane.StartScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the scheduler has nominated the node", func(ctx context.Context) (bool, error) {
		pod, err := client.CoreV1().Pods("preempts").Get(ctx, "first", metav1.GetOptions{})
		if err != nil || pod.Status.NominatedNodeName == "" {
			return false, err
		}
		if message := scheduled(pod).Message; message != foretold.SchedulerMessage {
			t.Errorf("kube-scheduler wrote %q\nexplain foretold     %q", message, foretold.SchedulerMessage)
		}
		return true, nil
	})
	told := explainAll(t, config)["preempts/first"]
	if told.Verdict != "Preempting" {
		t.Errorf("verdict %s (%s) while the victim ends", told.Verdict, told.Summary)
	}
}

// preempted is the end of the message about a pod that the scheduler preempts for.
var preempted = regexp.MustCompile(`found a potential placement for pod on node (\S+), preempting (\d+) victims`)

// foretold counts what a comparison of preemptions came to.
type foretold struct{ preemptions, first, ties, alike, impossible, fits int }

// The node and the victims that the scheduler takes are those that explain names
// while it is stopped, or among what explain says that chance decides.
func TestTheSchedulerPreemptsAsForetold(t *testing.T) {
	plane := startPlane(t, controlplane.Options{Backoff: 1})
	client := admin(t, plane)
	plane.StopScheduler()
	createRanks(t, client)
	var seen foretold
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		for draw, before := uint64(0), seen.preemptions; draw < draws && seen.preemptions == before; draw++ {
			t.Run(fmt.Sprintf("seed %d-%d", seed, draw), func(t *testing.T) {
				comparePreemption(t, plane, client, newOutranked(uint64(seed), draw), &seen)
			})
		}
	}
	fmt.Printf("%d preemptions compared, %d of them of the node and the victims that are named first: %d on one of several nodes that tie, "+
		"%d with victims that nothing ranks above others; %d pods that preemption cannot help, %d that fit\n",
		seen.preemptions, seen.first, seen.ties, seen.alike, seen.impossible, seen.fits)
	if seen.preemptions < *seeds {
		t.Errorf("only %d of %d seeds have come to a preemption", seen.preemptions, *seeds)
	}
}

// draws is how often a seed is drawn anew where its pod does not preempt.
const draws = 6

// comparePreemption explains the pod, lets the scheduler act, and looks at what
// that has done.
func comparePreemption(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, c *outranked, seen *foretold) {
	t.Helper()
	defer clearOutranked(t, client)
	c.create(t, client)
	r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), outrankedNamespace+"/"+c.pod.Name, "-o", "json")
	if r.code != 1 {
		t.Fatalf("explain: exit code %d\n%s", r.code, r.stderr)
	}
	ours := readExplanation(t, r.stdout)
	err := plane.StartScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer plane.StopScheduler()
	pod, gone := acted(t, client, c.pod.Name)
	switch {
	case pod.Spec.NodeName != "":
		seen.fits++
		if ours.Verdict != "Schedulable" {
			t.Errorf("the scheduler binds it; explain foretold %s", ours.Verdict)
		}
	case pod.Status.NominatedNodeName == "":
		seen.impossible++
		if ours.Preemption.Possible {
			t.Errorf("the scheduler does not preempt (%s); explain foretold %+v", scheduled(pod).Message, ours.Preemption)
		}
	default:
		seen.preemptions++
		compareVictims(t, pod.Status.NominatedNodeName, gone, ours, seen)
	}
}

// acted waits until the scheduler has done all that it does about the pod, and
// gives the pods that it has ended.
func acted(t *testing.T, client kubernetes.Interface, name string) (pod *corev1.Pod, gone []string) {
	t.Helper()
	eventually(t, "the scheduler has acted", func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Pods(outrankedNamespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		pod, gone = nil, nil
		for i := range list.Items {
			switch p := &list.Items[i]; {
			case p.Name == name:
				pod = p
			case p.DeletionTimestamp != nil:
				gone = append(gone, p.Name)
			}
		}
		said := scheduled(pod).Message
		if found := preempted.FindStringSubmatch(said); found != nil {
			victims, err := strconv.Atoi(found[2])
			return pod.Status.NominatedNodeName != "" && len(gone) >= victims, err
		}
		return pod.Spec.NodeName != "" || said != "", nil
	})
	slices.Sort(gone)
	return pod, gone
}

// compareVictims holds the node and the victims that the scheduler has taken to
// those that were foretold.
func compareVictims(t *testing.T, node string, gone []string, ours explanation, seen *foretold) {
	t.Helper()
	p := ours.Preemption
	if !p.Possible {
		t.Fatalf("the scheduler takes %s and ends %s; explain foretold %+v", node, gone, p)
	}
	for _, victim := range p.Victims {
		if victim.RescheduledOn == "" && victim.Afterwards == "" {
			t.Errorf("what becomes of %s is not said", victim.Name)
		}
	}
	may := []tied{{Node: p.Node, Victims: ours.victims()}}
	if len(p.Tie) > 0 {
		may = p.Tie
	}
	at := slices.IndexFunc(may, func(one tied) bool { return one.Node == node })
	if at < 0 {
		t.Fatalf("the scheduler takes %s and ends %s; explain foretold %+v", node, gone, may)
	}
	if at == 0 && slices.Equal(names(may[0].Victims), gone) {
		seen.first++
	}
	if len(may) > 1 {
		seen.ties++
	}
	if len(may[at].Alike) > 0 {
		seen.alike++
	}
	if !mayGo(may[at], gone) {
		t.Errorf("on %s the scheduler ends %s; explain foretold %+v", node, gone, may[at])
	}
}

// mayGo says whether the pods that went are the victims, or as many of the
// victims and of those that may go in their place.
func mayGo(one tied, gone []string) bool {
	all := names(slices.Concat(one.Victims, one.Alike))
	strange := slices.ContainsFunc(gone, func(name string) bool { return !slices.Contains(all, name) })
	return !strange && (len(gone) == len(one.Victims) || len(one.Alike) > 0 && len(gone) > 0)
}

// names are the pods' names, sorted.
func names(pods []podName) []string {
	all := make([]string, len(pods))
	for i, pod := range pods {
		all[i] = pod.Name
	}
	slices.Sort(all)
	return all
}
