package report

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Preempted are the pods, named as a pending one, that kube-scheduler preempted, as far as there are events of it.
type Preempted struct {
	Names string       `json:"names"` // what their names are, or begin with: "api-6c9-…"
	Count int          `json:"count"`
	Last  *metav1.Time `json:"last,omitempty"`
	By    []Preemptor  `json:"by"` // who preempted most of them first
}

// Preemptor is a workload, or a pod that is gone or has none, for which pods were preempted.
type Preemptor struct {
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Count     int      `json:"count"`              // victims
	Priority  *int32   `json:"priority,omitempty"` // null: the pod is gone
	Rollout   *Rollout `json:"rollout,omitempty"`  // that its pods are part of
}

// PreemptedSentence says how many pods named as the pending one were preempted, and by whom; "" where there are none.
func PreemptedSentence(r *Report, now time.Time) string { return preemptedWords(r, now, false) }

// PreemptedBriefly is PreemptedSentence without names, times and priorities: what changed stands last.
func PreemptedBriefly(r *Report) string { return preemptedWords(r, time.Time{}, true) }

func preemptedWords(r *Report, now time.Time, brief bool) string {
	p := r.Preempted
	if p == nil || p.Count == 0 {
		return ""
	}
	names := p.Names
	if brief {
		names = "like it"
	}
	said := fmt.Sprintf("%s named %s %s preempted", grammar.Plural(p.Count, "pod"), names, grammar.Agree(p.Count, "was", "were"))
	if p.Last != nil && !now.IsZero() {
		if p.Count > 1 {
			said += ", the last"
		}
		said += " " + model.FormatAge(p.Last.Time, now) + " ago"
	}
	if len(p.By) == 0 {
		return said + "."
	}
	var all []string
	for i := range p.By {
		all = append(all, p.By[i].words(r.Pod.Namespace, brief))
	}
	if !brief {
		said += ","
	}
	said += " by " + grammar.List(all, grammar.Few)
	if by := p.By[0]; by.Rollout != nil && len(by.Rollout.Changes) > 0 {
		if len(p.By) == 1 {
			said += ", which changed"
		} else {
			said += "; " + strings.ToLower(by.Kind) + "/" + by.Name + " changed"
		}
		if by.Rollout.Since != nil && !now.IsZero() {
			said += " " + model.FormatAge(by.Rollout.Since.Time, now) + " ago"
		}
		said += ": " + changeList(r, by.Rollout.Changes)
	}
	return said + "."
}

// words name a preemptor: "daemonset/otel-node in observability (priority 900000000)", briefly without its priority.
func (p *Preemptor) words(namespace string, brief bool) string {
	said := strings.ToLower(p.Kind) + "/" + p.Name
	if p.Namespace != "" && p.Namespace != namespace {
		said += " in " + p.Namespace
	}
	if p.Priority != nil && !brief {
		said += fmt.Sprintf(" (priority %d)", *p.Priority)
	}
	return said
}
