package command

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/kubectl/pkg/util/qos"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// resizable is the first release whose pods are resized in place, memory limits
// included.
var resizable = version.MustParseGeneric("1.34")

// podResizable is the first release that resizes resources of the pod itself
// (InPlacePodLevelResourcesVerticalScaling).
var podResizable = version.MustParseGeneric("1.36")

// longestFile is how much of a name a file is named after, in bytes: a file's name
// has at most 255 with its extension.
const longestFile = 200

// inPlace says whether a step can be done to a pod that exists.
func inPlace(cluster string, pod *corev1.Pod, step remedy.Step) bool {
	switch r := step.(type) {
	case remedy.Tolerate, remedy.Ungate:
		return true
	case remedy.LowerRequest:
		return resizes(cluster, pod, r)
	}
	return false
}

// resizes says whether the API server resizes the container in place: it
// refuses where the QoS class would change, and some pods altogether (its
// ValidatePodResize).
func resizes(cluster string, pod *corev1.Pod, r remedy.LowerRequest) bool {
	counts := r.Resource == corev1.ResourceCPU || r.Resource == corev1.ResourceMemory
	windows := pod.Spec.OS != nil && pod.Spec.OS.Name == corev1.Windows
	since := resizable
	if r.Pod {
		since = podResizable
	}
	if !counts || windows || (pod.Spec.Resources != nil) != r.Pod || !isSince(cluster, since) {
		return false
	}
	for _, container := range pod.Spec.InitContainers {
		always := container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways
		if r.Init && container.Name == r.Container && !always {
			return false
		}
	}
	changed, err := remedy.Apply(nil, pod, r)
	return err == nil && qos.ComputePodQOS(changed) == qos.GetPodQOS(pod)
}

// isSince says whether a cluster is of a release or a later one; one of unknown
// version is taken for a new one.
func isSince(cluster string, release *version.Version) bool {
	v, err := version.ParseGeneric(cluster)
	return err != nil || v.AtLeast(release)
}

// barePod changes a pod that no controller owns, in place as far as that goes.
func barePod(cluster string, pod *corev1.Pod, steps []remedy.Step) Command {
	if slices.ContainsFunc(steps, func(step remedy.Step) bool { return !inPlace(cluster, pod, step) }) {
		return recreatePod(pod, steps)
	}
	var patches, resizes []remedy.Step
	for _, step := range steps {
		if _, ok := step.(remedy.LowerRequest); ok {
			resizes = append(resizes, step)
		} else {
			patches = append(patches, step)
		}
	}
	switch {
	case len(resizes) == 0:
		return patchPod(pod, patches)
	case len(patches) == 0:
		return resizePod(pod, resizes)
	}
	patch, resize := patchPod(pod, patches), resizePod(pod, resizes)
	if patch.Line == "" || resize.Line == "" {
		return Command{Why: patch.Why + resize.Why}
	}
	// The scheduler may try the pod between the two: it is smaller by then.
	return Command{Line: resize.Line + " && " + patch.Line, Before: resizes}
}

// patchPod adds tolerations and removes gates.
func patchPod(pod *corev1.Pod, steps []remedy.Step) Command {
	patch, _, err := Patches(&pod.Spec, steps)
	if err != nil {
		return Command{Why: err.Error()}
	}
	flags := patchFlags("/spec", &pod.Spec, steps, map[string]any{"spec": patch})
	return Command{Line: shell.Line(append([]string{"kubectl", "-n", pod.Namespace, "patch", "pod/" + pod.Name}, flags...)...)}
}

// resizePod changes requests in place, and back.
func resizePod(pod *corev1.Pod, steps []remedy.Step) Command {
	change, back, err := Patches(&pod.Spec, steps)
	if err != nil {
		return Command{Why: err.Error()}
	}
	return Command{Line: resizeTo(pod, change), Undo: resizeTo(pod, back)}
}

// resizedPod changes the requests of a pod that runs, and of no other one.
func resizedPod(cluster string, pod *corev1.Pod, steps []remedy.Step) Command {
	if slices.ContainsFunc(steps, func(step remedy.Step) bool { return !inPlace(cluster, pod, step) }) {
		return Command{Why: "kube-apiserver does not allow it: the pod's QoS class would change, or what can be resized in place"}
	}
	return resizePod(pod, steps)
}

// recreatePod deletes the pod and creates it again with the change.
func recreatePod(pod *corev1.Pod, steps []remedy.Step) Command {
	changed, err := applied(&pod.Spec, steps)
	if err != nil {
		return Command{Why: err.Error()}
	}
	patch, err := diff(&pod.Spec, labelkeys.Unmerged(changed))
	if err != nil {
		return Command{Why: err.Error()}
	}
	flags := []string{"-p", shell.OneLine(map[string]any{"spec": patch})}
	if equality.Semantic.DeepEqual(labelkeys.Unmerged(&pod.Spec), &pod.Spec) {
		flags = patchFlags("/spec", &pod.Spec, steps, map[string]any{"spec": patch})
	}
	return Command{
		Line:      recreate(pod.Namespace, "pod/"+pod.Name, flags...),
		Recreates: true, Anew: true, Keeps: keepers(pod),
		Affects: []report.Affected{{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, How: "is deleted and recreated" + saved}},
		Brief:   "the pod is recreated",
	}
}

// keepers says that finalizers may keep a pod from being deleted; "" where it has none.
func keepers(pod *corev1.Pod) string {
	if len(pod.Finalizers) == 0 {
		return ""
	}
	return fmt.Sprintf("its %s %s may keep it from being deleted, and the command waits for that",
		grammar.Agree(len(pod.Finalizers), "finalizer", "finalizers"), strings.Join(pod.Finalizers, ", "))
}

// saved says of what is deleted where it still is.
const saved = "; its manifest is saved in a new temporary directory first"

// recreate deletes an object and creates it again with a change, by the flags of
// kubectl patch. Its manifest is written first, to a new directory that only the
// user can read, as kubectl edit does: no file of the current directory is
// overwritten. Nothing is deleted before the API server has accepted the new object
// under another name. If it rejects the object afterwards, or the command is
// interrupted, the file is still there, and where it is has been printed.
func recreate(namespace, object string, patch ...string) string {
	_, name, _ := strings.Cut(object, "/")
	prefix := name[:min(len(name), 50)]
	unnamed := map[string]any{"metadata": map[string]any{"name": nil, "generateName": strings.TrimRight(prefix, ".-") + "-"}}
	return fmt.Sprintf(`manifest="$(mktemp -d)/%s.yaml"`, name[:min(len(name), longestFile)]) +
		" && " + shell.Line("kubectl", "-n", namespace, "get", object, "-o", "yaml") +
		" | " + shell.Line(append([]string{"kubectl", "patch", "--local", "-f", "-", "-o", "yaml"}, patch...)...) + ` >"$manifest"` +
		` && kubectl patch --local -f "$manifest" -o yaml ` + shell.Line("--type=merge", "-p", shell.OneLine(unnamed)) +
		" | kubectl create --dry-run=server -f -" +
		fmt.Sprintf(` && echo "If %s is not recreated: kubectl create -f $manifest"`, object) +
		` && kubectl replace --force -f "$manifest"`
}
