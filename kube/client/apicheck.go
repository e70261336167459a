package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// notAnAPI says that an answer is none that a Kubernetes API server gives to that
// request: read as one it would be a cluster without objects, or a change that was made.
type notAnAPI struct {
	answer string // what it is: "a web page"
	object bool   // it is an object, but not of the kind that was asked for
}

func (n *notAnAPI) Error() string {
	return "the server answered with " + n.answer + ": it is not a Kubernetes API server, or a proxy answered for it"
}

var (
	errNotAnAPI   = &notAnAPI{answer: "an object without kind and resourceVersion", object: true}
	errWebPage    = &notAnAPI{answer: "a web page"} // a proxy asks to log in
	errNoContent  = &notAnAPI{answer: "an empty answer"}
	errUnreadable = &notAnAPI{answer: "something that cannot be decoded"}
	errRedirects  = &notAnAPI{answer: "redirects only"}
)

func isNotAnAPI(err error) bool { return errors.As(err, new(*notAnAPI)) }

// isOtherObject says that an answer is an object, but not of the kind that was asked for.
func isOtherObject(err error) bool {
	var not *notAnAPI
	return errors.As(err, &not) && not.object
}

// smallAnswer is how much of an answer is looked at. An API server says the kind at
// the beginning, and a list that is longer than that has objects.
const smallAnswer = 4 << 10

// mostRedirects is how many redirects net/http follows.
const mostRedirects = 9

// checked refuses answers that no API server gives: client-go takes the kind that it
// expects where there is none, keeps an object as it was where the kind is another one,
// and does not read the answers to evictions and deletions. prefix is what the address
// of the server has before the paths of the API.
func checked(prefix string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(r)
			if err != nil {
				return nil, redirectFailed(r, err)
			}
			if err := checkAnswer(prefix, r, response); err != nil {
				_ = response.Body.Close() // nobody reads it
				return nil, err
			}
			return response, nil
		})
	}
}

// checkAnswer looks at the beginning of an answer.
func checkAnswer(prefix string, r *http.Request, response *http.Response) error {
	asked, redirects := origin(r)
	if redirects >= mostRedirects && response.Header.Get("Location") != "" {
		return errRedirects
	}
	want, ok := expectedOf(asked, prefix)
	if !ok || response.StatusCode < http.StatusOK || response.StatusCode > http.StatusPartialContent {
		return nil
	}
	is := mediaType(response)
	switch {
	case is == "text/html":
		return errWebPage
	case asked.URL.Query().Get("watch") != "": // which has no end to wait for
		return nil
	case is == runtime.ContentTypeCBOR && !want.undecoded: // client-go asks for it where the user says so
		return nil
	}
	if err := checkEncoding(response.StatusCode, is); err != nil {
		return err
	}
	start, whole, err := peek(response)
	switch {
	case err != nil:
		return nil // whoever reads it gets the error
	case whole && len(bytes.TrimSpace(start)) == 0:
		return errNoContent
	}
	return want.check(headOf(start, whole))
}

// checkEncoding rejects an answer without an object, and one that is encoded as no object is.
func checkEncoding(status int, mediaType string) error {
	switch {
	case status == http.StatusNoContent:
		return errNoContent
	case mediaType != "" && mediaType != runtime.ContentTypeJSON && mediaType != runtime.ContentTypeProtobuf:
		return &notAnAPI{answer: "an answer of type " + mediaType}
	}
	return nil
}

// peek reads the beginning of an answer, which is read again after that.
func peek(response *http.Response) (start []byte, whole bool, err error) {
	rest := response.Body
	start, err = io.ReadAll(io.LimitReader(rest, smallAnswer))
	from := io.MultiReader(bytes.NewReader(start), rest)
	if err != nil {
		from = io.MultiReader(bytes.NewReader(start), failing{err})
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{from, rest}
	return start, len(start) < smallAnswer, err
}

// origin is the request that redirects led away from, and how many there were.
func origin(r *http.Request) (first *http.Request, redirects int) {
	for r.Response != nil && r.Response.Request != nil {
		r = r.Response.Request
		redirects++
	}
	return r, redirects
}

// redirected is an error of a server that another one redirected to.
type redirected struct {
	to    string
	cause error
}

func (r *redirected) Error() string { return fmt.Sprintf("redirected to %s: %v", r.to, r.cause) }

func (r *redirected) Unwrap() error { return r.cause }

// redirectFailed says of an error whether another server gave it.
func redirectFailed(r *http.Request, err error) error {
	if r.Response == nil {
		return err
	}
	return &redirected{to: r.URL.Host, cause: err}
}

// mediaType is what an answer says it is; "" if that is not understood.
func mediaType(response *http.Response) string {
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
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

// expected is what an API server answers to a request with.
type expected struct {
	kind      string // of the object or list; "" is any
	name      string // of the object; "" is any
	list      bool   // some list, where its kind is not known
	result    bool   // a Status of success, also where another kind is expected
	undecoded bool   // client-go does not decode the answer: what is broken is not noticed there
}

// check compares the beginning of an answer with what is expected.
func (e expected) check(h head) error {
	switch {
	case !h.valid && !h.other && !e.undecoded:
		return nil // what is broken fails where it is decoded
	case !h.valid:
		return errUnreadable
	case h.kind == "" && !h.whole && !e.undecoded:
		return nil // it comes later
	case h.kind == "":
		return errNotAnAPI
	case h.kind == "Status":
		return e.checkStatus(h)
	}
	return e.checkObject(h)
}

// checkObject is check of an object or a list.
func (e expected) checkObject(h head) error {
	switch {
	case e.kind != "" && h.kind != e.kind:
		return e.otherKind(h.kind)
	case e.list && !strings.HasSuffix(h.kind, "List") && h.whole && !h.items && h.version == "":
		return e.otherKind(h.kind) // a custom resource may name its list as it likes
	case e.name != "" && h.name != e.name && (h.name != "" || h.whole):
		return &notAnAPI{answer: "another " + e.kind + " than was asked for", object: true}
	}
	return nil
}

// checkStatus is check of a Status. client-go makes an error of one that says no success,
// where it decodes the answer.
func (e expected) checkStatus(h head) error {
	success := h.status == "Success"
	switch {
	case e.result && success, !e.undecoded && !success:
		return nil
	case e.result:
		return &notAnAPI{answer: "a Status without success", object: true}
	}
	return e.otherKind(h.kind)
}

// otherKind words a kind that is not the expected one.
func (e expected) otherKind(kind string) error {
	answer := "another kind"
	if isKind(kind) {
		answer = "kind " + kind
	}
	switch {
	case e.kind != "":
		answer += " instead of " + e.kind
	case e.list:
		answer += " instead of a list"
	default:
		answer += " instead of an object"
	}
	return &notAnAPI{answer: answer, object: true}
}

// isKind says that a word of an answer can be shown as a kind.
func isKind(word string) bool {
	return len(word) < 64 && strings.IndexFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) < 0
}
