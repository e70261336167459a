package snapshot

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
	d := r.newLines(in)
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
			d = r.newLines(in)
			continue
		}
		d.take(line)
		if d.err != nil {
			return d.err
		}
	}
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
	err   error
}

func (r *reader) newLines(in *input) *lines {
	return &lines{document: document{into: r, in: in, fields: map[string]json.RawMessage{}}, depth: -1}
}

// take takes the next line.
func (d *lines) take(line []byte) {
	if d.err != nil {
		return
	}
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
	raw, err := yaml.YAMLToJSON(d.item.Bytes())
	if err == nil {
		err = d.document.item(raw)
	}
	d.err = err
	d.item.Reset()
}

// end takes in the last item, or the object that the document is.
func (d *lines) end() error {
	d.flush()
	if d.err != nil {
		return d.err
	}
	raw, err := yaml.YAMLToJSON(d.head.Bytes())
	if err != nil {
		return err
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
