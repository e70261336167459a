package client

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// inCluster names the context of a pod that talks to its own cluster.
const inCluster = "in-cluster"

// target is the cluster that a kubeconfig and the flags choose.
type target struct {
	getter    genericclioptions.RESTClientGetter
	config    *rest.Config
	context   string
	user      string
	namespace string // the flags' or the context's; never ""
	// kubectlFlags are those that kubectl needs to reach the same cluster, as in model.Status.
	kubectlFlags string
	file         string // the one that the context, its cluster and its user stand in; "" for several, or none
}

// Contexts are those of the kubeconfig, by name.
func Contexts(getter genericclioptions.RESTClientGetter) ([]model.Context, error) {
	loader := getter.ToRawKubeConfigLoader()
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, noConfig(loader, err)
	}
	contexts := make([]model.Context, 0, len(raw.Contexts))
	for _, name := range slices.Sorted(maps.Keys(raw.Contexts)) {
		c := raw.Contexts[name]
		contexts = append(contexts, model.Context{Name: name, Cluster: c.Cluster, Namespace: c.Namespace})
	}
	return contexts, nil
}

// chosen is choose until ctx ends: a kubeconfig may be a pipe.
func chosen(ctx context.Context, getter genericclioptions.RESTClientGetter, override string) (*target, error) {
	return await(ctx, func() (*target, error) { return choose(getter, override) })
}

// choose reads the kubeconfig and finds the cluster that is meant.
func choose(getter genericclioptions.RESTClientGetter, override string) (*target, error) {
	if override != "" {
		getter = switched(getter, override)
	}
	loader := getter.ToRawKubeConfigLoader()
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, noConfig(loader, err)
	}
	name := override
	if name == "" {
		name = currentContext(getter, raw)
	}
	if _, ok := raw.Contexts[name]; name != "" && !ok {
		return nil, noContext(name, raw)
	}
	if err := namedByFlags(getter, raw); err != nil {
		return nil, err
	}
	config, err := getter.ToRESTConfig()
	if err != nil {
		return nil, noConfig(loader, err)
	}
	if name == "" && config.Host == clientcmd.ClusterDefaults.Server {
		if err := noCluster(loader, raw); err != nil {
			return nil, err
		}
	}
	if err := sendable(config, getter); err != nil {
		return nil, err
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, noConfig(loader, err)
	}
	t := &target{getter: getter, config: rest.CopyConfig(config), context: name, namespace: namespace, kubectlFlags: kubectlFlags(getter, name, raw)}
	if c := raw.Contexts[name]; c != nil {
		t.user, t.file = c.AuthInfo, fileOf(c, raw)
	} else {
		t.context = inCluster
	}
	if flags, ok := getter.(*genericclioptions.ConfigFlags); ok {
		t.user = cmp.Or(ptr.Deref(flags.AuthInfoName, ""), t.user)
	}
	t.user = cmp.Or(config.Impersonate.UserName, t.user)
	return t, nil
}

// kubectlFlags are the flags that kubectl needs to reach the cluster of that context, with the user and the rights that
// the flags give; a token or a password is not among them.
func kubectlFlags(getter genericclioptions.RESTClientGetter, context string, raw clientcmdapi.Config) string {
	var words []string
	if flags, ok := getter.(*genericclioptions.ConfigFlags); ok {
		for _, flag := range []struct {
			name  string
			value *string
		}{
			{"--kubeconfig", flags.KubeConfig},
			{"--cluster", flags.ClusterName},
			{"--user", flags.AuthInfoName},
			{"--server", flags.APIServer},
			{"--as", flags.Impersonate},
		} {
			if value := ptr.Deref(flag.value, ""); value != "" {
				words = append(words, flag.name, value)
			}
		}
		for _, group := range ptr.Deref(flags.ImpersonateGroup, nil) {
			words = append(words, "--as-group", group)
		}
	}
	if context != raw.CurrentContext {
		words = append(words, "--context", context)
	}
	return shell.Line(words...)
}

// namedByFlags says that the kubeconfig has no cluster or user of the name that a flag gives.
func namedByFlags(getter genericclioptions.RESTClientGetter, raw clientcmdapi.Config) error {
	flags, ok := getter.(*genericclioptions.ConfigFlags)
	if !ok {
		return nil
	}
	cluster, user := ptr.Deref(flags.ClusterName, ""), ptr.Deref(flags.AuthInfoName, "")
	if _, ok := raw.Clusters[cluster]; cluster != "" && !ok {
		return failf(ErrFlag, nil, "--cluster %q: the kubeconfig has no such cluster%s", cluster, chooseOf(raw.Clusters, "get-clusters"))
	}
	if _, ok := raw.AuthInfos[user]; user != "" && !ok {
		return failf(ErrFlag, nil, "--user %q: the kubeconfig has no such user%s", user, chooseOf(raw.AuthInfos, "get-users"))
	}
	return nil
}

// chooseOf asks to choose one of the first names of a kubeconfig; "" where it has none.
func chooseOf[T any](known map[string]T, lists string) string {
	if len(known) == 0 {
		return ""
	}
	return "; choose one of " + firstNames(known, lists)
}

// fileOf is the file that a context, its cluster and its user stand in; "" for several.
func fileOf(c *clientcmdapi.Context, raw clientcmdapi.Config) string {
	file := c.LocationOfOrigin
	if cluster := raw.Clusters[c.Cluster]; cluster != nil && cluster.LocationOfOrigin != file {
		return ""
	}
	if user := raw.AuthInfos[c.AuthInfo]; user != nil && user.LocationOfOrigin != file {
		return ""
	}
	return file
}

