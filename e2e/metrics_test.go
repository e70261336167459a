package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// scraper is the user of docs/metrics/deployment.yaml, from outside.
const scraper = "scraper"

// measured are a node, and a pod that is too large for it.
const measured = `
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: scraper},
 roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: fathom}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: scraper}]}
---
{apiVersion: v1, kind: Node, metadata: {name: std-1}, status: {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}, capacity: {cpu: "2", memory: 4Gi, pods: "110"},
 conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop}}
---
{apiVersion: v1, kind: Pod, metadata: {name: checkout-0, namespace: shop}, spec: {containers: [{name: app, image: app, resources: {requests: {cpu: "9"}}}]}}
`

// serving starts a program that goes on, and ends it with the test by SIGTERM, which it
// is to obey with code 0.
func serving(t *testing.T, out io.Writer, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stdout = environment(t), out
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
			t.Errorf("%s: %v\n%s", filepath.Base(program), err, stderr.String())
		}
		if t.Failed() {
			t.Logf("%s said\n%s", filepath.Base(program), stderr.String())
		}
	})
}

var servedOn = regexp.MustCompile(`http://(127\.0\.0\.1:[0-9]+)/metrics\n`)

// serveMetrics starts kubectl fathom metrics, and gives its address.
func serveMetrics(t *testing.T, plane *controlplane.ControlPlane) string {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	serving(t, out, binary, "metrics", "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig(t, plane, scraper), "-A")
	var address string
	eventually(t, "metrics are served", func(context.Context) (bool, error) {
		said, err := os.ReadFile(out.Name())
		if found := servedOn.FindSubmatch(said); found != nil {
			address = string(found[1])
		}
		return address != "", err
	})
	return address
}

// quickRules are the alerts of the documentation without the time for which they wait;
// promtool tests that. It gives the names of the alerts, too.
func quickRules(t *testing.T) (file string, alerts []string) {
	t.Helper()
	text, err := os.ReadFile("../docs/metrics/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`- alert: (\w+)`).FindAllSubmatch(text, -1) {
		alerts = append(alerts, string(found[1]))
	}
	file = filepath.Join(t.TempDir(), "alerts.yaml")
	if err := os.WriteFile(file, regexp.MustCompile(`(?m)^    for: .*\n`).ReplaceAll(text, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, alerts
}

// prometheus is a running Prometheus.
type prometheus struct{ address string }

// scraping starts a Prometheus that scrapes an address each second.
func scraping(t *testing.T, target, rules string) *prometheus {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &prometheus{address: listener.Addr().String()}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yaml")
	text := fmt.Sprintf("global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\nrule_files: [%q]\n"+
		"scrape_configs:\n- job_name: fathom\n  static_configs: [{targets: [%q]}]\n", rules, target)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	serving(t, io.Discard, filepath.Join(binaries(t), "prometheus"), "--config.file", config, "--storage.tsdb.path", filepath.Join(dir, "data"),
		"--web.listen-address", p.address, "--log.level", "warn")
	return p
}

// get asks the HTTP API, and decodes the data of its answer.
func (p *prometheus) get(ctx context.Context, path string, data any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.address+"/api/v1/"+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	body := struct {
		Status, Error string
		Data          any
	}{Data: data}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		return err
	}
	if body.Status != "success" {
		return fmt.Errorf("%s: %s", body.Status, body.Error)
	}
	return nil
}

// alert is a labelled alert of Prometheus.
type alert struct {
	Labels map[string]string
	State  string
}

// query gives how many series an expression has.
func (p *prometheus) query(ctx context.Context, expression string) (series int, err error) {
	var data struct{ Result []json.RawMessage }
	err = p.get(ctx, "query?query="+url.QueryEscape(expression), &data)
	return len(data.Result), err
}

// measuring serves the metrics of a cluster with a pending pod, and gives their address.
func measuring(t *testing.T) (plane *controlplane.ControlPlane, address string) {
	t.Helper()
	plane = startPlane(t, controlplane.Options{Users: []string{scraper}})
	kubectl(t, plane, "", "apply", "-f", "../docs/clusterrole.yaml")
	kubectl(t, plane, measured, "apply", "-f", "-")
	return plane, serveMetrics(t, plane)
}

func TestAPendingPodIsMeasured(t *testing.T) {
	plane, address := measuring(t)
	wanted := []string{
		`fathom_blocked_pods{autoscaler="none",blocked_by="too large",namespace="shop",plugin="NodeResourcesFit",verdict="Unschedulable"} 1`,
		"fathom_view_complete 1", "fathom_connected 1", `fathom_allocatable{resource="cpu",unit="core"} 2`, `fathom_nodes{ready="true"} 1`,
	}
	var lines []string
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("the last scrape:\n" + strings.Join(lines, "\n"))
		}
	})
	eventually(t, "the pending pod is in a scrape", func(context.Context) (bool, error) {
		answer, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return false, err
		}
		text, err := io.ReadAll(answer.Body)
		lines = strings.Split(string(text), "\n")
		missing := slices.ContainsFunc(wanted, func(line string) bool { return !slices.Contains(lines, line) })
		return !missing, errors.Join(err, answer.Body.Close())
	})
	deploymentIsAdmitted(t, plane)
}

