// Command churn changes bound pods of a cluster at a steady rate, for the figures of
// docs/performance.md, until ctrl-c. It only sets a label of its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig of the cluster")
	rate := flag.Int("rate", 200, "changes a second")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, *kubeconfig, *rate)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "churn:", err)
		stop()
		os.Exit(1)
	}
}

// run labels one pod after the other.
func run(ctx context.Context, kubeconfig string, rate int) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName!=", Limit: 5000})
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	if len(pods.Items) == 0 {
		return fmt.Errorf("there are no pods")
	}
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		pod := pods.Items[n*37%len(pods.Items)]
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"churn":"%d"}}}`, n)
		_, err := client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("change pod %s: %w", pod.Name, err)
		}
	}
}
