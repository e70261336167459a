package client

import (
	"context"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Server is the API server that a kubeconfig and the flags choose.
type Server struct {
	Context string // of the kubeconfig, or "in-cluster"
	Host    string // its address
	Asks    bool   // the user's credentials come from a plugin that may ask on the terminal
}

// ServerOf finds the API server that Connect would connect to, without talking to it. name is
// a context instead of the chosen one; "" leaves that.
func ServerOf(ctx context.Context, getter genericclioptions.RESTClientGetter, name string) (Server, error) {
	t, err := chosen(ctx, getter, name)
	if err != nil {
		return Server{}, err
	}
	plugin := t.config.ExecProvider
	return Server{
		Context: t.context,
		Host:    t.config.Host,
		Asks:    t.config.AuthProvider != nil || plugin != nil && plugin.InteractiveMode != clientcmdapi.NeverExecInteractiveMode,
	}, nil
}
