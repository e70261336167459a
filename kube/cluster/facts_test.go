package cluster

import (
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestWhatFixesNeedOfAWorkloadIsReadByName(t *testing.T) {
	rolling := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "web"}, Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(10)), Paused: true,
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
			MaxSurge: new(intstr.FromString("25%")), MaxUnavailable: new(intstr.FromString("25%")),
		}},
	}}
	recreated := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db", UID: "db"}, Spec: appsv1.DeploymentSpec{
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
	}}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "nightly-1", UID: "job", OwnerReferences: []metav1.OwnerReference{{
		APIVersion: "batch/v1", Kind: "CronJob", Name: "nightly", Controller: new(true),
	}}}}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "apps", Resource: "deployments"}, "web", errors.New("no"))
	for name, c := range map[string]struct {
		of      model.Ref
		failing error
		want    command.Facts
	}{
		"a rolling update":   {model.Ref{Resource: "deployments", Namespace: "shop", Name: "web", UID: "web"}, nil, command.Facts{UID: "web", Paused: true, Replicas: 10, MaxSurge: 3, MaxUnavailable: 2, Unavailable: "25%"}},
		"a recreation":       {model.Ref{Resource: "deployments", Namespace: "shop", Name: "db", UID: "db"}, nil, command.Facts{UID: "db", Recreate: true, Replicas: 1}},
		"another of a name":  {model.Ref{Resource: "deployments", Namespace: "shop", Name: "db", UID: "old"}, nil, command.Facts{UID: "old", Gone: true}},
		"none of a name":     {model.Ref{Resource: "deployments", Namespace: "shop", Name: "api", UID: "api"}, nil, command.Facts{UID: "api", Gone: true}},
		"a Job of a CronJob": {model.Ref{Resource: "jobs", Namespace: "shop", Name: "nightly-1", UID: "job"}, nil, command.Facts{UID: "job", CronJob: "nightly"}},
		"not allowed":        {model.Ref{Resource: "deployments", Namespace: "shop", Name: "web", UID: "web"}, forbidden, command.Facts{UID: "web", Unread: "not allowed to get deployments"}},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(rolling, recreated, job)
			if c.failing != nil {
				client.PrependReactor("get", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, c.failing })
			}
			reader := NewCachedReader(CachedReaderOptions{Client: client})
			if got := factsOf(t.Context(), reader, c.of); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
