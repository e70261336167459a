// Command scale measures the dashboard on a large cluster that is drawn at random:
// against a bare informer of nodes and pods beside it, and against other programs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/bigfleet"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

// growing are the sizes that -growth measures, each with ten pods a node.
var growing = []int{100, 1000, 5000}

const (
	podsANode = 10
	mostSeed  = 1 << 16
)

// options say what is measured, and how.
type options struct {
	size       bigfleet.Size
	seed       uint64
	binary     string
	peers      string
	kubeconfig string
	serve      bool
	growth     bool
	bare       bool
	loads      int
	keys       int
	rate       int
}

func main() {
	o := options{}
	flag.IntVar(&o.size.Nodes, "nodes", 5000, "nodes")
	flag.IntVar(&o.size.Pods, "pods", 50000, "bound pods")
	flag.IntVar(&o.size.Pending, "pending", 200, "pods without a node")
	flag.Uint64Var(&o.seed, "seed", 0, "what the cluster is drawn from; 0: another one each time")
	flag.StringVar(&o.binary, "binary", "", "the kubectl-fathom to measure")
	flag.StringVar(&o.peers, "peers", "", `other programs to measure: "k9s=PATH"`)
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "measure on this cluster, in place of one that is started")
	flag.BoolVar(&o.serve, "serve", false, "measure nothing: keep the cluster until ctrl-c")
	flag.BoolVar(&o.growth, "growth", false, "measure 100, 1,000 and 5,000 nodes")
	flag.BoolVar(&o.bare, "bare", false, "be the bare informer: list and watch, print what that took, end")
	flag.IntVar(&o.loads, "loads", 3, "how often loading is measured; the median is told")
	flag.IntVar(&o.keys, "keys", 200, "how many keys are measured, and a fifth as many openings of Why")
	flag.IntVar(&o.rate, "rate", 200, "changes of pods a second")
	flag.Parse()
	explain.Silence() // a request that is given up at the end of a measurement logs
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := run(ctx, o)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		stop()
		os.Exit(1)
	}
}

// run does what the options say.
func run(ctx context.Context, o options) error {
	if o.bare {
		return runBare(ctx, o.kubeconfig)
	}
	if o.seed == 0 {
		o.seed = 1 + rand.Uint64N(mostSeed)
	}
	if o.kubeconfig != "" {
		f, err := measure(ctx, o, o.kubeconfig)
		if err != nil {
			return err
		}
		fmt.Print(table([]*figures{f}))
		return nil
	}
	if !o.growth {
		return onCluster(ctx, o)
	}
	var all []*figures
	for _, nodes := range growing {
		one := o
		one.size = bigfleet.Size{Nodes: nodes, Pods: podsANode * nodes, Pending: o.size.Pending}
		f, err := fillAndMeasure(ctx, one)
		if err != nil {
			return err
		}
		all = append(all, f)
	}
	fmt.Print(table(all))
	return nil
}

// onCluster fills one cluster, and measures on it or keeps it.
func onCluster(ctx context.Context, o options) error {
	if o.serve {
		return withCluster(ctx, o, func(kubeconfig string) error {
			fmt.Printf("It is at:\n\n  go run . --kubeconfig %s\n\nctrl-c stops it and removes its data.\n", kubeconfig)
			<-ctx.Done()
			return nil
		})
	}
	f, err := fillAndMeasure(ctx, o)
	if err != nil {
		return err
	}
	fmt.Print(table([]*figures{f}))
	return nil
}

// fillAndMeasure fills a cluster, measures and takes it down.
func fillAndMeasure(ctx context.Context, o options) (f *figures, err error) {
	err = withCluster(ctx, o, func(kubeconfig string) error {
		f, err = measure(ctx, o, kubeconfig)
		return err
	})
	return f, err
}

// withCluster starts a control plane, fills it with the cluster of the seed, and
// stops it after use.
func withCluster(ctx context.Context, o options, use func(kubeconfig string) error) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	plane, err := controlplane.Start(ctx, controlplane.Options{Binaries: filepath.Dir(binary)})
	if err != nil {
		return err
	}
	return errors.Join(fill(ctx, plane, o, use), plane.Stop())
}

// fill fills the cluster and uses it.
func fill(ctx context.Context, plane *controlplane.ControlPlane, o options, use func(kubeconfig string) error) error {
	fleet := bigfleet.New(o.seed, o.size)
	fmt.Printf("Seed %d: %s\n", o.seed, fleet)
	told := time.Time{}
	err := fleet.Fill(ctx, plane, func(done, of int) {
		if time.Since(told) > time.Second {
			say("%d of %d objects", done, of)
			told = time.Now()
		}
	})
	if err != nil {
		return err
	}
	say("")
	kubeconfig, err := plane.Kubeconfig(controlplane.Admin)
	if err != nil {
		return err
	}
	return use(kubeconfig)
}

// say writes one line of progress over the last.
func say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(os.Stderr, "\r%s\r%s", strings.Repeat(" ", 60), text)
}
