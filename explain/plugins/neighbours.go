package plugins

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// neighbours are the pods that inter-pod rules are about, by topology domain:
// what InterPodAffinity counts, with the names that its counts leave out.
type neighbours struct {
	together []Term // the pod's own required terms
	apart    []Term

	affinityMatches map[pair][]*corev1.Pod             // pods that match all of together
	anywhere        map[string][]*corev1.Pod           // the same by topology key alone
	domains         map[string][]string                // the domains of affinityMatches, by topology key
	excluded        []map[pair][]*corev1.Pod           // for each of apart: pods that match it
	rejecting       map[antiAffinityTerm][]*corev1.Pod // pods whose required anti-affinity means the pod
	termsByKey      map[string][]string                // the selectors of those anti-affinities, by topology key
	keys            []string                           // of termsByKey, in order
	matched         bool                               // a pod matches all of together, maybe on a node without the topology's label
	why             string                             // why no pod on any node does; "" where that is not known
	outside         outside                            // where no pod on any node does: those that do but for their namespace
}

// pair is a topology key and a domain of it.
type pair struct{ key, domain string }

// antiAffinityTerm is an anti-affinity of other pods in one domain, by its selector.
type antiAffinityTerm struct {
	pair
	selector string
}

// neighboursOf are those of the pod that is asked about.
func neighboursOf(q *Question) *neighbours {
	type indexKey struct{}
	return Remember(q, indexKey{}, func() *neighbours { return newNeighbours(q) })
}

// newNeighbours looks at every pod once.
func newNeighbours(q *Question) *neighbours {
	n := &neighbours{affinityMatches: map[pair][]*corev1.Pod{}, rejecting: map[antiAffinityTerm][]*corev1.Pod{}}
	n.together = OwnTerms(q, fwk.GetPodAffinityTerms(q.Pod.Spec.Affinity))
	n.apart = OwnTerms(q, fwk.GetPodAntiAffinityTerms(q.Pod.Spec.Affinity))
	for range n.apart {
		n.excluded = append(n.excluded, map[pair][]*corev1.Pod{})
	}
	nodes, err := q.Nodes.NodeInfos().List()
	if err != nil {
		return n
	}
	unfit := unfit(q, nodes)
	switch {
	case len(n.together) > 0: // matching pods may be on any
		n.collectAll(nodes)
	case len(n.apart) > 0:
		n.collectAll(unfit)
	}
	ours := NamespaceLabels(q)
	for _, node := range unfit {
		n.collectRejecting(q.Pod, ours, node.Node(), node.GetPodsWithRequiredAntiAffinity())
	}
	n.sortAll()
	if len(n.together) > 0 && !n.matched {
		n.why = absentWords(q, n.together)
		if !matchesAll(n.together, q.Pod) { // otherwise it may be the first
			n.outside = outsideOf(q, n.together, nodes)
		}
	}
	return n
}

// unfit are the nodes that hold pods which keep the pod away, or more: the plugin
// has refused each of them, for a pod's own node is of the domain that it keeps
// others out of. All of them where it is not known what the plugin refused.
func unfit(q *Question, nodes []fwk.NodeInfo) []fwk.NodeInfo {
	if q.Column == nil {
		return nodes
	}
	column := q.Column(names.InterPodAffinity)
	if len(column) != len(nodes) {
		return nodes
	}
	var found []fwk.NodeInfo
	for i, node := range nodes {
		if column[i] != nil {
			found = append(found, node)
		}
	}
	return found
}

// collectAll collects the pods of nodes. It is most of the work where there are tens of
// thousands of pods, so several share it; the order of what they find does not
// count, what is named of it is sorted afterwards.
func (n *neighbours) collectAll(nodes []fwk.NodeInfo) {
	shares := slices.Collect(slices.Chunk(nodes, len(nodes)/collectors+1))
	found := make([]neighbours, len(shares))
	var collecting sync.WaitGroup
	for i, share := range shares {
		collecting.Go(func() {
			defer utilruntime.HandleCrash()
			part := neighbours{together: n.together, apart: n.apart, affinityMatches: map[pair][]*corev1.Pod{}}
			for range n.apart {
				part.excluded = append(part.excluded, map[pair][]*corev1.Pod{})
			}
			known := meanings{}
			for _, node := range share {
				part.collect(node.Node(), node.GetPods(), known)
			}
			found[i] = part
		})
	}
	collecting.Wait()
	for _, part := range found {
		join(n.affinityMatches, part.affinityMatches)
		n.matched = n.matched || part.matched
		for i := range n.apart {
			join(n.excluded[i], part.excluded[i])
		}
	}
}

// collectors is how many collect pods at once.
const collectors = 2

