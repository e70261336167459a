package client

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

const (
	// metricsTime is how long kube-apiserver has for its metrics, and metricsSize how many bytes of
	// them are read: without an answer in time the defaults of its version are taken.
	metricsTime = 2 * time.Second
	metricsSize = 32 << 20
)

// schedulerPods selects kube-scheduler's mirror pods as kubeadm makes them
// (cmd/kubeadm/app/phases/controlplane).
const schedulerPods = "component=kube-scheduler"

// featureGates finds the feature gates of the cluster, and remembers what was found.
type featureGates struct {
	client kubernetes.Interface
	once   sync.Once
	found  *scheduler.Gates
}

// find looks once for the gates: on kube-scheduler's command line, else in kube-apiserver's metrics;
// nil where neither may be read. That is two requests at most in the life of a connection.
func (g *featureGates) find(ctx context.Context) *scheduler.Gates {
	g.once.Do(func() {
		if g.found = g.ofScheduler(ctx); g.found == nil {
			g.found = g.ofServer(ctx)
		}
	})
	return g.found
}

// ofScheduler reads the command line of one kube-scheduler. That there is none, or that it may not be
// read, says nothing.
func (g *featureGates) ofScheduler(ctx context.Context) *scheduler.Gates {
	list, err := g.client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: schedulerPods, Limit: 1})
	if err != nil {
		return nil
	}
	for i := range list.Items {
		if found := gatesOfPod(&list.Items[i]); found != nil {
			return found
		}
	}
	return nil
}

// gatesOfPod are the gates that a kube-scheduler was started with; nil where the pod has none.
func gatesOfPod(pod *corev1.Pod) *scheduler.Gates {
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		line := append(append([]string{}, c.Command...), c.Args...)
		if len(line) > 0 && (path.Base(line[0]) == "kube-scheduler" || len(c.Command) == 0 && c.Name == "kube-scheduler") {
			return gatesOfLine(line)
		}
	}
	return nil
}

// gatesOfLine reads --feature-gates and --emulated-version, of which the last one counts for each gate.
// Gates and versions of other components than Kubernetes, which are named before a colon or an equals
// sign (k8s.io/component-base/compatibility), are left out.
func gatesOfLine(line []string) *scheduler.Gates {
	g := &scheduler.Gates{Source: scheduler.CommandLine, Set: map[string]bool{}}
	for i, word := range line {
		flag, value, joined := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !strings.HasPrefix(word, "-") {
			continue
		}
		if !joined && i+1 < len(line) {
			value = line[i+1]
		}
		for one := range strings.SplitSeq(value, ",") {
			switch flag {
			case "feature-gates":
				name, on, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(one), "kube:"), "=")
				if enabled, err := strconv.ParseBool(strings.TrimSpace(on)); err == nil && !strings.Contains(name, ":") {
					g.Set[strings.TrimSpace(name)] = enabled
				}
			case "emulated-version":
				if version := strings.TrimPrefix(strings.TrimSpace(one), "kube="); !strings.Contains(version, "=") {
					g.Emulated = version
				}
			}
		}
	}
	return g
}

// ofServer reads kubernetes_feature_enabled of kube-apiserver's metrics; nil where it may not be read,
// did not come in time, or has no gates.
func (g *featureGates) ofServer(ctx context.Context) *scheduler.Gates {
	rest := g.client.Discovery().RESTClient()
	if rest == nil { // of a fake
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, metricsTime)
	defer cancel()
	body, err := rest.Get().AbsPath("/metrics").SetHeader("Accept", "text/plain").MaxRetries(0).Stream(ctx)
	if err != nil {
		return nil
	}
	set, err := enabledFeatures(io.LimitReader(body, metricsSize))
	if closed := body.Close(); err != nil || closed != nil || len(set) == 0 {
		return nil
	}
	return &scheduler.Gates{Source: scheduler.Metrics, Set: set}
}

// featureMetric is a line of kubernetes_feature_enabled.
var featureMetric = regexp.MustCompile(`^kubernetes_feature_enabled\{.*\bname="([^"]+)".*\} ([01])$`)

// enabledFeatures are the gates of metrics in the text format, whose metrics are sorted by name: what
// comes after the gates is not read. Its error says that they ended before.
func enabledFeatures(metrics io.Reader) (map[string]bool, error) {
	set, lines := map[string]bool{}, bufio.NewScanner(metrics)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if found := featureMetric.FindStringSubmatch(line); found != nil {
			set[found[1]] = found[2] == "1"
		} else if len(set) > 0 && !strings.HasPrefix(line, "#") {
			return set, nil
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	return set, nil
}
