package controlplane

import (
	"context"
	"net/http"
	"syscall"
)

// startEtcd starts etcd without fsync: its data need not outlive the machine.
func (c *ControlPlane) startEtcd(ctx context.Context) error {
	client, peer := loopback("http", c.ports.etcd, ""), loopback("http", c.ports.etcdPeer, "")
	var err error
	c.etcd, err = startProcess("etcd", c.binary("etcd"), c.data,
		"--data-dir", c.path("etcd"),
		"--unsafe-no-fsync",
		"--quota-backend-bytes", "8589934592",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", "default="+peer,
		"--log-level", "warn",
	)
	if err != nil {
		return err
	}
	return c.etcd.waitHealthy(ctx, http.DefaultClient, client+"/health")
}

// FreezeEtcd keeps etcd from answering, without breaking connections, or lets it go on.
func (c *ControlPlane) FreezeEtcd(on bool) error {
	signal := syscall.SIGCONT
	if on {
		signal = syscall.SIGSTOP
	}
	return c.etcd.cmd.Process.Signal(signal)
}

// StopEtcd kills etcd as a crash would; its data stay.
func (c *ControlPlane) StopEtcd() {
	c.etcd.kill()
	c.etcd = nil
}

// StartEtcd starts etcd, if it does not run.
func (c *ControlPlane) StartEtcd(ctx context.Context) error {
	if c.etcd != nil {
		return nil
	}
	return c.startEtcd(ctx)
}
