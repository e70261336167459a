package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/manifest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// defaultNamespace is where a manifest without a namespace goes.
const defaultNamespace = "default"

// filePod is a pod of a manifest, and the file that it is in.
type filePod struct {
	admission.UncreatedPod
	file string
}

// manifestNamespace is where the pods of manifests go that name no namespace.
func manifestNamespace(from *source.Options, namespace string) manifest.Namespace {
	return manifest.Namespace{Name: cmp.Or(namespace, defaultNamespace), Only: *from.Flags.Namespace != ""}
}

// filePods reads the pods of the manifests, each file once.
func (e *explainOptions) filePods(ctx context.Context) (all []filePod, err error) {
	var namespaces []string
	for i, file := range e.files {
		if slices.Contains(e.files[:i], file) {
			continue
		}
		pods, err := manifest.Read(ctx, file, e.In, manifestNamespace(e.source, e.scope.Namespace))
		if err != nil {
			return nil, err
		}
		for _, pod := range pods {
			all, namespaces = append(all, filePod{pod, file}), append(namespaces, pod.Pod.Namespace)
		}
	}
	e.source.About(namespaces...)
	return all, nil
}

// runFiles explains the pods of manifests.
func (e *explainOptions) runFiles(ctx context.Context) error {
	pods, err := e.filePods(ctx)
	if err != nil {
		return err
	}
	live, err := e.source.Open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	out := output.NewReports(e.Streams, e.output, len(pods) > 1, e.textOptions(live))
	var found exit.Outcome
	for _, w := range pods {
		r, err := e.explainWish(ctx, live, w, e.fixes || len(pods) == 1)
		if err != nil {
			return err
		}
		found.Note(r.Verdict, !placeable(r))
		found.Undecided = found.Undecided || undecided(r)
		if err := out.Write(r); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), found.Err())
}

// undecided reports whether it is unknown whether a manifest's pods, of which one fits a node,
// would all be created and scheduled.
func undecided(r *report.Report) bool {
	return r.Verdict == report.Schedulable && (placeable(r) && report.CreationUnknown(r.Unknown) != "" || r.Replicas != nil && r.Replicas.Fit == nil)
}

// placeable reports whether a manifest's pods would all be scheduled now.
func placeable(r *report.Report) bool {
	all := r.Replicas == nil || r.Replicas.Fit != nil && *r.Replicas.Fit >= r.Replicas.Wanted
	return r.Verdict == report.Scheduled && r.State != report.NoSuchNode || r.Verdict == report.Schedulable && all
}

// counted is the report with the number of pods of a workload that fit. If counting
// fails, the report is shown all the same.
func counted(ctx context.Context, live *source.Live, r *report.Report, pod *admittedPod, w *admission.UncreatedPod) (*report.Report, error) {
	if w.Set == nil && (w.Wants == nil || *w.Wants < 1) {
		return r, nil
	}
	told, asked := *r, r.Verdict == report.Schedulable || r.Verdict == report.Unschedulable
	var err error
	switch {
	case w.Set != nil && asked:
		told.Replicas, err = live.DaemonPods(ctx, w.Set, pod.Pod)
	case w.Set != nil:
		return r, nil
	case asked, r.Verdict == report.NotCreated:
		told.Replicas, err = live.Replicas(ctx, pod.Pod, *w.Wants, pod.Admittance)
	default: // it is pending for another reason
		told.Replicas = &report.Replicas{Wanted: *w.Wants}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		told.Replicas = &report.Replicas{Why: err.Error()}
		if w.Wants != nil {
			told.Replicas.Wanted = *w.Wants
		}
	}
	return &told, nil
}

// explainWish explains one pod that does not exist yet, with the fixes for it if
// they are wanted.
func (e *explainOptions) explainWish(ctx context.Context, live *source.Live, w filePod, fixes bool) (*report.Report, error) {
	w.Notes = append(w.Notes, takeRevision(ctx, live, &w.UncreatedPod)...)
	pod, err := admitted(ctx, live, "explain -f "+w.file, w.Pod)
	if err != nil {
		return nil, err
	}
	if w.WantsNone() {
		w.Notes = append(w.Notes, "no replicas are asked for: one pod from the template is explained")
	}
	w.Notes = append(w.Notes, w.WithNewClaims(pod.Pod)...)
	q := report.Query{Target: report.PodPlanned(pod.Pod, pod.Admittance), Parts: e.parts() | report.PreemptionPart}
	if fixes {
		q.Parts |= report.FixesPart
	}
	r, err := live.Ask(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("explain %s: %w", w.file, err)
	}
	r, err = counted(ctx, live, r, pod, &w.UncreatedPod)
	if err != nil {
		return nil, err
	}
	told := *r
	told.Scheduler.Caveats = append(append(pod.caveats, w.Notes...), r.Scheduler.Caveats...)
	return &told, nil
}
