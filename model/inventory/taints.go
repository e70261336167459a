package inventory

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Taint is a taint that nodes have, and what it does to pods.
type Taint struct {
	Key    string             `json:"key"`
	Value  string             `json:"value"`
	Effect corev1.TaintEffect `json:"effect"`
	Nodes  []string           `json:"nodes"` // that have it, by name
	Since  *time.Time         `json:"since"` // when the oldest was added, of those that say
	// Running is how many pods run on the nodes, and Tolerated how many pods of the
	// cluster tolerate the taint, wherever they run.
	Running   *int `json:"running"`
	Tolerated *int `json:"tolerated"`
	// Tolerating are the pods that Tolerated counts, in the order of the snapshot.
	Tolerating []*model.Pod `json:"-"`
	// Intruders are the pods on the nodes that do not tolerate the taint, or only for a
	// time, in the order of their eviction. Nil is not known. A taint that is only
	// preferred has none, and mirror pods, which no taint stops, are left out.
	Intruders []TaintPod `json:"intruders"`
	// Reserved is set where a tenant's pods both tolerate the taint and select its nodes.
	Reserved *Reserved `json:"reserved"`
	// Zones are those of the nodes, of a taint that the node lifecycle controller sets on
	// nodes that are not Ready.
	Zones []EvictionZone `json:"zones"`
}

// TaintPod is a pod and what it has to do with a taint.
type TaintPod struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	Node      string    `json:"node"`
	Owner     *PodOwner `json:"owner"`
	Why       string    `json:"why"`
	// Evicts says that the taint eviction controller deletes the pod, After how many
	// seconds it tolerates the taint, and At when it is deleted, null where the taint has
	// no time.
	Evicts bool       `json:"evicts"`
	After  *int64     `json:"tolerationSeconds"`
	At     *time.Time `json:"evictedAt"`

	Pod *model.Pod `json:"-"`
}

// PodOwner is the workload of a pod.
type PodOwner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Spec is the taint as kubectl taint has it: key=value:effect.
func (t *Taint) Spec() string {
	return (&corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}).ToString()
}

// Evicted are the intruders that are evicted; the first are first.
func (t *Taint) Evicted() []TaintPod {
	return t.Intruders[:sort.Search(len(t.Intruders), func(i int) bool { return !t.Intruders[i].Evicts })]
}

// When is when a pod is evicted, as model.TaintEviction says it; "" if it is not evicted.
func (p *TaintPod) When(now time.Time) string {
	if !p.Evicts {
		return ""
	}
	e := model.TaintEviction{After: time.Duration(*p.After) * time.Second}
	if p.At != nil {
		e.At = *p.At
	}
	return e.When(now)
}

// Next counts the pods that are evicted next, and says when; 0 and "" if none is.
func (t *Taint) Next(now time.Time) (pods int, when string) {
	evicted := t.Evicted()
	if len(evicted) == 0 {
		return 0, ""
	}
	when = evicted[0].When(now)
	return sort.Search(len(evicted), func(i int) bool { return evicted[i].When(now) != when }), when
}

// NextEviction counts the pods that are evicted next, and the others that are: "6 in 56s,
// 3 later"; "" if none is.
func (t *Taint) NextEviction(now time.Time) string {
	next, when := t.Next(now)
	if next == 0 {
		return ""
	}
	words := model.FormatCount(next) + " " + when
	if later := len(t.Evicted()) - next; later > 0 {
		words += ", " + model.FormatCount(later) + " later"
	}
	return words
}

// BySystem reports whether Kubernetes, Cluster Autoscaler or Karpenter sets the taint, for
// a state or a role of its nodes.
func (t *Taint) BySystem() bool {
	return model.IsStateTaint(t.Key) || strings.HasPrefix(t.Key, "node-role.kubernetes.io/") || strings.HasPrefix(t.Key, "karpenter.sh/")
}

// taintKey tells taints apart.
type taintKey struct {
	key, value string
	effect     corev1.TaintEffect
}

// taintOf is one taint while it is worked out.
type taintOf struct {
	Taint

	taint corev1.Taint
	on    map[*model.Node]bool
	named []*model.Pod // pods that tolerate it, and name its key
	last  *model.Pod   // that was counted
}

// Taints are the taints of all nodes: those that evict pods first, soonest first, then
// reserved ones with pods in the wrong place, then those with most intruders, then by key,
// value and effect.
func Taints(s *model.Snapshot) []Taint {
	all := taintsOf(s)
	if podsKnown(s, "") {
		countTolerated(s, all)
		selecting := newSelecting(s.Nodes)
		for _, t := range all {
			t.intruders()
			t.reserve(selecting)
		}
	}
	zones := EvictionZones(s)
	made := make([]Taint, len(all))
	for i, t := range all {
		if isLostKey(t.Key) {
			t.inZones(zones)
		}
		made[i] = t.Taint
	}
	slices.SortStableFunc(made, worseTaint)
	return made
}

// taintsOf collects the taints, by key, value and effect.
func taintsOf(s *model.Snapshot) []*taintOf {
	byKey := map[taintKey]*taintOf{}
	for _, node := range s.Nodes {
		for i := range node.Object.Spec.Taints {
			taint := node.Object.Spec.Taints[i]
			k := taintKey{taint.Key, taint.Value, taint.Effect}
			t := byKey[k]
			if t == nil {
				t = &taintOf{
					Taint: Taint{Key: taint.Key, Value: taint.Value, Effect: taint.Effect, Zones: []EvictionZone{}},
					taint: taint, on: map[*model.Node]bool{},
				}
				byKey[k] = t
			}
			if t.on[node] {
				continue
			}
			t.on[node] = true
			t.Nodes = append(t.Nodes, node.Name)
			if added := taint.TimeAdded; added != nil && (t.Since == nil || added.Time.Before(*t.Since)) {
				t.Since = new(added.UTC())
			}
		}
	}
	return slices.SortedFunc(maps.Values(byKey), func(a, b *taintOf) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Effect, b.Effect))
	})
}

