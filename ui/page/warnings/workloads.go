package warnings

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// largeShare is the percentage of what a pool has requested from which one workload is named.
const largeShare = 25

// scheduledJob is the name of a Job that a CronJob made: it ends in the minute it was due, counted
// from 1970 (getJobName of pkg/controller/cronjob).
var scheduledJob = regexp.MustCompile(`-\d{8}$`)

// workloadOf names what a pod belongs to. Jobs of one CronJob are taken together: it may have
// started another one before the last has ended.
func workloadOf(p *model.Pod) string {
	name := cmp.Or(p.Owner.Name, p.Object.Name)
	if p.Owner.Kind == "Job" {
		name = scheduledJob.ReplaceAllString(name, "-*")
	}
	return p.Object.Namespace + "/" + name
}

// holderOf names the workload that requests most of a resource in a pool, or in one zone of it, with
// its share of all that is requested: "42% by batch/report"; "" where none requests much.
func holderOf(s *model.Snapshot, pool *inventory.Pool, zone bool, resource corev1.ResourceName) string {
	by, all := map[string]int64{}, int64(0)
	for _, node := range s.Nodes {
		if node.Pool != pool.Pool || zone && node.Zone != pool.Zone {
			continue
		}
		for _, p := range node.Pods {
			amount := p.Requests.Of(resource)
			if resource == corev1.ResourcePods {
				amount = 1
			}
			by[workloadOf(p)] += amount
			all += amount
		}
	}
	var most string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if most == "" || by[name] > by[most] {
			most = name
		}
	}
	if all == 0 || by[most]*100 < largeShare*all {
		return ""
	}
	return fmt.Sprintf("%d%% of it by %s", by[most]*100/all, most)
}

// daemonSetWarning names the DaemonSets of which pods fail: what nodes need, such as devices,
// volumes and networks, may be missing there.
func daemonSetWarning(s *model.Snapshot) Warning {
	type daemons struct {
		pods     int
		failing  map[string]int // by status
		failures int
	}
	sets := map[string]*daemons{}
	for _, p := range s.Pods {
		if p.Owner.Kind != "DaemonSet" || p.Object.DeletionTimestamp != nil {
			continue
		}
		name := p.Object.Namespace + "/" + p.Owner.Name
		if sets[name] == nil {
			sets[name] = &daemons{failing: map[string]int{}}
		}
		sets[name].pods++
		if p.Failing() && p.Object.Status.Phase != corev1.PodFailed { // one that has failed is replaced
			sets[name].failing[p.Status]++
			sets[name].failures++
		}
	}
	var names, words []string
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		set := sets[name]
		if set.failures == 0 {
			continue
		}
		names = append(names, name)
		statuses := slices.Sorted(maps.Keys(set.failing))
		words = append(words, fmt.Sprintf("%s (%d of %s: %s)", name, set.failures, grammar.Plural(set.pods, "pod"), strings.Join(statuses, ", ")))
	}
	if len(words) == 0 {
		return Warning{}
	}
	lead := grammar.Agree(len(words), "DaemonSet fails: ", "DaemonSets fail: ")
	return Warning{Short: lead + grammar.List(names, 1), Long: lead + grammar.List(words, grammar.Few), Key: "2", View: "Pods"}
}
