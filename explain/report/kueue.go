package report

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Queue is what the controller of a queue says of the pod in its own objects. It is quoted: when
// the pod is admitted is not known here.
type Queue struct {
	Controller   string `json:"controller"` // "Kueue"
	Summary      string `json:"summary"`
	Workload     string `json:"workload"`     // "": none is known
	LocalQueue   string `json:"localQueue"`   // "": not known
	ClusterQueue string `json:"clusterQueue"` // "": not known
	Position     *int   `json:"position"`     // among the pending Workloads of the ClusterQueue, from 1; null: not known
	Pending      *int   `json:"pending"`      // Workloads of the ClusterQueue; null: not known

	Conditions []Condition      `json:"conditions"` // of the Workload
	Checks     []AdmissionCheck `json:"admissionChecks"`
	Quotas     []FlavorQuota    `json:"quotas"` // of the ClusterQueue
	Notes      []string         `json:"notes"`  // what is stopped, not active or does not exist
	Unknown    []UnknownScale   `json:"unknown"`

	Short string `json:"-"` // the point within 40 cells, for tables
}

// Condition is a condition that a controller wrote.
type Condition struct {
	Type    string       `json:"type"`
	Status  string       `json:"status"`
	Reason  string       `json:"reason"`
	Message string       `json:"message"`
	Since   *metav1.Time `json:"since"`
}

// AdmissionCheck is a check that a Workload has to pass besides its quota.
type AdmissionCheck struct {
	Name    string `json:"name"`
	State   string `json:"state"` // Pending, Ready, Retry, Rejected
	Message string `json:"message"`
}

// FlavorQuota is what a ClusterQueue has of a resource in a flavor. Null figures are not known.
type FlavorQuota struct {
	Flavor   string  `json:"flavor"`
	Resource string  `json:"resource"`
	Nominal  string  `json:"nominal"`
	Used     *string `json:"used"`     // by Workloads that are admitted
	Reserved *string `json:"reserved"` // by these, and by Workloads that have their quota and wait for checks
	Borrowed *string `json:"borrowed"` // of reserved, from other ClusterQueues of the cohort
}

// Lines are what is known beside the summary, a line each: quotas, conditions, checks, what could
// not be read.
func (q *Queue) Lines(now time.Time) []string {
	var lines []string
	said := func(clause string) bool { return clause != "" && strings.Contains(q.Summary, clause) }
	for i := range q.Quotas {
		lines = append(lines, q.ClusterQueue+": "+q.Quotas[i].line())
	}
	for i := range q.Conditions {
		if !said(strings.TrimSuffix(q.Conditions[i].Message, ".")) {
			lines = append(lines, q.Conditions[i].line(now))
		}
	}
	for _, check := range q.Checks {
		if clause := "admission check " + check.Name + " is " + check.State; !said(clause) {
			lines = append(lines, withMessage(clause, check.Message))
		}
	}
	for _, unknown := range q.Unknown {
		if !said(unknown.Why) {
			lines = append(lines, "unknown: "+unknown.Why)
		}
	}
	return lines
}

// withMessage adds a message to a clause, if there is one.
func withMessage(clause, message string) string {
	if message = strings.TrimSpace(message); message != "" {
		return clause + ": " + message
	}
	return clause
}

// line is the condition in a line: "QuotaReserved=False for 12m (Pending): insufficient …".
func (c *Condition) line(now time.Time) string {
	words := c.Type + "=" + c.Status
	if c.Since != nil && !now.IsZero() {
		words += " for " + model.FormatAge(c.Since.Time, now)
	}
	if c.Reason != "" {
		words += " (" + c.Reason + ")"
	}
	return withMessage(words, c.Message)
}

// line is the quota in a line: "cpu of flavor default: 36 used, 40 reserved, nominal quota 40".
func (f *FlavorQuota) line() string {
	figure := func(amount *string) string {
		if amount == nil {
			return model.UnknownFigure
		}
		return *amount
	}
	words := f.Resource + " of flavor " + f.Flavor + ": " + figure(f.Used) + " used, " + figure(f.Reserved) + " reserved"
	if f.Borrowed != nil && *f.Borrowed != "0" {
		words += " (" + *f.Borrowed + " borrowed)"
	}
	return words + ", nominal quota " + f.Nominal
}

// queueLines is how much of a queue a first look shows.
const queueLines = 3

// queue is what the controller of a queue says beside the answer.
func (c composer) queue() []Section {
	q := c.report.Queue
	if q == nil {
		return nil
	}
	lines := q.Lines(c.options.Now)
	if len(lines) == 0 {
		return nil
	}
	if !c.options.Verbose {
		lines = lines[:min(len(lines), queueLines)]
	}
	return []Section{{Heading: "QUEUE", Lines: lines}}
}
