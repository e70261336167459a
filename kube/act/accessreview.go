package act

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// rightsAge is how long an answer about a right holds. Roles are seldom changed,
// and a right that was lost meanwhile is noticed when it is used.
const rightsAge = time.Minute

// accessReviews are the rights that were asked about.
type accessReviews struct {
	options *Options

	mu    sync.Mutex
	known map[model.Right]answer
}

type answer struct {
	model.Permission
	at time.Time
}

// Rights says for each right whether the user has it, by asking the API server
// about those that it has not answered within the last minute.
func (a *Actor) Rights(ctx context.Context, rights []model.Right) (map[model.Right]model.Permission, error) {
	found, open := a.access.look(rights, a.Clock.Now())
	var mu sync.Mutex
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(atOnce)
	for _, right := range open {
		asking.Go(func() error {
			defer utilruntime.HandleCrash()
			permission, err := a.access.ask(ctx, right)
			if err != nil {
				return err
			}
			a.access.keep(right, permission, a.Clock.Now())
			mu.Lock()
			defer mu.Unlock()
			found[right] = permission
			return nil
		})
	}
	return found, asking.Wait()
}

// look finds what is known, and which rights have to be asked about, each once.
func (k *accessReviews) look(rights []model.Right, now time.Time) (found map[model.Right]model.Permission, open []model.Right) {
	found = make(map[model.Right]model.Permission, len(rights))
	asked := map[model.Right]bool{}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, right := range rights {
		known, ok := k.known[right]
		switch {
		case ok && now.Sub(known.at) < rightsAge:
			found[right] = known.Permission
		case !asked[right]:
			asked[right] = true
			open = append(open, right)
		}
	}
	return found, open
}

// keep notes an answer.
func (k *accessReviews) keep(right model.Right, permission model.Permission, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[model.Right]answer{}
	}
	k.known[right] = answer{permission, now}
}

// ask asks the API server about one right.
func (k *accessReviews) ask(ctx context.Context, right model.Right) (model.Permission, error) {
	resource, sub, _ := strings.Cut(right.Resource, "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: right.Verb, Group: right.Group, Resource: resource, Subresource: sub, Namespace: right.Namespace,
		},
	}}
	said, err := k.options.Reader.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return model.Permission{}, fmt.Errorf("check permission to %s %s: %w", right.Verb, right.Resource, err)
	}
	why := cmp.Or(said.Status.EvaluationError, said.Status.Reason)
	return model.Permission{Allowed: said.Status.Allowed, Why: model.Clean(why)}, nil
}
