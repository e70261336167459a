package report

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// FailedPods are the pods of a pending pod's workload that a kubelet evicted, preempted or rejected, as far as they are not
// deleted.
type FailedPods struct {
	Count   int            `json:"count"`
	Reasons []FailedReason `json:"reasons"` // the most frequent first
	Last    FailedPod      `json:"last"`    // that failed last, as far as that is known
}

// FailedReason is how many pods failed for one reason.
type FailedReason struct {
	Reason string `json:"reason"` // status.reason: "Evicted", "OutOfcpu"
	Count  int    `json:"count"`
}

// FailedPod is one of them.
type FailedPod struct {
	Name    string       `json:"name"`
	Node    string       `json:"node"`
	Reason  string       `json:"reason"`
	Message string       `json:"message"`      // the kubelet's
	At      *metav1.Time `json:"at,omitempty"` // when it failed; null: not known
}

// mostQuoted is how many characters of a kubelet's message a sentence quotes.
const mostQuoted = 200

// FailedPodsSentence says how many pods of the workload a kubelet evicted or rejected, and quotes what it said of the last
// one; "" where there are none.
func FailedPodsSentence(r *Report, now time.Time) string {
	f := r.FailedPods
	if f == nil || f.Count == 0 || len(f.Reasons) == 0 {
		return ""
	}
	evicted := len(f.Reasons) == 1 && f.Reasons[0].Reason == "Evicted"
	said := fmt.Sprintf("%d of its pods ", f.Count)
	switch {
	case evicted:
		said += grammar.Agree(f.Count, "was evicted", "were evicted")
	case len(f.Reasons) == 1:
		said += "failed (" + f.Reasons[0].Reason + ")"
	default:
		counts := make([]string, len(f.Reasons))
		for i, reason := range f.Reasons {
			counts[i] = fmt.Sprintf("%d %s", reason.Count, reason.Reason)
		}
		said += "failed (" + grammar.List(counts, grammar.Few) + ")"
	}
	if f.Count > 1 {
		said += ", the last"
	}
	if f.Last.At != nil && !now.IsZero() {
		said += " " + model.FormatAge(f.Last.At.Time, now) + " ago"
	}
	said += " on " + f.Last.Node
	if message := cutMessage(f.Last.Message); message != "" {
		return said + ": \"" + message + "\""
	}
	return said + "."
}

// cutMessage is a message in one line, of mostQuoted characters at most.
func cutMessage(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	all := []rune(message)
	if len(all) <= mostQuoted {
		return message
	}
	cut := string(all[:mostQuoted])
	if at := strings.LastIndexByte(cut, ' '); at > 0 {
		cut = cut[:at]
	}
	return cut + " …"
}
