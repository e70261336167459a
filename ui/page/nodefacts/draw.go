package nodefacts

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// fewTexts are the lines under the resources where there is little height: the state, the
// taints, what runs on it.
const fewTexts = 3

// headLines are the rule, and the heads of the resources.
const headLines = 2

// drawn are all lines of the node, at most so many: the texts are short then, and further
// resources are only counted.
func (f *Facts) drawn(node *model.Node, width, most int) []string {
	d := &drawing{Facts: f, of: node, width: width}
	resources := d.resources(most)
	long := d.texts()
	if headLines+len(resources)+len(long) > most {
		resources, long = d.resources(max(most-headLines-fewTexts, 1)), d.shortTexts()
	}
	lines := append([]string{d.rule()}, d.head())
	return append(append(lines, resources...), long...)
}

// drawing is one node while it is drawn.
type drawing struct {
	*Facts
	of    *model.Node
	width int
}

// rule is the first line: the node's pool, and what kind of node it is.
func (d *drawing) rule() string {
	words := []string{d.host.Observed().NodeName(d.of.Name)}
	if d.of.Pool != "" {
		words = append(words, "pool "+d.of.Pool)
	}
	for _, word := range []string{d.of.Instance, d.of.Zone, d.of.CapacityType} {
		if word != "" {
			words = append(words, word)
		}
	}
	s := d.host.Styles()
	title := cells.Cut(model.Clean(strings.Join(words, " · ")), d.width-6)
	return s.Rule.Render(" ─ ") + s.Strong.Render(title) + s.Rule.Render(" "+strings.Repeat("─", max(d.width-cells.Width(title)-4, 0)))
}

func (d *drawing) line(text string, of tone.Tone) string {
	return of.Style(d.host.Styles()).Render(cells.Blank(table.Gutter) + cells.Cut(model.Clean(text), d.width-table.Gutter-1))
}

// state is a condition, or a sign of another trouble, in words.
type state struct {
	words string
	said  string // the kubelet's or the controller's message; "" where all is as it should be
	tone  tone.Tone
}

// whole is the state with the message.
func (s state) whole() string {
	if s.said == "" {
		return s.words
	}
	return s.words + ": " + s.said
}

// conditionState is a condition with its age; its message too where it is not as it
// should be.
func (d *drawing) conditionState(c *corev1.NodeCondition) state {
	word, fine := string(c.Type), c.Status == corev1.ConditionFalse
	if c.Type == corev1.NodeReady {
		fine = c.Status == corev1.ConditionTrue
	}
	switch {
	case c.Type == corev1.NodeReady && c.Status == corev1.ConditionFalse:
		word = "NotReady"
	case c.Status == corev1.ConditionUnknown:
		word += " unknown"
	case c.Type != corev1.NodeReady && c.Status == corev1.ConditionFalse:
		word = "no " + word
	}
	if !c.LastTransitionTime.IsZero() {
		word += " for " + d.host.Observed().Since(c.LastTransitionTime.Time)
	}
	if fine {
		return state{words: word}
	}
	made := state{word, strings.TrimSuffix(cmp.Or(c.Message, c.Reason), "."), tone.Warning}
	if c.Type == corev1.NodeReady {
		made.tone = tone.Bad
	}
	return made
}

// states are the conditions, Ready first, then what else is not as usual.
func (d *drawing) states() []state {
	var all []state
	for i := range d.of.Object.Status.Conditions {
		c := &d.of.Object.Status.Conditions[i]
		made := d.conditionState(c)
		if c.Type == corev1.NodeReady {
			all = append([]state{made}, all...)
		} else {
			all = append(all, made)
		}
	}
	if len(all) == 0 {
		all = append(all, state{words: "conditions: none reported", tone: tone.Warning})
	}
	if d.of.Cordoned {
		words := "cordoned"
		if since := d.of.CordonedSince(); !since.IsZero() {
			words += " for " + d.host.Observed().Since(since)
		}
		all = append(all, state{words: words, tone: tone.Warning})
	}
	if d.of.Lifecycle != "" {
		all = append(all, state{words: d.of.Lifecycle, tone: tone.Warning})
	}
	return all
}

