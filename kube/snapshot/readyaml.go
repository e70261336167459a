package snapshot

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"sigs.k8s.io/yaml"
)

// mostYAML is how many bytes of YAML one object may have, or a document without its
// items: YAML takes a hundred times as much memory as text, and etcd keeps no
// object of half that size.
const mostYAML = 4 << 20

// readYAML reads documents line by line, so that a long list is never in memory
// as a whole: the items of a list in block style, as kubectl writes it, begin with
// a dash of the indentation of the first one.
func (r *reader) readYAML(text *bufio.Reader, in *input) error {
	d := r.newLines(in, 0)
	for {
		line, err := text.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		ended := errors.Is(err, io.EOF)
		if isDocumentEnd(line) || ended {
			if ended {
				d.take(line)
			}
			if err := d.end(); err != nil {
				return err
			}
			if ended {
				return nil
			}
			d = r.newLines(in, d.line+1) // the line that ends it
			continue
		}
		d.take(line)
		if d.err != nil {
			return d.err
		}
	}
}

// yamlLine is where the parser of YAML names a line.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+):`)

// AtLine is an error of the parser of YAML with the lines of the file, of which it has seen what comes
// after some lines.
func AtLine(err error, before int) error {
	named := yamlLine.FindStringSubmatch(err.Error())
	if before == 0 || named == nil {
		return err
	}
	line, _ := strconv.Atoi(named[1]) // it is digits
	return fmt.Errorf("yaml: line %d:%s", before+line, err.Error()[len(named[0]):])
}

func isDocumentEnd(line []byte) bool {
	line = bytes.TrimRight(line, " \r\n")
	return bytes.Equal(line, []byte("---")) || bytes.Equal(line, []byte("..."))
}

// lines are those of one document.
type lines struct {
	document
	head  bytes.Buffer // all but the items
	item  bytes.Buffer // the one that is being read
	in    bool         // within the items
	depth int          // of the items' dashes; -1 before the first
	line  int          // of the file, that was taken last
	first int          // lines of the file before the item
	start int          // lines of the file before the document
	err   error
}

func (r *reader) newLines(in *input, start int) *lines {
	return &lines{document: document{into: r, in: in, fields: map[string]json.RawMessage{}}, depth: -1, line: start, start: start}
}

// take takes the next line.
func (d *lines) take(line []byte) {
	if d.err != nil {
		return
	}
	d.line++
	text := bytes.TrimRight(line, " \r\n")
	indent := len(text) - len(bytes.TrimLeft(text, " "))
	blank := len(text) == indent
	switch {
	case !d.in && !d.listed && bytes.Equal(text, []byte("items:")):
		d.in, d.listed = true, true
	case !d.in:
		d.head.Write(line)
	case blank:
		d.item.Write(line)
	case d.depth < 0 && text[indent] == '-':
		d.depth = indent
		d.begin(line)
	case indent == d.depth && text[indent] == '-':
		d.flush()
		d.begin(line)
	case d.depth >= 0 && indent > d.depth:
		d.item.Write(line)
	default:
		d.flush()
		d.in = false
		d.head.Write(line)
	}
	if d.err == nil && max(d.head.Len(), d.item.Len()) > mostYAML {
		d.err = fmt.Errorf("%w: one object of more than %d MiB of YAML", errTooLarge, mostYAML>>20)
	}
}

// begin begins an item: its dash gives way, its indentation stays.
func (d *lines) begin(line []byte) {
	d.first = d.line - 1
	at := bytes.IndexByte(line, '-')
	d.item.Write(line[:at])
	d.item.WriteByte(' ')
	d.item.Write(line[at+1:])
}

// flush takes in the item that was read.
func (d *lines) flush() {
	if d.err != nil || len(bytes.TrimSpace(d.item.Bytes())) == 0 {
		return
	}
	if raw, err := yaml.YAMLToJSON(d.item.Bytes()); err != nil {
		d.err = AtLine(err, d.first)
	} else {
		d.err = d.document.item(raw)
	}
	d.item.Reset()
}

// end takes in the last item, or the object that the document is.
func (d *lines) end() error {
	d.flush()
	if d.err != nil {
		return d.err
	}
	raw, err := yaml.YAMLToJSON(d.head.Bytes())
	switch {
	case err != nil && !d.listed:
		return AtLine(err, d.start)
	case err != nil:
		return errors.New(yamlLine.ReplaceAllString(err.Error(), "yaml: outside of items:")) // items are not counted
	}
	d.document.in.next()
	if !d.listed && bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return nil // comments only
	}
	if !d.listed {
		return d.into.add(raw, typeOf(raw), 0)
	}
	if err := json.Unmarshal(raw, &d.fields); err != nil {
		return fmt.Errorf("a list without a kind: %w", err)
	}
	return d.document.end()
}
