package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

func TestGatesAreReadFromACommandLine(t *testing.T) {
	for _, c := range []struct {
		name          string
		command, args []string
		want          string
	}{
		{"", []string{"kube-scheduler", "--leader-elect=true"}, nil, "map[] "},
		{"", []string{"/usr/local/bin/kube-scheduler", "--feature-gates=A=true,B=false"}, nil, "map[A:true B:false] "},
		{"", []string{"kube-scheduler"}, []string{"--feature-gates", "A=true, B=false", "--v=2"}, "map[A:true B:false] "},
		{"", []string{"kube-scheduler", "--feature-gates=A=true", "--feature-gates=A=false,C=true"}, nil, "map[A:false C:true] "},
		{"", []string{"kube-scheduler", "--feature-gates=kube:A=true,other:B=true"}, nil, "map[A:true] "},
		{"", []string{"kube-scheduler", "--emulated-version=1.36"}, nil, "map[] 1.36"},
		{"", []string{"kube-scheduler", "--emulated-version=other=1.2,kube=1.35", "--feature-gates=AllAlpha=true"}, nil, "map[AllAlpha:true] 1.35"},
		{"", []string{"kube-scheduler", "--feature-gates=A=maybe,=true,B"}, nil, "map[:true] "},
		{"kube-scheduler", nil, []string{"--feature-gates=A=true"}, "map[A:true] "},
		{"", []string{"other", "--feature-gates=A=true"}, nil, "none"},
		{"", nil, nil, "none"},
	} {
		pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "x", Command: []string{"proxy"}}, {Name: c.name, Command: c.command, Args: c.args}}}}
		got := "none"
		if g := gatesOfPod(pod); g != nil {
			got = fmt.Sprint(g.Set) + " " + g.Emulated
		}
		if got != c.want {
			t.Errorf("%q %q: got %s, want %s", c.command, c.args, got, c.want)
		}
	}
}

const someMetrics = `# HELP go_goroutines Number of goroutines.
go_goroutines 500
# HELP kubernetes_feature_enabled [BETA] This metric records the data about the stage and enablement of a k8s feature.
# TYPE kubernetes_feature_enabled gauge
kubernetes_feature_enabled{name="A",stage="ALPHA"} 1
kubernetes_feature_enabled{name="B",stage=""} 0
# HELP process_cpu_seconds_total x
process_cpu_seconds_total 3
kubernetes_feature_enabled{name="C",stage="ALPHA"} 1
`

func TestGatesAreReadFromMetrics(t *testing.T) {
	set, err := enabledFeatures(strings.NewReader(someMetrics))
	if got := fmt.Sprint(set); err != nil || got != "map[A:true B:false]" {
		t.Errorf("%s, %v", got, err)
	}
	if set, err := enabledFeatures(strings.NewReader("go_goroutines 500\n")); err != nil || len(set) > 0 {
		t.Errorf("%v, %v", set, err)
	}
	cut := io.MultiReader(strings.NewReader("go_goroutines 500\n"), failing{errors.New("cut")})
	if set, err := enabledFeatures(cut); err == nil {
		t.Errorf("what was cut is taken for all: %v", set)
	}
}

// TestGatesCostTwoRequestsAtMost wants the command line to be enough where it may be read, and either to be
// asked for once in the life of a connection.
func TestGatesCostTwoRequestsAtMost(t *testing.T) {
	started := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler-cp", UID: "s", Labels: map[string]string{"component": "kube-scheduler"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "kube-scheduler", Command: []string{"kube-scheduler", "--feature-gates=A=true"}}}},
	}
	for name, c := range map[string]struct {
		pods    []runtime.Object
		metrics int // the status of the answer
		forbid  bool
		source  string
		want    []string
	}{
		"the command line":  {[]runtime.Object{started}, 200, false, scheduler.CommandLine, []string{"pods"}},
		"no such pod":       {nil, 200, false, scheduler.Metrics, []string{"pods", "metrics"}},
		"forbidden pods":    {[]runtime.Object{started}, 200, true, scheduler.Metrics, []string{"pods", "metrics"}},
		"forbidden metrics": {nil, 403, false, "", []string{"pods", "metrics"}},
		"busy metrics":      {nil, 503, false, "", []string{"pods", "metrics"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			server := newAPIServer(t)
			server.objects["pods"] = c.pods
			server.instead = func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case r.URL.Path == "/metrics":
					asked = append(asked, "metrics")
					w.Header().Set("Content-Type", "text/plain; version=0.0.4")
					w.WriteHeader(c.metrics)
					_, err := io.WriteString(w, someMetrics)
					if err != nil {
						t.Log(err)
					}
					return true
				case strings.Contains(r.URL.RawQuery, "labelSelector=component"):
					asked = append(asked, "pods")
					if c.forbid {
						w.WriteHeader(http.StatusForbidden)
						return true
					}
				}
				return false
			}
			client := server.open(t)
			for range 2 {
				if got := client.gates.find(t.Context()).From(); got != c.source {
					t.Errorf("read from %q, want %q", got, c.source)
				}
			}
			if got := fmt.Sprint(asked); got != fmt.Sprint(c.want) {
				t.Errorf("asked for %s, want %s", got, c.want)
			}
		})
	}
}
