package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// FitKind is the kind of a Fit, the contract that scripts rely on.
const FitKind = "Fit"

// resourcesFit is the plugin that compares requests with what is free.
const resourcesFit = "NodeResourcesFit"

// admissionPlugins decide whether a pod is created.
var admissionPlugins = []string{"ResourceQuota", "LimitRanger", "PodSecurity", AdmissionPlugin}

// AdmissionPlugin stands for all plugins of kube-apiserver that may reject a pod.
const AdmissionPlugin = "Admission"

// CreationUnknown is why it is unknown whether the pod would be created; "" where it is not.
func CreationUnknown(parts []UnknownPart) string {
	for _, part := range parts {
		if slices.ContainsFunc(part.Plugins, func(plugin string) bool { return slices.Contains(admissionPlugins, plugin) }) {
			return part.Why
		}
	}
	return ""
}

// FitChance is the caveat of an answer where the nodes of the pods decide how many fit, by how many of those that are
// asked for were placed; "" where there can be no other number.
func FitChance(placed, asked int) string {
	if other := otherNumber(placed, asked); other != "" {
		return "where several nodes score equally, kube-scheduler chooses at random, so it may be " + other
	}
	return ""
}

// otherNumber says whether more or fewer pods may fit where they are placed on other nodes: the first one fits, and not
// more than are asked for do.
func otherNumber(placed, asked int) string {
	switch more, fewer := placed < asked, placed > 1; {
	case placed == 0:
		return ""
	case more && fewer:
		return "more or fewer"
	case more:
		return "more"
	case fewer:
		return "fewer"
	}
	return ""
}

// FitQuery asks how many equal pods fit.
type FitQuery struct {
	Pod      *corev1.Pod // one of them, which does not exist
	Replicas int         // how many are asked for; at least 1
	New      NewNodes    // that are added before

	Admittance
}

// Fit is how many equal pods would be created and scheduled, on which nodes, and what
// stops the next one. Its JSON is a contract.
type Fit struct {
	metav1.TypeMeta `json:",inline"`

	Added     *AddedNodes   `json:"added"` // null: only the nodes that exist
	Asked     int           `json:"asked"`
	Fits      *int          `json:"fits"` // null: not known, see Unknown; Placed were placed all the same
	Placed    []PlacedOn    `json:"placed"`
	Next      *NextPod      `json:"next"` // null where all fit, of pending pods in the order of the queue, or where it is not known
	Unknown   []UnknownPart `json:"unknown"`
	Scheduler SchedulerInfo `json:"scheduler"`

	// Pending are the pending pods by workload where the question is about those; nil
	// where it is about further pods.
	Pending []PendingFit `json:"workloads,omitzero"`
	// Held is how many pending pods more are not waiting for a node, with Pending.
	Held int `json:"-"`
	// WithoutVolumes says that the pods are simulated without volumes of their own.
	WithoutVolumes bool `json:"-"`
}

// PlacedOn is how many of the pods a node takes.
type PlacedOn struct {
	Node string `json:"node"`
	Pods int    `json:"pods"`
}

// NextPod is what stops the first pod that does not fit.
type NextPod struct {
	Pod        *PodName    `json:"pod,omitempty"` // of the pending pods; left out of a pod that does not exist
	Summary    string      `json:"summary"`
	Groups     []Group     `json:"groups"`     // the nodes by what rejects it; empty where it is not created
	Rejections []Rejection `json:"rejections"` // why it is not created: quotas, LimitRanges, Pod Security

	report *Report // its explanation; nil where it is not created
}

// Place counts the pods of each node, in the order of the nodes' names.
func (f *Fit) Place(nodes []string) {
	counts := map[string]int{}
	for _, node := range nodes {
		counts[node]++
	}
	for node, pods := range counts {
		f.Placed = append(f.Placed, PlacedOn{node, pods})
	}
	slices.SortFunc(f.Placed, func(a, b PlacedOn) int { return strings.Compare(a.Node, b.Node) })
}

// StoppedBy notes the explanation of the first pod that is not placed.
func (f *Fit) StoppedBy(next *Report) {
	f.Unknown = MergeUnknown(f.Unknown, next.Unknown)
	f.Next = &NextPod{Summary: next.Summary, Groups: next.Groups, Rejections: []Rejection{}, report: next}
}

// StopsPending notes what stops the first pending pod, in the order of the queue, that no node takes,
// unless that is not known. In another order it may be another pod: how many fit does not depend on it.
func (f *Fit) StopsPending(pod PodName, next *Report) {
	if next.Verdict == Unschedulable || next.Verdict == Preempting {
		f.Next = &NextPod{Pod: &pod, Summary: next.Summary, Groups: next.Groups, Rejections: []Rejection{}}
	}
}

