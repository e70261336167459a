package snapshot

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// Format is how a file is written.
type Format string

// The formats.
const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// Write writes the snapshot as a v1 List, item by item. Its first item is the
// Info; kubectl reads all others.
func (s *Snapshot) Write(w io.Writer, format Format) error {
	out := &writer{w: bufio.NewWriter(w), format: format}
	info := s.info
	info.NotCreated = nil
	for _, r := range s.info.NotCreated {
		r.Pod, _ = s.scrub.scrubbed(r.Pod).(*corev1.Pod)
		info.NotCreated = append(info.NotCreated, r)
	}
	out.begin()
	out.item(info)
	for _, object := range s.objects {
		item := s.scrub.scrubbed(object)
		if err := addKind(item); err != nil {
			return fmt.Errorf("write snapshot: %w", err)
		}
		out.item(item)
		if out.err != nil {
			break
		}
	}
	out.end()
	return out.err
}

// addKind gives an object its kind and version, which informers leave out.
func addKind(object runtime.Object) error {
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		return err
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	return nil
}

// writer writes a list, and remembers the first error.
type writer struct {
	w       *bufio.Writer
	format  Format
	written int
	err     error
}

func (w *writer) begin() {
	if w.format == JSON {
		w.text("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n")
		return
	}
	w.text("apiVersion: v1\nitems:\n")
}

func (w *writer) item(item any) {
	if w.err != nil {
		return
	}
	if w.format == JSON {
		text, err := escaped.JSON(item, "")
		w.fail(err)
		if w.written > 0 {
			w.text(",\n")
		}
		w.bytes(text)
	} else {
		text, err := escaped.YAML(item)
		w.fail(err)
		w.text("- ")
		w.bytes(bytes.ReplaceAll(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"), []byte("\n  ")))
		w.text("\n")
	}
	w.written++
}

func (w *writer) end() {
	if w.format == JSON {
		w.text("\n]}\n")
	} else {
		w.text("kind: List\n") // last, as kubectl has it: without it a file is cut off
	}
	if w.err == nil {
		w.fail(w.w.Flush())
	}
}

func (w *writer) text(text string) { w.bytes([]byte(text)) }

func (w *writer) bytes(text []byte) {
	if w.err == nil {
		_, err := w.w.Write(text)
		w.fail(err)
	}
}

// fail remembers the first error.
func (w *writer) fail(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("write snapshot: %w", err)
	}
}
