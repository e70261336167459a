package lessons

// observe is the state of a cluster as the variables of expressions.
func observe(cluster Cluster) (map[string]any, error) {
	lists, err := cluster.Lists()
	if err != nil {
		return nil, err
	}
	running, unschedulable := []any{}, []any{}
	for _, object := range lists["pods"] {
		pod, ok := object.(map[string]any)
		if !ok || at(pod, "metadata", "deletionTimestamp") != nil {
			continue
		}
		switch {
		case at(pod, "status", "phase") == "Running":
			running = append(running, podSummary(pod))
		case isUnschedulable(pod):
			unschedulable = append(unschedulable, podSummary(pod))
		}
	}
	state := map[string]any{"running": running, "unschedulable": unschedulable, "ended": cluster.Ended()}
	for name, list := range lists {
		state[name] = list
	}
	return state, nil
}

// podSummary is a summary of a pod. Each field exists, so that expressions need no has().
func podSummary(pod map[string]any) map[string]any {
	return map[string]any{
		"namespace": textAt(pod, "metadata", "namespace"), "name": textAt(pod, "metadata", "name"),
		"app": textAt(pod, "metadata", "labels", "app"), "node": textAt(pod, "spec", "nodeName"),
	}
}

// isUnschedulable says whether the scheduler found no node for the pod.
func isUnschedulable(pod map[string]any) bool {
	conditions, _ := at(pod, "status", "conditions").([]any)
	for _, object := range conditions {
		condition, _ := object.(map[string]any)
		if condition["type"] == "PodScheduled" && condition["status"] == "False" && condition["reason"] == "Unschedulable" {
			return true
		}
	}
	return false
}

// at is a field of an object; nil where it is missing.
func at(object map[string]any, path ...string) any {
	var value any = object
	for _, name := range path {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	return value
}

func textAt(object map[string]any, path ...string) string {
	text, _ := at(object, path...).(string)
	return text
}
