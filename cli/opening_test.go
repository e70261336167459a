package cli

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"

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
	a := &app{flags: genericclioptions.NewConfigFlags(true), stderr: io.Discard}
	*a.flags.KubeConfig = config
	s := &session{app: a, thrift: newThrift(func(string) string { return "100" })}
	var options ui.Options
	if err := s.open(t.Context(), &options); err != nil {
		t.Fatal(err)
	}
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
	config := troubled(t, func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	})
	a := &app{flags: genericclioptions.NewConfigFlags(true), stderr: io.Discard}
	*a.flags.KubeConfig = config
	s := &session{app: a, thrift: newThrift(func(string) string { return "100" })}
	o := s.begin(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if cluster, err := o.wait(ctx); cluster != nil || err == nil {
		t.Errorf("it gives %v, %v", cluster, err)
	}
	<-o.done // its connection ends
}
