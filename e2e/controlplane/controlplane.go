// Package controlplane runs a real control plane on the loopback address: etcd,
// kube-apiserver and kube-scheduler, and where asked for kube-controller-manager
// and kwok, which plays the kubelets. The binaries are those of make control-plane.
package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Options say what to start.
type Options struct {
	Binaries        string        // the folder of the binaries
	Version         string        // an older minor version, "1.36", whose binaries are in a folder of that name in Binaries; "" without
	Data            string        // the folder for data and logs; "" is a temporary one that Stop removes
	Users           []string      // users besides the administrator; they have no rights until a role gives some
	Kwok            bool          // play the kubelets: bound pods run, deleted ones go
	TerminationTime time.Duration // with Kwok: how long pods take at most to end, by chance
	Controllers     bool          // run kube-controller-manager: workloads get pods, cordoned nodes their taint
	Only            []string      // with Controllers: run none but these of its controllers
	Audit           bool          // note every change that is asked for, for Writes
	AuditReads      bool          // with Audit: note everything else that is asked for too
	Profiles        []string      // names that the scheduler answers to beside default-scheduler; it holds no Lease
	Groups          bool          // serve PodGroups, and schedule them together
	Gates           string        // feature gates of kube-apiserver and kube-scheduler: "A=true,B=false"
	Backoff         int           // seconds that the scheduler waits at most before it tries a pod again; 0 is its default
}

// ControlPlane is a running control plane. Its methods are for one goroutine.
type ControlPlane struct {
	options   Options
	data      string
	temporary bool
	ports     ports
	tokens    map[string]string // user → token

	etcd, apiserver, scheduler, controllers, kwok *process
}

// ports that the components listen on.
type ports struct{ etcd, etcdPeer, apiserver, scheduler, controllers, kwok int }

