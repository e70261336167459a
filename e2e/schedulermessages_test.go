package e2e

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

// reasonPattern stands between the reasons of a message.
var reasonPattern = regexp.MustCompile(`(^|, |\. preemption: )(\d+/\d+ nodes are available: )?(\d+ )?`)

// tally is what was compared.
type tally struct {
	messages   int
	nominated  int // pods that are to have a node while the messages are compared
	leaving    int // pods that were to have one, and are being deleted
	preempting int
	alike      int // of those that preempt, the messages that are equal to the end
	changed    int // clusters that did not rest while they were looked at
	moved      int // pods that came late, and were not compared as others came to a node first
	reworded   int // of an older version: messages that fathom knows to be worded otherwise there
	reasons    map[string]int
	words      map[string]int // of an older version: reasons that only it ("- …") or only 1.37 ("+ …") gives
}

// note counts a message that was compared.
func (t *tally) note(message string) {
	t.messages++
	for _, reason := range reasonsOf(message) {
		t.reasons[reason]++
	}
}

// reasonsOf are the reasons of a message, with "" where one begins with a count.
func reasonsOf(message string) []string {
	return reasonPattern.Split(strings.TrimSuffix(message, "."), -1)
}

// sentenceEnd is between the reasons of Filter, those of PostFilter and those of preemption.
var sentenceEnd = regexp.MustCompile(`\. (?:preemption: )?(?:\d+/\d+ nodes are available: )?|, preemption: (?:\d+/\d+ nodes are available: )?`)

// braced is what a reason names of a cluster.
var braced = regexp.MustCompile(`\{[^}]*\}`)

// differ counts the reasons by which the message of an older version differs from ours.
func (t *tally) differ(theirs, ours string) {
	was, is := reasonsOf(sentenceEnd.ReplaceAllString(theirs, ", ")), reasonsOf(sentenceEnd.ReplaceAllString(ours, ", "))
	for sign, pair := range map[string][2][]string{"- ": {was, is}, "+ ": {is, was}} {
		for _, reason := range pair[0] {
			if !slices.Contains(pair[1], reason) {
				t.words[sign+braced.ReplaceAllString(reason, "{…}")]++
			}
		}
	}
}

// printWords prints how an older version words its messages otherwise.
func (t *tally) printWords() {
	if *older == "" {
		return
	}
	fmt.Printf("of these, Kubernetes %s words %d otherwise than 1.37, as explain knows; reasons that only it (-) or only 1.37 (+) gives:\n", *older, t.reworded)
	for _, words := range slices.Sorted(maps.Keys(t.words)) {
		fmt.Printf("%5d × %s\n", t.words[words], words)
	}
}

// What the scheduler would write is said before it writes it: while it is
// stopped and all that it wrote before is overwritten, and before the pods that
// come late are there at all.
func TestMessagesAreTheSchedulersByteForByte(t *testing.T) {
	plane := startRandom(t)
	client := admin(t, plane)
	seen := &tally{reasons: map[string]int{}, words: map[string]int{}}
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			defer clearRandom(t, plane)
			cluster := fillRandom(t, plane, client, uint64(seed))
			compareMessages(t, plane, client, cluster, seen)
			if *older == "" { // an older scheduler's words are compared once it has written them
				compareLate(t, plane, client, cluster, seen)
			}
			if seed%2 == 0 { // as it takes as long again
				compareAgain(t, plane, client, cluster, seen)
				compareLeaving(t, plane, client, cluster, seen)
			}
		})
	}
	fmt.Printf("%d messages compared, of %d random clusters with %d nominated pods and %d that are being deleted; %d are of pods that preempt, of which %d name the node too; "+
		"quotas refused %d pods; %d clusters were made anew because they never came to rest, %d times one had to settle again; %d pods that came late were not compared\n",
		seen.messages, *seeds, seen.nominated, seen.leaving, seen.preempting, seen.alike, refusedPods, unsettled, seen.changed, seen.moved)
	seen.printWords()
	if seen.moved > 1+seen.messages/100 {
		t.Errorf("%d pods that came late were not compared: others came to a node before they were tried", seen.moved)
	}
	if refusedPods == 0 && *seeds >= 10 {
		t.Error("no quota has refused a pod")
	}
	delete(seen.reasons, "") // what stands before the first
	for _, reason := range slices.Sorted(maps.Keys(seen.reasons)) {
		t.Logf("%5d × %s", seen.reasons[reason], reason)
	}
	if seen.messages < *seeds*20 {
		t.Errorf("only %d messages were compared: the clusters leave too few pods pending", seen.messages)
	}
	if (seen.preempting == 0 || seen.nominated == 0) && *seeds >= 10 && *older == "" {
		t.Error("no message of a pod that preempts, or that is nominated, was compared")
	}
}

