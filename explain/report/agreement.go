package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// AgreementLevel is how an answer compares with kube-scheduler's own.
type AgreementLevel int

// The levels. Only Disagrees is an error.
const (
	NotCompared AgreementLevel = iota // one of the two messages is missing
	Agrees
	Outdated // the messages differ, and the cluster or the pod changed since kube-scheduler's last attempt
	Disagrees
)

// Agreement compares an answer with kube-scheduler's last message.
type Agreement struct {
	Level    AgreementLevel
	Text     string // a clause without a period: "agrees with kube-scheduler, 12s ago"; "" if there is nothing to say
	Messages int    // how many messages there are to read: 0, 1 or 2
}

// Agreement compares the answer with kube-scheduler's last message. Without now the
// text has no ages.
func (r *Report) Agreement(now time.Time) Agreement {
	observed := r.Observed
	switch {
	case r.Admission != nil && r.Admission.Planned:
		return Agreement{Messages: len(r.Messages(now))}
	case r.Admission != nil:
		return Agreement{NotCompared, "rejected by kube-apiserver" + r.rejectedAgo(now), 1}
	case observed.Agrees == nil && observed.Message == "":
		return Agreement{Text: r.noMessage()}
	case observed.Agrees == nil && r.SchedulerMessage == "" && r.Verdict == Unknown:
		return Agreement{NotCompared, "not compared with kube-scheduler: some nodes not evaluated", 1}
	case observed.Agrees == nil:
		return Agreement{NotCompared, observed.speaker() + "'s message" + r.attemptAgo(now) + ": " + observed.Message, 1}
	case *observed.Agrees:
		return Agreement{Agrees, "agrees with " + observed.speaker() + r.attempt(now), 1}
	case observed.Outdated != "":
		return Agreement{Outdated, observed.Outdated, 2}
	}
	return Agreement{Disagrees, "disagrees with " + observed.speaker() + r.attempt(now), 2}
}

// noMessage says that kube-scheduler wrote nothing, if the verdict is one that it
// would write about.
func (r *Report) noMessage() string {
	if r.Pod.UID == "" {
		return "" // it does not exist yet
	}
	switch r.Verdict {
	case Unschedulable, Schedulable, Unknown:
		return "no message from kube-scheduler yet"
	case Scheduled, Preempting, Gated, NotConsidered, NotCreated:
	}
	return ""
}

// attempt is when kube-scheduler wrote its message, as far as that is known: an attempt
// that an event proves, else since when the pod is unschedulable.
func (r *Report) attempt(now time.Time) string {
	text := r.attemptAgo(now)
	if since := r.Observed.UnschedulableSince; text == "" && since != nil && !now.IsZero() {
		state := "unschedulable"
		if r.Verdict == Gated {
			state = "gated"
		}
		text = ", " + state + " for " + model.FormatAge(since.Time, now)
	}
	if current := r.Observed.GenerationCurrent; current != nil && !*current {
		text += "; the pod's spec changed since"
	}
	return text
}

// attemptAgo is how long ago kube-scheduler is known to have tried. An attempt leaves no
// trace where its message stays the same.
func (r *Report) attemptAgo(now time.Time) string {
	seen := r.Observed.AttemptSeen
	if seen == nil || now.IsZero() {
		return ""
	}
	if now.Sub(seen.Time) > longestWait {
		return ", last known attempt " + model.FormatAge(seen.Time, now) + " ago"
	}
	return ", " + model.FormatAge(seen.Time, now) + " ago"
}

// longestWait is the time after which kube-scheduler tries an unschedulable pod again,
// whatever happens (podMaxInUnschedulablePodsDuration).
const longestWait = 5 * time.Minute

// rejectedAgo is how long ago kube-apiserver rejected the pod, as far as that is known.
func (r *Report) rejectedAgo(now time.Time) string {
	last := r.Admission.LastRejected
	if last == nil || now.IsZero() {
		return ""
	}
	return ", " + model.FormatAge(last.Time, now) + " ago"
}

