package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
)

// serverPatience is how long version waits for the API server.
const serverPatience = 3 * time.Second

// versions is what version says, as JSON.
type versions struct {
	Fathom     string `json:"fathom"`
	Kubernetes string `json:"kubernetes"` // the scheduler's plugins in this program
	Server     string `json:"server"`     // "" if it did not answer
	Go         string `json:"go"`
	Platform   string `json:"platform"`

	silent string // why there is no version of a server
}

// newVersion makes the version command.
func newVersion(a *app) *cobra.Command {
	var form string
	cmd := &cobra.Command{
		Use:               "version",
		Short:             "Print the versions of fathom, its plugins and the API server",
		Long:              "Print the versions of fathom, its plugins and the API server.",
		Example:           help.Examples(a.Name, "version", "version -o json", "version --context staging"),
		Args:              suggest.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := output.Check(form, "text", "json"); err != nil {
				return err
			}
			return printVersions(a.Out, versionsOf(cmd.Context(), a.source), form)
		},
	}
	output.AddFlag(cmd, &form, "text", "json")
	return cmd
}

// versionsOf asks everyone for a version.
func versionsOf(ctx context.Context, from *source.Options) versions {
	server, silent := serverVersion(ctx, from)
	return versions{
		Fathom:     build.Version(),
		Kubernetes: build.Dependency("k8s.io/kubernetes"),
		Server:     server,
		Go:         runtime.Version(),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
		silent:     silent,
	}
}

// printVersions writes v in the form asked for.
func printVersions(out io.Writer, v versions, form string) error {
	if form == "json" {
		return output.JSON(out, v)
	}
	_, err := fmt.Fprintf(out, "fathom      %s (%s, %s)\nplugins     %s (kube-scheduler's)\nAPI server  %s\n",
		v.Fathom, v.Go, v.Platform, v.Kubernetes, terminal.OneLine(cmp.Or(v.Server, v.silent)))
	return err
}

// serverVersion is the API server's version, or why there is none.
func serverVersion(ctx context.Context, from *source.Options) (version, silent string) {
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	connected, err := from.Connect(ctx, "", nil)
	if err != nil {
		return "", unanswered(err)
	}
	defer connected.Close()
	return connected.Version(), "no answer"
}

// unanswered says why no server gave its version: one that no kubeconfig names was not
// asked.
func unanswered(err error) string {
	switch text := err.Error(); {
	case errors.Is(err, client.ErrNoConfig) && strings.HasPrefix(text, client.ErrNoConfig.Error()+":"):
		return "not asked: " + client.ErrNoConfig.Error() // text says how one is named, too
	case errors.Is(err, client.ErrNoConfig), errors.Is(err, client.ErrNoContext), errors.Is(err, client.ErrFlag):
		return "not asked: " + text
	}
	return "no answer"
}
