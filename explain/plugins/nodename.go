package plugins

// nodeName says which node the pod names in spec.nodeName.
var nodeName = explainer{
	Words: func(q *Question, rs []NodeRejection) Words {
		return Words{
			What:  sentences(rs, func(NodeRejection) string { return "spec.nodeName of the pod is " + q.Pod.Spec.NodeName }),
			Short: "spec.nodeName is " + q.Pod.Spec.NodeName,
		}
	},
}
