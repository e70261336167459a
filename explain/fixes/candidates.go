package fixes

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// option is a way round one plugin's rejection: all of its steps together.
type option []remedy.Step

// remediesOf has, by plugin, what could make it take the pod on some of the
// nodes that it refuses for one reason, nearest first. What it returns are
// guesses: only what the plugins accept on a copy is told. Plugins without an
// entry refuse for things that neither the pod nor a node can be changed about. Those of
// NodeResourcesFit ask PodDisruptionBudgets too.
var remediesOf = map[string]func(q *plugins.Question, rs []plugins.NodeRejection) []option{
	names.NodeUnschedulable: uncordons,
	names.TaintToleration:   taintRemedies,
	names.NodeAffinity:      affinityRemedies,
	names.NodePorts:         portRemedies,
	names.PodTopologySpread: spreadRemedies,
	names.InterPodAffinity:  neighbourRemedies,
	names.DynamicResources:  deviceRemedies,
	names.VolumeBinding:     claimRemedies,
	names.VolumeZone:        zoneRemedies,
}

// beforeNodes are the plugins whose rejection before any node is looked at can be
// helped: it is about claims.
var beforeNodes = sets.New(names.VolumeBinding, names.VolumeZone)

const (
	nearNodes  = 3 // of a group are tried one by one
	groupNodes = 8 // that are changed together; of larger groups the nearest alone

	mistakenNodes = 24 // of a pool, which are labelled together
)

func uncordons(_ *plugins.Question, rs []plugins.NodeRejection) []option {
	var options []option
	for _, r := range rs[:min(len(rs), nearNodes)] {
		options = append(options, option{remedy.Uncordon{Nodes: []string{r.Name()}}})
	}
	return options
}

// onSeveral are the ways of a group of nodes that change one node, with more of its nodes: one may
// not be enough for all equal pods, or be full of other pods that come. They are all of the nearest
// one's pool and zone, and to uncordon the two nearest ones.
func onSeveral(f *Search, ways []option, m *scheduler.Matrix, g *rejectiongroups.Group) []option {
	at := slices.IndexFunc(ways, func(way option) bool {
		return len(way) == 1 && (remedy.Kind(way[0]) == report.FixUncordon || remedy.Kind(way[0]) == report.FixLabel)
	})
	if at < 0 {
		return nil
	}
	label, labels := ways[at][0].(remedy.LabelNode)
	nearest := f.Scheduler.State.Nodes[remedy.NodesOf(ways[at])[0]]
	var near, pool []string
	for _, i := range g.Nodes {
		node := m.Nodes[i].Node()
		if _, has := node.Labels[label.Key]; labels && has {
			continue
		}
		near = append(near, node.Name)
		if samePlace(node, nearest, f.PoolLabel) {
			pool = append(pool, node.Name)
		}
	}
	var several []option
	if !labels && len(near) > 1 && len(pool) != 2 {
		several = append(several, option{remedy.Uncordon{Nodes: near[:2]}})
	}
	switch name := model.PoolOf(nearest, f.PoolLabel); {
	case len(pool) < 2 || len(pool) > groupNodes:
	case labels:
		several = append(several, option{remedy.LabelNode{Nodes: pool, Pool: name, Key: label.Key, Value: label.Value}})
	default:
		several = append(several, option{remedy.Uncordon{Nodes: pool, Pool: name}})
	}
	return several
}

// samePlace says whether two nodes are in the same pool, which a label may name, and zone.
func samePlace(a, b *corev1.Node, label string) bool {
	pool := model.PoolOf(a, label)
	return pool != "" && pool == model.PoolOf(b, label) && a.Labels[corev1.LabelTopologyZone] == b.Labels[corev1.LabelTopologyZone]
}

// taintRemedies tolerate or remove up to two taints. Taints that repeat what is
// wrong with a node are left alone: tolerating them would not make it right. No taint is removed
// that keeps pods off the control plane.
func taintRemedies(q *plugins.Question, rs []plugins.NodeRejection) []option {
	var tolerates, untaints option
	for _, taint := range plugins.Untolerated(q, rs[0]) {
		switch state := plugins.ConditionOf(&taint) != ""; {
		case taint.Key == corev1.TaintNodeUnschedulable && rs[0].Node.Node().Spec.Unschedulable:
			continue // an uncordon takes it away
		case state && model.AgentOf(taint.Key) != "" && model.OfDaemonSet(q.Pod):
			// it may be the agent itself, which has to tolerate the taint
		case state && taint.Key != corev1.TaintNodeUnschedulable:
			return nil
		}
		tolerate := remedy.Tolerate{Taint: taint}
		if compared := plugins.Comparison(q, &taint); compared != nil && model.ComparesTolerations() {
			tolerate.Compare = compared.Operator
		}
		tolerates = append(tolerates, tolerate)
		untaints = append(untaints, remedy.Untaint{Taint: taint, Nodes: taintedNodes(rs)})
	}
	controlPlane := func(step remedy.Step) bool { return remedy.OfControlPlane(step.(remedy.Untaint).Taint.Key) }
	switch {
	case len(tolerates) == 0:
		return []option{nil} // nothing to do but what the cordon asks for
	case slices.ContainsFunc(untaints, controlPlane):
		return []option{tolerates}
	}
	return []option{tolerates, untaints}
}