// NotCreated notes why the next pod is not created.
func (f *Fit) NotCreated(rejected []Rejection) {
	f.Next = &NextPod{Summary: "Not created.", Groups: []Group{}, Rejections: rejected}
	if len(rejected) > 0 {
		f.Next.Summary = "Not created: " + rejected[0].What + "."
	}
}

// Count sums the pods up that fit. What could not be read leaves it open, except where
// it is certain that none does.
func (f *Fit) Count() {
	if len(f.Unknown) == 0 || f.Stopped() && f.placed() == 0 {
		f.Fits = new(f.placed())
	}
}

// Stopped says whether it is certain that not all fit. Of pending pods their numbers say that.
func (f *Fit) Stopped() bool {
	return f.Pending == nil && f.Next != nil && (f.Next.report == nil || f.Next.report.Verdict != Unknown)
}

// placed is how many pods were placed in the simulation.
func (f *Fit) placed() (all int) {
	for _, p := range f.Placed {
		all += p.Pods
	}
	return all
}

// Sentence is the answer in a sentence or two.
func (f *Fit) Sentence() string {
	if f.Pending != nil {
		return f.pendingSentence()
	}
	placed := f.placed()
	said := fmt.Sprintf("%d of %d %s.", placed, f.Asked, grammar.Agree(f.Asked, "fits", "fit"))
	if f.Fits == nil {
		said = f.openSentence(placed)
	}
	said = f.Added.begin(said, f.Fits)
	if !f.Stopped() {
		return said
	}
	return said + " " + f.Next.sentence("The "+grammar.Ordinal(placed+1))
}

// openSentence says what is not known.
func (f *Fit) openSentence(placed int) string {
	admission := func(plugin string) bool { return slices.Contains(admissionPlugins, plugin) }
	why := f.Unknown[0].Why
	if why := CreationUnknown(f.Unknown); why != "" && !f.notEvaluated() {
		return fmt.Sprintf("%d of %d %s the nodes; whether they would be created is unknown: %s.",
			placed, f.Asked, grammar.Agree(f.Asked, "fits", "fit"), why)
	}
	if at := slices.IndexFunc(f.Unknown, func(part UnknownPart) bool { return !slices.ContainsFunc(part.Plugins, admission) }); at >= 0 {
		why = f.Unknown[at].Why
	}
	if open := f.openNodes(); open > 0 && open < f.Next.report.Total {
		why = fmt.Sprintf("%d of %s could not be evaluated", open, grammar.Plural(f.Next.report.Total, "node"))
	}
	if placed == 0 {
		return fmt.Sprintf("How many of %d fit is unknown: %s.", f.Asked, why)
	}
	return fmt.Sprintf("At least %d of %d fit; whether more do is unknown: %s.", placed, f.Asked, why)
}

// notEvaluated says whether it is unknown whether the next pod fits a node.
func (f *Fit) notEvaluated() bool {
	return f.Next != nil && f.Next.report != nil && f.Next.report.Verdict == Unknown
}

// openNodes is how many nodes could not be evaluated for the next pod.
func (f *Fit) openNodes() (open int) {
	if !f.notEvaluated() {
		return 0
	}
	for i := range f.Next.Groups {
		if f.Next.Groups[i].Fits == nil {
			open += f.Next.Groups[i].Count
		}
	}
	return open
}

// sentence says of the pod what stops it.
func (n *NextPod) sentence(pod string) string {
	switch {
	case n.report == nil && len(n.Rejections) > 0:
		return pod + " would not be created: " + n.Rejections[0].What + "."
	case n.report == nil:
		return pod + " would not be created."
	case len(n.Groups) == 0 || n.report.Verdict != Unschedulable:
		return pod + " would be Pending: " + grammar.Small(n.Summary)
	}
	g := &n.Groups[0]
	if lacks, ok := n.report.lacking(g.Nodes[0]); ok {
		return fmt.Sprintf("%s %s on %s, %s.", pod, lacks, g.Nodes[0], closestOf(n.report.Total))
	}
	return fmt.Sprintf("%s would be Pending: %s.", pod, g.Words)
}

// closestOf says that a node is the closest of some.
func closestOf(nodes int) string {
	if nodes == 1 {
		return "the only node"
	}
	return "the closest of " + grammar.Plural(nodes, "node")
}

// lacking says what a node lacks that only NodeResourcesFit rejects: "needs cpu 1 more".
func (r *Report) lacking(node string) (lacks string, ok bool) {
	at := slices.IndexFunc(r.Nodes, func(n NodeResult) bool { return n.Name == node })
	if at < 0 || len(r.Nodes[at].Rejections) != 1 {
		return "", false
	}
	rejection := r.Nodes[at].Rejections[0]
	amounts := len(rejection.Numbers) > 0 && !slices.ContainsFunc(rejection.Numbers, func(n Number) bool { return n.Resource == string(corev1.ResourcePods) })
	return rejection.Short, rejection.Plugin == resourcesFit && amounts // of the limit of pods the node is the subject
}

