package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// snapshots counts what is compared of snapshots.
type snapshots struct {
	pods, fields, fixes int
	equal, unknown      int // verdicts of a List of kubectl: as live, or not known
	messages            int // of them, as live
	planted             int
	verdicts            map[string]int
}

// A snapshot of a real cluster explains each pod as the cluster did, in every
// field of what scripts are told. None may differ: that is a duty of snapshots.
func TestASnapshotExplainsAsTheLiveClusterDid(t *testing.T) {
	plane := startPlane(t, controlplane.Options{
		Kwok: true, Controllers: true, Only: append(slices.Clone(binders), "replicaset-controller"), Backoff: 1,
	})
	client := admin(t, plane)
	seen := &snapshots{verdicts: map[string]int{}}
	for seed := *firstSeed; seed < *firstSeed+*shots; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			defer clearRandom(t, plane)
			compareSnapshot(t, plane, client, uint64(seed), seen)
		})
	}
	fmt.Printf("%d pods of %d random clusters are explained alike live and from a file, in %d fields with %d fixes: %s; of Lists of kubectl %d verdicts and %d messages are the live ones, %d verdicts Unknown; %d secrets planted, none found\n",
		seen.pods, *shots, seen.fields, seen.fixes, counts(seen.verdicts), seen.equal, seen.messages, seen.unknown, seen.planted)
	if seen.verdicts["NotCreated"] == 0 || seen.fixes == 0 {
		t.Error("no pod that was refused, or no fix, was compared")
	}
}

// compareSnapshot compares what is said of one random cluster that rests.
func compareSnapshot(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, seed uint64, seen *snapshots) {
	t.Helper()
	cluster := fillRandom(t, plane, client, seed)
	rewritten(t, plane, client, cluster)
	words := plantSecrets(t, plane, cluster)
	defer func() {
		kubectl(t, plane, "", "delete", "replicasets,resourcequotas", "-A", "--all")
		if err := plane.StartControllers(t.Context()); err != nil {
			t.Fatal(err)
		}
	}()
	_, err := quiet(t, client, pause)
	if err != nil {
		t.Fatal(err)
	}
	plane.StopScheduler()
	plane.StopControllers() // a ReplicaSet would try again between the two
	config := kubeconfig(t, plane, controlplane.Admin)
	flags := []string{"explain", "--all", "-o", "json", "--nodes", "--trace", "--fixes"}
	var file string
	var live map[string]map[string]any
	whileNoPodChanges(t, client, func() {
		file = takeSnapshots(t, config, words, seen)
		live = explained(t, "", append(flags, "-A", "--kubeconfig", config)...)
	})
	saved := explained(t, "", append(flags, "--from", file)...)
	compareExplained(t, live, saved, seen)
	compareLists(t, plane, live, seen)
}

// whileNoPodChanges does something while no pod changes: kwok, which is left running, may still write the status of some.
func whileNoPodChanges(t *testing.T, client kubernetes.Interface, do func()) {
	t.Helper()
	versions := func() []string {
		var lines []string
		for name, pod := range listPods(t, client) {
			lines = append(lines, name+" "+string(pod.UID)+" "+pod.ResourceVersion)
		}
		slices.Sort(lines)
		return lines
	}
	for range 10 {
		before := versions()
		do()
		if slices.Equal(before, versions()) {
			return
		}
	}
	t.Fatal("pods keep changing though neither the scheduler nor controllers run")
}

// compareExplained compares what is said of each pod live and from a file.
func compareExplained(t *testing.T, live, saved map[string]map[string]any, seen *snapshots) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(live)) {
		seen.pods++
		seen.verdicts[fmt.Sprint(live[name]["verdict"])]++
		if fixes, ok := live[name]["fixes"].([]any); ok {
			seen.fixes += len(fixes)
		}
		if diff := differing("", live[name], saved[name], &seen.fields); len(diff) > 0 {
			t.Errorf("%s, live and from the file:\n  %s", name, strings.Join(diff[:min(len(diff), 8)], "\n  "))
		}
	}
	if len(saved) != len(live) {
		t.Errorf("%d pods are explained live, %d from the file", len(live), len(saved))
	}
}

// explained runs explain --all and gives the objects by pod.
func explained(t *testing.T, input string, args ...string) map[string]map[string]any {
	t.Helper()
	r := fathomWithInput(t, input, args...)
	if r.code > 1 && (r.code != 3 || input == "") { // of a List much may be unknown
		t.Fatalf("kubectl-fathom %q: exit code %d\n%s", args, r.code, r.stderr)
	}
	var list struct {
		Items []map[string]any `json:"items"`
	}
	err := json.Unmarshal([]byte(r.stdout), &list)
	if err != nil {
		t.Fatalf("read the explanations: %v\n%.2000s", err, r.stdout)
	}
	byName := map[string]map[string]any{}
	for _, item := range list.Items {
		pod, _ := item["pod"].(map[string]any)
		owner, _ := json.Marshal(pod["owner"])
		byName[fmt.Sprintf("%v/%v %s", pod["namespace"], pod["name"], owner)] = item
	}
	return byName
}

// seconds are how long something lasts at the moment that the command runs: one second
// more or less for the second of two.
var seconds = regexp.MustCompile(`\b(\d+m)?\d+s\b`)

// differing lists the fields in which two values differ, and counts those that it
// has compared.
func differing(path string, one, other any, compared *int) []string {
	switch a := one.(type) {
	case map[string]any:
		b, ok := other.(map[string]any)
		if !ok {
			break
		}
		var found []string
		both := maps.Clone(a)
		maps.Copy(both, b)
		for _, key := range slices.Sorted(maps.Keys(both)) {
			found = append(found, differing(path+"."+key, a[key], b[key], compared)...)
		}
		return found
	case []any:
		b, ok := other.([]any)
		if ok && path == ".fixes" {
			a, b = bothTried(a, b)
		}
		if !ok {
			break
		}
		if len(a) != len(b) {
			return []string{fmt.Sprintf("%s: %d | %d: %.3000s | %.3000s", path, len(a), len(b), fmt.Sprint(one), fmt.Sprint(other))}
		}
		var found []string
		for i := range a {
			found = append(found, differing(fmt.Sprintf("%s[%d]", path, i), a[i], b[i], compared)...)
		}
		return found
	}
	*compared++
	if reflect.DeepEqual(one, other) {
		return nil
	}
	if a, ok := one.(string); ok {
		if b, ok := other.(string); ok && seconds.ReplaceAllString(a, "") == seconds.ReplaceAllString(b, "") {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: %.300s | %.300s", path, fmt.Sprint(one), fmt.Sprint(other))}
}

// bothTried are the fixes of two lists that stand in both: as many are tried as time
// allows, and the machine may have been busy once.
func bothTried(one, other []any) (a, b []any) {
	titles := func(list []any) map[string]bool {
		all := map[string]bool{}
		for _, fix := range list {
			all[title(fix)] = true
		}
		return all
	}
	inOne, inOther := titles(one), titles(other)
	keep := func(list []any, in map[string]bool) []any {
		return slices.DeleteFunc(slices.Clone(list), func(fix any) bool { return !in[title(fix)] })
	}
	return keep(one, inOther), keep(other, inOne)
}

// title is a fix's.
func title(fix any) string {
	fields, _ := fix.(map[string]any)
	text, _ := fields["title"].(string)
	return text
}
