package cli

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/cli/session"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

func TestTheScreenDoesNotWaitForASlowServer(t *testing.T) {
	answers := make(chan struct{})
	config := troubled(t, func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-answers:
		case <-r.Context().Done():
		}
		return false
	})
	options := started(t, config)
	if options.Cluster != nil || options.Opening == nil || options.Context != "admin" || !strings.HasPrefix(options.Server, "https://127.0.0.1:") {
		t.Fatalf("the screen starts with %+v", options)
	}
	close(answers)
	cluster, err := options.Opening(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cluster.Close()
}

func TestAClusterThatIsNotWaitedForIsGivenUp(t *testing.T) {
	var begun, over sync.Once
	asked, ended := make(chan struct{}), make(chan struct{})
	config := troubled(t, func(_ http.ResponseWriter, r *http.Request) bool {
		begun.Do(func() { close(asked) })
		<-r.Context().Done()
		over.Do(func() { close(ended) })
		return true
	})
	options := started(t, config)
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if cluster, err := options.Opening(ctx); cluster != nil || err == nil {
		t.Errorf("it gives %v, %v", cluster, err)
	}
	<-ended // its connection
}

// started is what the dashboard starts with on a kubeconfig.
func started(t *testing.T, kubeconfig string) ui.Options {
	t.Helper()
	from := source.New(&terminal.Streams{ErrOut: io.Discard})
	*from.Flags.KubeConfig = kubeconfig
	clusters := &session.Kubeconfig{
		Source: from, Settings: &settings.Settings{}, Tuner: source.NewGCTuner(t.Context(), func(string) string { return "100" }),
	}
	var options ui.Options
	if err := clusters.Start(t.Context(), &options); err != nil {
		t.Fatal(err)
	}
	return options
}
