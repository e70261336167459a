package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Loss is what becomes of the pods of nodes that are lost: of those that a drain would
// evict, the others go with their node. Its JSON is a contract.
type Loss struct {
	metav1.TypeMeta `json:",inline"`

	Lost         []string      `json:"lost"` // the nodes
	Rescheduled  []LostPod     `json:"rescheduled"`
	Pending      []LostPod     `json:"pending"`
	NotRecreated []LostPod     `json:"notRecreated"`
	Undecided    []LostPod     `json:"undecided"` // it depends on the order of events, or cannot be known
	DaemonPods   int           `json:"daemonPods"`
	StaticPods   int           `json:"staticPods"`
	Terminating  int           `json:"terminating"` // pods that are being deleted already
	Unknown      []UnknownPart `json:"unknown"`
	Scheduler    SchedulerInfo `json:"scheduler"`
}

// LostPod is a pod of a node that is lost, or one on another node that is preempted for it.
type LostPod struct {
	Namespace string       `json:"namespace"`
	Name      string       `json:"name"`
	UID       string       `json:"uid"`
	From      string       `json:"from"`
	Outcome   plan.Outcome `json:"outcome"`
	Node      string       `json:"node"`  // where it is rescheduled; "" otherwise
	Nodes     []string     `json:"nodes"` // all that it may be rescheduled on where there are several
	Why       string       `json:"why"`
	// PreemptedBy is the namespace and name of the pod of a lost node for which it is preempted; "" for a pod of such a
	// node itself.
	PreemptedBy string `json:"preemptedBy,omitempty"`
}

// Add adds what becomes of a pod.
func (l *Loss) Add(pod LostPod) {
	if pod.Nodes == nil {
		pod.Nodes = []string{}
	}
	switch pod.Outcome {
	case plan.Lands, plan.Preempts:
		l.Rescheduled = append(l.Rescheduled, pod)
	case plan.Waits:
		l.Pending = append(l.Pending, pod)
	case plan.Lost:
		l.NotRecreated = append(l.NotRecreated, pod)
	default:
		l.Undecided = append(l.Undecided, pod)
	}
}

// Sort puts the pods in the order of their namespaces and names.
func (l *Loss) Sort() {
	for _, pods := range []*[]LostPod{&l.Rescheduled, &l.Pending, &l.NotRecreated, &l.Undecided} {
		if *pods == nil {
			*pods = []LostPod{}
		}
		slices.SortFunc(*pods, func(a, b LostPod) int {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
		})
	}
}

// count is how many of the pods are of the lost nodes, or are preempted for those.
func count(pods []LostPod, preempted bool) (n int) {
	for _, pod := range pods {
		if (pod.PreemptedBy != "") == preempted {
			n++
		}
	}
	return n
}

// pods is how many have to go somewhere else, of the lost nodes or of those that are preempted for them.
func (l *Loss) pods(preempted bool) int {
	return count(l.Rescheduled, preempted) + count(l.Pending, preempted) + count(l.NotRecreated, preempted) + count(l.Undecided, preempted)
}

// Sentence is the answer in a sentence or two.
func (l *Loss) Sentence() string {
	said := "Without " + grammar.List(l.Lost, grammar.Few)
	if len(l.Lost) > grammar.Few {
		said = fmt.Sprintf("Without %d nodes", len(l.Lost))
	}
	pods := l.pods(false)
	if pods == 0 {
		return said + ", no pod has to be rescheduled." + l.others()
	}
	all := " of " + grammar.Agree(len(l.Lost), "its ", "their ") + grammar.Plural(pods, "pod")
	if pods == 1 {
		all = grammar.Agree(len(l.Lost), "its", "their") + " only pod"
	}
	return said + ", " + l.outcomes(false, all) + "." + l.preempted() + l.others()
}

// preempted says what becomes of the pods that are preempted for those of the lost nodes.
func (l *Loss) preempted() string {
	pods := l.pods(true)
	if pods == 0 {
		return ""
	}
	return " " + grammar.Plural(pods, "pod") + " on other nodes " + grammar.Agree(pods, "is", "are") + " preempted for " +
		grammar.Agree(l.pods(false), "it", "them") + ": " + l.outcomes(true, "") + "."
}

