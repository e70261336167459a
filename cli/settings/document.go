package settings

import (
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
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
)

// Fault is something that is wrong with a file of settings.
type Fault struct {
	File string
	Line int    // from 1; 0 is the file as a whole
	Path string // the setting, as in "levels.tight"; "" for the file as a whole
	Text string

	spoils string // the setting that is not known because of it, as in Path; "" is all of the file
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

// concerns reports whether a setting is not known because of the fault: the setting itself, a
// part of it, or all that it is a part of.
func (f Fault) concerns(path string) bool {
	return f.spoils == "" || within(f.spoils, path) || within(path, f.spoils)
}

// within reports whether a setting is another one or a part of it.
func within(path, whole string) bool {
	rest, begins := strings.CutPrefix(path, whole)
	return begins && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// document is the one document of a file, with the lines of its settings.
type document struct {
	file   string
	text   []byte // of the document; nil where there is none
	before int    // the lines of the file that stand before it
	top    []entry
	lines  map[string]int // path → line
	faults []Fault
}

// entry is a setting at the top of a document.
type entry struct {
	name       string
	key, value *yamlv3.Node
}

// errDocuments rejects a second document: YAML reads the first alone, and what the others
// protect would be protected by nothing.
var errDocuments = errors.New("it has more than one document; keep all settings in one, without the lines --- and ... between them")

// errMapping rejects a document of another shape.
var errMapping = errors.New("it must be a mapping of settings, such as theme: dark")

// newDocument reads a file, of which file is the name. What is wrong is in its faults.
func newDocument(file string, text []byte) *document {
	d := &document{file: file, lines: map[string]int{}}
	before := 0 // lines
	for _, part := range parts(text) {
		var whole any
		if err := yaml.Unmarshal(part, &whole); err != nil || whole != nil { // otherwise it is comments alone
			if d.text != nil {
				d.wrongAt(before+firstLine(part), "", errDocuments.Error())
				return d
			}
			d.text, d.before = part, before
			d.read()
			if len(d.faults) > 0 && d.top == nil {
				return d
			}
		}
		before += bytes.Count(part, []byte("\n"))
	}
	return d
}

// separator begins the lines that stand between documents.
const separator = "---"

// lineBreaks writes all that end a line as one.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// parts cuts a file at the lines that separate documents. Each part but the first begins with
// such a line, without which no part is another document.
func parts(text []byte) [][]byte {
	var all [][]byte
	var part []byte
	for line := range strings.Lines(lineBreaks.Replace(string(text))) {
		if strings.HasPrefix(line, separator) && len(part) > 0 {
			all, part = append(all, part), nil
		}
		part = append(part, line...)
	}
	return append(all, part)
}

// firstLine is the first line of a part that holds more than a comment, from 1.
func firstLine(part []byte) int {
	n := 0
	for line := range strings.Lines(string(part)) {
		n++
		rest := strings.TrimSpace(strings.TrimPrefix(line, separator))
		if len(rest) > 0 && rest[0] != '#' {
			return n
		}
	}
	return 1
}

// read takes the text of the document.
func (d *document) read() {
	documents := yamlv3.NewDecoder(bytes.NewReader(d.text))
	var root, more yamlv3.Node
	if err := documents.Decode(&root); err != nil || len(root.Content) != 1 {
		d.notYAML(cmp.Or(err, errMapping))
		return
	}
	if root.Content[0].Kind != yamlv3.MappingNode {
		d.wrongAt(root.Content[0].Line+d.before, "", errMapping.Error())
		return
	}
	if err := documents.Decode(&more); !errors.Is(err, io.EOF) {
		line := 0
		if first, _, cut := bytes.Cut(d.text, []byte("\n...")); cut { // it ends a document too
			line = bytes.Count(first, []byte("\n")) + 2 + d.before
		}
		d.wrongAt(line, "", errDocuments.Error())
		return
	}
	mapping := root.Content[0]
	d.note("", mapping)
	seen := map[string]bool{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := resolved(mapping.Content[i])
		if name := strings.ToLower(key.Value); seen[name] { // capital letters make no other setting
			d.wrongAt(key.Line+d.before, key.Value, "it is set twice")
			d.faults[len(d.faults)-1].spoils = name
			continue
		}
		seen[strings.ToLower(key.Value)] = true
		d.top = append(d.top, entry{key.Value, key, resolved(mapping.Content[i+1])})
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// mostTried is how many lines a text has at most of which each beginning is tried.
const mostTried = 500

// notYAML notes an error of the parser, on the line after the longest beginning of the text that
// is YAML: the parser names where the enclosing mapping begins, the line before, or none.
func (d *document) notYAML(err error) {
	line := 0
	if found := yamlLine.FindStringSubmatch(err.Error()); found != nil && found[1] != "" {
		line, _ = strconv.Atoi(found[1]) // it is of digits
	}
	if lines := bytes.SplitAfter(d.text, []byte("\n")); len(lines) <= mostTried {
		line = len(lines)
		for line > 1 && yamlv3.Unmarshal(bytes.Join(lines[:line-1], nil), new(yamlv3.Node)) != nil {
			line--
		}
	}
	if line > 0 {
		line += d.before
	}
	d.wrongAt(line, "", yamlLine.ReplaceAllString(err.Error(), ""))
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
func (d *document) note(path string, node *yamlv3.Node) {
	switch node.Kind {
	case yamlv3.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			at := join(path, node.Content[i].Value)
			if d.lines[at] == 0 { // it is not set twice
				d.lines[at] = node.Content[i].Line + d.before
			}
			d.note(at, node.Content[i+1])
		}
	case yamlv3.SequenceNode:
		for i, child := range node.Content {
			at := item(path, i)
			d.lines[at] = child.Line + d.before
			d.note(at, child)
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

// item is the path of an item of a list, from 0.
func item(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// wrong notes a fault of a setting, on the line of the closest that has one.
func (d *document) wrong(path, text string) { d.wrongAt(d.line(path), path, text) }

// wrongAt notes a fault of a setting on a line.
func (d *document) wrongAt(line int, path, text string) {
	d.faults = append(d.faults, Fault{File: d.file, Line: line, Path: path, Text: text, spoils: path})
}

// unknown notes a name that there is none of in a setting, "" for the file. What it was meant to
// set is not known, so that it spoils all of that setting.
func (d *document) unknown(in, name, what string, names []string) {
	d.wrongAt(d.line(join(in, name)), in,
		fmt.Sprintf("unknown %s %q: choose one of %s%s", what, name, strings.Join(names, ", "), suggest.DidYouMean(name, names...)))
}

// hasFault reports whether a fault of a setting, or of a part of it, was noted.
func (d *document) hasFault(path string) bool {
	return slices.ContainsFunc(d.faults, func(f Fault) bool { return within(f.spoils, path) })
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
