package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// errNotAnAPI says that an answer is none of a Kubernetes API server: read as
// one it would be a cluster without objects.
var errNotAnAPI = errors.New("the answer has no kind and resourceVersion: the server is not a Kubernetes API server, or a proxy answered for it")

func isNotAnAPI(err error) bool { return errors.Is(err, errNotAnAPI) }

// smallAnswer is how much of an answer is looked at. A list that is longer than
// that has objects, whatever it says it is.
const smallAnswer = 4 << 10

// kindsOnly refuses small JSON answers without a kind to reads of objects.
// client-go takes the kind that it expects where there is none.
func kindsOnly(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(r)
		if err != nil || !readsObjects(r) || response.StatusCode != http.StatusOK {
			return response, err
		}
		switch is := mediaType(response); {
		case is == "text/html": // a proxy asks to log in
			_ = response.Body.Close() // nobody reads it
			return nil, errNotAnAPI
		case is != "application/json", r.URL.Query().Get("watch") != "": // which has no end to wait for
			return response, nil
		}
		start, err := io.ReadAll(io.LimitReader(response.Body, smallAnswer))
		if err == nil && len(start) < smallAnswer && !hasKind(start) {
			_ = response.Body.Close() // it is done with
			return nil, errNotAnAPI
		}
		rest := response.Body
		from := io.MultiReader(bytes.NewReader(start), rest)
		if err != nil {
			from = io.MultiReader(bytes.NewReader(start), failing{err})
		}
		response.Body = struct {
			io.Reader
			io.Closer
		}{from, rest}
		return response, nil
	})
}

// readsObjects says that a kind is expected: paths of the API, but no log.
func readsObjects(r *http.Request) bool {
	return r.Method == http.MethodGet &&
		(strings.Contains(r.URL.Path, "/api/") || strings.Contains(r.URL.Path, "/apis/")) && !strings.HasSuffix(r.URL.Path, "/log")
}

// mediaType is what an answer says it is; "" if that is not understood.
func mediaType(response *http.Response) string {
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

func hasKind(text []byte) bool {
	var of struct {
		Kind string `json:"kind"`
	}
	return json.Unmarshal(text, &of) != nil || of.Kind != "" // what is broken fails where it is decoded
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// checkList rejects a list without a resource version, which no API server
// sends: nothing could be watched from there.
func checkList(list runtime.Object) error {
	m, err := meta.ListAccessor(list)
	if err != nil || m.GetResourceVersion() == "" {
		return errNotAnAPI
	}
	return nil
}
