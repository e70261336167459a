package client

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestConnectFailsWithOneLine(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	server := newAPIServer(t)
	server.refuse = true
	file := func(text string) *genericclioptions.ConfigFlags {
		path := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := genericclioptions.NewConfigFlags(true)
		f.KubeConfig = &path
		return f
	}
	missing := genericclioptions.NewConfigFlags(true)
	missing.KubeConfig = new("/nowhere/config")
	wrong := flags(t, server.URL)
	wrong.Context = new("prod")
	exec := file(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: "false", interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`)
	const unchosenText = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
contexts: [{name: dev, context: {cluster: c, user: u}}, {name: ops, context: {cluster: c, user: u}}]
`
	unchosen := file(unchosenText)
	with := func(set func(*genericclioptions.ConfigFlags)) *genericclioptions.ConfigFlags {
		f := flags(t, server.URL)
		set(f)
		return f
	}
	for _, test := range []struct {
		says    string
		getter  *genericclioptions.ConfigFlags
		context string
		about   error
		hint    string
	}{
		{"no kubeconfig", genericclioptions.NewConfigFlags(true), "", ErrNoCluster, "--kubeconfig"},
		{"a kubeconfig that is not there", missing, "", ErrNoCluster, "/nowhere/config"},
		{"a kubeconfig without a cluster", file("apiVersion: v1\nkind: Config\n"), "", ErrNoCluster, "no kubeconfig"},
		{"contexts of which none is the current one", unchosen, "", ErrNoContext, "no current context: choose one of dev, ops with --context"},
		{
			"contexts whose names a shell or a terminal would not take as they are",
			file(strings.NewReplacer("{name: dev", `{name: "my ctx"`, "{name: ops", `{name: "o\x1bps"`).Replace(unchosenText)), "", ErrNoContext,
			`choose one of 'my ctx', "o\x1bps" with --context`,
		},
		{"a kubeconfig that is none", file("apiVersion: v1\nkind: Config\nclusters: {"), "", ErrNoConfig, "read kubeconfig"},
		{"a context that is not in it, by a flag", wrong, "", ErrNoContext, `no context "prod" in the kubeconfig; choose one of dev, ops`},
		{"a context that is not in it, switched to", flags(t, server.URL), "prod", ErrNoContext, "choose one of dev, ops"},
		{"nobody listening", flags(t, "http://127.0.0.1:1"), "", ErrUnreachable, "connection refused"},
		{"a name that nobody has", flags(t, "http://fathom.invalid"), "", ErrUnreachable, "--context"},
		{"a server that is none", flags(t, "ftp://server"), "", ErrNoConfig, `read kubeconfig: server "ftp://server": an API server is asked over HTTP: begin its address with https://`},
		{"a server that is none, by a flag", with(func(f *genericclioptions.ConfigFlags) { f.APIServer = new("ftp://x") }), "", ErrFlag, `--server "ftp://x": an API server`},
		{"a port that is none", flags(t, "https://server:99999"), "", ErrNoConfig, "a port is a number from 1 to 65535"},
		{"a user of two lines", with(func(f *genericclioptions.ConfigFlags) { f.Impersonate = new("a\nb") }), "", ErrFlag, `--as "a\nb": it has a control character`},
		{"a group of two lines", with(func(f *genericclioptions.ConfigFlags) {
			f.Impersonate, f.ImpersonateGroup = new("a"), &[]string{"g", "a\nb"}
		}), "", ErrFlag, `--as-group "a\nb": it has a control character`},
		{"a token of two lines", with(func(f *genericclioptions.ConfigFlags) {
			f.APIServer, f.BearerToken = new("https://127.0.0.1:1"), new("secret\n")
		}), "", ErrFlag, "--token: it has a control character"},
		{
			"a token of two lines in the kubeconfig", file(strings.Replace(unchosenText, "user: {}", `user: {token: "secret\n"}`, 1) + "current-context: dev\n"), "", ErrNoConfig,
			"read kubeconfig: token: it has a control character",
		},
		{"credentials that are not taken", flags(t, server.URL), "", ErrUnauthorized, "log in"},
		{"a credential plugin that fails", exec, "", ErrUnauthorized, "plugin"},
	} {
		t.Run(test.says, func(t *testing.T) {
			client, err := Connect(t.Context(), Options{Getter: test.getter, Context: test.context, UserAgent: "fathom/test"})
			if err == nil {
				client.Close()
			}
			if !errors.Is(err, test.about) {
				t.Fatalf("the error is %v, want one of %v", err, test.about)
			}
			if strings.ContainsAny(err.Error(), "\n\t") || !strings.Contains(err.Error(), test.hint) {
				t.Errorf("the error is %q, want one line with %q", err, test.hint)
			}
		})
	}
}

func TestAnErrorOfAKubeconfigNamesTheFileThatHasIt(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good", "apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters: [{name: c, cluster: {server: \"https://127.0.0.1:1\"}}]\n"+
		"users: [{name: u, user: {token: t}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n")
	bad := write("bad", "apiVersion: v1\nkind: Config\nclusters: [{name: d, cluster: {server: \"https://127.0.0.1:1\", certificate-authority-data: Zm9v}}]\n"+
		"users: [{name: v, user: {token: t}}]\ncontexts: [{name: other, context: {cluster: d, user: v}}]\n")
	broken, empty := write("broken", "clusters: {"), write("empty", "")
	for name, test := range map[string]struct {
		list       []string
		file       string
		context    string
		want, lack string
	}{
		"the second of a list is no YAML":            {[]string{good, broken}, "", "", broken, good},
		"the first is":                               {[]string{broken, good}, "", "", broken, good},
		"the one of the flag has no cluster":         {[]string{good}, empty, "", "--kubeconfig " + empty + " has no cluster", good},
		"the one of the flag is no YAML":             {[]string{good}, broken, "", broken, good},
		"the one of the flag does not exist":         {[]string{good}, folder + "/none", "", folder + "/none", good},
		"the second has a certificate that is none":  {[]string{good, bad}, "", "other", "read kubeconfig " + bad + ": ", good},
		"none of the list has a cluster":             {[]string{empty}, "", "", "KUBECONFIG is " + empty, good},
		"the first has no cluster, the second fails": {[]string{empty, broken}, "", "", broken, empty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBERNETES_SERVICE_HOST", "")
			t.Setenv("KUBECONFIG", strings.Join(test.list, string(filepath.ListSeparator)))
			f := genericclioptions.NewConfigFlags(true)
			f.KubeConfig = &test.file
			_, err := Connect(t.Context(), Options{Getter: f, Context: test.context, UserAgent: "fathom/test"})
			if !errors.Is(err, ErrNoConfig) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), test.lack) {
				t.Errorf("the error is %v, want %s named", err, test.want)
			}
		})
	}
}

