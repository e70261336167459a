package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
)

// configzPatience is how long a kubelet is given to say its configuration: kube-apiserver waits
// much longer for a node that is down.
const configzPatience = 5 * time.Second

// KubeletConfig is what the kubelet of a node is configured to do, by its endpoint configz through
// kube-apiserver. The user needs the right get nodes/proxy, which allows to run commands in pods too:
// few have it, and nobody is asked to get it. The error says why it cannot be read.
func KubeletConfig(ctx context.Context, client kubernetes.Interface, node string) (*kubelet.Config, error) {
	ctx, cancel := context.WithTimeout(ctx, configzPatience)
	defer cancel()
	answer, err := client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("configz").Do(ctx).Raw()
	switch {
	case apierrors.IsForbidden(err):
		return nil, errors.New("read the kubelet's configuration: not allowed to get nodes/proxy")
	case ctx.Err() != nil:
		return nil, fmt.Errorf("read the kubelet's configuration: no answer in %s", configzPatience)
	case apierrors.IsInternalError(err), apierrors.IsServiceUnavailable(err):
		return nil, errors.New("read the kubelet's configuration: kube-apiserver does not reach the kubelet")
	case err != nil:
		return nil, fmt.Errorf("read the kubelet's configuration: %w", err)
	}
	return kubelet.ParseConfig(answer)
}
