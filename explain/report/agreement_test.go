package report

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func TestAMessageIsOfWhoWroteIt(t *testing.T) {
	for _, test := range []struct{ scheduler, reason, speaker, says, heading string }{
		{"default-scheduler", "Unschedulable", "kube-scheduler", "kube-scheduler's message: words.", "KUBE-SCHEDULER"},
		{"", "SchedulerError", "kube-scheduler", "kube-scheduler's message: words.", "KUBE-SCHEDULER"},
		{"default-scheduler", "SchedulingGated", "kube-apiserver", "kube-apiserver's message: words.", "KUBE-APISERVER"},
		{"volcano", "Unschedulable", "volcano", "volcano's message: words.", "SCHEDULER volcano"},
		{"volcano", "SchedulingGated", "kube-apiserver", "kube-apiserver's message: words.", "KUBE-APISERVER"},
	} {
		pod := &corev1.Pod{Spec: corev1.PodSpec{SchedulerName: test.scheduler}}
		speaker := SpeakerOf(pod, &corev1.PodCondition{Reason: test.reason})
		r := &Report{Verdict: Gated, Observed: Observed{Message: "words", Speaker: speaker}}
		says, messages := r.AgreementSentence(time.Time{}), r.Messages(time.Time{})
		if speaker != test.speaker || says != test.says || len(messages) != 1 || messages[0].Heading != test.heading {
			t.Errorf("%s, %s: %s, %q, %v", test.scheduler, test.reason, speaker, says, messages)
		}
	}
}
