package cli

import (
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

var served = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`)

// scraped asks until a metric has a value.
func scraped(t *testing.T, run *running, want string) string {
	t.Helper()
	run.out.await(t, "/metrics\n")
	url := served.FindString(run.out.String())
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no connection outlives the test
	for {
		answer, err := client.Get(url + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if closed := answer.Body.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
		if strings.Contains(string(text), want) {
			return string(text)
		}
		select {
		case code := <-run.ended:
			t.Fatalf("it ended with %d:\n%s", code, run.words)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// startsAs is starts with a context of newAPI's kubeconfig.
func startsAs(t *testing.T, context string, args ...string) (*changingAPI, *running) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "kubeconfig")
	newAPI(t, config)
	return starts(t, append(args, "--kubeconfig", config, "--context", context)...)
}

func TestMetricsFollowTheCluster(t *testing.T) {
	objects, run := starts(t, "metrics", "--listen", "127.0.0.1:0")
	scraped(t, run, `fathom_blocked_pods{autoscaler="none",blocked_by="cpu",namespace="shop",plugin="NodeResourcesFit",verdict="Unschedulable"}`)
	text := scraped(t, run, "fathom_view_complete 1\n") // pods are explained before all is read
	for _, want := range []string{
		"fathom_connected 1\n", `fathom_nodes{ready="true"} 2`, `fathom_pending_pods{verdict="Gated"} 0`,
		"process_resident_memory_bytes", "go_goroutines",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "waits") || strings.Contains(text, "std-1") {
		t.Errorf("the name of a pod or a node is in\n%s", text)
	}
	objects.change("MODIFIED", "waits", gate)
	scraped(t, run, `fathom_pending_pods{verdict="Gated"} 1`)
	run.interrupt()
	run.ends(t, exit.Clear)
	if words := run.words.String(); words != "" {
		t.Errorf("says %q", words)
	}
}

func TestMetricsOfOneNamespaceAreNotTakenForAll(t *testing.T) {
	_, run := startsAs(t, "shop", "metrics", "--listen", "127.0.0.1:0", "-A")
	text := scraped(t, run, "fathom_blocked_pods{")
	if !strings.Contains(text, "fathom_view_complete 0\n") || strings.Contains(text, "fathom_pending_pods{") {
		t.Errorf("it takes a part for the whole:\n%s", text)
	}
	run.interrupt()
	run.ends(t, exit.Clear)
}

func TestMetricsOfAWrongCommandLine(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--listen 127.0.0.1", "fathom: metrics: --listen 127.0.0.1: missing port in address; choose a free address such as 127.0.0.1:9500\n"},
		{"--max-namespaces -1", "fathom: metrics: --max-namespaces -1: it cannot be negative\n"},
		{"-l =", "fathom: invalid selector"},
		{"shop", "fathom: metrics takes no names: -n and -l select pods"},
		{"--scheduler-config none.yaml", "fathom: "},
	} {
		_, stderr, code := runs(t.Context(), t, append([]string{"metrics"}, strings.Fields(c.args)...)...)
		if code != exit.Usage || !strings.HasPrefix(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d: %s", c.args, code, stderr)
		}
	}
}

func TestMetricsOfAClusterThatDoesNotAnswerEnds(t *testing.T) {
	_, run := startsAs(t, "away", "metrics", "--listen", "127.0.0.1:0")
	run.ends(t, exit.Unknown)
	if words := run.words.String(); !strings.Contains(words, "127.0.0.1:1") {
		t.Errorf("says %q", words)
	}
	if out := run.out.String(); out != "" {
		t.Errorf("it serves nothing, and says %q", out)
	}
}
