//go:build unix

package client

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
)

func TestAKubeconfigThatIsAPipeIsReadUntilTheProgramIsInterrupted(t *testing.T) {
	for name, read := range map[string]func(context.Context, *genericclioptions.ConfigFlags) error{
		"to connect": func(ctx context.Context, f *genericclioptions.ConfigFlags) error {
			_, err := Connect(ctx, Options{Getter: f, UserAgent: "fathom/test"})
			return err
		},
		"to name the server": func(ctx context.Context, f *genericclioptions.ConfigFlags) error {
			_, err := ServerOf(ctx, f, "")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBERNETES_SERVICE_HOST", "")
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			f := genericclioptions.NewConfigFlags(true)
			f.KubeConfig = &pipe
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(10*time.Millisecond, cancel)
			if err := read(ctx, f); !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			written, err := os.OpenFile(pipe, os.O_WRONLY, 0) // once it is read: what was abandoned ends
			if err == nil {
				err = written.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}
