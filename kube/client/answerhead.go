package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/wire"
)

// head is what the beginning of an answer says about it.
type head struct {
	valid   bool   // it is encoded well, as far as it was read
	whole   bool   // it was read to its end: what is not here is not in it
	other   bool   // it does not begin as an object in any encoding
	kind    string // "" if it is not there, or comes later
	name    string // in its metadata
	version string // resourceVersion in its metadata; not read in protobuf
	status  string // of a Status: "Success"
	items   bool   // it has items; not read in protobuf
}

// headOf reads the beginning of an answer in protobuf or JSON.
func headOf(start []byte, whole bool) head {
	h := head{whole: whole}
	if !h.readProtobuf(start) {
		h.readJSON(start)
		text := bytes.TrimSpace(start)
		h.other = !h.valid && len(text) > 0 && text[0] != '{' && text[0] != 'k' // of k8s, cut off
	}
	return h
}

// The fields of objects and Statuses in protobuf. The metadata of all objects has the same.
var (
	metadataField = wire.MessageOf[corev1.Pod]().Number("ObjectMeta")
	nameField     = wire.MessageOf[metav1.ObjectMeta]().Number("Name")
	statusField   = wire.MessageOf[metav1.Status]().Number("Status")
)

// readProtobuf is false for what is not an object in protobuf.
func (h *head) readProtobuf(start []byte) bool {
	kind, object, ok := wire.Beginning(start)
	if !ok {
		return false
	}
	h.valid, h.kind = true, kind
	if kind == "Status" {
		status, _ := wire.Front(object, statusField)
		h.status = string(status)
		return true
	}
	metadata, _ := wire.Front(object, metadataField)
	if name, whole := wire.Front(metadata, nameField); whole {
		h.name = string(name)
	}
	return true
}

func (h *head) readJSON(start []byte) {
	d := json.NewDecoder(bytes.NewReader(start))
	err := eachField(d, func(field string) error {
		switch field {
		case "kind":
			return d.Decode(&h.kind)
		case "metadata":
			return eachField(d, h.readMetadata(d))
		case "status":
			return h.readStatus(d)
		case "items":
			h.items = true
		}
		return d.Decode(new(json.RawMessage))
	})
	h.valid = err == nil || !h.whole && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF))
}

func (h *head) readMetadata(d *json.Decoder) func(field string) error {
	return func(field string) error {
		switch field {
		case "name":
			return d.Decode(&h.name)
		case "resourceVersion":
			return d.Decode(&h.version)
		}
		return d.Decode(new(json.RawMessage))
	}
}

// readStatus reads the status of a Status; that of an object is no word.
func (h *head) readStatus(d *json.Decoder) error {
	var value any
	if err := d.Decode(&value); err != nil {
		return err
	}
	h.status, _ = value.(string)
	return nil
}

// errNoObject says that JSON is an array.
var errNoObject = errors.New("not an object")

// eachField calls read with the name of each field of an object; read reads its value.
// A single value has no fields.
func eachField(d *json.Decoder, read func(field string) error) error {
	open, err := d.Token()
	switch {
	case err != nil:
		return err
	case open == json.Delim('['):
		return errNoObject
	case open != json.Delim('{'):
		return nil
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		field, _ := token.(string)
		if err := read(field); err != nil {
			return err
		}
	}
	_, err = d.Token() // the end
	return err
}