// needsPrometheus skips a test where there is none. It takes some minutes to compile, so
// make test does without, and make soak has it.
func needsPrometheus(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(binaries(t), "prometheus")); errors.Is(err, os.ErrNotExist) {
		t.Skip("there is no Prometheus in e2e/bin: make prometheus builds one, which takes minutes")
	}
}

func TestPrometheusFiresOnAPendingPod(t *testing.T) {
	needsPrometheus(t)
	_, address := measuring(t)
	rules, _ := quickRules(t)
	p := scraping(t, address, rules)
	eventually(t, "the alert of the pending pod fires", func(ctx context.Context) (bool, error) {
		var data struct{ Alerts []alert }
		if err := p.get(ctx, "alerts", &data); err != nil {
			return false, nil // it is starting
		}
		for _, a := range data.Alerts {
			if a.Labels["alertname"] == "PodsUnschedulable" && a.State == "firing" && a.Labels["namespace"] == "shop" && a.Labels["blocked_by"] == "too large" {
				return true, nil
			}
		}
		return false, nil
	})
	for expression, want := range map[string]int{
		`fathom_blocked_pods{namespace="shop",blocked_by="too large",verdict="Unschedulable",autoscaler="none"} == 1`: 1,
		`fathom_view_complete == 1`:                     1,
		`fathom_connected == 1`:                         1,
		`fathom_allocatable{resource="cpu"} == 2`:       1,
		`fathom_nodes{ready="true"} == 1`:               1,
		`time() - fathom_last_answer_timestamp_seconds`: 1,
	} {
		if got, err := p.query(t.Context(), expression); err != nil || got != want {
			t.Errorf("%s: %d series, want %d: %v", expression, got, want, err)
		}
	}
	dashboardLoads(t, p)
	checkMetrics(t, address)
}

// dashboardLoads runs each expression of the dashboard.
func dashboardLoads(t *testing.T, p *prometheus) {
	t.Helper()
	text, err := os.ReadFile("../docs/metrics/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	if len(dashboard.Panels) < 10 {
		t.Errorf("the dashboard has only %d panels", len(dashboard.Panels))
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expression := strings.NewReplacer("$instance", ".*", "$namespace", ".*").Replace(target.Expr)
			series, err := p.query(t.Context(), expression)
			if err != nil || series == 0 && panel.Title != "Not read" {
				t.Errorf("%s: %s: %d series: %v", panel.Title, expression, series, err)
			}
		}
	}
}

// promtool runs promtool, which has to be content.
func promtool(t *testing.T, input io.Reader, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(binaries(t), "promtool"), args...)
	cmd.Env, cmd.Stdin = environment(t), input
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %q: %v\n%s", args, err, out)
	}
}

// checkMetrics lets promtool look at a scrape.
func checkMetrics(t *testing.T, address string) {
	t.Helper()
	answer, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	promtool(t, answer.Body, "check", "metrics")
}

// deploymentIsAdmitted applies the manifest, and creates its pod in its namespace, where
// kube-apiserver enforces the Pod Security Standard "restricted".
func deploymentIsAdmitted(t *testing.T, plane *controlplane.ControlPlane) {
	t.Helper()
	kubectl(t, plane, "", "apply", "-f", "../docs/metrics/deployment.yaml")
	client := admin(t, plane)
	deployment, err := client.AppsV1().Deployments("fathom").Get(t.Context(), "fathom-metrics", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: deployment.Spec.Template.ObjectMeta, Spec: deployment.Spec.Template.Spec}
	pod.Name = "fathom-metrics-0"
	if _, err := client.CoreV1().Pods("fathom").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Errorf("the pod of the manifest: %v", err)
	}
	argsAreUnderstood(t, deployment)
	kubectl(t, plane, "", "auth", "can-i", "list", "pods", "-A", "--as", "system:serviceaccount:fathom:fathom")
}

// argsAreUnderstood runs the program with the arguments of the manifest and without a
// cluster: it ends because of that, and not because of them. It must not listen on all
// interfaces here, so the address is another one.
func argsAreUnderstood(t *testing.T, deployment *appsv1.Deployment) {
	t.Helper()
	args := append(deployment.Spec.Template.Spec.Containers[0].Args, "--listen", "127.0.0.1:0")
	if got := fathom(t, args...); got.code != 3 || !strings.Contains(got.stderr, "no kubeconfig") {
		t.Errorf("%q: code %d\n%s", args, got.code, got.stderr)
	}
}

func TestPromtoolAcceptsTheAlerts(t *testing.T) {
	needsPrometheus(t)
	promtool(t, nil, "check", "rules", "--lint=all", "--lint-fatal", "../docs/metrics/alerts.yaml")
	promtool(t, nil, "test", "rules", "testdata/alerts.yaml")
	text, err := os.ReadFile("testdata/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tests struct {
		Tests []struct {
			Alerts []struct {
				Name string            `json:"alertname"`
				Want []json.RawMessage `json:"exp_alerts"`
			} `json:"alert_rule_test"`
		} `json:"tests"`
	}
	if err := yaml.Unmarshal(text, &tests); err != nil {
		t.Fatal(err)
	}
	fires := map[string]bool{}
	for _, test := range tests.Tests {
		for _, a := range test.Alerts {
			fires[a.Name] = fires[a.Name] || len(a.Want) > 0
		}
	}
	_, alerts := quickRules(t)
	for _, name := range alerts {
		if !fires[name] {
			t.Errorf("no test shows that the alert %s fires", name)
		}
	}
}