// How much of an answer the text shows.
const (
	mostPlaces = 10
	nextGroups = 5
)

// Text is the answer for reading on a terminal of width columns, 0 being without end; pool
// gives the pool of a node, "" where it is of none.
func (f *Fit) Text(width int, pool func(node string) string) string {
	if width <= 0 {
		width = 1 << 20
	}
	var d Document
	d.add(Section{Lines: []string{f.Sentence()}})
	return f.text(d, width, pool)
}

// Evidence is the text without its first sentence.
func (f *Fit) Evidence(width int, pool func(node string) string) string {
	return f.text(Document{}, width, pool)
}

// MoreSentence is the answer where further pods of a workload are asked for.
func (f *Fit) MoreSentence() string {
	placed := f.placed()
	said := "0 more fit."
	if f.WithoutVolumes && f.Fits != nil {
		return f.withoutVolumes(placed)
	}
	switch {
	case f.Fits == nil:
		said = f.openSentence(placed)
	case f.Next == nil:
		said = fmt.Sprintf("At least %d more fit.", placed)
	case placed > 0:
		said = grammar.Count(placed, "more fits", "more fit") + "."
	}
	switch {
	case !f.Stopped():
		return said
	case placed == 0:
		return said + " " + f.Next.sentence("The next")
	}
	return said + " " + f.Next.sentence("The "+grammar.Ordinal(placed+1))
}

// withoutVolumes is MoreSentence of pods that are simulated without their volumes.
func (f *Fit) withoutVolumes(placed int) string {
	said := "Without its volumes "
	switch {
	case f.Next == nil:
		return said + fmt.Sprintf("at least %d more would fit.", placed)
	case placed == 0:
		return said + "no more would fit; " + f.Next.sentence("one more")
	}
	return said + fmt.Sprintf("%d more would fit; ", placed) + f.Next.sentence("the "+grammar.Ordinal(placed+1))
}

// text is a document with the evidence behind what it has already.
func (f *Fit) text(d Document, width int, pool func(node string) string) string {
	pool = f.Added.pool(pool)
	d.add(f.Added.section(pool))
	if f.Pending != nil {
		d.add(f.pendingTable())
	} else {
		d.add(f.places(pool))
	}
	brief := func(text string) string { return text }
	if f.Next != nil && f.Next.report != nil {
		c := composer{f.Next.report, TextOptions{few: true}}
		d.add(c.groups(nextGroups), c.preemption())
		brief = f.Next.report.briefly()
	}
	d.add(f.notes())
	w := &textWriter{width: width, brief: brief}
	for i := range d.Sections {
		w.section(&d.Sections[i], i > 0)
	}
	return w.b.String()
}

// places is the table of how many pods are placed where: by pool if any node is of one.
func (f *Fit) places(pool func(node string) string) Section {
	if len(f.Placed) == 0 {
		return Section{}
	}
	if !slices.ContainsFunc(f.Placed, func(p PlacedOn) bool { return pool(p.Node) != "" }) {
		t := &Table{Columns: []Column{{Head: "NODE"}, {"PODS", Right}}}
		for _, p := range f.Placed[:min(mostPlaces, len(f.Placed))] {
			t.Rows = append(t.Rows, Row{Cells: []string{p.Node, strconv.Itoa(p.Pods)}})
		}
		s := Section{Table: t}
		if more := len(f.Placed) - mostPlaces; more > 0 {
			s.Notes = []string{grammar.Count(more, "more node", "more nodes")}
		}
		return s
	}
	nodes, pods := map[string][]string{}, map[string]int{}
	var pools []string
	for _, p := range f.Placed {
		of := pool(p.Node)
		if nodes[of] == nil {
			pools = append(pools, of)
		}
		nodes[of], pods[of] = append(nodes[of], p.Node), pods[of]+p.Pods
	}
	slices.Sort(pools)
	t := &Table{Columns: []Column{{Head: "POOL"}, {"PODS", Right}, {Head: NodesHead}}}
	for _, of := range pools {
		name := of
		if name == "" {
			name = "<none>"
		}
		t.Rows = append(t.Rows, Row{Cells: []string{name, strconv.Itoa(pods[of]), grammar.List(nodes[of], grammar.Many)}})
	}
	return Section{Table: t}
}

// notes are what is not known, and what limits the answer.
func (f *Fit) notes() Section { return Section{Lines: f.noteLines(f.Sentence())} }

// noteLines are the notes without what was said already.
func (f *Fit) noteLines(said string) []string {
	var lines []string
	for _, part := range f.Unknown {
		if !strings.Contains(said, part.Why) {
			lines = append(lines, part.sentence())
		}
	}
	r := Report{Scheduler: f.Scheduler}
	return append(lines, slices.DeleteFunc(r.Notes(), func(note string) bool { return note == "Note: "+Assumed })...)
}
