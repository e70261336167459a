package page

import "github.com/kubectl-fathom/kubectl-fathom/model"

// AbsentPod says why nothing can be done with a pod that its page no longer has: it was
// deleted, does not exist at this step of a recording, or only left the page. A nil pod does
// not exist.
func AbsentPod(o *Observed, pod *model.Pod, name string) string {
	if pod == nil {
		return absent(o, name, true)
	}
	_, deleted := PodIn(o.Snapshot, pod)
	if deleted && !pod.Exists() {
		return "No pod of " + name + " is missing any more."
	}
	return absent(o, name, deleted)
}

// AbsentNode is AbsentPod for a node.
func AbsentNode(o *Observed, node *model.Node, name string) string {
	if node == nil {
		return absent(o, name, true)
	}
	now, ok := o.Snapshot.Node(node.Name)
	return absent(o, name, !ok || now.Object.UID != node.Object.UID)
}

// absent is the sentence about an object of this name.
func absent(o *Observed, name string, deleted bool) string {
	switch {
	case !deleted:
		return name + " is no longer shown here."
	case o.IsSnapshot():
		return name + " does not exist at this step."
	}
	return name + " was deleted."
}

// Deleted is the answer of a page about a pod that does not exist any more, or whose
// controller is missing no pods any more, with what it answered before; "" if it had no
// answer.
func Deleted(o *Observed, pod *model.Pod, before string) string {
	words := "Deleted."
	switch {
	case !pod.Exists():
		words = "No pods are missing any more."
	case o.IsSnapshot():
		words = "Does not exist at this step."
	}
	if before == "" {
		return words
	}
	return words + " Before: " + before
}
