package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/terminal"
)

// peer is another program on the same cluster.
type peer struct {
	name          string
	loaded        float64 // seconds until the count of all pods is on its screen; 0: never
	peak, settled uint64
	idle, churned float64
}

// arguments are those with which known programs show the pods of all namespaces.
var arguments = map[string][]string{
	"k9s": {"--all-namespaces", "--command", "pods", "--readonly", "--logLevel", "error"},
}

// measurePeers measures each program of PEERS.
func (f *figures) measurePeers(ctx context.Context, o options, client kubernetes.Interface, kubeconfig string) error {
	for given := range strings.FieldsSeq(strings.ReplaceAll(o.peers, ",", " ")) {
		name, path, ok := strings.Cut(given, "=")
		if !ok {
			return fmt.Errorf("read -peers: %q is not NAME=PATH", given)
		}
		say("%s", name)
		p, err := f.measurePeer(ctx, o, client, path, append([]string{"--kubeconfig", kubeconfig}, arguments[name]...))
		if err != nil {
			return fmt.Errorf("measure %s: %w", name, err)
		}
		p.name = name
		f.peers = append(f.peers, p)
	}
	return nil
}

// measurePeer measures one program.
func (f *figures) measurePeer(ctx context.Context, o options, client kubernetes.Interface, path string, args []string) (p peer, err error) {
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return p, fmt.Errorf("count pods: %w", err)
	}
	count := 1
	if pods.RemainingItemCount != nil {
		count += int(*pods.RemainingItemCount)
	}
	began := time.Now()
	tty, err := terminal.Start(environment(), columns, rows, path, args...)
	if err != nil {
		return p, err
	}
	defer func() { _ = tty.Close() }()
	pid, err := tty.Program()
	if err != nil {
		return p, err
	}
	limited, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	at, err := tty.When(limited, "all pods", func(lines []string) bool {
		return strings.Contains(strings.ReplaceAll(strings.Join(lines, "\n"), ",", ""), fmt.Sprint(count))
	})
	switch {
	case err == nil:
		p.loaded = at.Sub(began).Seconds()
	case limited.Err() == nil || ctx.Err() != nil:
		return p, err
	}
	err = sleep(ctx, settleTime)
	if err != nil {
		return p, err
	}
	p.idle, err = share(ctx, pid, shareTime)
	if err != nil {
		return p, err
	}
	p.settled, _, err = resident(pid)
	if err != nil {
		return p, err
	}
	p.churned, _, err = churned(ctx, client, pid, o.rate)
	if err != nil {
		return p, err
	}
	_, p.peak, err = resident(pid)
	return p, err
}
