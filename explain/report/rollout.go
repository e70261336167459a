package report

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Rollout is the change of its workload's template that a pending pod is part of.
type Rollout struct {
	Workload OwnerRef         `json:"workload"`
	Previous string           `json:"previous"`        // the ReplicaSet, or the revision, of the template before
	Since    *metav1.Time     `json:"since,omitempty"` // when the first pods of the new template were wanted; null: not known
	Running  int              `json:"running"`         // pods of older templates that have a node
	New      int              `json:"new"`             // pods of the new template that have a node
	Pending  int              `json:"pending"`         // pods of the new template without one
	Changes  []TemplateChange `json:"changes"`         // of what decides where a pod may go
}

// TemplateChange is one difference between two templates.
type TemplateChange struct {
	Field   string `json:"field"`             // "request", "node selector", "toleration"
	Key     string `json:"key"`               // "cpu", "disktype"; "" where there is one of the field
	Before  string `json:"before"`            // "" where the key says all
	After   string `json:"after"`             // "" where the key says all
	Added   bool   `json:"added,omitempty"`   // it was not there before
	Removed bool   `json:"removed,omitempty"` // it is no longer there
	Plugin  string `json:"plugin"`            // of the scheduler, which reads it; "" for none
	// Admission says that the templates do not differ in it: it was set when the pods were created.
	Admission bool `json:"admission,omitempty"`
}

// ByTemplate reports whether anything that the rollout changed is in its workload's template; of a StatefulSet and a
// DaemonSet, whose older templates are not read, whether anything is.
func (r *Rollout) ByTemplate() bool {
	return slices.ContainsFunc(r.Changes, func(c TemplateChange) bool { return !c.Admission })
}

// Worth is the rollout if it may tell why the pod is pending: older pods run, or none of the new template
// does and the template changed; nil otherwise.
func (r *Rollout) Worth() *Rollout {
	if r.Running > 0 || r.New == 0 && len(r.Changes) > 0 {
		return r
	}
	return nil
}

// mostChanges is how many changes of a template the sentence about a rollout tells.
const mostChanges = 4

// RolloutSentence says what a rollout changed, first what the rejecting plugins read, and how many pods of
// the old template run; "" where the pod is of none.
func RolloutSentence(r *Report, now time.Time) string {
	rollout := r.Rollout
	if rollout == nil {
		return ""
	}
	said := strings.ToLower(rollout.Workload.Kind) + "/" + rollout.Workload.Name + " changed"
	if rollout.Since != nil && !now.IsZero() {
		said += " " + model.FormatAge(rollout.Since.Time, now) + " ago"
	}
	if len(rollout.Changes) > 0 {
		said += ": " + changeList(r, rollout.Changes)
		if !rollout.ByTemplate() {
			said += ", set at admission and not by the template"
		}
	} else {
		said += ", in nothing that decides where its pods may go"
	}
	before := grammar.Count(rollout.Running, "old pod runs", "old pods run")
	switch {
	case rollout.Running == 0:
		return said + "; no old pod runs."
	case rollout.New == 0:
		return said + "; " + before + "."
	}
	return said + "; " + before + ", and " + grammar.Plural(rollout.New, "new one") + "."
}

// changeList are the changes, those that the rejecting plugins read first.
func changeList(r *Report, changes []TemplateChange) string {
	rejecting := func(plugin string) bool {
		return slices.ContainsFunc(r.Plugins, func(p PluginResult) bool { return p.Name == plugin && p.Rejects > 0 })
	}
	var first, rest []string
	for _, change := range changes {
		if rejecting(change.Plugin) {
			first = append(first, change.words())
		} else {
			rest = append(rest, change.words())
		}
	}
	return grammar.List(append(first, rest...), mostChanges)
}

// words are the change in a clause: "cpu request 2 instead of 500m", "node selector disktype=ssd added".
func (c *TemplateChange) words() string {
	name := strings.TrimSpace(c.Field + " " + c.Key)
	if c.Field == "request" || c.Field == "limit" {
		name = model.ResourceWord(corev1.ResourceName(c.Key)) + " " + c.Field
	}
	with := func(value string) string {
		switch {
		case value == "":
			return name
		case c.Field == "node selector" || c.Field == "label":
			return name + "=" + value
		}
		return name + " " + value
	}
	switch {
	case c.Added:
		return with(c.After) + " added"
	case c.Removed:
		return with(c.Before) + " removed"
	}
	return with(c.After) + " instead of " + c.Before
}
