package explain

// nodeName says which node the pod asks for.
var nodeName = explainer{
	words: func(q *question, rs []refused) words {
		return words{
			What:  sentences(rs, func(refused) string { return "not the node " + q.pod.Spec.NodeName + " that spec.nodeName asks for" }),
			Short: "wants node " + q.pod.Spec.NodeName,
		}
	},
}