// taintedNodes are the nodes of a group that would lose a taint.
func taintedNodes(rs []plugins.NodeRejection) []string {
	if len(rs) > groupNodes {
		rs = rs[:1]
	}
	var nodes []string
	for _, r := range rs {
		nodes = append(nodes, r.Name())
	}
	slices.Sort(nodes)
	return nodes
}

func affinityRemedies(q *plugins.Question, rs []plugins.NodeRejection) []option {
	return affinityWays(q, rs, nil)
}

// affinityWays drop what the nodes do not have, or give a node selector the value that it looks like a
// misspelling of, or label the nearest node that has no such label, or those for which another value of
// a label looks like a mistake; nil: nobody knows.
func affinityWays(q *plugins.Question, rs []plugins.NodeRejection, find mistaken) []option {
	if rs[0].Node == nil {
		return nil
	}
	u := plugins.UnmetOf(q, rs[0])
	if u.Added { // nobody can drop it from the pod
		if one, ok := u.Single(); ok {
			return labelled(one, q.Pod, rs, find)
		}
		return nil
	}
	var drops option
	for _, pair := range u.Pairs {
		drops = append(drops, remedy.DropSelector{Key: pair.Key, Value: pair.Value})
	}
	var options []option
	if len(u.Terms) == 0 {
		options = append(options, drops)
	}
	loosened := false // by one requirement of a term, or one term
	for i, missing := range u.Terms {
		if dropped := dropTerm(q.Pod, i, missing); len(dropped) > 0 {
			options, loosened = append(options, slices.Concat(drops, dropped)), true
		}
		if len(u.Terms) > 1 && len(drops) == 0 && len(missing) == 1 {
			options = append(options, labelled(missing[0], q.Pod, rs, find)...)
		}
	}
	if len(u.Terms) > 0 && !loosened && !ofFields(q.Pod) {
		options = append(options, append(slices.Clip(drops), remedy.DropNodeAffinity{}))
	}
	if one, ok := u.Single(); ok {
		options = append(options, respelt(q, one)...)
		options = append(options, labelled(one, q.Pod, rs, find)...)
	}
	return options
}

// ofFields says whether a pod's required node affinity asks for fields, which is for nodes by name: that pins the
// pod, as its controller wants it.
func ofFields(pod *corev1.Pod) bool {
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	return slices.ContainsFunc(terms, func(t corev1.NodeSelectorTerm) bool { return len(t.MatchFields) > 0 })
}

// dropTerm drops what a node misses of one term, if that is one requirement.
func dropTerm(pod *corev1.Pod, term int, missing []plugins.Want) option {
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(missing) != 1 || missing[0].Field { // a node's name is asked for by who pins the pod to it
		return nil
	}
	drop := remedy.DropExpression{Term: term, Words: missing[0].Text}
	drop.Expression = slices.IndexFunc(terms[term].MatchExpressions, func(r corev1.NodeSelectorRequirement) bool { return plugins.RequirementText(r) == drop.Words })
	if drop.Expression < 0 {
		return nil
	}
	drop.LastOfTerm = len(terms[term].MatchExpressions)+len(terms[term].MatchFields) == 1
	drop.Last = drop.LastOfTerm && len(terms) == 1
	if drop.LastOfTerm && !drop.Last {
		return nil // without this term the others still stand, which no node satisfies
	}
	return option{drop}
}

// mistaken labels the nodes of a pool whose value of a label looks like a mistake; ok is false without such.
type mistaken func(one plugins.Want, rs []plugins.NodeRejection) (step remedy.LabelNode, ok bool)