// AgreementSentence is the agreement as a sentence of its own; where the two disagree with the
// versions of both.
func (r *Report) AgreementSentence(now time.Time) string {
	agreement := r.Agreement(now)
	if agreement.Text == "" {
		return ""
	}
	text := strings.TrimSuffix(agreement.Text, ".") + "."
	if !strings.HasPrefix(text, "kube-") && !strings.HasPrefix(text, r.Observed.speaker()) {
		text = grammar.Capital(text)
	}
	if agreement.Level == Disagrees {
		text += " " + r.Scheduler.Versions()
	}
	return text
}

// Versions are the versions of the cluster and of fathom's plugins, in a sentence.
func (s SchedulerInfo) Versions() string {
	if s.Cluster == "" || s.Cluster == s.Library {
		return "Both are " + s.Library + "."
	}
	return "The cluster is " + s.Cluster + ", fathom's plugins are " + s.Library + "."
}

// Message is a message as it was written, and by whom.
type Message struct {
	Heading string // "KUBE-SCHEDULER, 12s ago"
	Text    string
}

// Messages are kube-scheduler's message and the one that fathom's plugins would write
// now: once where they are the same. For pods that were not created it is
// kube-apiserver's.
func (r *Report) Messages(now time.Time) []Message {
	if r.Admission != nil && r.Admission.Message == "" {
		return nil
	}
	if r.Admission != nil {
		return []Message{{"KUBE-APISERVER" + r.rejectedAgo(now), r.Admission.Message}}
	}
	observed, ours := r.Observed, r.SchedulerMessage
	theirs := observed.heading() + r.attempt(now)
	switch {
	case observed.Message == "" && ours == "":
		return nil
	case observed.Message == "":
		return []Message{{"FATHOM, now", ours}}
	case ours == "":
		return []Message{{theirs, observed.Message}}
	case observed.Message == ours:
		return []Message{{theirs + " (message identical to fathom's)", ours}}
	case r.SameReworded():
		return []Message{{theirs, observed.Message}, {"FATHOM, now (same reasons, in the wording of " + r.Scheduler.Library + ")", ours}}
	case observed.Agrees != nil && *observed.Agrees:
		return []Message{{theirs + " (message identical to fathom's except for the node that preemption picks)", observed.Message}}
	}
	if observed.Outdated != "" {
		return []Message{{theirs, observed.Message}, {"FATHOM, now (different: " + observed.Outdated + ")", ours}}
	}
	return []Message{{theirs, observed.Message}, {"FATHOM, now (different)", ours}}
}

// SameReworded says whether kube-scheduler's message is fathom's in the wording of the
// cluster's own, older version.
func (r *Report) SameReworded() bool { return slices.Contains(r.Reworded, r.Observed.Message) }

// KubeAPIServer writes the PodScheduled condition of a pod that is created with gates.
const KubeAPIServer = "kube-apiserver"

// SpeakerOf names who wrote the PodScheduled condition of a pod, by its reason: kube-apiserver
// that of a gated pod (pkg/registry/core/pod/strategy.go), the pod's scheduler all others.
func SpeakerOf(pod *corev1.Pod, condition *corev1.PodCondition) string {
	name := pod.Spec.SchedulerName
	switch {
	case condition.Reason == corev1.PodReasonSchedulingGated:
		return KubeAPIServer
	case name == "" || name == corev1.DefaultSchedulerName:
		return KubeScheduler
	}
	return name
}

// speaker is whose message it is.
func (o *Observed) speaker() string { return cmp.Or(o.Speaker, KubeScheduler) }

// heading is the speaker over a message.
func (o *Observed) heading() string {
	name := o.speaker()
	if name != KubeScheduler && name != KubeAPIServer {
		return "SCHEDULER " + name
	}
	return strings.ToUpper(name)
}