// join adds what is in more.
func join(to, more map[pair][]*corev1.Pod) {
	for at, pods := range more {
		to[at] = append(to[at], pods...)
	}
}

// with is n and the pods that are nominated to r's node.
func (n *neighbours) with(q *Question, r NodeRejection) *neighbours {
	more := *n
	more.affinityMatches, more.rejecting = maps.Clone(n.affinityMatches), maps.Clone(n.rejecting)
	more.excluded = slices.Clone(n.excluded)
	for i := range more.excluded {
		more.excluded[i] = maps.Clone(n.excluded[i])
	}
	more.collect(r.Node.Node(), r.Nominated, meanings{})
	if more.matched {
		more.why, more.outside = "", outside{}
	}
	more.collectRejecting(q.Pod, NamespaceLabels(q), r.Node.Node(), r.Nominated)
	more.sortAll()
	return &more
}

// collect notes the pods on node that the pod's own rules mean.
func (n *neighbours) collect(node *corev1.Node, pods []fwk.PodInfo, known meanings) {
	for _, info := range pods {
		pod := info.GetPod()
		meant := known.of(n, pod)
		if meant.together {
			n.matched = true
			for _, key := range keysOf(n.together) {
				if domain, ok := node.Labels[key]; ok {
					at := pair{key, domain}
					n.affinityMatches[at] = append(n.affinityMatches[at], pod)
				}
			}
		}
		for _, i := range meant.apart {
			key := n.apart[i].TopologyKey
			if domain, ok := node.Labels[key]; ok {
				at := pair{key, domain}
				n.excluded[i][at] = append(n.excluded[i][at], pod)
			}
		}
	}
}

// meanings are which of the pod's own rules mean other pods, once for those that share their labels, as replicas do.
type meanings map[sharedLabels]meaning

// sharedLabels are the labels of pods of a namespace, by the map that they share.
type sharedLabels struct {
	namespace string
	labels    unsafe.Pointer
}

// meaning is which rules mean a pod.
type meaning struct {
	together bool  // all terms of the affinity
	apart    []int // these terms of the anti-affinity
}

func (m meanings) of(n *neighbours, pod *corev1.Pod) meaning {
	key := sharedLabels{pod.Namespace, reflect.ValueOf(pod.Labels).UnsafePointer()}
	known, ok := m[key]
	if !ok {
		known.together = matchesAll(n.together, pod)
		for i := range n.apart {
			if n.apart[i].Matches(pod, nil) {
				known.apart = append(known.apart, i)
			}
		}
		m[key] = known
	}
	return known
}

// collectRejecting notes the pods on node whose anti-affinity means pod.
func (n *neighbours) collectRejecting(pod *corev1.Pod, ours labels.Set, node *corev1.Node, pods []fwk.PodInfo) {
	for _, info := range pods {
		for _, term := range info.GetRequiredAntiAffinityTerms() {
			domain, ok := node.Labels[term.TopologyKey]
			if !ok || !term.Matches(pod, ours) {
				continue
			}
			at := antiAffinityTerm{pair{term.TopologyKey, domain}, joined(selectorText(term.Selector), namespacesText(info.GetPod().Namespace, &term))}
			n.rejecting[at] = append(n.rejecting[at], info.GetPod())
		}
	}
}

// sortAll puts what is named of what was collected first, so that names need no sorting per node, and sums
// it up by topology key. What is appended later goes to a copy.
func (n *neighbours) sortAll() {
	n.anywhere, n.domains, n.termsByKey = map[string][]*corev1.Pod{}, map[string][]string{}, map[string][]string{}
	inOrder(n.affinityMatches)
	inOrder(n.rejecting)
	for _, found := range n.excluded {
		inOrder(found)
	}
	for at, pods := range n.affinityMatches {
		n.anywhere[at.key] = append(n.anywhere[at.key], pods...)
		n.domains[at.key] = append(n.domains[at.key], at.domain)
	}
	inOrder(n.anywhere)
	for _, domains := range n.domains {
		slices.Sort(domains)
	}
	for at := range n.rejecting {
		if !slices.Contains(n.termsByKey[at.key], at.selector) {
			n.termsByKey[at.key] = append(n.termsByKey[at.key], at.selector)
		}
	}
	for _, selectors := range n.termsByKey {
		slices.Sort(selectors)
	}
	n.keys = slices.Sorted(maps.Keys(n.termsByKey))
}

// mostNamed is how many pods of a list are named at most.
const mostNamed = max(grammar.Many, report.MostNames)

// inOrder puts the pods of each list first that are named, by their names, and each pod once. A list may have tens of
// thousands.
func inOrder[K comparable](lists map[K][]*corev1.Pod) {
	for at, pods := range lists {
		pods = slices.Compact(slices.Clone(pods)) // one that is there twice stands beside itself
		namedFirst(pods)
		lists[at] = slices.Clip(pods)
	}
}