// shortTexts are the state, the taints and the versions, a line each.
func (d *drawing) shortTexts() []string {
	var words []string
	of := tone.Plain
	states := d.states()
	for i, made := range states {
		of = max(of, made.tone)
		switch {
		case i == 0:
			lease, _ := d.leaseWords()
			words = append(words, made.words, lease)
		case made.tone != tone.Plain:
			words = append(words, made.whole())
		}
	}
	if states[0].said != "" {
		words = append(words, states[0].said)
	}
	return []string{
		d.line(strings.Join(words, "; "), of),
		d.line(d.taintWords(), tone.Plain),
		d.line(strings.Join(append([]string{d.imageWords()}, d.versions()...), " · "), tone.Plain),
	}
}

// texts are all that is known beside the resources.
func (d *drawing) texts() []string {
	var lines []string
	for _, made := range d.states() {
		for _, row := range cells.Wrap(model.Clean(made.whole()), d.width-table.Gutter-1) {
			lines = append(lines, d.line(row, made.tone))
		}
	}
	lease, why := d.leaseWords()
	if why != "" {
		lease += " (" + why + ")"
	}
	lines = append(lines, d.line(lease, tone.Plain))
	for _, text := range []string{d.taintWords(), strings.Join(d.versions(), " · "), d.imageWords()} {
		for _, row := range cells.Wrap(model.Clean(text), d.width-table.Gutter-1) {
			lines = append(lines, d.line(row, tone.Plain))
		}
	}
	return lines
}

// leaseWords say when the kubelet last renewed its Lease, and why that is not known.
func (d *drawing) leaseWords() (words, why string) {
	switch read := d.lease.Value; {
	case d.lease.Trouble != nil:
		return "Lease unknown", d.lease.Trouble.Error()
	case !read.read:
		return "Lease unknown", ""
	case read.renewed.IsZero():
		return "no Lease", ""
	default:
		return "Lease renewed " + d.host.Observed().Since(read.renewed) + " ago", ""
	}
}

// taintWords are the taints, each with its age where it has one.
func (d *drawing) taintWords() string {
	var words []string
	for _, taint := range d.of.SortedTaints() {
		word := strings.TrimPrefix(taint.ToString(), model.TaintDomain)
		if taint.TimeAdded != nil {
			word += " (" + d.host.Observed().Since(taint.TimeAdded.Time) + ")"
		}
		if state := model.TaintState(taint.Key); state != "" {
			word += ": " + state
		}
		words = append(words, word)
	}
	if len(words) == 0 {
		return "taints: none"
	}
	return "taints: " + strings.Join(words, ", ")
}

// versions are what runs the node.
func (d *drawing) versions() []string {
	info := &d.of.Object.Status.NodeInfo
	var words []string
	if info.KubeletVersion != "" {
		words = append(words, "kubelet "+info.KubeletVersion)
	}
	runtime := strings.Replace(info.ContainerRuntimeVersion, "://", " ", 1)
	for _, word := range []string{runtime, info.OSImage, info.KernelVersion, info.Architecture} {
		if word != "" {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return []string{"versions: " + model.UnknownFigure}
	}
	return words
}

// imageWords count the images that the node reports, and their bytes.
func (d *drawing) imageWords() string {
	images := d.of.Object.Status.Images
	var size int64
	for i := range images {
		size = model.Sum(size, max(images[i].SizeBytes, 0))
	}
	if len(images) == 0 {
		return "no images reported"
	}
	words := figures.Count(len(images), "image", "images") + " " + model.FormatMemory(size, model.Up)
	if len(images) >= mostImages {
		words = fmt.Sprintf("%d images or more, %s", len(images), model.FormatMemory(size, model.Up))
	}
	return words
}

// mostImages is how many images a kubelet reports at most, by default: nodeStatusMaxImages
// of KubeletConfiguration.
const mostImages = 50
