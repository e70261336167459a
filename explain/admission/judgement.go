// Package admission explains why pods were not created: why kube-apiserver's own
// admission code (ResourceQuota, LimitRanger, PodSecurity) rejects the pod that a
// controller would create, and which raised quotas would admit it.
package admission

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Judgement is what admission says of a pod that a controller would create.
type Judgement struct {
	refused  *model.NotCreated
	Pod      *corev1.Pod        // with what LimitRanges fill in
	message  string             // kube-apiserver's, where its dry run shows that it rejects the pod
	given    []report.Rejection // what rejects the pod before any rule is asked
	limits   []report.Rejection
	security []report.Rejection
	quotas   []quotaRejection
	existing []corev1.ResourceQuota // all of the namespace
	ranges   []corev1.LimitRange    // all of the namespace, as far as they could be read
	labels   map[string]string      // the namespace's, as far as they could be read
	version  string                 // the API server's; "" if not known
	unknown  []report.UnknownPart
	ending   bool             // the namespace is being deleted
	finished map[Finished]int // pods of the namespace that have finished, where a quota counts those
	now      time.Time
}

// Sources are what a judgement is made from.
type Sources struct {
	LimitRanges    func(ctx context.Context, namespace string) ([]corev1.LimitRange, error)    // nil: never known
	Quotas         func(ctx context.Context, namespace string) ([]corev1.ResourceQuota, error) // nil: never known
	Labels         func(namespace string) (labels map[string]string, why string)               // why they are not known; "": they are
	Missing        func(namespace string) bool                                                 // it is known that there is no such namespace; nil: it exists
	Terminating    func(namespace string) bool                                                 // it is known that the namespace is being deleted; nil: it is not
	Finished       func(ctx context.Context, namespace string) (map[Finished]int, error)       // counts the pods that have finished; nil: not known
	Admittance     report.Admittance                                                           // what is known of a pod of a manifest
	ClusterVersion string                                                                      // the API server's; "" if not known
	Now            time.Time
}

// Judge finds what would reject one of a controller's pods now, by the API server's own
// code and in its order: limits are filled in before quotas count. Webhooks and
// policies cannot be asked: of those there is only the API server's message.
func Judge(ctx context.Context, refused *model.NotCreated, from Sources) (*Judgement, error) {
	known := from.Admittance
	j := &Judgement{
		refused: refused, Pod: refused.Pod.DeepCopy(), now: from.Now,
		version: from.ClusterVersion,
		message: known.Message, given: known.Rejected, unknown: slices.Clone(known.Unknown),
	}
	if err := j.ask(ctx, from); err != nil {
		return nil, fmt.Errorf("explain pods of %s: %w", refused.Pod.GenerateName, err)
	}
	return j, nil
}

func (j *Judgement) ask(ctx context.Context, from Sources) error {
	namespace := j.Pod.Namespace
	if from.Missing != nil && from.Missing(namespace) {
		j.given = append([]report.Rejection{noNamespace(namespace)}, j.given...)
		return ctx.Err()
	}
	if from.Terminating != nil && from.Terminating(namespace) {
		j.ending, j.given = true, append([]report.Rejection{endingNamespace(namespace)}, j.given...)
	}
	ranges, err := objectsOf(ctx, from.LimitRanges, namespace)
	if err != nil {
		j.leaveOpen("limitranges", err.Error(), limitPlugin)
	} else if j.limits, err = ApplyLimitRanges(j.Pod, ranges); err != nil {
		return err
	}
	j.ranges = ranges
	labels, why := from.Labels(namespace)
	if why != "" {
		j.leaveOpen("namespaces", why, securityPlugin)
	} else if j.security, err = SecurityRejections(j.Pod, labels, from.ClusterVersion); err != nil {
		return err
	}
	j.labels = labels
	quotas, err := objectsOf(ctx, from.Quotas, namespace)
	if err != nil {
		j.leaveOpen("resourcequotas", err.Error(), quotaPlugin)
	} else {
		j.existing, j.quotas = quotas, quotasRefusing(j.Pod, quotas)
	}
	if from.Finished != nil && slices.ContainsFunc(j.quotas, quotaRejection.countsFinished) {
		if j.finished, err = from.Finished(ctx, namespace); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// namespacePlugin rejects objects whose namespace does not exist or is being deleted.
const namespacePlugin = "NamespaceLifecycle"

// noNamespace is the rejection of a pod whose namespace does not exist.
func noNamespace(namespace string) report.Rejection {
	return NotThere(namespacePlugin, "namespace "+namespace)
}

// endingNamespace is the rejection of a pod whose namespace is being deleted: NamespaceLifecycle
// (k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle) lets nothing be created there.
func endingNamespace(namespace string) report.Rejection {
	what := "namespace " + namespace + " is being deleted"
	return report.Rejection{
		Plugin: namespacePlugin, Reason: what, What: what + ", so nothing can be created there",
		Numbers: []report.Number{}, Short: what,
	}
}

// NotThere is the rejection of a pod for an object that it names and that does not exist.
func NotThere(plugin, object string) report.Rejection {
	return report.Rejection{
		Plugin: plugin, Reason: object + " not found", What: object + " does not exist",
		Numbers: []report.Number{}, Short: object + " does not exist",
	}
}

// Report is the answer, given the report about the pod if it were created.
func (j *Judgement) Report(ifCreated *report.Report) *report.Report {
	r := &report.Report{
		TypeMeta: ifCreated.TypeMeta,
		Pod:      ifCreated.Pod,
		Verdict:  report.NotCreated,
		Admission: &report.Admission{
			Wanted: j.refused.Wanted, Missing: j.refused.Missing,
			Since: timeOrNil(j.refused.Since), LastRejected: timeOrNil(j.refused.Last),
			Message: j.refused.Message, Rejections: j.rejections(), IfCreated: ifCreated.Placement(),
		},
		Plugins:   []report.PluginResult{},
		Groups:    []report.Group{},
		Unknown:   append(ifCreated.Unknown, j.unknown...),
		Scheduler: ifCreated.Scheduler,
		Revision:  ifCreated.Revision,
		CreatedAt: j.refused.Since,
	}
	r.Pod.UID = ""
	r.Scheduler.Caveats = slices.Concat(j.refused.Notes, r.Scheduler.Caveats)
	j.tell(r)
	return r
}

// errNoSource is why something is unknown where there is no source to ask.
var errNoSource = fmt.Errorf("it cannot be read here")

// objectsOf are the objects of one kind in a namespace.
func objectsOf[T any](ctx context.Context, ask func(context.Context, string) ([]T, error), namespace string) ([]T, error) {
	if ask == nil {
		return nil, errNoSource
	}
	return ask(ctx, namespace)
}

func (j *Judgement) leaveOpen(resource, why, plugin string) {
	j.unknown = append(j.unknown, report.UnknownPart{Resource: resource, Why: why, Plugins: []string{plugin}})
}

// rejections are all of them, in the order in which the API server asks.
func (j *Judgement) rejections() []report.Rejection {
	all := slices.Concat(j.given, j.limits, j.security)
	for _, r := range j.quotas {
		all = append(all, r.rejection())
	}
	if all == nil {
		all = []report.Rejection{}
	}
	return all
}

func timeOrNil(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t}
}
