package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Completion is a word that completes the typed text.
type Completion struct {
	Text string // the whole word: "dedicated=gpu:NoSchedule"
	Note string // "on 3 nodes"
}

// most is how many completions there are at a time.
const most = 100

// CompleteTaint completes the last word typed: taints in use, the most used first,
// the same ones with another effect, and those that can be removed from these nodes.
func CompleteTaint(s *model.Snapshot, nodes []string, typed string) []Completion {
	word, removes := strings.CutSuffix(lastWord(typed), "-")
	uses, mine := taintUses(s, nodes)
	var found []Completion
	if !removes {
		found = taintsLike(uses, word)
	}
	for _, taint := range byUse(mine) {
		if text := taint.ToString(); strings.HasPrefix(text, word) {
			found = append(found, Completion{model.Clean(text) + "-", "removes it" + ofNodes(mine[taint], len(nodes))})
		}
	}
	return found[:min(len(found), most)]
}

// taintsLike are the taints to add that begin with word: each effect of each pair
// of key and value in use, and of the pair typed.
func taintsLike(uses map[corev1.Taint]int, word string) []Completion {
	var found, unused []Completion
	seen := map[corev1.Taint]bool{}
	all := byUse(uses)
	if pair, _, typed := strings.Cut(word, ":"); typed {
		if taint, _, err := parseTaint(pair); err == nil {
			all = append(all, taint)
		}
	}
	for _, taint := range all {
		taint.Effect = ""
		if seen[taint] {
			continue
		}
		seen[taint] = true
		for _, taint.Effect = range Effects {
			text := taint.ToString()
			switch n := uses[taint]; {
			case !strings.HasPrefix(text, word):
			case n > 0:
				found = append(found, Completion{model.Clean(text), "on " + countNodes(n)})
			default:
				unused = append(unused, Completion{model.Clean(text), "not in use"})
			}
		}
	}
	return append(found, unused...)
}

// taintUses counts the nodes with each taint, and of these nodes. Those that
// Kubernetes sets itself are left out.
func taintUses(s *model.Snapshot, nodes []string) (uses, mine map[corev1.Taint]int) {
	uses, mine = map[corev1.Taint]int{}, map[corev1.Taint]int{}
	for _, node := range s.Nodes {
		if node.Object == nil {
			continue
		}
		own := slices.Contains(nodes, node.Name)
		for _, taint := range node.Object.Spec.Taints {
			if strings.HasPrefix(taint.Key, model.TaintDomain) {
				continue
			}
			taint.TimeAdded = nil
			uses[taint]++
			if own {
				mine[taint]++
			}
		}
	}
	return uses, mine
}

// byUse are the taints, the most used first.
func byUse(uses map[corev1.Taint]int) []corev1.Taint {
	return slices.SortedFunc(maps.Keys(uses), func(a, b corev1.Taint) int {
		return cmp.Or(cmp.Compare(uses[b], uses[a]), strings.Compare(a.ToString(), b.ToString()))
	})
}

// ofNodes says of how many of several nodes a taint is removed.
func ofNodes(n, all int) string {
	if all <= 1 {
		return ""
	}
	return fmt.Sprintf(" from %d of %d nodes", n, all)
}

// CompleteLabel completes the last word typed: keys in use, then values of the key
// typed, the most used first, and keys that can be removed from these objects. Of
// pods, those of the same namespaces count.
func CompleteLabel(s *model.Snapshot, refs []model.Ref, typed string) []Completion {
	word := lastWord(typed)
	key, value, valued := strings.Cut(word, "=")
	key, removes := strings.CutSuffix(key, "-")
	uses, mine := map[string]int{}, map[string]int{}
	resource := eachLabels(s, refs, func(labels map[string]string, own bool) {
		if valued {
			if has, ok := labels[key]; ok && strings.HasPrefix(has, value) {
				uses[key+"="+has]++
			}
			return
		}
		for name := range labels {
			if !strings.HasPrefix(name, key) {
				continue
			}
			uses[name+"="]++
			if own {
				mine[name]++
			}
		}
	})
	var found []Completion
	if !removes {
		found = counted(uses, "", func(n int) string {
			return fmt.Sprintf("on %d %s", n, grammar.Agree(n, strings.TrimSuffix(resource, "s"), resource))
		})
	}
	found = append(found, counted(mine, "-", func(n int) string {
		if len(refs) == 1 {
			return "removes it"
		}
		return fmt.Sprintf("removes it from %d of %d %s", n, len(refs), resource)
	})...)
	return found[:min(len(found), most)]
}

// eachLabels calls with the labels of every object of the kind that refs are of,
// and says which kind that is.
func eachLabels(s *model.Snapshot, refs []model.Ref, call func(labels map[string]string, own bool)) string {
	own, namespaces := map[model.Ref]bool{}, map[string]bool{}
	for _, ref := range refs {
		own[model.Ref{Namespace: ref.Namespace, Name: ref.Name}] = true
		namespaces[ref.Namespace] = true
	}
	if len(refs) > 0 && refs[0].Resource == "pods" {
		for _, pod := range s.Pods {
			if namespaces[pod.Object.Namespace] {
				call(pod.Object.Labels, own[model.Ref{Namespace: pod.Object.Namespace, Name: pod.Object.Name}])
			}
		}
		return "pods"
	}
	for _, node := range s.Nodes {
		if node.Object != nil {
			call(node.Object.Labels, own[model.Ref{Name: node.Name}])
		}
	}
	return "nodes"
}

// counted are words by their use, the most used first.
func counted(uses map[string]int, suffix string, note func(int) string) []Completion {
	words := slices.SortedFunc(maps.Keys(uses), func(a, b string) int {
		return cmp.Or(cmp.Compare(uses[b], uses[a]), strings.Compare(a, b))
	})
	found := make([]Completion, 0, len(words))
	for _, word := range words {
		found = append(found, Completion{model.Clean(word) + suffix, note(uses[word])})
	}
	return found
}

// lastWord is the word that is being typed.
func lastWord(typed string) string { return typed[strings.LastIndexByte(typed, ' ')+1:] }
