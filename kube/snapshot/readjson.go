package snapshot

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// readJSON reads one document after the other.
func (r *reader) readJSON(text *bufio.Reader, in *input) error {
	decoder := json.NewDecoder(text)
	for {
		switch err := r.readDocument(decoder, in); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// readDocument reads an object, or the items of a list one by one. Its error is
// io.EOF where there is none any more.
func (r *reader) readDocument(decoder *json.Decoder, in *input) error {
	if err := delimiter(decoder, '{'); err != nil {
		return err
	}
	d := &document{into: r, in: in, fields: map[string]json.RawMessage{}}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return cutOff(err)
		}
		key, _ := name.(string)
		if key == "items" {
			if err := d.readItems(decoder); err != nil {
				return cutOff(err)
			}
			continue
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return cutOff(err)
		}
		d.fields[key] = value
	}
	if _, err := decoder.Token(); err != nil {
		return cutOff(err)
	}
	in.next()
	return d.end()
}

// delimiter reads one.
func delimiter(decoder *json.Decoder, want json.Delim) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("%v where %v begins an object", token, want)
	}
	return nil
}

// cutOff makes an end that comes too early one that says so.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// document is one that is being read.
type document struct {
	into   *reader
	in     *input
	fields map[string]json.RawMessage // all but the items
	listed bool                       // it has items
	later  []json.RawMessage          // items of a kind that the list has yet to tell
}

func (d *document) readItems(decoder *json.Decoder) error {
	d.listed = true
	token, err := decoder.Token()
	if err != nil || token == nil { // null
		return err
	}
	if token != json.Delim('[') {
		return errors.New("items is not a list")
	}
	for decoder.More() {
		var item json.RawMessage
		if err := decoder.Decode(&item); err != nil {
			return err
		}
		if err := d.item(item); err != nil {
			return err
		}
	}
	_, err = decoder.Token()
	return err
}

// item takes one in. In the list of one kind items need not say which.
func (d *document) item(raw json.RawMessage) error {
	d.in.next()
	of := typeOf(raw)
	if of.Kind != "" {
		return d.into.add(raw, of, 0)
	}
	d.later = append(d.later, raw)
	return nil
}

// end takes in what is left.
func (d *document) end() error {
	of := metav1.TypeMeta{}
	// What is no string is no kind.
	_ = json.Unmarshal(d.fields["kind"], &of.Kind)
	_ = json.Unmarshal(d.fields["apiVersion"], &of.APIVersion)
	if !d.listed {
		whole, err := json.Marshal(d.fields)
		if err != nil {
			return err
		}
		return d.into.add(whole, of, 0)
	}
	if !strings.HasSuffix(of.Kind, "List") {
		return fmt.Errorf("items of a %q: the file is truncated, or not a List", of.Kind)
	}
	of.Kind = strings.TrimSuffix(of.Kind, "List")
	for _, raw := range d.later {
		if err := d.into.add(raw, of, 0); err != nil {
			return err
		}
	}
	return nil
}

// typeOf is what an object says that it is; zero where it does not.
func typeOf(raw []byte) (of metav1.TypeMeta) {
	if json.Unmarshal(raw, &of) != nil {
		return metav1.TypeMeta{}
	}
	return of
}
