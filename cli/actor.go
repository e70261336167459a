package cli

import (
	"path/filepath"

	"github.com/adrg/xdg"

	"github.com/kubectl-fathom/kubectl-fathom/kube/act"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
)

// actor is what changes a cluster that is open.
func (a *app) actor(client *client.Client, state act.State, settings settings) *act.Actor {
	return act.New(act.Options{
		State:           state,
		Context:         client.Context(),
		User:            client.User(),
		Reader:          client.Reader(),
		Trier:           client.Trier(),
		Writer:          client.Writer(),
		ReadOnly:        a.readOnly,
		ReadOnlyContext: settings.ReadOnly.because(client.Context()) != "",
		Log:             act.NewLog(filepath.Join(xdg.StateHome, "fathom", "activity.jsonl")),
	})
}
