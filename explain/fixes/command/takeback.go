package command

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// takeBackResize sets pods back to what is allocated to them.
func takeBackResize(cluster string, r remedy.TakeBackResize, c *Command, add func(line, undo string)) {
	if !isSince(cluster, resizable) {
		c.Why = "kube-apiserver before 1.34 does not lower memory limits in place"
		return
	}
	for i, pod := range r.Pods {
		patch, err := diff(&pod.Spec, &r.Back[i].Spec)
		if err != nil {
			c.Why = err.Error()
			return
		}
		back, err := diff(&r.Back[i].Spec, &pod.Spec)
		if err != nil {
			c.Why = err.Error()
			return
		}
		add(resizeTo(pod, patch), resizeTo(pod, back))
		how := "keeps running with what is allocated to it"
		if len(r.Pods) > 1 { // else the title says it
			how += ": " + r.Words(i)
		}
		c.Affects = append(c.Affects, report.Affected{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, How: how})
	}
	c.Brief = grammar.Plural(len(r.Pods), "resize") + " taken back"
}

// resizeTo patches the resources of a pod in place.
func resizeTo(pod *corev1.Pod, patch map[string]any) string {
	return shell.Line("kubectl", "-n", pod.Namespace, "patch", "pod/"+pod.Name, "--subresource", "resize", "-p", shell.OneLine(map[string]any{"spec": patch}))
}
