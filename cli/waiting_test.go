package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

// troubled starts the API server of these tests with something that answers in
// its place, if it wants to, and gives the path of a kubeconfig for it.
func troubled(t *testing.T, instead func(http.ResponseWriter, *http.Request) bool) string {
	t.Helper()
	objects := newObjects(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !instead(w, r) {
			objects.ServeHTTP(w, r)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	file := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: admin\nclusters:\n- name: test\n"+
		"  cluster: {server: %q, insecure-skip-tls-verify: true}\nusers:\n- name: admin\n  user: {token: admin}\n"+
		"contexts:\n- name: admin\n  context: {cluster: test, user: admin}\n", server.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// runs runs a command line to its end.
func runs(ctx context.Context, t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var out, words bytes.Buffer
	code = Run(ctx, append([]string{"fathom"}, args...), strings.NewReader(""), &out, &words)
	return out.String(), words.String(), code
}

// listsNodes tells the lists and watches of nodes from the question whether they are allowed.
func listsNodes(r *http.Request) bool {
	return r.URL.Path == "/api/v1/nodes" && r.URL.Query().Get("limit") != "1"
}

func tooManyRequests(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
}

func TestTooManyRequestsAreSaidAndEndAtTheRequestTimeout(t *testing.T) {
	for name, of := range map[string]func(*http.Request) bool{
		"of a list": listsNodes,
		"of all":    func(*http.Request) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			config := troubled(t, func(w http.ResponseWriter, r *http.Request) bool {
				if of(r) {
					tooManyRequests(w)
				}
				return of(r)
			})
			stdout, stderr, code := runs(t.Context(), t, "get", "nodes", "--kubeconfig", config, "--request-timeout", "4s")
			want := "fathom: waiting for the API server: too many requests\n" +
				"fathom: read cluster: too many requests for 4s: wait longer with --request-timeout\n"
			if code != exit.Unknown || stderr != want || stdout != "" {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}

func TestWaitingForTooManyRequestsEndsWithCtrlC(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	config := troubled(t, func(w http.ResponseWriter, r *http.Request) bool {
		if listsNodes(r) {
			tooManyRequests(w)
			time.AfterFunc(10*time.Millisecond, cancel)
		}
		return listsNodes(r)
	})
	_, stderr, code := runs(ctx, t, "get", "nodes", "--kubeconfig", config)
	if code != exit.Unknown || !strings.HasSuffix(stderr, "fathom: interrupted\n") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

func TestTooManyRequestsThatPassAreWaitedFor(t *testing.T) {
	var asked atomic.Int32
	config := troubled(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !listsNodes(r) || asked.Add(1) > 3 {
			return false
		}
		tooManyRequests(w)
		return true
	})
	stdout, stderr, code := runs(t.Context(), t, "get", "nodes", "--kubeconfig", config)
	if code != exit.Clear || !strings.Contains(stdout, "std-1") || stderr != "fathom: waiting for the API server: too many requests\n" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// What the server rejects ends a command at once, in one line; what may pass is waited for, and said.
func TestARejectedListEndsACommandAndOneThatFailsIsSaid(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		times  int32 // that it is answered so
		code   int
		stderr string
	}{
		"a bad request": {
			http.StatusBadRequest, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest","code":400,"message":"no such list"}`, 1000, exit.Unknown,
			"rejects the request: no such list: check the address, and the proxy in front of it if there is one\n",
		},
		"no object at all": {http.StatusOK, `[]`, 1000, exit.Unknown, "answered with something that cannot be decoded: it is not a Kubernetes API server, or a proxy answers for it"},
		"trouble that lasts a while": {
			http.StatusInternalServerError, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":500,"message":"boo"}`, 6, exit.Clear,
			"fathom: waiting for the API server: boo\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			config := troubled(t, func(w http.ResponseWriter, r *http.Request) bool {
				if !listsNodes(r) || asked.Load() >= test.times {
					return false
				}
				if r.URL.Query().Get("watch") != "" { // no list is streamed
					refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "no streams")
					return true
				}
				asked.Add(1)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
				return true
			})
			stdout, stderr, code := runs(t.Context(), t, "get", "nodes", "--kubeconfig", config)
			if code != test.code || !strings.Contains(stderr, test.stderr) || strings.Count(stderr, "\n") != 1 || (stdout == "") != (code != exit.Clear) {
				t.Errorf("exit code %d after %d lists\n%s%s", code, asked.Load(), stdout, stderr)
			}
			if code == exit.Unknown && asked.Load() > 20 {
				t.Errorf("it lists %d times before it gives up", asked.Load())
			}
		})
	}
}

func TestAnEmptyAnswerIsSaidInOneLineAndIsNoEmptyCluster(t *testing.T) {
	for name, resource := range map[string]string{"pods": "/api/v1/pods", "everything": ""} {
		t.Run(name, func(t *testing.T) {
			config := troubled(t, func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, resource) {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, "{}")
				return true
			})
			stdout, stderr, code := runs(t.Context(), t, "get", "pending", "--kubeconfig", config)
			if code != exit.Unknown || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "without kind and resourceVersion") {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}

func TestAnAnswerThatIsNoVersionIsNoNetworkTrouble(t *testing.T) {
	for name, answer := range map[string]struct{ kind, text string }{
		"a page to log in":           {"text/html; charset=utf-8", "<!doctype html><title>Log in</title>"},
		"a page that says it's JSON": {"application/json", "<html></html>"},
		"a list":                     {"application/json", "[]"},
		"a word":                     {"application/json", `"ok"`},
		"nothing":                    {"application/json", ""},
		"nothing of no kind":         {"", ""},
		"JSON that is cut off":       {"application/json", `{"major":"1",`},
		"a redirect to a page":       {"", "/login"},
	} {
		t.Run(name, func(t *testing.T) {
			config := troubled(t, func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case r.URL.Path == "/login":
					w.Header().Set("Content-Type", "text/html")
					_, _ = io.WriteString(w, "<html></html>")
				case r.URL.Path != "/version":
					return false
				case answer.text == "/login":
					http.Redirect(w, r, "/login", http.StatusFound)
				default:
					w.Header().Set("Content-Type", answer.kind)
					_, _ = io.WriteString(w, answer.text)
				}
				return true
			})
			for _, command := range []string{"get nodes", "explain --all"} {
				stdout, stderr, code := runs(t.Context(), t, append(strings.Fields(command), "--kubeconfig", config)...)
				if code != exit.Unknown || stdout != "" || strings.Count(stderr, "\n") != 1 ||
					!strings.Contains(stderr, "answered with an object without kind and resourceVersion") || !strings.Contains(stderr, "log in to the proxy") ||
					strings.Contains(stderr, "network") || strings.Contains(stderr, "does not answer") {
					t.Errorf("%s: exit code %d\n%s%s", command, code, stdout, stderr)
				}
			}
		})
	}
}
