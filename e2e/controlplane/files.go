package controlplane

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"
)

// Admin may do everything.
const Admin = "admin"

// Hold is the annotation of a pod that kwok does not start: its status is the
// test's to write.
const Hold = "fathom.example/hold"

// Endless is the annotation of a Job's pod that kwok does not complete.
const Endless = "fathom.example/endless"

// Files in the folder of the data.
const (
	keyFile         = "service-account.key"
	tokenFile       = "tokens.csv"
	auditPolicyFile = "audit-policy.yaml"
	auditFile       = "audit.log"
	certFile        = "certificates/apiserver.crt"
)

// writeKeys makes the key that signs service account tokens.
func (c *ControlPlane) writeKeys() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	return c.write(keyFile, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
}

// writeTokens gives the administrator and each user a token.
func (c *ControlPlane) writeTokens() error {
	c.tokens = map[string]string{Admin: rand.Text()}
	lines := []string{c.tokens[Admin] + `,admin,admin,"system:masters"`}
	for _, user := range c.options.Users {
		c.tokens[user] = rand.Text()
		lines = append(lines, fmt.Sprintf("%s,%s,%s", c.tokens[user], user, user))
	}
	return c.write(tokenFile, []byte(strings.Join(lines, "\n")+"\n"))
}

// writeAuditPolicy has the API server note changes, or all requests, each once, when it answers.
func (c *ControlPlane) writeAuditPolicy() error {
	policy := `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
`
	if !c.options.AuditReads {
		policy += `- level: None
  verbs: [get, list, watch]
`
	}
	return c.write(auditPolicyFile, []byte(policy+`- level: Metadata
`))
}

// Kubeconfig writes the kubeconfig of user and returns its path. Its context
// is named as the user.
func (c *ControlPlane) Kubeconfig(user string) (string, error) {
	config := api.NewConfig()
	config.CurrentContext = user
	config.Clusters["fathom-e2e"] = &api.Cluster{Server: c.URL(), CertificateAuthority: c.path(certFile)}
	config.AuthInfos[user] = &api.AuthInfo{Token: c.tokens[user]}
	config.Contexts[user] = &api.Context{Cluster: "fathom-e2e", AuthInfo: user}
	path := c.path(user + ".kubeconfig")
	err := clientcmd.WriteToFile(*config, path)
	if err != nil {
		return "", fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	return path, nil
}

// writeSchedulerConfig writes the configuration of kube-scheduler and returns
// its path: the default profile, and the same under other names.
func (c *ControlPlane) writeSchedulerConfig() (string, error) {
	kubeconfig, err := c.Kubeconfig(Admin)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: false
clientConnection:
  kubeconfig: %s
  qps: 2000
  burst: 4000
`, kubeconfig)
	if c.options.Backoff > 0 {
		text += fmt.Sprintf("podInitialBackoffSeconds: 1\npodMaxBackoffSeconds: %d\n", c.options.Backoff)
	}
	if len(c.options.Profiles) > 0 {
		text += "profiles:\n- schedulerName: default-scheduler\n- schedulerName: " + strings.Join(c.options.Profiles, "\n- schedulerName: ") + "\n"
	}
	return c.path("scheduler.yaml"), c.write("scheduler.yaml", []byte(text))
}

// writeStages writes kwok's own stages, which stand beside its binary, with some
// exceptions: a pod that is annotated Hold does not start, one that is annotated
// Endless does not complete, and pods take their time to end.
func (c *ControlPlane) writeStages() (string, error) {
	source := filepath.Join(c.options.Binaries, "kwok-stages.yaml")
	data, err := os.ReadFile(source)
	if err != nil {
		return "", fmt.Errorf("read kwok's stages: %w", err)
	}
	var out bytes.Buffer
	for document := range strings.SplitSeq(string(data), "\n---\n") {
		document, err = c.stage(document)
		if err != nil {
			return "", fmt.Errorf("read kwok's stages: %s: %w", source, err)
		}
		out.WriteString(document + "\n---\n")
	}
	return c.path("stages.yaml"), c.write("stages.yaml", out.Bytes())
}

// stage adds the exceptions to the stages of pods.
func (c *ControlPlane) stage(document string) (string, error) {
	var stage map[string]any
	err := yaml.Unmarshal([]byte(document), &stage)
	if err != nil {
		return "", err
	}
	metadata, _ := stage["metadata"].(map[string]any)
	spec, _ := stage["spec"].(map[string]any)
	switch metadata["name"] {
	case "pod-ready":
		err = except(spec, Hold)
	case "pod-complete":
		err = except(spec, Endless)
	case "pod-delete":
		if c.options.TerminationTime > 0 {
			spec["delay"] = map[string]any{"durationMilliseconds": 0, "jitterDurationMilliseconds": c.options.TerminationTime.Milliseconds()}
		}
	default:
		return document, nil
	}
	if err != nil {
		return "", fmt.Errorf("stage %s: %w", metadata["name"], err)
	}
	changed, err := yaml.Marshal(stage)
	return string(changed), err
}

// except keeps a stage from pods with the annotation.
func except(spec map[string]any, annotation string) error {
	selector, _ := spec["selector"].(map[string]any)
	expressions, ok := selector["matchExpressions"].([]any)
	if !ok {
		return fmt.Errorf("it has no matchExpressions")
	}
	selector["matchExpressions"] = append(expressions, map[string]any{
		"key":      fmt.Sprintf(".metadata.annotations[%q]", annotation),
		"operator": "DoesNotExist",
	})
	return nil
}

// write writes a file of the data.
func (c *ControlPlane) write(name string, data []byte) error {
	err := os.WriteFile(c.path(name), data, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