// namedFirst puts the first pods in the order of their names before all others.
func namedFirst(pods []*corev1.Pod) {
	byName := func(a, b *corev1.Pod) int {
		if of := strings.Compare(a.Namespace, b.Namespace); of != 0 {
			return of
		}
		return strings.Compare(a.Name, b.Name)
	}
	first := pods[:min(len(pods), mostNamed)]
	slices.SortFunc(first, byName)
	for i := len(first); i < len(pods); i++ {
		last := len(first) - 1
		if byName(pods[i], first[last]) >= 0 {
			continue
		}
		pod := pods[i]
		pods[i] = first[last]
		at, _ := slices.BinarySearchFunc(first[:last], pod, byName)
		copy(first[at+1:], first[at:last])
		first[at] = pod
	}
}

// rejectingWorkloads names the workloads whose pods reject the pod from some nodes by the
// anti-affinity that c is about.
func (n *neighbours) rejectingWorkloads(c Clash, rs []NodeRejection) string {
	const most = 2
	workloads, domains := sets.New[string](), sets.New[string]()
	for _, r := range rs {
		domain := r.Node.Node().Labels[c.Key]
		if domains.Has(domain) {
			continue
		}
		domains.Insert(domain)
		for _, pod := range n.rejecting[antiAffinityTerm{pair{c.Key, domain}, c.Selector}] {
			workloads.Insert(workloadOf(pod))
		}
	}
	if len(workloads) == 0 { // they are nominated, and not there yet
		return "other pods"
	}
	return grammar.List(sets.List(workloads), most)
}

// workloadOf names what a pod belongs to, or a pod without an owner: "web/front".
func workloadOf(pod *corev1.Pod) string {
	return pod.Namespace + "/" + cmp.Or(model.OwnerOf(pod).Name, pod.Name)
}

// absent is a workload that creates pods which all terms of an affinity mean, where no such pod is on a node.
type absent struct {
	name     string // with its kind: "Deployment shop/cache"
	rolls    bool   // a Deployment: each of its ReplicaSets keeps its template
	matches  bool   // its pods, those of one of its ReplicaSets at least
	matching int32  // replicas of those that match
	others   int32  // of its others
}

// words say why it has no such pod on a node; "" where that is not certain.
func (a absent) words() string {
	switch {
	case a.matching+a.others == 0:
		return a.name + " has no replicas"
	case a.rolls && a.others == 0:
		return "no pod of " + a.name + " is on a node"
	}
	return ""
}

// absentWords say which workload would create pods that all terms mean, where no such pod is on a
// node; "" for no known workload. One that has replicas comes before those that have none.
func absentWords(q *Question, terms []Term) string {
	known := map[string]*absent{}
	note := func(kind string, of metav1.Object, template *corev1.PodTemplateSpec, replicas *int32) {
		name, owner := of.GetName(), metav1.GetControllerOf(of)
		if owner != nil {
			kind, name = owner.Kind, owner.Name
		}
		name = kind + " " + of.GetNamespace() + "/" + name
		at := known[name]
		if at == nil {
			at = &absent{name: name, rolls: kind == "Deployment"}
			known[name] = at
		}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: of.GetNamespace()}}
		if template != nil {
			pod.Labels = template.Labels
		}
		n := ptr.Deref(replicas, 1)
		if template == nil || !matchesAll(terms, pod) {
			at.others += n
			return
		}
		at.matches, at.matching = true, at.matching+n
	}
	for _, set := range Everything(q.Listers.ReplicaSets) { // those of older templates of a Deployment have 0
		note("ReplicaSet", set, &set.Spec.Template, set.Spec.Replicas)
	}
	for _, set := range Everything(q.Listers.StatefulSets) {
		note("StatefulSet", set, &set.Spec.Template, set.Spec.Replicas)
	}
	for _, controller := range Everything(q.Listers.Controllers) {
		note("ReplicationController", controller, controller.Spec.Template, controller.Spec.Replicas)
	}
	none := ""
	for _, name := range slices.Sorted(maps.Keys(known)) {
		at := known[name]
		switch words := at.words(); {
		case !at.matches || words == "":
		case at.matching > 0:
			return words
		case none == "":
			none = words
		}
	}
	return none
}

// outside are the pods on nodes that all terms of an affinity would mean if they selected the pods' namespaces.
type outside struct {
	namespaces []string // those with the most such pods first
	pods       int
	miss       string // of a single namespace: why its labels are not those that a term selects; "" where it is not about labels
}

