package plan

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Document is a Plan as scripts read it: a contract. Lists are never null, but one that came later may be omitted.
type Document struct {
	metav1.TypeMeta `json:",inline"`

	Action         string            `json:"action"` // "drain std-a-02"
	Title          string            `json:"title"`
	PodsTerminated int               `json:"podsTerminated"`        // pods that it terminates
	Pods           []EndDocument     `json:"pods"`                  // that it terminates, as far as they are known
	Unread         string            `json:"podsUnknown,omitempty"` // why pods may be missing from pods and podsTerminated
	Stays          []StayDocument    `json:"notEvicted"`
	Preempted      []VictimDocument  `json:"preempted,omitempty"` // for the replacements of pods
	Changes        []ChangeDocument  `json:"changes"`
	Effects        []string          `json:"effects"`
	Warnings       []string          `json:"warnings"`
	Consents       []ConsentDocument `json:"requiredFlags"`
	Order          string            `json:"order"`
	Undo           string            `json:"undo"` // how to undo it, or why it cannot be undone
	Undoable       bool              `json:"undoable"`
	Verdict        VerdictDocument   `json:"verdict"`
}

// EndDocument is a pod that the plan terminates.
type EndDocument struct {
	Namespace    string       `json:"namespace"`
	Name         string       `json:"name"`
	UID          string       `json:"uid"`
	Node         string       `json:"node"`
	How          Termination  `json:"how"`
	AfterSeconds int64        `json:"afterSeconds"` // of a taint: how long the pod tolerates it
	GraceSeconds int64        `json:"graceSeconds"`
	Lost         bool         `json:"notRecreated"`
	EmptyDir     bool         `json:"emptyDir"`
	Terminating  bool         `json:"terminating"`
	Fate         FateDocument `json:"fate"`
	Words        string       `json:"text"`
}

// FateDocument is what happens after a pod is terminated.
type FateDocument struct {
	Outcome Outcome         `json:"outcome"` // "" without a forecast
	Node    string          `json:"node,omitempty"`
	Tie     []string        `json:"tie,omitempty"`    // nodes with the same score
	Varies  []string        `json:"varies,omitempty"` // nodes, depending on the order in which pods are scheduled
	Likely  bool            `json:"likely,omitempty"`
	Why     string          `json:"why,omitempty"`
	Budget  *BudgetDocument `json:"budget,omitempty"`
}

// BudgetDocument is the answer of PodDisruptionBudgets to an eviction.
type BudgetDocument struct {
	Allows BudgetVerdict `json:"allows"`
	Name   string        `json:"name,omitempty"`
	Why    string        `json:"why,omitempty"`
	Left   int32         `json:"disruptionsAllowed"` // disruptions that it allows now
}

// StayDocument is a pod that a drain does not evict.
type StayDocument struct {
	Namespace string     `json:"namespace"`
	Name      string     `json:"name"`
	UID       string     `json:"uid"`
	Why       StayReason `json:"why"`
}

// VictimDocument is a pod that is preempted for the replacement of a pod that the plan terminates.
type VictimDocument struct {
	Namespace string       `json:"namespace"`
	Name      string       `json:"name"`
	UID       string       `json:"uid"`
	Node      string       `json:"node"`
	By        string       `json:"by"`               // namespace and name of the pod that is replaced
	Likely    bool         `json:"likely,omitempty"` // in another order another pod may be preempted in its place, or none
	Fate      FateDocument `json:"fate"`             // depends: it may be preempted
}

// ChangeDocument is the change of one object.
type ChangeDocument struct {
	Resource  string         `json:"resource"`
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name"`
	Edits     []EditDocument `json:"edits"`
}

// EditDocument gives a field another value; null is no value.
type EditDocument struct {
	Path string `json:"path"` // "spec.unschedulable", "metadata.labels[app]"
	From any    `json:"from"`
	To   any    `json:"to"`
}

// ConsentDocument is a loss that has to be agreed to.
type ConsentDocument struct {
	Words string `json:"text"`
	Flag  string `json:"flag"`
}

