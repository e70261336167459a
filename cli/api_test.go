package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/yaml"
)

// listKinds are the resources that the API server of these tests has.
var listKinds = map[string]string{
	"nodes": "Node", "pods": "Pod", "namespaces": "Namespace", "persistentvolumes": "PersistentVolume",
	"persistentvolumeclaims": "PersistentVolumeClaim", "services": "Service", "replicationcontrollers": "ReplicationController",
	"replicasets": "ReplicaSet", "statefulsets": "StatefulSet", "storageclasses": "StorageClass", "csinodes": "CSINode",
	"csidrivers": "CSIDriver", "csistoragecapacities": "CSIStorageCapacity", "volumeattachments": "VolumeAttachment",
	"poddisruptionbudgets": "PodDisruptionBudget", "resourceclaims": "ResourceClaim", "resourceslices": "ResourceSlice",
	"deviceclasses": "DeviceClass", "devicetaintrules": "DeviceTaintRule", "limitranges": "LimitRange",
	"deployments": "Deployment", "daemonsets": "DaemonSet", "jobs": "Job", "resourcequotas": "ResourceQuota", "priorityclasses": "PriorityClass", "runtimeclasses": "RuntimeClass", "events": "Event", "leases": "Lease",
}

// api is an API server of a few objects, enough to be read by. Its users are
// told apart by their tokens: admin may do everything, minimal what
// docs/clusterrole.yaml grants, shop may read namespace shop only, eventless all
// but events, and nobody may do nothing.
type api struct {
	mu      sync.Mutex // guards nodes and pods
	nodes   []corev1.Node
	pods    []corev1.Pod
	refused []appsv1.ReplicaSet
	quotas  []corev1.ResourceQuota
	minimal []rbacv1.PolicyRule
}

// newAPI starts the API server and writes its kubeconfig.
func newAPI(t testing.TB, kubeconfig string) {
	t.Helper()
	serve(t, kubeconfig, newObjects(t))
}

// serve starts the API server of these objects and writes its kubeconfig.
func serve(t testing.TB, kubeconfig string, objects *api) {
	t.Helper()
	server := httptest.NewUnstartedServer(objects)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients go when they know enough
	server.EnableHTTP2 = true                           // as API servers do: one connection for all requests
	server.StartTLS()                                   // tokens are sent over TLS only
	t.Cleanup(server.Close)
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: admin\nclusters:\n- name: test\n  cluster: {server: %q, insecure-skip-tls-verify: true}\n"+
		"- name: away\n  cluster: {server: \"https://127.0.0.1:1\"}\nusers:\n", server.URL)
	contexts := "contexts:\n- name: away\n  context: {cluster: away, user: admin}\n"
	for _, user := range []string{"admin", "minimal", "shop", "eventless", "nobody"} {
		text += fmt.Sprintf("- name: %[1]s\n  user: {token: %[1]s}\n", user)
		namespace := ""
		if user == "shop" {
			namespace = ", namespace: shop"
		}
		contexts += fmt.Sprintf("- name: %[1]s\n  context: {cluster: test, user: %[1]s%[2]s}\n", user, namespace)
	}
	if err := os.WriteFile(kubeconfig, []byte(text+contexts), 0o600); err != nil {
		t.Fatal(err)
	}
}

// newObjects makes two nodes, one tainted, and pods that run, wait and do not start.
func newObjects(t testing.TB) *api {
	t.Helper()
	text, err := os.ReadFile("../docs/clusterrole.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(text, &role); err != nil {
		t.Fatal(err)
	}
	a := &api{minimal: role.Rules}
	for i, name := range []string{"std-1", "gpu-1"} {
		room := corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
		}
		n := corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), ResourceVersion: "1", Labels: map[string]string{corev1.LabelHostname: name}},
			Status: corev1.NodeStatus{
				Allocatable: room, Capacity: room,
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		}
		if i == 1 {
			n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
		}
		a.nodes = append(a.nodes, n)
	}
	a.pods = []corev1.Pod{
		podOf("shop", "runs", "1", "std-1", corev1.PodRunning),
		podOf("shop", "waits", "8", "", corev1.PodPending),
		podOf("shop", "fits", "1", "", corev1.PodPending),
		podOf("batch", "starts", "1", "std-1", corev1.PodPending),
		podOf("batch", "twin", "1", "std-1", corev1.PodRunning),
		podOf("shop", "twin", "1", "std-1", corev1.PodRunning),
	}
	a.pods = append(a.pods, ofSet(podOf("data", "db-0", "100", "", corev1.PodPending)))
	a.refuse()
	return a
}