// labelled gives the nearest node without the label what the pod wants there, or those where another
// value looks like a mistake. Labels of Kubernetes' own and of providers say what is so, and are not
// for anybody to set.
func labelled(one plugins.Want, pod *corev1.Pod, rs []plugins.NodeRejection, find mistaken) []option {
	value, ok := one.Wanted(pod)
	if one.Field || !ok {
		return nil
	}
	if find != nil {
		if step, ok := find(one, rs); ok {
			return []option{{step}}
		}
	}
	if isGiven(one.Key) {
		return nil
	}
	for _, r := range rs {
		if _, has := r.Node.Node().Labels[one.Key]; !has {
			return []option{{remedy.LabelNode{Nodes: []string{r.Name()}, Key: one.Key, Value: value}}}
		}
	}
	return nil
}

// givenBy are the domains of labels that Kubernetes, cloud providers, provisioners and drivers give
// nodes.
var givenBy = []string{
	"kubernetes.io", "k8s.io", "karpenter.sh", "k8s.aws", "amazonaws.com", "eksctl.io", "google.com", "azure.com", "nvidia.com", "amd.com", "intel.com",
	"openshift.io", "cluster.x-k8s.io", "digitalocean.com", "linode.com", "vultr.com", "scaleway.com", "alibabacloud.com",
}

// isGiven says whether a label says what is so.
func isGiven(key string) bool {
	domain, _, cut := strings.Cut(key, "/")
	return cut && slices.ContainsFunc(givenBy, func(of string) bool { return domain == of || strings.HasSuffix(domain, "."+of) })
}

// mistaken are the nodes of a group whose value of a label that the pod has a rule about looks like a mistake: a
// misspelling of a value that other nodes have, no value where the rest of their pool has it, or that of a pool which is
// for the pod by its taint.
func (f *Search) mistaken(pod *corev1.Pod, one plugins.Want, rs []plugins.NodeRejection) (step remedy.LabelNode, ok bool) {
	if step, ok = misspeltNodes(f, pod, one, rs); ok || isGiven(one.Key) {
		return step, ok
	}
	wanted, _ := one.Wanted(pod)
	if nodes, pool := lackingLabel(f, one.Key, wanted, rs); len(nodes) > 0 {
		return remedy.LabelNode{Nodes: nodes, Pool: pool, Key: one.Key, Value: wanted, Mistaken: true}, true
	}
	nodes, pool := poolFor(f, pod, one.Key, rs)
	return remedy.LabelNode{Nodes: nodes, Pool: pool, Key: one.Key, Value: wanted, Mistaken: true}, len(nodes) > 0
}

// lackingLabel are the nodes of a group that have no label of a key, and are of the one pool whose other nodes have the
// wanted value: they may have lost it when they were made anew. The pool is "" where there is one such node.
func lackingLabel(f *Search, key, wanted string, rs []plugins.NodeRejection) (nodes []string, pool string) {
	for _, node := range f.Scheduler.State.Nodes {
		if value, has := node.Labels[key]; !has || value != wanted {
			continue
		}
		of := model.PoolOf(node, f.PoolLabel)
		if of == "" || pool != "" && of != pool {
			return nil, ""
		}
		pool = of
	}
	for _, r := range rs {
		node := r.Node.Node()
		if _, has := node.Labels[key]; !has && pool != "" && model.PoolOf(node, f.PoolLabel) == pool && len(nodes) < mistakenNodes {
			nodes = append(nodes, node.Name)
		}
	}
	slices.Sort(nodes)
	if len(nodes) < 2 {
		pool = ""
	}
	return nodes, pool
}

// poolFor are the nodes with a taint that keeps other pods off and that the pod tolerates by its key,
// of the pool of the nearest of them and with its value of the label, which no pod asks for: a new
// pool whose label was misspelt is like that.
func poolFor(f *Search, pod *corev1.Pod, key string, rs []plugins.NodeRejection) (nodes []string, pool string) {
	tolerated := func(taint corev1.Taint) bool {
		return !model.IsStateTaint(taint.Key) && taint.Effect != corev1.TaintEffectPreferNoSchedule &&
			slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
				return t.Key != "" && model.Tolerates([]corev1.Toleration{t}, &taint)
			})
	}
	value := ""
	for _, r := range rs {
		node := r.Node.Node()
		has, ok := node.Labels[key]
		if !ok || !slices.ContainsFunc(node.Spec.Taints, tolerated) {
			continue
		}
		switch of := model.PoolOf(node, f.PoolLabel); {
		case len(nodes) == 0:
			nodes, value, pool = []string{node.Name}, has, of
		case has == value && of == pool && pool != "" && len(nodes) < mistakenNodes:
			nodes = append(nodes, node.Name)
		}
	}
	if len(nodes) == 0 || asked(f.Scheduler.State.Pods, key, value) {
		return nil, ""
	}
	if len(nodes) == 1 {
		pool = ""
	}
	return nodes, pool
}

