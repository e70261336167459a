package plugins

// nodeName says which node the pod asks for.
var nodeName = explainer{
	Words: func(q *Question, rs []Refused) Words {
		return Words{
			What:  sentences(rs, func(Refused) string { return "not the node " + q.Pod.Spec.NodeName + " that spec.nodeName asks for" }),
			Short: "wants node " + q.Pod.Spec.NodeName,
		}
	},
}