// ofSet is the pod of a StatefulSet db.
func ofSet(p corev1.Pod) corev1.Pod {
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "db", UID: "db", Controller: new(true)}}
	return p
}

// refuse adds a ReplicaSet of two pods that a quota keeps from being created.
func (a *api) refuse() {
	pod := podOf("team-a", "api-6c9", "1", "", "")
	pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = "6c9"
	set := appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "api-6c9", UID: "rs"}}
	set.Spec.Replicas = new(int32(2))
	set.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec}
	set.Status.Conditions = []appsv1.ReplicaSetCondition{{
		Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: "exceeded quota: compute",
		LastTransitionTime: metav1.NewTime(time.Now().Add(-9 * time.Minute)),
	}}
	quota := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "compute"}}
	quota.Status.Hard = corev1.ResourceList{"requests.cpu": resource.MustParse("20")}
	quota.Status.Used = corev1.ResourceList{"requests.cpu": resource.MustParse("19500m")}
	a.refused, a.quotas = []appsv1.ReplicaSet{set}, []corev1.ResourceQuota{quota}
}

// podOf makes a pod in a phase.
func podOf(namespace, name, cpu, node string, phase corev1.PodPhase) corev1.Pod {
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + "-" + name), Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{
			NodeName: node, SchedulerName: corev1.DefaultSchedulerName,
			Containers: []corev1.Container{{Name: "app", Image: "app:1", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
			}}},
		},
		Status: corev1.PodStatus{Phase: phase, QOSClass: corev1.PodQOSBurstable},
	}
	if phase == corev1.PodRunning {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "app", Ready: true, Started: new(true),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}
	}
	return p
}

// ServeHTTP answers as an API server does.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if a.object(w, r, user) {
		return
	}
	switch namespace, name := splitPath(r.URL.Path); {
	case r.URL.Path == "/version":
		answer(w, http.StatusOK, version.Info{Major: "1", Minor: "37", GitVersion: "v1.37.1"})
	case r.URL.Path == "/readyz":
		_, _ = fmt.Fprint(w, "ok")
	case name == "selfsubjectaccessreviews":
		a.review(w, r, user)
	case name == "selfsubjectreviews":
		answer(w, http.StatusCreated, authenticationv1.SelfSubjectReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "authentication.k8s.io/v1", Kind: "SelfSubjectReview"},
			Status:   authenticationv1.SelfSubjectReviewStatus{UserInfo: authenticationv1.UserInfo{Username: "dev:" + user}},
		})
	case r.Method == http.MethodPost && name == "pods":
		tryPod(w, r, user)
	case listKinds[name] == "":
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	case !a.may(user, verbOf(r), groupOf(r.URL.Path), name, namespace):
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden,
			fmt.Sprintf("%s is forbidden: User %q cannot list resource %q", name, user, name))
	case r.URL.Query().Get("watch") != "":
		watch(w, r)
	default:
		a.list(w, r, namespace, name)
	}
}

// splitPath takes a collection's path apart.
func splitPath(url string) (namespace, name string) {
	if before, after, ok := strings.Cut(url, "/namespaces/"); ok && before != "" {
		namespace, name, _ = strings.Cut(after, "/")
		return namespace, name
	}
	return "", path.Base(url)
}

// may is the API server's RBAC.
func (a *api) may(user, verb, group, name, namespace string) bool {
	switch user {
	case "admin":
		return true
	case "minimal":
		return slices.ContainsFunc(a.minimal, func(rule rbacv1.PolicyRule) bool {
			return slices.Contains(rule.Verbs, verb) && slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, name)
		})
	case "eventless":
		return name != "events"
	case "shop":
		return verb != "create" && namespace == "shop" && (name == "pods" || name == "events")
	default:
		return false
	}
}