// asked says whether any of the pods asks for a value of a label of nodes, or has a rule about that label that
// may.
func asked(pods map[types.UID]*corev1.Pod, key, value string) bool {
	for _, pod := range pods {
		if wanted, ok := pod.Spec.NodeSelector[key]; ok && wanted == value {
			return true
		}
		if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil || pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
			continue
		}
		for _, term := range pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			if slices.ContainsFunc(term.MatchExpressions, func(e corev1.NodeSelectorRequirement) bool {
				return e.Key == key && (len(e.Values) == 0 || e.Operator != corev1.NodeSelectorOpIn || slices.Contains(e.Values, value))
			}) {
				return true
			}
		}
	}
	return false
}

// portRemedies evict who holds the ports, or do without them.
func portRemedies(q *plugins.Question, rs []plugins.NodeRejection) []option {
	var options []option
	for _, r := range rs[:min(len(rs), nearNodes)] {
		var victims []*corev1.Pod
		for _, port := range plugins.TakenPorts(q.Pod, r.Node) {
			for _, holder := range plugins.Holders(r.Node, port) {
				if !slices.Contains(victims, holder.Pod) {
					victims = append(victims, holder.Pod)
				}
			}
		}
		options = append(options, evictions(victims)...)
	}
	var drops option
	for _, port := range plugins.TakenPorts(q.Pod, rs[0].Node) {
		drops = append(drops, hostPortOf(q.Pod, port)...)
	}
	return append(options, drops)
}

// hostPortOf finds the container that asks for the port.
func hostPortOf(pod *corev1.Pod, port corev1.ContainerPort) (found option) {
	if pod.Spec.HostNetwork {
		return nil // a port of the host's network is a host port, or the manifest is not valid
	}
	for _, container := range pod.Spec.Containers {
		for i, own := range container.Ports {
			if plugins.PortText(own) == plugins.PortText(port) && own.HostPort > 0 {
				found = append(found, remedy.DropHostPort{Container: container.Name, Index: i, IP: own.HostIP, Port: own.HostPort, Protocol: own.Protocol})
			}
		}
	}
	return found
}

// evictions are the eviction of some pods, if each of them may be evicted.
func evictions(victims []*corev1.Pod) []option {
	if len(victims) == 0 || len(victims) > 2 || slices.ContainsFunc(victims, func(p *corev1.Pod) bool { return !evictable(p) }) {
		return nil
	}
	return []option{{remedy.Evict{Pods: victims}}}
}

// spreadRemedies leave out the nodes whose taints the pod does not tolerate, where these are the
// domains with the fewest pods; allow the skew that the nearest node has; or only prefer.
func spreadRemedies(q *plugins.Question, rs []plugins.NodeRejection) []option {
	nearest := slices.MinFunc(rs, func(a, b plugins.NodeRejection) int { return worstSkew(q, a) - worstSkew(q, b) })
	var honoring, looser, preferred option
	honors := false
	for _, s := range plugins.Skews(q, nearest) {
		index := slices.IndexFunc(q.Pod.Spec.TopologySpreadConstraints, func(c corev1.TopologySpreadConstraint) bool {
			return c.WhenUnsatisfiable == corev1.DoNotSchedule && c.TopologyKey == s.Key && int(c.MaxSkew) == s.MaxSkew
		})
		if index < 0 {
			return nil // a constraint of the profile's, which the pod cannot change
		}
		loosen := remedy.LoosenSpread{Index: index, Key: s.Key, MaxSkew: [2]int32{int32(s.MaxSkew), int32(s.Skew)}}
		looser = append(looser, loosen)
		if s.OnlyTaints(q) {
			loosen, honors = remedy.LoosenSpread{Index: index, Key: s.Key, HonorTaints: true}, true
		}
		honoring = append(honoring, loosen)
		preferred = append(preferred, remedy.LoosenSpread{Index: index, Key: s.Key, MaxSkew: [2]int32{int32(s.MaxSkew), 0}})
	}
	switch {
	case worstSkew(q, nearest) == noDomain:
		return []option{preferred}
	case honors:
		return []option{honoring, looser, preferred}
	}
	return []option{looser, preferred}
}

// noDomain stands for the skew of a node without the constraint's label.
const noDomain = 1 << 30

func worstSkew(q *plugins.Question, r plugins.NodeRejection) int {
	worst := 0
	for _, s := range plugins.Skews(q, r) {
		if s.Missing {
			return noDomain
		}
		worst = max(worst, s.Skew-s.MaxSkew)
	}
	return worst
}

