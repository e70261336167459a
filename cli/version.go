package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
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
}

// newVersion makes the version command.
func newVersion(a *app) *cobra.Command {
	var form string
	cmd := &cobra.Command{
		Use:               "version",
		Short:             "Print the versions of fathom, its plugins and the API server",
		Long:              "Print the versions of fathom, its plugins and the API server.",
		Example:           examplesOf(a.Name, "version", "version -o json", "version --context staging"),
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
	return versions{
		Fathom:     build.Version(),
		Kubernetes: build.Dependency("k8s.io/kubernetes"),
		Server:     serverVersion(ctx, from),
		Go:         runtime.Version(),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// printVersions writes v in the form asked for.
func printVersions(out io.Writer, v versions, form string) error {
	if form == "json" {
		return output.JSON(out, v)
	}
	server := v.Server
	if server == "" {
		server = "no answer"
	}
	_, err := fmt.Fprintf(out, "fathom      %s (%s, %s)\nplugins     %s (kube-scheduler's)\nAPI server  %s\n",
		v.Fathom, v.Go, v.Platform, v.Kubernetes, terminal.OneLine(server))
	return err
}

// serverVersion is the API server's version, "" if it gives none in time.
func serverVersion(ctx context.Context, from *source.Options) string {
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	client, err := from.Connect(ctx, "", nil)
	if err != nil {
		return ""
	}
	defer client.Close()
	return client.Version()
}
