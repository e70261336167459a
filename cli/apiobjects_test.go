package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// oneNode and onePod are the paths of objects; that of a pod may be its eviction's.
var (
	oneNode = regexp.MustCompile(`^/api/v1/nodes/([^/]+)$`)
	onePod  = regexp.MustCompile(`^/api/v1/namespaces/([^/]+)/pods/([^/]+)(/eviction)?$`)
)

// object answers what is about one object, and reports whether it was.
func (a *api) object(w http.ResponseWriter, r *http.Request, user string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if path := oneNode.FindStringSubmatch(r.URL.Path); path != nil {
		a.node(w, r, user, path[1])
		return true
	}
	if path := onePod.FindStringSubmatch(r.URL.Path); path != nil {
		a.pod(w, r, user, path[1], path[2])
		return true
	}
	return false
}

// node answers what is about one node.
func (a *api) node(w http.ResponseWriter, r *http.Request, user, name string) {
	at := slices.IndexFunc(a.nodes, func(n corev1.Node) bool { return n.Name == name })
	verb := map[string]string{http.MethodGet: "get", http.MethodPatch: "patch"}[r.Method]
	switch {
	case !a.may(user, verb, "", "nodes", ""):
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden,
			fmt.Sprintf(`nodes %q is forbidden: User %q cannot %s resource "nodes"`, name, user, verb))
	case at < 0:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("nodes %q not found", name))
	case verb == "patch":
		a.patch(w, r, &a.nodes[at])
	default:
		answerNode(w, a.nodes[at])
	}
}

// pod answers what is about one pod. One that is evicted is gone at once, but that
// of the name starts: its budget refuses.
func (a *api) pod(w http.ResponseWriter, r *http.Request, user, namespace, name string) {
	at := slices.IndexFunc(a.pods, func(p corev1.Pod) bool { return p.Namespace == namespace && p.Name == name })
	switch {
	case user != "admin":
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, fmt.Sprintf(`pods %q is forbidden: User %q`, name, user))
	case at < 0:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("pods %q not found", name))
	case r.Method == http.MethodGet:
		pod := a.pods[at]
		pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		answer(w, http.StatusOK, pod)
	case name == "starts":
		refuse(w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget.")
	default:
		if r.URL.Query().Get("dryRun") == "" && !dryEviction(r) {
			a.pods = slices.Delete(a.pods, at, at+1)
		}
		answer(w, http.StatusCreated, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess})
	}
}

// dryEviction reports whether the eviction itself says that it is a dry run.
func dryEviction(r *http.Request) bool {
	var eviction policyv1.Eviction
	err := decode(r, &eviction)
	return err != nil || eviction.DeleteOptions != nil && len(eviction.DeleteOptions.DryRun) > 0
}

// patch changes a node by a merge patch, unless it is a dry run or the node is
// another by now. A taint whose key is "refused" is.
func (a *api) patch(w http.ResponseWriter, r *http.Request, node *corev1.Node) {
	patched, err := merged(r.Body, *node)
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
	case patched.ResourceVersion != node.ResourceVersion:
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified; please apply your changes to the latest version")
	case slices.ContainsFunc(patched.Spec.Taints, func(t corev1.Taint) bool { return t.Key == "refused" }):
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, `admission webhook "taints.example.com" denied the request: not this one`)
	case r.URL.Query().Get("dryRun") == "All":
		answerNode(w, patched)
	default:
		version, _ := strconv.Atoi(node.ResourceVersion)
		patched.ResourceVersion = strconv.Itoa(version + 1)
		*node = patched
		answerNode(w, patched)
	}
}

// merged is the node with a merge patch.
func merged(body io.Reader, node corev1.Node) (patched corev1.Node, err error) {
	patch, err := io.ReadAll(body)
	if err != nil {
		return patched, err
	}
	was, err := json.Marshal(node)
	if err != nil {
		return patched, err
	}
	var fields, changes map[string]any
	if err := json.Unmarshal(was, &fields); err != nil {
		return patched, err
	}
	if err := json.Unmarshal(patch, &changes); err != nil {
		return patched, err
	}
	is, err := json.Marshal(mergedFields(fields, changes))
	if err != nil {
		return patched, err
	}
	return patched, json.Unmarshal(is, &patched)
}

// mergedFields are JSON values with a merge patch (RFC 7386).
func mergedFields(fields, changes map[string]any) map[string]any {
	if fields == nil {
		fields = map[string]any{}
	}
	for key, to := range changes {
		inner, isObject := to.(map[string]any)
		switch {
		case to == nil:
			delete(fields, key)
		case isObject:
			was, _ := fields[key].(map[string]any)
			fields[key] = mergedFields(was, inner)
		default:
			fields[key] = to
		}
	}
	return fields
}

func answerNode(w http.ResponseWriter, node corev1.Node) {
	node.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}
	answer(w, http.StatusOK, node)
}
