package settings

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
)

// Fault is something that is wrong with a file of settings.
type Fault struct {
	File string
	Line int    // from 1; 0 is the file as a whole
	Path string // the setting, as in "levels.tight"; "" for the file as a whole
	Text string
}

// String is the fault in a line: "config.yaml:3: levels: …".
func (f Fault) String() string {
	at := f.File
	if f.Line > 0 {
		at += ":" + strconv.Itoa(f.Line)
	}
	return at + ": " + f.words()
}

// words are the fault without the file.
func (f Fault) words() string {
	if f.Path == "" {
		return f.Text
	}
	return f.Path + ": " + f.Text
}

// document is the one document of a file, with the lines of its settings.
type document struct {
	file   string
	text   []byte         // of the document; nil where there is none
	lines  map[string]int // path → line
	top    []entry
	faults []Fault
}

// entry is a setting at the top of a document.
type entry struct {
	name string
	text []byte // the setting alone, in YAML
}

// errDocuments rejects a second document: YAML reads the first alone, and what the others
// protect would be protected by nothing.
var errDocuments = errors.New("it has more than one document; keep all settings in one, without ---")

// errMapping rejects a document of another shape.
var errMapping = errors.New("it must be a mapping of settings, such as theme: dark")

// newDocument reads a file, of which file is the name. What is wrong is in its faults.
func newDocument(file string, text []byte) *document {
	d := &document{file: file, lines: map[string]int{}}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	held := 0
	for {
		part, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			d.wrong("", err.Error())
			return d
		}
		var whole any
		if err := yaml.Unmarshal(part, &whole); err == nil && whole == nil {
			continue // comments alone
		}
		if held++; held > 1 {
			d.wrong("", errDocuments.Error())
			return d
		}
		d.text = part
		d.read(part, lineOf(text, part))
	}
}

// lineOf is how many lines stand before a part of a text.
func lineOf(text, part []byte) int {
	at := bytes.Index(text, bytes.TrimRight(part, "\n"))
	if at < 0 {
		return 0
	}
	return bytes.Count(text[:at], []byte("\n"))
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// read takes a document whose first line is after so many others.
func (d *document) read(text []byte, before int) {
	var root yamlv3.Node
	if err := yamlv3.Unmarshal(text, &root); err != nil {
		found := yamlLine.FindStringSubmatch(err.Error())
		line := 0
		if found != nil && found[1] != "" {
			at, _ := strconv.Atoi(found[1]) // it is of digits
			line = at + before
		}
		d.faults = append(d.faults, Fault{File: d.file, Line: line, Text: yamlLine.ReplaceAllString(err.Error(), "")})
		return
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yamlv3.MappingNode {
		d.wrong("", errMapping.Error())
		return
	}
	mapping := root.Content[0]
	d.note("", mapping, before)
	seen := map[string]bool{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		if seen[key.Value] {
			d.faults = append(d.faults, Fault{File: d.file, Line: key.Line + before, Path: key.Value, Text: "it is set twice"})
			continue
		}
		seen[key.Value] = true
		alone, err := yamlv3.Marshal(&yamlv3.Node{Kind: yamlv3.MappingNode, Content: []*yamlv3.Node{resolved(key), resolved(mapping.Content[i+1])}})
		if err != nil {
			d.wrong(key.Value, err.Error())
			continue
		}
		d.top = append(d.top, entry{key.Value, alone})
	}
}

// resolved is a node with the nodes that its aliases name, and without anchors. One that
// names itself stays.
func resolved(node *yamlv3.Node) *yamlv3.Node {
	return resolve(node, 20)
}

func resolve(node *yamlv3.Node, deep int) *yamlv3.Node {
	if node.Kind == yamlv3.AliasNode && deep > 0 {
		return resolve(node.Alias, deep-1)
	}
	copied := *node
	copied.Anchor, copied.HeadComment, copied.LineComment, copied.FootComment = "", "", "", ""
	copied.Content = make([]*yamlv3.Node, len(node.Content))
	for i, child := range node.Content {
		copied.Content[i] = child
		if deep > 0 {
			copied.Content[i] = resolve(child, deep-1)
		}
	}
	return &copied
}

// note notes the lines of all that a node holds.
func (d *document) note(path string, node *yamlv3.Node, before int) {
	switch node.Kind {
	case yamlv3.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			at := join(path, node.Content[i].Value)
			d.lines[at] = node.Content[i].Line + before
			d.note(at, node.Content[i+1], before)
		}
	case yamlv3.SequenceNode:
		for i, child := range node.Content {
			at := fmt.Sprintf("%s[%d]", path, i)
			d.lines[at] = child.Line + before
			d.note(at, child, before)
		}
	}
}

// join is the path of a setting in another one.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// wrong notes a fault of a setting, on the line of the closest that has one.
func (d *document) wrong(path, text string) {
	d.faults = append(d.faults, Fault{File: d.file, Line: d.line(path), Path: path, Text: text})
}

// hasFault reports whether a fault of a setting was noted.
func (d *document) hasFault(path string) bool {
	return slices.ContainsFunc(d.faults, func(f Fault) bool { return f.Path == path })
}

// line is where a setting stands; 0 where that is not known.
func (d *document) line(path string) int {
	for path != "" {
		if line := d.lines[path]; line > 0 {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 0
}

// sorted are the faults in the order of their lines.
func (d *document) sorted() []Fault {
	slices.SortStableFunc(d.faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return d.faults
}

// unknown notes a name that there is none of.
func (d *document) unknown(path, what string, names []string) {
	name := path[strings.LastIndexByte(path, '.')+1:]
	d.faults = append(d.faults, Fault{
		File: d.file, Line: d.line(path),
		Text: fmt.Sprintf("unknown %s %q: choose one of %s%s", what, name, strings.Join(names, ", "), suggest.DidYouMean(name, names...)),
	})
}
