package demo

import (
	"context"
	"math/rand/v2"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The pause between two steps of changes, so that each can be watched.
const (
	shortestPause = 20 * time.Second
	longestPause  = 40 * time.Second
)

// churn is a sequence of steps with pauses between them. The last one restores the
// state before the first.
type churn []func(context.Context) error

// changes are all changes. No two of them change the same objects.
func (c *Cluster) changes() []churn {
	return []churn{
		{c.rollOut("web", "api")},
		{c.scaleDeployment("search", "query", 3), c.scaleDeployment("search", "query", 2)},
		{c.silence("spot-b-01", true), c.silence("spot-b-01", false)},
		{c.compact, c.forgetCompact},
		{c.scaleLedger(1), c.scaleLedger(0)}, // preempts, and frees the capacity again
	}
}

// runChurn runs all changes repeatedly until ctx ends, in an order that depends on the
// seed. A step that fails, because the user changed or deleted its objects, is skipped.
func (c *Cluster) runChurn(ctx context.Context, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	all := c.changes()
	for {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, one := range all {
			for _, step := range one {
				select {
				case <-time.After(shortestPause + time.Duration(random.Int64N(int64(longestPause-shortestPause)))):
				case <-ctx.Done():
					return
				}
				_ = step(ctx)
			}
		}
	}
}

// rollOut restarts a Deployment, as kubectl rollout restart does.
func (c *Cluster) rollOut(namespace, name string) func(context.Context) error {
	return func(ctx context.Context) error {
		patch := `{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"` + time.Now().Format(time.RFC3339) + `"}}}}}`
		_, err := c.client.AppsV1().Deployments(namespace).Patch(ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	}
}

func (c *Cluster) scaleDeployment(namespace, name string, to int32) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.client.AppsV1().Deployments(namespace).UpdateScale(ctx, name, scale(namespace, name, to), metav1.UpdateOptions{})
		return err
	}
}

// scaleLedger creates a pod of high priority, or deletes it.
func (c *Cluster) scaleLedger(to int32) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.client.AppsV1().StatefulSets("payments").UpdateScale(ctx, "ledger", scale("payments", "ledger", to), metav1.UpdateOptions{})
		return err
	}
}

func scale(namespace, name string, to int32) *autoscalingv1.Scale {
	return &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: autoscalingv1.ScaleSpec{Replicas: to}}
}

func (c *Cluster) silence(node string, on bool) func(context.Context) error {
	return func(context.Context) error {
		c.Silence(node, on)
		return nil
	}
}

// compact runs a Job that completes.
func (c *Cluster) compact(ctx context.Context) error {
	w := &workload{kind: job, namespace: "data", name: "compact", cpu: "500m", memory: "512Mi", shape: onDisk("hdd")}
	_, err := c.client.BatchV1().Jobs(w.namespace).Create(ctx, jobOf(w, 3, 15*time.Second), metav1.CreateOptions{})
	return err
}

func (c *Cluster) forgetCompact(ctx context.Context) error {
	background := metav1.DeletePropagationBackground
	return c.client.BatchV1().Jobs("data").Delete(ctx, "compact", metav1.DeleteOptions{PropagationPolicy: &background})
}
