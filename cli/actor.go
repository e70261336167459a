package cli

import (
	"context"
	"path/filepath"

	"github.com/adrg/xdg"

	"github.com/kubectl-fathom/kubectl-fathom/act"
	"github.com/kubectl-fathom/kubectl-fathom/kube"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// actor is what changes a cluster that is open.
func (a *app) actor(client *kube.Client, state act.State, settings settings) *act.Actor {
	return act.New(act.Options{
		State:           state,
		Context:         client.Context(),
		User:            client.User(),
		Reader:          client.Reader(),
		Trier:           client.Trier(),
		Writer:          client.Writer(),
		ReadOnly:        a.readOnly,
		ReadOnlyContext: model.MatchContext(settings.ReadOnly, client.Context()),
		Log:             act.NewLog(filepath.Join(xdg.StateHome, "fathom", "activity.jsonl")),
	})
}

// changer is an actor whose plans end no pods: it has no jobs.
type changer struct{ *act.Actor }

// Jobs implements ui.Actor.
func (changer) Jobs() []*model.Progress { return nil }

// NextJobs implements ui.Actor.
func (changer) NextJobs(ctx context.Context, _ int) ([]*model.Progress, int, error) {
	<-ctx.Done()
	return nil, 0, ctx.Err()
}

// Pause implements ui.Actor.
func (changer) Pause(int, bool) {}

// Stop implements ui.Actor.
func (changer) Stop(int) {}
