package client

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// builtInKinds are the kinds of the resources that Kubernetes itself has. Of a custom
// resource or an aggregated API the kind is not known here.
var builtInKinds = sync.OnceValue(func() map[schema.GroupVersionResource]string {
	kinds := map[schema.GroupVersionResource]string{}
	for kind := range scheme.Scheme.AllKnownTypes() {
		if kind.Version != runtime.APIVersionInternal {
			resource, _ := meta.UnsafeGuessKindToResource(kind)
			kinds[resource] = kind.Kind
		}
	}
	return kinds
})

// noObjects are the subresources that are streams of bytes.
var noObjects = []string{"log", "proxy", "exec", "attach", "portforward"}

// expectedOf is what an API server answers to a request with. It is false outside of
// the paths of the API, and for what is not an object.
func expectedOf(r *http.Request, prefix string) (expected, bool) {
	under, ok := strings.CutPrefix(r.URL.Path, prefix)
	of, isAPI := apiPathOf(under)
	switch {
	case !ok, !isAPI, r.Method == http.MethodHead, slices.Contains(noObjects, of.subresource):
		return expected{}, false
	case of.resource.Resource == "", strings.Contains(r.Header.Get("Accept"), ";as="): // discovery, or a table
		return expected{}, true
	}
	kind := builtInKinds()[of.resource]
	name := of.name
	if kind == "" {
		name = "" // an aggregated API may have aliases
	}
	switch {
	case of.subresource == "eviction" && r.Method == http.MethodPost:
		return expected{kind: "Status", result: true, undecoded: true}, true
	case of.subresource == "scale":
		return expected{kind: "Scale", name: name}, true
	case of.subresource != "":
		return expected{}, true
	case r.Method == http.MethodDelete:
		return expected{kind: kind, name: name, result: true, undecoded: true}, true
	case r.Method == http.MethodGet && of.name == "" && kind != "":
		return expected{kind: kind + "List"}, true
	case r.Method == http.MethodGet && of.name == "":
		return expected{list: true}, true
	}
	return expected{kind: kind, name: name}, true
}

// pathPrefix is what the address of the server has before the paths of the API. An address
// that cannot be read is said where a client is made of it.
func pathPrefix(config *rest.Config) string {
	address, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path.Join("/", address.Path), "/")
}

// apiPath is what a path of the API names.
type apiPath struct {
	resource    schema.GroupVersionResource // without a resource: what an API version has
	name        string                      // "": the collection
	subresource string
}

// apiPathOf takes a path of the API apart. It is false for any other path.
func apiPathOf(text string) (apiPath, bool) {
	var of apiPath
	parts := strings.Split(strings.Trim(text, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 1:
		of.resource.Version, parts = parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) > 2:
		of.resource.Group, of.resource.Version, parts = parts[1], parts[2], parts[3:]
	case parts[0] == "apis" && len(parts) == 2:
		return of, true
	default:
		return of, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" && parts[2] != "status" && parts[2] != "finalize" {
		parts = parts[2:]
	}
	for i, to := range []*string{&of.resource.Resource, &of.name, &of.subresource} {
		if i < len(parts) {
			*to = parts[i]
		}
	}
	return of, true
}