// Start starts everything that o asks for and returns when all of it is healthy.
// After an error nothing is left behind.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	c := &ControlPlane{options: o}
	err := c.start(ctx)
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// start starts one component after the other.
func (c *ControlPlane) start(ctx context.Context) error {
	err := c.prepare()
	if err != nil {
		return err
	}
	steps := []func(context.Context) error{c.startEtcd, c.StartAPIServer, c.StartScheduler}
	if c.options.Controllers {
		steps = append(steps, c.StartControllers)
	}
	if c.options.Kwok {
		steps = append(steps, c.startKwok)
	}
	for _, step := range steps {
		err = step(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the folder of the data, and all files and ports.
func (c *ControlPlane) prepare() error {
	err := makeData(c)
	if err != nil {
		return err
	}
	free, err := freePorts(6)
	if err != nil {
		return err
	}
	c.ports = ports{free[0], free[1], free[2], free[3], free[4], free[5]}
	return errors.Join(c.writeKeys(), c.writeTokens(), c.writeAuditPolicy())
}

// makeData makes the folder of the data.
func makeData(c *ControlPlane) error {
	c.data = c.options.Data
	if c.data != "" {
		return os.MkdirAll(c.data, 0o700)
	}
	dir, err := os.MkdirTemp("", "fathom-control-plane-")
	if err != nil {
		return fmt.Errorf("make a folder for the control plane: %w", err)
	}
	c.data, c.temporary = dir, true
	return nil
}

// Stop ends every component, the API server's clients first, and removes the
// data if it was temporary.
func (c *ControlPlane) Stop() error {
	for _, p := range []*process{c.kwok, c.controllers, c.scheduler} {
		p.kill() // they hold no state
	}
	c.apiserver.kill() // waits up to a minute for watches if asked kindly
	c.etcd.stop()
	if !c.temporary {
		return nil
	}
	return os.RemoveAll(c.data)
}

// StartScheduler starts kube-scheduler, if it does not run.
func (c *ControlPlane) StartScheduler(ctx context.Context) error {
	if c.scheduler != nil {
		return nil
	}
	config, err := c.writeSchedulerConfig()
	if err != nil {
		return err
	}
	kubeconfig, err := c.Kubeconfig(Admin)
	if err != nil {
		return err
	}
	args := append(c.serving(kubeconfig, c.ports.scheduler), "--config", config)
	if gates := c.options.gates(); gates != "" {
		args = append(args, "--feature-gates", gates)
	}
	c.scheduler, err = startProcess("kube-scheduler", c.binary("kube-scheduler"), c.data, args...)
	if err != nil {
		return err
	}
	return c.scheduler.waitHealthy(ctx, unverified(), loopback("https", c.ports.scheduler, "/readyz"))
}

// StopScheduler ends kube-scheduler and returns when it has ended.
func (c *ControlPlane) StopScheduler() {
	c.scheduler.stop()
	c.scheduler = nil
}

// StopControllers ends kube-controller-manager and returns when it has ended.
func (c *ControlPlane) StopControllers() {
	c.controllers.stop()
	c.controllers = nil
}

// StartControllers starts kube-controller-manager, if it does not run.
func (c *ControlPlane) StartControllers(ctx context.Context) error {
	if c.controllers != nil {
		return nil
	}
	kubeconfig, err := c.Kubeconfig(Admin)
	if err != nil {
		return err
	}
	args := append(c.serving(kubeconfig, c.ports.controllers),
		"--kubeconfig", kubeconfig,
		"--leader-elect=false",
		"--service-account-private-key-file", c.path(keyFile),
		"--node-monitor-grace-period", "10h", // no kubelet sends heartbeats
		"--kube-api-qps", "2000", "--kube-api-burst", "4000",
	)
	if len(c.options.Only) > 0 {
		args = append(args, "--controllers", strings.Join(c.options.Only, ","))
	}
	const name = "kube-controller-manager"
	c.controllers, err = startProcess(name, c.binary(name), c.data, args...)
	if err != nil {
		return err
	}
	return c.controllers.waitHealthy(ctx, unverified(), loopback("https", c.ports.controllers, "/healthz"))
}

// startKwok starts kwok on every node.
func (c *ControlPlane) startKwok(ctx context.Context) error {
	stages, err := c.writeStages()
	if err != nil {
		return err
	}
	kubeconfig, err := c.Kubeconfig(Admin)
	if err != nil {
		return err
	}
	c.kwok, err = startProcess("kwok", c.binary("kwok"), c.data,
		"--kubeconfig", kubeconfig,
		"--manage-all-nodes=true",
		"--config", stages,
		"--server-address", fmt.Sprintf("127.0.0.1:%d", c.ports.kwok),
	)
	if err != nil {
		return err
	}
	return c.kwok.waitHealthy(ctx, http.DefaultClient, loopback("http", c.ports.kwok, "/healthz"))
}

// serving are the flags of a component that serves its health.
func (c *ControlPlane) serving(kubeconfig string, port int) []string {
	return []string{
		"--authentication-kubeconfig", kubeconfig,
		"--authorization-kubeconfig", kubeconfig,
		"--bind-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(port),
	}
}

// Client is a client of user, without a limit on its rate.
func (c *ControlPlane) Client(user string) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(c.Config(user))
}

// Config is how user connects.
func (c *ControlPlane) Config(user string) *rest.Config {
	return &rest.Config{
		Host:            c.URL(),
		BearerToken:     c.tokens[user],
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.path(certFile)},
		QPS:             -1,
		Timeout:         time.Minute,
		WarningHandler:  rest.NoWarnings{},
	}
}

// URL is where the API server listens.
func (c *ControlPlane) URL() string { return loopback("https", c.ports.apiserver, "") }

// path is a file of the data.
func (c *ControlPlane) path(name string) string { return filepath.Join(c.data, name) }

// binary is the path of a component: of an older version that is asked for, where it is Kubernetes'.
func (c *ControlPlane) binary(name string) string {
	if strings.HasPrefix(name, "kube-") {
		return filepath.Join(c.options.Binaries, c.options.Version, name)
	}
	return filepath.Join(c.options.Binaries, name)
}

// loopback is a URL on this machine.
func loopback(scheme string, port int, path string) string {
	return fmt.Sprintf("%s://127.0.0.1:%d%s", scheme, port, path)
}
