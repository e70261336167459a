package demo

import (
	"context"
	"math/rand/v2"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Between two happenings there is time to look.
const (
	shortestCalm = 20 * time.Second
	longestCalm  = 40 * time.Second
)

// happening is something that goes on while one watches: steps with calm
// between them, of which the last leaves the cluster as it was.
type happening []func(context.Context) error

// happenings are all, each of which the others leave alone.
func (c *Cluster) happenings() []happening {
	return []happening{
		{c.rollOut("web", "api")},
		{c.scaleDeployment("search", "query", 3), c.scaleDeployment("search", "query", 2)},
		{c.silence("spot-b-01", true), c.silence("spot-b-01", false)},
		{c.compact, c.forgetCompact},
		{c.scaleLedger(1), c.scaleLedger(0)}, // preempts, and gives the room back
	}
}

// happen lets things happen until ctx ends: all of them, in an order by the
// seed, again and again. What cannot happen, as its objects were changed or
// deleted by who watches, is left out.
func (c *Cluster) happen(ctx context.Context, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	all := c.happenings()
	for {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, one := range all {
			for _, step := range one {
				select {
				case <-time.After(shortestCalm + time.Duration(random.Int64N(int64(longestCalm-shortestCalm)))):
				case <-ctx.Done():
					return
				}
				_ = step(ctx)
			}
		}
	}
}

// rollOut rolls a Deployment, as kubectl rollout restart does.
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

// scaleLedger is for a pod of a high priority to come, and to go again.
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

// compact runs a Job that ends.
func (c *Cluster) compact(ctx context.Context) error {
	w := &workload{kind: job, namespace: "data", name: "compact", cpu: "500m", memory: "512Mi", shape: onDisk("hdd")}
	_, err := c.client.BatchV1().Jobs(w.namespace).Create(ctx, jobOf(w, 3, 15*time.Second), metav1.CreateOptions{})
	return err
}

func (c *Cluster) forgetCompact(ctx context.Context) error {
	background := metav1.DeletePropagationBackground
	return c.client.BatchV1().Jobs("data").Delete(ctx, "compact", metav1.DeleteOptions{PropagationPolicy: &background})
}
