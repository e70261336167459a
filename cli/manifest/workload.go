package manifest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // registers the versions, their defaults and conversions
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
)

// strategy is what kube-apiserver does with an object before it stores a new one.
type strategy interface {
	PrepareForCreate(ctx context.Context, object runtime.Object)
	Validate(ctx context.Context, object runtime.Object) field.ErrorList
}

// strategies are kube-apiserver's own, by the kind of the workload.
var strategies = map[string]strategy{
	"DaemonSet": daemonset.Strategy, "Deployment": deployment.Strategy, "ReplicaSet": replicaset.Strategy,
	"StatefulSet": statefulset.Strategy, "CronJob": cronjob.Strategy, "Job": job.Strategy,
	"ReplicationController": replicationcontroller.Strategy,
}

// validateWorkload rejects a workload that the API server would call invalid. Its pod is left
// to Validate, or to the API server's dry run.
func validateWorkload(object runtime.Object) error {
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil || strategies[kinds[0].Kind] == nil {
		return nil //nolint:nilerr // it is no workload
	}
	rules, filled := strategies[kinds[0].Kind], object.DeepCopyObject()
	legacyscheme.Scheme.Default(filled)
	internal, err := legacyscheme.Scheme.ConvertToVersion(filled, schema.GroupVersion{Group: kinds[0].Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return err
	}
	metadata, err := meta.Accessor(internal)
	if err != nil {
		return err
	}
	metadata.SetNamespace(metav1.NamespaceDefault)
	if metadata.GetUID() == "" { // the API server makes both up before it validates
		metadata.SetUID("00000000-0000-0000-0000-000000000000")
	}
	if metadata.GetName() == "" && metadata.GetGenerateName() != "" {
		metadata.SetName(names.SimpleNameGenerator.GenerateName(metadata.GetGenerateName()))
	}
	ctx := genericapirequest.WithNamespace(context.Background(), metav1.NamespaceDefault)
	rules.PrepareForCreate(ctx, internal)
	if errs := slices.DeleteFunc(rules.Validate(ctx, internal), ofPod); len(errs) > 0 {
		name := metadata.GetName()
		if metadata.GetGenerateName() != "" {
			name = metadata.GetGenerateName()
		}
		return fmt.Errorf("%s %s: %w", kinds[0].Kind, name, errs.ToAggregate())
	}
	return nil
}

// ofPod reports whether an error is about the pod itself, whatever its workload is.
func ofPod(err *field.Error) bool {
	_, at, ok := strings.Cut(err.Field, "template.spec.")
	return ok && at != "restartPolicy" && at != "activeDeadlineSeconds"
}