// list answers a list.
func (a *api) list(w http.ResponseWriter, r *http.Request, namespace, name string) {
	items := []any{}
	switch name {
	case "nodes":
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, n := range a.nodes {
			items = append(items, n)
		}
	case "pods":
		node, ofNode := strings.CutPrefix(r.URL.Query().Get("fieldSelector"), "spec.nodeName=")
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, p := range a.pods {
			if (namespace == "" || namespace == p.Namespace) && (!ofNode || p.Spec.NodeName == node) {
				items = append(items, p)
			}
		}
	case "replicasets":
		for _, set := range a.refused {
			items = append(items, set)
		}
	case "resourcequotas":
		for _, quota := range a.quotas {
			if namespace == "" || namespace == quota.Namespace {
				items = append(items, quota)
			}
		}
	case "namespaces":
		for _, name := range []string{"team-a", "shop", "batch", "data", metav1.NamespaceDefault} {
			items = append(items, corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
	}
	answer(w, http.StatusOK, map[string]any{
		"kind": listKinds[name] + "List", "apiVersion": groupVersion(r.URL.Path),
		"metadata": map[string]string{"resourceVersion": "1"}, "items": items,
	})
}

// verbOf is what a reading request does.
func verbOf(r *http.Request) string {
	if r.URL.Query().Get("watch") != "" {
		return "watch"
	}
	return "list"
}

// groupOf is the API group that a path belongs to; "" is core.
func groupOf(url string) string {
	group, _, versioned := strings.Cut(groupVersion(url), "/")
	if !versioned {
		return ""
	}
	return group
}

// groupVersion is the API that a path belongs to.
func groupVersion(url string) string {
	parts := strings.Split(strings.TrimPrefix(url, "/"), "/")
	if parts[0] == "api" {
		return parts[1]
	}
	return parts[1] + "/" + parts[2]
}

// watch says nothing until the client goes; it cannot stream lists.
func watch(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("sendInitialEvents") != "" {
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "sendInitialEvents is forbidden for watch")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(w).Flush(); err == nil {
		<-r.Context().Done()
	}
}

// review answers what a user may do.
func (a *api) review(w http.ResponseWriter, r *http.Request, user string) {
	var asked authorizationv1.SelfSubjectAccessReview
	if err := decode(r, &asked); err != nil {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
		return
	}
	of := asked.Spec.ResourceAttributes
	asked.Status.Allowed = a.may(user, of.Verb, of.Group, strings.TrimSuffix(of.Resource+"/"+of.Subresource, "/"), of.Namespace)
	asked.TypeMeta = metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview"}
	answer(w, http.StatusCreated, asked)
}

// tryPod answers a dry run; it gives every pod a priority, and wants an image. A policy rejects
// privileged pods.
func tryPod(w http.ResponseWriter, r *http.Request, user string) {
	var pod corev1.Pod
	err := decode(r, &pod)
	switch {
	case !slices.Equal(r.URL.Query()["dryRun"], []string{"All"}):
		refuse(w, http.StatusTeapot, metav1.StatusReasonInternalError, "a write was sent")
	case user != "admin":
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, fmt.Sprintf(`pods is forbidden: User %q cannot create resource "pods"`, user))
	case err != nil:
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
	case pod.Labels["tier"] == "privileged":
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, `pods "x-" is forbidden: ValidatingAdmissionPolicy 'tiers' denied request: no privileged tier`)
	case pod.Labels["tier"] == "invalid":
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, `pods "x-" is forbidden: ValidatingAdmissionPolicy 'tiers' denied request: no such tier`)
	case pod.Labels["tier"] == "webhook":
		refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, `failed calling webhook "tiers.example.com"`)
	case path.Base(path.Dir(r.URL.Path)) == "nope":
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, `namespaces "nope" not found`)
	case pod.Spec.Containers[0].Image == "":
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, `Pod "x" is invalid: spec.containers[0].image: Required value`)
	default:
		pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		pod.Name, pod.UID = pod.GenerateName+"abcde", "tried"
		pod.Spec.Priority, pod.Spec.SchedulerName = new(int32(77)), corev1.DefaultSchedulerName
		answer(w, http.StatusCreated, pod)
	}
}

// refuse answers with a Status.
func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	answer(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}

// answer writes JSON.
func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