func TestContextsAreThoseOfTheKubeconfigByName(t *testing.T) {
	contexts, err := Contexts(flags(t, "https://server"))
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Context{
		{Name: "dev", Cluster: "c", Namespace: "dev"},
		{Name: "ops", Cluster: "c"},
	}
	if len(contexts) != 2 || contexts[0] != want[0] || contexts[1] != want[1] {
		t.Errorf("contexts are %+v, want %+v", contexts, want)
	}
}

func TestSwitchingContextsKeepsOnlyWhatHoldsForAll(t *testing.T) {
	f := flags(t, "https://server")
	f.Impersonate = new("jane")
	f.BearerToken = new("for dev only")
	f.APIServer = new("https://dev.example")
	for _, getter := range []genericclioptions.RESTClientGetter{f, onlyGetter{f}} {
		chosen, err := choose(getter, "ops")
		if err != nil {
			t.Fatal(err)
		}
		if chosen.context != "ops" || chosen.config.Host != "https://server" || chosen.config.BearerToken != "other" || chosen.namespace != "default" {
			t.Errorf("%T: chose context %s at %s with token %q and namespace %s", getter,
				chosen.context, chosen.config.Host, chosen.config.BearerToken, chosen.namespace)
		}
	}
	if chosen, err := choose(f, "ops"); err != nil || chosen.user != "jane" {
		t.Errorf("the user is %+v, %v; want jane still", chosen, err)
	}
}

// onlyGetter hides that it is made of flags.
type onlyGetter struct {
	genericclioptions.RESTClientGetter
}

func TestTheFlagsChooseNamespaceAndUser(t *testing.T) {
	f := flags(t, "https://server")
	chosen, err := choose(f, "")
	if err != nil || chosen.namespace != "dev" || chosen.user != "dev" || chosen.insecure() {
		t.Errorf("chose %+v, %v", chosen, err)
	}
	f = flags(t, "http://server")
	f.Namespace, f.AuthInfoName = new("web"), new("ops")
	chosen, err = choose(f, "")
	if err != nil || chosen.namespace != "web" || chosen.user != "ops" || !chosen.insecure() {
		t.Errorf("chose %+v, %v", chosen, err)
	}
}

func TestTheFlagsThatKubectlNeedsAreKnown(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*genericclioptions.ConfigFlags)
		another string // context
		want    string
	}{
		{"the kubeconfig's own context", func(*genericclioptions.ConfigFlags) {}, "", ""},
		{"another one by a flag", func(f *genericclioptions.ConfigFlags) { f.Context = new("ops") }, "", "--context ops"},
		{"another one in the dashboard", func(*genericclioptions.ConfigFlags) {}, "ops", "--context ops"},
		{"back in the kubeconfig's own", func(f *genericclioptions.ConfigFlags) { f.Context = new("ops") }, "dev", ""},
		{"another user", func(f *genericclioptions.ConfigFlags) {
			f.Impersonate, f.BearerToken, f.ImpersonateGroup = new("o'neill"), new("secret"), &[]string{"dev", "ops"}
		}, "", `--as 'o'\''neill' --as-group dev --as-group ops`},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := flags(t, "https://server")
			file := "--kubeconfig " + *f.KubeConfig
			test.change(f)
			chosen, err := choose(f, test.another)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.TrimSuffix(file+" "+test.want, " "); chosen.kubectlFlags != want {
				t.Errorf("kubectl needs %s, want %s", chosen.kubectlFlags, want)
			}
		})
	}
}