// outcomes counts what becomes of the pods of the lost nodes, or of those that are preempted for them. all are the
// words for all of them, told once.
func (l *Loss) outcomes(preempted bool, all string) string {
	var counts []string
	for _, one := range []struct {
		pods      []LostPod
		one, many string
	}{
		{l.Rescheduled, "is rescheduled", "are rescheduled"},
		{l.Pending, "becomes Pending", "become Pending"},
		{l.Undecided, "is undecided", "are undecided"},
		{l.NotRecreated, "is not recreated" + l.noController(), "are not recreated" + l.noController()},
	} {
		n := count(one.pods, preempted)
		if n == 0 {
			continue
		}
		figure := strconv.Itoa(n) + all
		if all != "" && l.pods(preempted) == 1 {
			figure = all
		}
		counts = append(counts, figure+" "+grammar.Agree(n, one.one, one.many))
		all = ""
	}
	return strings.Join(counts, ", ")
}

// noController is why no pod is recreated that is not, where that is the only reason.
func (l *Loss) noController() string {
	if slices.ContainsFunc(l.NotRecreated, func(p LostPod) bool { return p.Why != "" && p.PreemptedBy == "" }) {
		return ""
	}
	return ": no controller"
}

// whyNotRecreated is why a pod is not recreated.
func (p LostPod) whyNotRecreated() string { return cmp.Or(p.Why, "no controller") }

// others counts the pods that go with their nodes.
func (l *Loss) others() string {
	var with []string
	for _, one := range []struct {
		pods int
		word string
	}{{l.DaemonPods, "DaemonSet pod"}, {l.StaticPods, "static pod"}, {l.Terminating, "terminating pod"}} {
		if one.pods > 0 {
			with = append(with, grammar.Plural(one.pods, one.word))
		}
	}
	if len(with) == 0 {
		return ""
	}
	all := l.DaemonPods + l.StaticPods + l.Terminating
	return " " + strings.Join(with, ", ") + grammar.Agree(all, " is removed", " are removed") + grammar.Agree(len(l.Lost), " with the node.", " with the nodes.")
}

// mostLost is how many pods of a kind the text shows.
const mostLost = 20

// Text is the answer for reading on a terminal of width columns, 0 being without end.
func (l *Loss) Text(width int) string {
	if width <= 0 {
		width = 1 << 20
	}
	var d Document
	d.add(Section{Lines: []string{l.Sentence()}})
	several := len(l.Lost) > 1 || l.pods(true) > 0
	why := func(p LostPod) string { return p.Why }
	d.add(lostTable("BECOMES PENDING", "WHY", l.Pending, several, why))
	d.add(lostTable("UNDECIDED", "WHY", l.Undecided, several, why))
	d.add(lostTable("NOT RECREATED", "WHY", l.NotRecreated, several, LostPod.whyNotRecreated))
	d.add(lostTable("RESCHEDULED", "ON", l.Rescheduled, several, LostPod.where))
	notes := (&Fit{Unknown: l.Unknown, Scheduler: l.Scheduler}).noteLines("")
	d.add(Section{Lines: notes})
	w := &textWriter{width: width, brief: func(text string) string { return text }}
	for i := range d.Sections {
		w.section(&d.Sections[i], i > 0)
	}
	return w.b.String()
}

// where says on which node a pod is rescheduled.
func (p LostPod) where() string {
	where := p.Node
	if len(p.Nodes) > 1 {
		where = grammar.List(p.Nodes, grammar.Few) + ": one of them"
	}
	if p.Why != "" {
		where += ", " + p.Why
	}
	return where
}

// lostTable is a table of pods; where they are of several nodes it says from which one each is.
func lostTable(head, last string, pods []LostPod, several bool, told func(LostPod) string) Section {
	if len(pods) == 0 {
		return Section{}
	}
	t := &Table{Columns: []Column{{Head: head}, {Head: last}}}
	if several {
		t.Columns = []Column{{Head: head}, {Head: "FROM"}, {Head: last}}
	}
	for _, pod := range pods[:min(mostLost, len(pods))] {
		row := []string{pod.Namespace + "/" + pod.Name, told(pod)}
		if several {
			row = []string{row[0], pod.From, row[1]}
		}
		t.Rows = append(t.Rows, Row{Cells: row})
	}
	s := Section{Table: t}
	if more := len(pods) - mostLost; more > 0 {
		s.Notes = []string{grammar.Count(more, "more pod", "more pods")}
	}
	return s
}
