package explain

import (
	"strings"

	versionutil "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/version"
	"k8s.io/component-helpers/nodedeclaredfeatures"
	"k8s.io/component-helpers/nodedeclaredfeatures/types"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// nodeDeclaredFeatures names the features that the pod needs and the node's
// kubelet does not declare.
var nodeDeclaredFeatures = explainer{
	shape: func(q *question, r refused) string { return strings.Join(undeclared(q, r), ",") },
	words: func(q *question, rs []refused) words {
		lacking := undeclared(q, rs[0])
		if len(lacking) == 0 {
			return reasonOnly(rs)
		}
		return words{
			What: sentences(rs, func(r refused) string {
				declared := "declares no feature"
				if has := r.node.Node().Status.DeclaredFeatures; len(has) > 0 {
					declared = "declares " + grammar.List(has, grammar.Many)
				}
				return "the pod needs " + strings.Join(undeclared(q, r), ", ") + " of the node, which " + declared
			}),
			Short: "no feature " + strings.Join(lacking, ", "),
		}
	},
}

// undeclared is what the pod needs less what the node has.
func undeclared(q *question, r refused) []string {
	if r.node == nil {
		return nil
	}
	type needsKey struct{}
	needs := remember(q, needsKey{}, func() *nodedeclaredfeatures.FeatureSet { return featuresOf(q) })
	if needs == nil {
		return nil
	}
	match, err := nodedeclaredfeatures.DefaultFramework.MatchNodeFeatureSet(*needs, r.node.GetNodeDeclaredFeatures())
	if err != nil {
		return nil
	}
	return match.UnsatisfiedRequirements
}

// featuresOf is what the pod needs by the version that the plugin goes by.
func featuresOf(q *question) *nodedeclaredfeatures.FeatureSet {
	target, err := versionutil.Parse(version.Get().String())
	if err != nil {
		return nil
	}
	needs, err := nodedeclaredfeatures.DefaultFramework.InferForPodScheduling(&types.PodInfo{Spec: &q.pod.Spec}, target)
	if err != nil {
		return nil
	}
	return &needs
}
