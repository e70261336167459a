package admission

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Planned is the answer for a pod of a manifest that would not be created, given the report
// about the pod if it were; nil where nothing is known to reject it.
func (j *Judgement) Planned(ifCreated *report.Report) *report.Report {
	created, rejected := j.Created(1)
	if created > 0 {
		return nil
	}
	told := *ifCreated
	told.Verdict, told.State, told.BlockedBy = report.NotCreated, "not created", j.blockedBy()
	told.Summary, told.Why = "Would not be created: "+rejected[0].What+".", rejected[0].Short
	told.Admission = &report.Admission{
		Wanted: 1, Missing: 1, Message: j.message, Rejections: rejected, IfCreated: ifCreated.Placement(), Planned: true,
	}
	told.Facts = nil
	for _, rejection := range rejected[1:] {
		told.Facts = append(told.Facts, rejection.What)
	}
	for _, quota := range j.quotas {
		if fact := quota.fact(); fact != "" {
			told.Facts = append(told.Facts, fact)
		}
	}
	if j.message != "" && rejected[0].What != j.said().What {
		told.Facts = append(told.Facts, "kube-apiserver's message: "+j.message)
	}
	told.Facts = append(told.Facts, IfCreated("it were", told.Admission.IfCreated))
	told.Plugins, told.Groups, told.Nodes, told.Topology = []report.PluginResult{}, []report.Group{}, nil, nil
	told.Preemption, told.Plan, told.Provisioning, told.Nomination = nil, nil, nil, nil
	told.Unknown = report.MergeUnknown(ifCreated.Unknown, j.unknown)
	return &told
}

// dryRunRejections are what rejects a pod whose dry run was rejected: the quotas that do, or
// else kube-apiserver's message.
func (j *Judgement) dryRunRejections() []report.Rejection {
	var found []report.Rejection
	for _, r := range j.quotas {
		found = append(found, r.rejection())
	}
	if found == nil {
		found = []report.Rejection{j.said()}
	}
	return found
}

// said is kube-apiserver's message as a rejection.
func (j *Judgement) said() report.Rejection {
	message := strings.TrimSuffix(j.message, ".")
	return report.Rejection{
		Plugin: report.AdmissionPlugin, Reason: j.message, What: message, Numbers: []report.Number{}, Short: "kube-apiserver: " + message,
	}
}
