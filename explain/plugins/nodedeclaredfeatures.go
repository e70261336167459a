package plugins

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
	Shape: func(q *Question, r NodeRejection) string { return strings.Join(Undeclared(q, r), ",") },
	Words: func(q *Question, rs []NodeRejection) Words {
		lacking := Undeclared(q, rs[0])
		if len(lacking) == 0 {
			return reasonOnly(rs)
		}
		return Words{
			What: sentences(rs, func(r NodeRejection) string {
				declared := "the node declares none"
				if has := r.Node.Node().Status.DeclaredFeatures; len(has) > 0 {
					declared = "the node declares " + grammar.List(has, grammar.Many)
				}
				return "the pod requires " + grammar.Agree(len(Undeclared(q, r)), "node feature ", "node features ") + strings.Join(Undeclared(q, r), ", ") + ", " + declared
			}),
			Short: "no node feature " + strings.Join(lacking, ", "),
		}
	},
}

// Undeclared is what the pod needs less what the node has.
func Undeclared(q *Question, r NodeRejection) []string {
	if r.Node == nil {
		return nil
	}
	type needsKey struct{}
	needs := Remember(q, needsKey{}, func() *nodedeclaredfeatures.FeatureSet { return featuresOf(q) })
	if needs == nil {
		return nil
	}
	match, err := nodedeclaredfeatures.DefaultFramework.MatchNodeFeatureSet(*needs, r.Node.GetNodeDeclaredFeatures())
	if err != nil {
		return nil
	}
	return match.UnsatisfiedRequirements
}

// featuresOf is what the pod needs by the version that the plugin goes by.
func featuresOf(q *Question) *nodedeclaredfeatures.FeatureSet {
	target, err := versionutil.Parse(version.Get().String())
	if err != nil {
		return nil
	}
	needs, err := nodedeclaredfeatures.DefaultFramework.InferForPodScheduling(&types.PodInfo{Spec: &q.Pod.Spec}, target)
	if err != nil {
		return nil
	}
	return &needs
}
