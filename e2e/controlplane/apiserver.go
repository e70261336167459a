package controlplane

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// StartAPIServer starts kube-apiserver, if it does not run.
func (c *ControlPlane) StartAPIServer(ctx context.Context) error {
	if c.apiserver != nil {
		return nil
	}
	var err error
	c.apiserver, err = startProcess("kube-apiserver", c.binary("kube-apiserver"), c.data, c.apiserverFlags()...)
	if err != nil {
		return err
	}
	// The certificate is made while it starts, so it cannot be verified yet.
	client := unverified()
	client.Transport = bearer{c.tokens[Admin], client.Transport}
	return c.apiserver.waitHealthy(ctx, client, c.URL()+"/readyz")
}

// apiserverFlags are the flags of kube-apiserver.
func (c *ControlPlane) apiserverFlags() []string {
	disabled := "ServiceAccount"
	if !c.options.Controllers || len(c.options.Only) > 0 {
		disabled += ",TaintNodesByCondition" // nobody would take the taint away
	}
	flags := []string{
		"--etcd-servers", loopback("http", c.ports.etcd, ""),
		"--bind-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(c.ports.apiserver),
		"--cert-dir", c.path("certificates"),
		"--endpoint-reconciler-type", "none", // the default refuses a loopback address
		"--service-cluster-ip-range", "10.96.0.0/16",
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", c.path(keyFile),
		"--service-account-signing-key-file", c.path(keyFile),
		"--token-auth-file", c.path(tokenFile),
		"--authorization-mode", "RBAC",
		"--disable-admission-plugins", disabled,
	}
	if c.options.Audit {
		flags = append(flags, "--audit-policy-file", c.path(auditPolicyFile), "--audit-log-path", c.path(auditFile))
	}
	if c.options.Groups {
		flags = append(flags, "--runtime-config", "scheduling.k8s.io/v1beta1=true")
	}
	if gates := c.options.gates(); gates != "" {
		flags = append(flags, "--feature-gates", gates)
	}
	return flags
}

// gates are the feature gates that are set.
func (o *Options) gates() string {
	if !o.Groups {
		return o.Gates
	}
	return strings.TrimSuffix("GenericWorkload=true,"+o.Gates, ",")
}

// StopAPIServer kills kube-apiserver as a crash would: connections break.
func (c *ControlPlane) StopAPIServer() {
	c.apiserver.kill()
	c.apiserver = nil
}

// RestartAPIServer kills kube-apiserver and starts it again at the same address.
func (c *ControlPlane) RestartAPIServer(ctx context.Context) error {
	c.StopAPIServer()
	return c.StartAPIServer(ctx)
}

// unverified is a client for the health of a component whose certificate is its own.
func unverified() *http.Client {
	return &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}, //nolint:gosec // loopback, health only
	}
}

// bearer adds a token to each request.
type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(request)
}

// FreezeAPIServer keeps kube-apiserver from answering, without breaking
// connections, or lets it go on.
func (c *ControlPlane) FreezeAPIServer(on bool) error {
	signal := syscall.SIGCONT
	if on {
		signal = syscall.SIGSTOP
	}
	return c.apiserver.cmd.Process.Signal(signal)
}
