package message

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumerestrictions"

	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// legacyReason is a reason that plugins gave in other words up to a minor version.
// It serves to compare messages alone: no verdict rests on any of it.
type legacyReason struct {
	until   int    // the last minor version with the old words
	patched bool   // a later patch release of that version may have the words of now
	reason  string // as it is now
	legacy  func(state *scheduler.State, pod *corev1.Pod, node *corev1.Node) string
}

// legacyReasons are the reasons of plugins of the default profile that changed since
// 1.30.
var legacyReasons = []legacyReason{
	{34, true, "node(s) had untolerated taint(s)", legacyTaint}, // kubernetes/kubernetes#135023 patched 1.34
	{33, false, volumerestrictions.ErrReasonReadWriteOncePodConflict, func(*scheduler.State, *corev1.Pod, *corev1.Node) string {
		return "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
	}},
	{32, false, string(volumebinding.ErrReasonNodeConflict), func(*scheduler.State, *corev1.Pod, *corev1.Node) string { // kubernetes/kubernetes#129887
		return "node(s) had volume node affinity conflict"
	}},
}

// legacyTaint named the first taint that is not tolerated.
func legacyTaint(state *scheduler.State, pod *corev1.Pod, node *corev1.Node) string {
	keepsOff := func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
	taint, _ := corev1helpers.FindMatchingUntoleratedTaint(state.Logger, node.Spec.Taints, pod.Spec.Tolerations, keepsOff, false)
	return fmt.Sprintf("node(s) had untolerated taint {%s: %s}", taint.Key, taint.Value)
}

// lastSilent is the last minor version whose DynamicResources said in PostFilter
// that it has nothing to do, and whose DefaultPreemption said nothing where it
// had found a node.
const lastSilent = 36

// legacyMessages are the messages of o in the words of the cluster's version: several where its
// patch releases differ, none where those are ours. Where the version is not known ("") they are those of all that the
// cluster may have: no kubelet is newer than kube-apiserver (kubernetes.io/releases/version-skew-policy).
func legacyMessages(s preemption.Simulator, clusterVersion string, m *scheduler.Matrix, pod *corev1.Pod, d scheduler.Diagnosis, o preemption.Outcome) []string {
	first := scheduler.MinorOf(clusterVersion)
	last := first
	if clusterVersion == "" {
		first, last = newestKubelet(m), lastSilent
	}
	if first == 0 || first > lastSilent {
		return nil
	}
	said := []string{legacyPostFilter(s, m, d, o)}
	if clusterVersion == "" && !o.Successful {
		said = append(said, o.Message) // without DynamicResources, which is on by default from 1.34 on
	}
	var messages []string
	for _, words := range wordings(first, last) {
		for _, postFilter := range said {
			if message := reworded(s, words, pod, d, postFilter); !slices.Contains(messages, message) {
				messages = append(messages, message)
			}
		}
	}
	return messages
}

// reworded is the message of a diagnosis in other words.
func reworded(s preemption.Simulator, words legacyWords, pod *corev1.Pod, d scheduler.Diagnosis, postFilter string) string {
	fit := *d.Fit
	fit.Diagnosis.PostFilterMsg = postFilter
	fit.Diagnosis.NodeToStatus = framework.NewNodeToStatus(map[string]*fwk.Status{}, d.Fit.Diagnosis.NodeToStatus.AbsentNodesStatus())
	d.Fit.Diagnosis.NodeToStatus.ForEachExplicitNode(func(name string, status *fwk.Status) {
		fit.Diagnosis.NodeToStatus.Set(name, reword(s.Profile.Scheduler.State, words, pod, name, status))
	})
	return fit.Error()
}

// newestKubelet is the newest minor version of a kubelet; 0 where none is known.
func newestKubelet(m *scheduler.Matrix) (newest int) {
	seen := "" // neighbours mostly have the same
	for _, node := range m.Nodes {
		if version := node.Node().Status.NodeInfo.KubeletVersion; version != seen {
			seen, newest = version, max(newest, scheduler.MinorOf(version))
		}
	}
	return newest
}

// wordings are the different words of minor versions, from the first to the last.
func wordings(first, last int) (all []legacyWords) {
	for minor := first; minor <= last; minor++ {
		if minor == first || slices.ContainsFunc(legacyReasons, func(r legacyReason) bool { return r.until == minor-1 }) {
			all = append(all, legacyWords{minor: minor})
		}
		if slices.ContainsFunc(legacyReasons, func(r legacyReason) bool {
			return r.patched && (minor == r.until || minor == first && minor < r.until)
		}) {
			all = append(all, legacyWords{minor: minor, patched: true})
		}
	}
	return all
}

// legacyWords are the words of a minor version, or of its later patch releases.
type legacyWords struct {
	minor   int
	patched bool
}

// have says whether a reason is worded the old way.
func (w legacyWords) have(r *legacyReason) bool {
	return w.minor <= r.until && (!w.patched || !r.patched)
}

// reword puts a node's status into the words of a version.
func reword(state *scheduler.State, words legacyWords, pod *corev1.Pod, name string, status *fwk.Status) *fwk.Status {
	node, err := state.NodeInfos().Get(name)
	if err != nil {
		return status
	}
	reasons := slices.Clone(status.Reasons())
	for i, reason := range reasons {
		for k := range legacyReasons {
			if r := &legacyReasons[k]; r.reason == reason && words.have(r) {
				reasons[i] = r.legacy(state, pod, node.Node())
			}
		}
	}
	return fwk.NewStatus(status.Code(), reasons...)
}

// legacyPostFilter is what PostFilter said up to lastSilent.
func legacyPostFilter(s preemption.Simulator, m *scheduler.Matrix, d scheduler.Diagnosis, o preemption.Outcome) string {
	switch {
	case o.Successful:
		return ""
	case s.StopsBefore(d), !s.Profile.HasPostFilter(names.DynamicResources), o.Deallocates:
		return o.Message
	}
	idle := "no new claims to deallocate"
	if hasClaims(m) {
		idle = "still not schedulable"
	}
	if o.Message == "" {
		return idle
	}
	return idle + ", " + o.Message
}

// hasClaims says whether DynamicResources found claims of the pod, one for an extended resource of a
// DeviceClass too: its PreFilter skips a pod without, and one that it rejects has none yet.
func hasClaims(m *scheduler.Matrix) bool {
	k := m.Profile.IndexOf(names.DynamicResources)
	return k >= 0 && !m.Answers[k].Skipped && m.Answers[k].Pre == nil
}
