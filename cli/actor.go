package cli

import (
	"path/filepath"

	"github.com/adrg/xdg"

	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/act"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
)

// actor is what changes a cluster that is open.
func (a *app) actor(client *client.Client, state act.State, settings settings.Settings) *act.Actor {
	return act.New(act.Options{
		State:           state,
		Context:         client.Context(),
		User:            client.User(),
		Reader:          client.Reader(),
		Trier:           client.Trier(),
		Writer:          client.Writer(),
		ReadOnly:        a.readOnly,
		ReadOnlyContext: settings.ReadOnly.Because(client.Context()) != "",
		Log:             act.NewLog(filepath.Join(xdg.StateHome, "fathom", "activity.jsonl")),
	})
}

// idlePatterns says which patterns of the configuration file match no context of the
// kubeconfig; nil where each does.
func (a *app) idlePatterns(settings *settings.Settings, opened string) error {
	all, err := client.Contexts(a.flags)
	if err != nil {
		return nil // it was read before
	}
	return settings.Idle(all, opened)
}

// sayIdle says it on standard error.
func (a *app) sayIdle(settings *settings.Settings, client *client.Client) {
	if err := a.idlePatterns(settings, client.Context()); err != nil {
		terminal.Say(a.stderr, a.name, err)
	}
}