// compareMessages explains every pod, then lets the scheduler speak. The
// scheduler runs on.
func compareMessages(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, cluster *random.Cluster, seen *tally) {
	t.Helper()
	config := kubeconfig(t, plane, controlplane.Admin)
	for range attempts {
		before, err := quiet(t, client, pause)
		if err != nil {
			t.Fatal(err)
		}
		ours := explainAll(t, config)
		theirs := rewritten(t, plane, client, cluster)
		var later map[string]explanation
		if *older != "" {
			later = explainAll(t, config)
		}
		after, err := quiet(t, client, pause)
		if err == nil && after == before {
			compareAll(t, theirs, ours, later, seen)
			return
		}
		seen.changed++
		err = settle(t, plane, client, cluster)
		if err != nil {
			t.Fatal(err)
		}
		overwrite(t, client)
	}
	t.Fatalf("the cluster has changed %d times while its messages were compared", attempts)
}

// compareLeaving deletes the pods that are nominated to a node and stay, if there
// are any, and compares all messages once more: the scheduler, which skips them,
// keeps no room for them.
func compareLeaving(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, cluster *random.Cluster, seen *tally) {
	t.Helper()
	leave := func(pod *corev1.Pod) bool {
		return pod.Status.NominatedNodeName != "" && pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && slices.Contains(pod.Finalizers, random.Finalizer)
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(listPods(t, client))), leave) {
		return
	}
	terminate(t, client)
	compareAgain(t, plane, client, cluster, seen)
}

// compareAgain compares all messages once more, now that a pod is nominated to a
// node whose pods are still to go, or is no longer to come.
func compareAgain(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, cluster *random.Cluster, seen *tally) {
	t.Helper()
	err := settle(t, plane, client, cluster)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, client)
	compareMessages(t, plane, client, cluster, seen)
}

// compareAll compares the messages of all pods that the scheduler looks at. Those of an older version are
// worded as it words them, by the explanations that followed later, or are ours.
func compareAll(t *testing.T, theirs map[string]*corev1.Pod, ours, later map[string]explanation, seen *tally) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		pod := theirs[name]
		if pod.Spec.NodeName != "" {
			continue
		}
		e, ok := ours[name]
		if !ok {
			t.Errorf("%s is unbound and was not explained", name)
			continue
		}
		if pod.Status.NominatedNodeName != "" && pod.DeletionTimestamp != nil {
			seen.leaving++
		}
		if !lookedAt(pod) {
			if e.SchedulerMessage != "" {
				t.Errorf("%s: the scheduler does not look at it, yet it is said to write %q", name, e.SchedulerMessage)
			}
			continue
		}
		if written := scheduled(pod).Message; *older != "" && written != e.SchedulerMessage {
			compareWords(t, written, e, later[name], seen)
		} else {
			compareMessage(t, pod, e)
		}
		if pod.Status.NominatedNodeName != "" {
			seen.nominated++
		}
		seen.note(scheduled(pod).Message)
	}
}

// compareMessage compares the message of one pod that the scheduler looks at.
func compareMessage(t *testing.T, pod *corev1.Pod, ours explanation) {
	t.Helper()
	theirs := scheduled(pod).Message
	if ours.SchedulerMessage != theirs {
		t.Errorf("%s (%s):\n  kube-scheduler wrote %q\n  explain foretold     %q", ours.name(), ours.Verdict, theirs, ours.SchedulerMessage)
	}
	if ours.Observed.Message != overwritten {
		t.Errorf("%s: observed.message is %q, the condition said %q", ours.name(), ours.Observed.Message, overwritten)
	}
	if ours.Observed.Agrees == nil || *ours.Observed.Agrees {
		t.Errorf("%s: observed.agrees is %s, the messages differ", ours.name(), boolean(ours.Observed.Agrees))
	}
}

// compareWords wants explain to say that an older version's message is ours in other words, and that the
// cluster runs another version.
func compareWords(t *testing.T, theirs string, ours, later explanation, seen *tally) {
	t.Helper()
	if later.Observed.Agrees == nil || !*later.Observed.Agrees {
		t.Errorf("%s (%s):\n  kube-scheduler wrote %q\n  explain foretold     %q, and does not know that it is worded otherwise", ours.name(), ours.Verdict, theirs, ours.SchedulerMessage)
		return
	}
	if !slices.ContainsFunc(ours.Scheduler.Caveats, func(c string) bool { return strings.HasPrefix(c, "the cluster runs v"+*older) }) {
		t.Errorf("%s: no caveat of %q names the version", ours.name(), ours.Scheduler.Caveats)
	}
	seen.reworded++
	seen.differ(theirs, ours.SchedulerMessage)
}

// boolean spells true, false or null.
func boolean(b *bool) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprint(*b)
}