// countTolerated counts the pods that tolerate each taint.
func countTolerated(s *model.Snapshot, all []*taintOf) {
	byKey := map[string][]*taintOf{}
	for _, t := range all {
		t.Tolerated = new(int)
		byKey[t.Key] = append(byKey[t.Key], t)
	}
	for _, pod := range s.Pods {
		if pod.Finished() || pod.Object.DeletionTimestamp != nil {
			continue
		}
		tolerations := pod.Object.Spec.Tolerations
		for i := range tolerations {
			may := byKey[tolerations[i].Key]
			if tolerations[i].Key == "" {
				may = all
			}
			for _, t := range may {
				if t.last != pod && model.Tolerates(tolerations, &t.taint) {
					t.last = pod
					*t.Tolerated++
					t.Tolerating = append(t.Tolerating, pod)
					if namesKey(tolerations, &t.taint) {
						t.named = append(t.named, pod)
					}
				}
			}
		}
	}
}

// namesKey reports whether a toleration that has the taint's key matches it.
func namesKey(tolerations []corev1.Toleration, taint *corev1.Taint) bool {
	for i := range tolerations {
		if tolerations[i].Key == taint.Key && model.Tolerates(tolerations[i:i+1], taint) {
			return true
		}
	}
	return false
}

// intruders finds the pods on the nodes that do not tolerate the taint, or for a time.
func (t *taintOf) intruders() {
	t.Intruders, t.Running = []TaintPod{}, new(int)
	for node := range t.on {
		*t.Running += len(node.Pods)
		if t.Effect == corev1.TaintEffectPreferNoSchedule {
			continue
		}
		for _, pod := range node.Pods {
			if pod.Object.DeletionTimestamp != nil || model.IsMirror(pod.Object) {
				continue
			}
			if intruder, ok := t.intruder(pod, node); ok {
				t.Intruders = append(t.Intruders, intruder)
			}
		}
	}
	slices.SortFunc(t.Intruders, func(a, b TaintPod) int {
		return cmp.Or(a.compareEviction(&b), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// intruder is a pod of one of the nodes; false if it tolerates the taint for good.
func (t *taintOf) intruder(pod *model.Pod, node *model.Node) (TaintPod, bool) {
	after, goes := time.Duration(0), false
	if t.Effect == corev1.TaintEffectNoExecute {
		after, goes = model.EvictedAfter([]corev1.Taint{t.taint}, pod.Object.Spec.Tolerations)
	}
	switch {
	case goes:
		made := newTaintPod(pod, "tolerates it for a time")
		if after == 0 {
			made.Why = doesNotTolerate
		}
		made.Evicts, made.After = true, new(int64(after/time.Second))
		// Other NoExecute taints of the node may evict it sooner.
		if e := model.EvictionByTaints(pod.Object, node.Object.Spec.Taints); e != nil && !e.At.IsZero() {
			made.At = new(e.At.UTC())
		}
		return made, true
	case model.Tolerates(pod.Object.Spec.Tolerations, &t.taint):
		return TaintPod{}, false
	}
	return newTaintPod(pod, doesNotTolerate), true
}

// doesNotTolerate is why most pods are intruders.
const doesNotTolerate = "does not tolerate it"

func newTaintPod(pod *model.Pod, why string) TaintPod {
	made := TaintPod{Namespace: pod.Object.Namespace, Name: pod.Object.Name, Node: pod.Object.Spec.NodeName, Why: why, Pod: pod}
	if pod.Owner.Name != "" {
		made.Owner = &PodOwner{pod.Owner.Kind, pod.Owner.Name}
	}
	return made
}

// compareEviction puts pods that are evicted first: those that do not tolerate the taint
// at all, then by time, then those whose time is not known.
func (p *TaintPod) compareEviction(other *TaintPod) int {
	rank := func(p *TaintPod) int {
		switch {
		case !p.Evicts:
			return 3
		case *p.After == 0:
			return 0
		case p.At != nil:
			return 1
		}
		return 2
	}
	order := cmp.Compare(rank(p), rank(other))
	switch {
	case order != 0 || p.At == nil && other.At == nil:
		return order
	case p.At == nil:
		return 1
	case other.At == nil:
		return -1
	}
	return p.At.Compare(*other.At)
}

// worseTaint orders taints as Taints says.
func worseTaint(a, b Taint) int {
	ofA, ofB := a.Evicted(), b.Evicted()
	if len(ofA) == 0 || len(ofB) == 0 {
		return cmp.Or(
			cmp.Compare(len(ofB), len(ofA)), cmp.Compare(b.Reserved.leaks(), a.Reserved.leaks()),
			cmp.Compare(b.unexpected(), a.unexpected()), cmp.Compare(len(b.Intruders), len(a.Intruders)),
		)
	}
	return cmp.Or(ofA[0].compareEviction(&ofB[0]), cmp.Compare(len(ofB), len(ofA)))
}

// unexpected counts intruders of a taint that somebody set for other pods.
func (t *Taint) unexpected() int {
	if t.BySystem() {
		return 0
	}
	return len(t.Intruders)
}

// inZones keeps the zones of the taint's nodes.
func (t *taintOf) inZones(zones []EvictionZone) {
	keys := map[string]bool{}
	for node := range t.on {
		keys[zoneKey(node.Object)] = true
	}
	for _, zone := range zones {
		if keys[zone.key] {
			t.Zones = append(t.Zones, zone)
		}
	}
}