// neighbourRemedies drop the pod's rule, or evict the one pod that it is about.
func neighbourRemedies(q *plugins.Question, rs []plugins.NodeRejection) []option {
	broken := plugins.Clashes(q, rs[0])
	if len(broken) != 1 {
		return nil
	}
	var options []option
	switch c := broken[0]; c.Rule {
	case plugins.Together:
		options = append(options, podTerms(q, false, c)...)
	case plugins.Apart:
		options = append(options, podTerms(q, true, c)...)
	}
	for _, r := range rs[:min(len(rs), nearNodes)] {
		if found := plugins.Clashes(q, r); len(found) == 1 && found[0].Rule != plugins.Together && len(found[0].Pods) == 1 {
			options = append(options, evictions(found[0].Pods)...)
		}
	}
	return options
}

// podTerms finds the pod's own term that a clash is about.
func podTerms(q *plugins.Question, anti bool, c plugins.Clash) []option {
	var terms []corev1.PodAffinityTerm
	if anti {
		terms = q.Pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	} else {
		terms = q.Pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	for i, term := range plugins.OwnTerms(q, terms) {
		if term.TopologyKey != c.Key || (anti && term.Text() != c.Selector) {
			continue
		}
		words := term.Text() + " by " + plugins.LabelWord(c.Key)
		return []option{{remedy.DropPodTerm{Anti: anti, Index: i, Words: words}}}
	}
	return nil
}

// claimRemedies ask for less storage or another class, or free a volume that a deleted claim has
// left, for the one claim that has none; or let one be provisioned for another node than the one that was selected for it.
func claimRemedies(q *plugins.Question, rs []plugins.NodeRejection) []option {
	b := plugins.BinderOf(q)
	unbound := unboundClaims(q, b)
	if len(unbound) == 0 && len(b.Started) == 1 && b.Started[0].IsProvisioned() {
		return []option{{remedy.UnselectNode{Claim: b.Started[0].Object}}}
	}
	if len(unbound) != 1 || unbound[0].Ephemeral {
		return nil
	}
	claim := unbound[0]
	if claim.Object.Spec.VolumeName != "" || claim.IsLost() {
		return releases(b, claim)
	}
	return append(sizes(q, b, claim, rs), otherClasses(q, claim)...)
}

// sizes ask for less storage for a claim, or free a volume that is large enough and that a deleted claim has left.
func sizes(q *plugins.Question, b *plugins.Binder, claim plugins.PodClaim, rs []plugins.NodeRejection) []option {
	wanted := claim.Size()
	var options []option
	most := resource.Quantity{}
	for _, volume := range b.Volumes[claim.Class()] {
		size := volume.Spec.Capacity[corev1.ResourceStorage]
		switch {
		case plugins.IsLeft(volume) && size.Cmp(wanted) >= 0:
			options = append(options, option{remedy.ReleaseVolume{Volume: volume, Claim: claim.Object}})
		case volume.Status.Phase == corev1.VolumeAvailable && size.Cmp(wanted) < 0 && size.Cmp(most) > 0:
			most = size
		}
	}
	options = options[:min(len(options), nearNodes)]
	if figures := plugins.CapacityFigures(q, rs[0]); len(figures) == 1 && most.Value() < figures[0].Allocatable {
		most = *resource.NewQuantity(figures[0].Allocatable, resource.BinarySI)
	}
	if most.Value() >= wanted.Value()/least && !most.IsZero() {
		options = append(options, option{remedy.ResizeClaim{Claim: claim.Object, To: most}})
	}
	return options
}

// unboundClaims are the claims that have no volume, or have lost it.
func unboundClaims(q *plugins.Question, b *plugins.Binder) []plugins.PodClaim {
	unbound := slices.Clone(b.Free)
	for _, claim := range plugins.PodClaims(q) {
		if claim.IsLost() && !slices.Contains(unbound, claim) {
			unbound = append(unbound, claim)
		}
	}
	return unbound
}

// releases free the volume that a claim names, where a deleted claim has left it.
func releases(b *plugins.Binder, claim plugins.PodClaim) []option {
	if volume := b.LeftFor(claim); volume != nil {
		return []option{{remedy.ReleaseVolume{Volume: volume, Claim: claim.Object}}}
	}
	return nil
}

// zoneRemedies have nothing to add where the zones are not known only because a
// claim is not bound: what binds it helps both plugins.
func zoneRemedies(_ *plugins.Question, rs []plugins.NodeRejection) []option {
	if rs[0].Node == nil {
		return []option{nil}
	}
	return nil
}