// VerdictDocument is the API server's answer to the dry run.
type VerdictDocument struct {
	Accepted   *bool    `json:"accepted"`   // null: not tried
	Rejections []string `json:"rejections"` // its messages
	Skipped    string   `json:"skipped,omitempty"`
	Untried    int      `json:"untried,omitempty"` // pods whose termination was not tried, because there are many
}

// Document is the plan as scripts read it.
func (p *Plan) Document() Document {
	document := Document{
		TypeMeta: metav1.TypeMeta{APIVersion: "fathom/v1beta1", Kind: "Plan"},
		Action:   p.Action.Name(), Title: p.Title, PodsTerminated: p.PodsTerminated, Unread: p.Unread,
		Pods: []EndDocument{}, Stays: []StayDocument{}, Changes: []ChangeDocument{}, Consents: []ConsentDocument{},
		Effects: listed(p.Effects), Warnings: listed(p.Warnings), Order: p.Order,
		Undo: p.UndoSays, Undoable: p.Undo != nil, Verdict: p.Verdict.document(),
	}
	for i := range p.Ends {
		document.Pods = append(document.Pods, p.Ends[i].document())
	}
	for _, stay := range p.Stays {
		ref := stay.Pod.Ref()
		document.Stays = append(document.Stays, StayDocument{ref.Namespace, ref.Name, string(ref.UID), stay.Why})
	}
	for _, victim := range p.Preempted {
		document.Preempted = append(document.Preempted, victim.document())
	}
	for _, change := range p.Changes {
		document.Changes = append(document.Changes, change.document())
	}
	for _, consent := range p.Consents {
		document.Consents = append(document.Consents, ConsentDocument(consent))
	}
	return document
}

func (e End) document() EndDocument {
	ref := e.Pod.Ref()
	fate := e.Fate.document()
	if budget := e.Budget(); budget.Name != "" || budget.Allows == BudgetUnread { // of others no budget is asked
		fate.Budget = new(BudgetDocument{Allows: budget.Allows, Name: budget.Name, Why: budget.Why, Left: budget.Left})
	}
	return EndDocument{
		Namespace: ref.Namespace, Name: ref.Name, UID: string(ref.UID), Node: e.Pod.Object.Spec.NodeName,
		How: e.How, AfterSeconds: int64(e.After.Seconds()), GraceSeconds: int64(e.Grace.Seconds()),
		Lost: e.Lost, EmptyDir: e.EmptyDir, Terminating: e.Terminating, Fate: fate, Words: e.Words(),
	}
}

// document is a fate without its budget, which only evictions ask.
func (f Fate) document() FateDocument {
	return FateDocument{Outcome: f.Outcome, Node: f.Node, Tie: f.Tie, Varies: f.Varies, Likely: f.Likely, Why: f.Why}
}

func (v PreemptedPod) document() VictimDocument {
	return VictimDocument{
		Namespace: v.Pod.Namespace, Name: v.Pod.Name, UID: string(v.Pod.UID), Node: v.Pod.Spec.NodeName,
		By: v.By, Likely: v.Instead, Fate: v.Fate.document(),
	}
}

func (c Change) document() ChangeDocument {
	document := ChangeDocument{Resource: c.Target.Resource, Namespace: c.Target.Namespace, Name: c.Target.Name, Edits: []EditDocument{}}
	for _, edit := range c.Edits {
		document.Edits = append(document.Edits, EditDocument{pathWords(edit.Path), edit.From, edit.To})
	}
	return document
}

func (v Verdict) document() VerdictDocument {
	document := VerdictDocument{Rejections: listed(v.Rejections), Skipped: v.Skipped, Untried: v.Untried}
	if v.Asked {
		document.Accepted = new(len(v.Rejections)+v.Blocked == 0)
	}
	return document
}

// listed is the list, never null.
func listed(words []string) []string {
	if words == nil {
		return []string{}
	}
	return words
}