// outsideOf finds them, where no pod on nodes is what terms mean. The namespaces of a term are not known where
// it selects them by labels that could not be read.
func outsideOf(q *Question, terms []Term, nodes []fwk.NodeInfo) outside {
	labelled := func(t Term) bool { return t.byLabels != nil }
	if !q.Listers.Readable("namespaces") && slices.ContainsFunc(terms, labelled) {
		return outside{}
	}
	otherwise := func(pod *corev1.Pod) bool {
		return !slices.ContainsFunc(terms, func(t Term) bool { return !t.Selector.Matches(labels.Set(pod.Labels)) })
	}
	counts, found := map[string]int{}, outside{}
	for _, node := range nodes {
		for _, info := range node.GetPods() {
			if pod := info.GetPod(); otherwise(pod) {
				counts[pod.Namespace]++
				found.pods++
			}
		}
	}
	found.namespaces = slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	if len(found.namespaces) == 1 {
		found.miss = missedBy(q, terms, found.namespaces[0])
	}
	return found
}

// missedBy says what a namespace has instead of the labels by which the first term that does not select it
// selects namespaces: another value, the same name with another prefix, or the value under another key.
func missedBy(q *Question, terms []Term, name string) string {
	at := slices.IndexFunc(terms, func(t Term) bool { return !t.Namespaces.Has(name) })
	namespace, err := q.Namespaces.Get(name)
	if at < 0 || err != nil || terms[at].byLabels == nil {
		return ""
	}
	requirements, _ := terms[at].byLabels.Requirements()
	missed := slices.IndexFunc(requirements, func(r labels.Requirement) bool { return !r.Matches(labels.Set(namespace.Labels)) })
	if missed < 0 {
		return ""
	}
	r := &requirements[missed]
	last := func(key string) string { return strings.ToLower(key[strings.LastIndex(key, "/")+1:]) }
	likeness := []func(key, value string) bool{
		func(key, _ string) bool { return key == r.Key() },
		func(key, _ string) bool { return last(key) == last(r.Key()) },
		func(key, value string) bool {
			return key != corev1.LabelMetadataName && r.Values().Has(value) && isName(value)
		},
	}
	for _, alike := range likeness {
		for _, key := range slices.Sorted(maps.Keys(namespace.Labels)) {
			if value := namespace.Labels[key]; alike(key, value) {
				return "it has " + key + "=" + value
			}
		}
	}
	return "it has no label " + r.Key()
}

// isName reports whether a value is no switch or number, which labels that have nothing in common may have.
func isName(value string) bool {
	const least = 3
	_, err := strconv.ParseBool(value)
	return err != nil && len(value) >= least && !strings.HasSuffix(value, "abled") && !strings.ContainsFunc(value, unicode.IsDigit)
}

// words say where the pods are: "3 match in namespace cart-cache, which is not selected"; "" where there are none.
func (o outside) words() string {
	if o.pods == 0 {
		return ""
	}
	said := grammar.Count(o.pods, "matches in ", "match in ") + namespaceList(o.namespaces, grammar.Few) + ", " +
		grammar.Agree(len(o.namespaces), "which is not selected", "which are not selected")
	if o.miss != "" {
		said += ": " + o.miss
	}
	return said
}

// clause is words for a table: "3 are in cart-cache".
func (o outside) clause() string {
	return grammar.Count(o.pods, "is in ", "are in ") + grammar.List(o.namespaces, 1)
}

// affinityText is which pods the pod's affinity selects, and what such a pod is called.
func (n *neighbours) affinityText() (selector, noun string) {
	var pods, wheres, all []string
	add := func(to *[]string, said string) {
		if !slices.Contains(*to, said) {
			*to = append(*to, said)
		}
	}
	for i := range n.together {
		term := &n.together[i]
		add(&pods, selectorText(term.Selector))
		add(&wheres, term.where)
		add(&all, term.Text())
	}
	if len(wheres) > 1 {
		selector = strings.Join(all, " and ")
		return selector, "pod matching " + selector
	}
	selector, where := strings.Join(pods, " and "), strings.Join(wheres, "")
	if where == "" && n.outside.pods > 0 {
		where = "in the pod's namespace"
	}
	return joined(selector, where), joined(selector+" pod", where)
}

// joined puts the namespaces behind what they are of.
func joined(of, where string) string {
	if where == "" {
		return of
	}
	return of + " " + where
}

// ListPods names the first of some pods and counts the rest.
func ListPods(pods []*corev1.Pod, limit int) string {
	var names []string
	for _, pod := range pods[:min(len(pods), limit)] {
		names = append(names, FullName(pod))
	}
	said := strings.Join(names, ", ")
	if rest := len(pods) - len(names); rest > 0 {
		said += fmt.Sprintf(" and %d more", rest)
	}
	return said
}