// unusable is why no client can be made of what the kubeconfig says.
func (t *target) unusable(err error) error {
	if t.file != "" {
		return failf(ErrNoConfig, err, "read kubeconfig %s: %v", t.file, err)
	}
	return failf(ErrNoConfig, err, "read kubeconfig: %v", err)
}

// noCluster says what a kubeconfig lacks that names no server, for which clientcmd would
// ask localhost:8080; nil where it has clusters and no contexts.
func noCluster(loader clientcmd.ClientConfig, raw clientcmdapi.Config) error {
	switch {
	case len(raw.Clusters) == 0:
		return noConfig(loader, nil)
	case len(raw.Contexts) > 0:
		return noCurrentContext(raw)
	}
	return nil
}

// currentContext is the one that the flags or else the kubeconfig name.
func currentContext(getter genericclioptions.RESTClientGetter, raw clientcmdapi.Config) string {
	if flags, ok := getter.(*genericclioptions.ConfigFlags); ok {
		return cmp.Or(ptr.Deref(flags.Context, ""), raw.CurrentContext)
	}
	return raw.CurrentContext
}

// switched is getter for another context. The kubeconfig and impersonation
// stay; flags that spoke of the first context's cluster or user do not.
func switched(getter genericclioptions.RESTClientGetter, context string) genericclioptions.RESTClientGetter {
	from, ok := getter.(*genericclioptions.ConfigFlags)
	if !ok {
		return overridden{RESTClientGetter: getter, context: context}
	}
	if ptr.Deref(from.Context, "") == context {
		return getter
	}
	to := genericclioptions.NewConfigFlags(true)
	to.Context = &context
	to.KubeConfig, to.CacheDir, to.Timeout = from.KubeConfig, from.CacheDir, from.Timeout
	to.Impersonate, to.ImpersonateUID = from.Impersonate, from.ImpersonateUID
	to.ImpersonateGroup, to.ImpersonateUserExtra = from.ImpersonateGroup, from.ImpersonateUserExtra
	to.DisableCompression = from.DisableCompression
	return to
}

// overridden is a getter of which only the kubeconfig is known.
type overridden struct {
	genericclioptions.RESTClientGetter
	context string
}

func (o overridden) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	raw, err := o.RESTClientGetter.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return o.RESTClientGetter.ToRawKubeConfigLoader() // says the same again
	}
	return clientcmd.NewNonInteractiveClientConfig(raw, o.context, &clientcmd.ConfigOverrides{}, nil)
}

func (o overridden) ToRESTConfig() (*rest.Config, error) {
	return o.ToRawKubeConfigLoader().ClientConfig()
}

// noConfig says that the kubeconfig that a loader reads cannot be used; err is nil where it names
// no cluster.
func noConfig(loader clientcmd.ClientConfig, err error) error {
	if err == nil || clientcmd.IsEmptyConfig(err) || errors.Is(err, rest.ErrNotInCluster) {
		if access := loader.ConfigAccess(); access != nil && access.IsExplicitFile() {
			return failf(ErrNoCluster, err, "no kubeconfig: --kubeconfig %s has no cluster: check the file, or pass another one", access.GetExplicitFile())
		}
		if named := os.Getenv(clientcmd.RecommendedConfigPathEnvVar); named != "" {
			return failf(ErrNoCluster, err, "no kubeconfig: KUBECONFIG is %s, which has no cluster: check that it exists, or pass --kubeconfig FILE", named)
		}
		return failf(ErrNoCluster, err, "no kubeconfig: set KUBECONFIG, pass --kubeconfig FILE, or put one at %s",
			clientcmd.RecommendedHomeFile)
	}
	about := ErrNoConfig
	if errors.Is(err, fs.ErrNotExist) {
		about = ErrNoCluster
	}
	return failf(about, err, "read kubeconfig: %v", err)
}

func noContext(name string, raw clientcmdapi.Config) error {
	known := "the kubeconfig has none"
	if len(raw.Contexts) > 0 {
		known = "choose one of " + contextNames(raw)
	}
	return failf(ErrNoContext, nil, "no context %q in the kubeconfig; %s", name, known)
}

// noCurrentContext says that neither the kubeconfig nor a flag chooses a context.
func noCurrentContext(raw clientcmdapi.Config) error {
	return failf(ErrNoContext, nil, "the kubeconfig has no current context: choose one of %s with --context, or for good with kubectl config use-context",
		contextNames(raw))
}

// contextNames are the names of the first contexts.
func contextNames(raw clientcmdapi.Config) string { return firstNames(raw.Contexts, "get-contexts") }

// firstNames are the first names of a kubeconfig, and the command of kubectl config that lists all.
func firstNames[T any](of map[string]T, lists string) string {
	const most = 5
	names := slices.Sorted(maps.Keys(of))
	words := make([]string, min(len(names), most))
	for i := range words {
		words[i] = nameWord(names[i])
	}
	known := strings.Join(words, ", ")
	if len(names) > most {
		known += " and others (kubectl config " + lists + " lists all)"
	}
	return known
}

// nameWord is a name as it is written on a command line. One that a terminal does not draw as it is has its characters
// escaped.
func nameWord(name string) string {
	if model.Clean(name) != name {
		return strconv.Quote(name)
	}
	return shell.Quote(name)
}

// insecure says that nobody can know whether it is the right server.
func (t *target) insecure() bool {
	return t.config.Insecure || strings.HasPrefix(t.config.Host, "http://")
}
