// Package wire reads protobuf answers of an API server, and drops the fields that
// nobody reads before an object is made of them.
package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Message says what is dropped of the encoding of one API type. What it does not
// name is kept, also what it cannot know: the fields of a later API.
type Message struct {
	of    reflect.Type
	rules []rule // by number of the field
}

// rule is what becomes of a field.
type rule struct {
	kind protowire.Type // as the API has it; a field of another kind is broken, and kept
	drop bool
	// entries says that it is a map. The API's types read an entry that is cut beyond its end, so
	// what follows has to stay.
	entries bool
	unread  func(value []byte) bool // drops it where true; nil: never
	inside  *Message                // its value is pruned too; nil: it is kept as it is
}

// MessageOf is the message of an API type, of which all is kept.
func MessageOf[T any]() *Message {
	m := &Message{of: reflect.TypeFor[T]()}
	for field := range m.of.Fields() {
		if field.Type.Kind() == reflect.Map {
			m.rule(field.Name).entries = true
		}
	}
	return m
}

// Drop drops fields, by their names in Go.
func (m *Message) Drop(names ...string) *Message {
	for _, name := range names {
		m.rule(name).drop = true
	}
	return m
}

// DropIf drops those values of a field that are unread: of a list or a map each for itself.
func (m *Message) DropIf(name string, unread func(value []byte) bool) *Message {
	m.rule(name).unread = unread
	return m
}

// Inside prunes the values of a field. Where it is a list they are its items.
func (m *Message) Inside(name string, values *Message) *Message {
	m.rule(name).inside = values
	return m
}

// Number is the number of a field by its name in Go. It panics if there is no such field.
func (m *Message) Number(name string) protowire.Number {
	n, _ := m.tagOf(name)
	return n
}

// tagOf reads the tag that the API's types are generated from.
func (m *Message) tagOf(name string) (protowire.Number, protowire.Type) {
	field, ok := m.of.FieldByName(name)
	if !ok {
		panic(fmt.Sprintf("%s has no field %s", m.of, name))
	}
	words := strings.Split(field.Tag.Get("protobuf"), ",")
	kind, known := map[string]protowire.Type{"bytes": protowire.BytesType, "varint": protowire.VarintType}[words[0]]
	if len(words) > 1 && known {
		if n, err := strconv.ParseInt(words[1], 10, 32); err == nil {
			return protowire.Number(n), kind
		}
	}
	panic(fmt.Sprintf("%s.%s is not encoded in protobuf", m.of, name))
}

func (m *Message) rule(name string) *rule {
	n, kind := m.tagOf(name)
	if int(n) >= len(m.rules) {
		m.rules = append(m.rules, make([]rule, int(n)+1-len(m.rules))...)
	}
	m.rules[n].kind = kind
	return &m.rules[n]
}

// Prune appends what is kept of an encoded message to dst. It is false for bytes that
// are not the fields of a message; what dst holds then is of no use.
func (m *Message) Prune(dst, encoded []byte) ([]byte, bool) {
	for len(encoded) > 0 {
		f, ok := next(encoded)
		if !ok {
			return dst, false
		}
		encoded = encoded[len(f.all):]
		r := m.ruleOf(f.number)
		if r != nil && r.entries && !isEntry(f.value) {
			return dst, false
		}
		switch {
		case r == nil || f.kind != r.kind:
			dst = append(dst, f.all...)
		case r.drop, r.unread != nil && r.unread(f.value):
		case r.inside != nil:
			if dst, ok = r.inside.pruneField(dst, f); !ok {
				return dst, false
			}
		default:
			dst = append(dst, f.all...)
		}
	}
	return dst, true
}

func (m *Message) ruleOf(n protowire.Number) *rule {
	if int(n) < len(m.rules) {
		return &m.rules[n]
	}
	return nil
}

// isEntry says whether an entry of a map is whole.
func isEntry(value []byte) bool {
	_, ok := envelope(value)
	return ok
}

// pruneField appends a field with a value that is pruned.
func (m *Message) pruneField(dst []byte, f field) ([]byte, bool) {
	dst = append(dst, f.all[:f.tag]...)
	length := len(dst)
	dst = append(dst, f.all[f.tag:len(f.all)-len(f.value)]...) // the old length, at least as long as the new one
	from := len(dst)
	dst, ok := m.Prune(dst, f.value)
	if !ok {
		return dst, false
	}
	size := len(dst) - from
	if size == len(f.value) {
		return dst, true
	}
	moved := length + protowire.SizeVarint(uint64(size)) //nolint:gosec // a size is not negative
	copy(dst[moved:], dst[from:])
	protowire.AppendVarint(dst[:length], uint64(size)) //nolint:gosec // a size is not negative
	return dst[:moved+size], true
}

// field is one field of an encoded message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	tag    int    // the size of the tag
	all    []byte // with the tag
	value  []byte // of a kind that has a length; nil of others
}

// next is the first field of an encoded message.
func next(encoded []byte) (field, bool) {
	number, kind, tag := protowire.ConsumeTag(encoded)
	if tag < 0 {
		return field{}, false
	}
	if kind == protowire.BytesType {
		value, n := protowire.ConsumeBytes(encoded[tag:])
		if n < 0 {
			return field{}, false
		}
		return field{number, kind, tag, encoded[:tag+n], value}, true
	}
	n := protowire.ConsumeFieldValue(number, kind, encoded[tag:])
	if n < 0 {
		return field{}, false
	}
	return field{number, kind, tag, encoded[:tag+n], nil}, true
}

// fewNumbers is above all numbers of fields in the envelopes of objects and events.
const fewNumbers = 8

// envelope gives the values of a message of few fields, all with a length and each there at
// most once, by their numbers. It is false for any other.
func envelope(encoded []byte) (values [fewNumbers][]byte, ok bool) {
	for len(encoded) > 0 {
		f, ok := next(encoded)
		if !ok || f.number >= fewNumbers || f.kind != protowire.BytesType || values[f.number] != nil {
			return values, false
		}
		values[f.number] = f.value
		encoded = encoded[len(f.all):]
	}
	return values, true
}

// Value is the value of a field in an encoded message, without a copy: nil where it is not
// there exactly once, and for bytes that are no message.
func Value(encoded []byte, number protowire.Number) []byte {
	var value []byte
	for len(encoded) > 0 {
		f, ok := next(encoded)
		if !ok || f.number == number && (value != nil || f.kind != protowire.BytesType) {
			return nil
		}
		if f.number == number {
			value = f.value
		}
		encoded = encoded[len(f.all):]
	}
	return value
}

// KeyIs says of an entry of a map whether its key is one of some.
func KeyIs(of func(key []byte) bool) func(entry []byte) bool {
	return func(entry []byte) bool {
		values, ok := envelope(entry)
		return ok && of(values[mapKey])
	}
}

// mapKey is the number of the key in an entry of a map.
const mapKey = 1

// Lacks says of an encoded message that a field is not in it.
func Lacks(number protowire.Number) func(value []byte) bool {
	return func(value []byte) bool {
		has, ok := contains(value, number)
		return ok && !has
	}
}

// HasInside says of an encoded message that the message in its field number has one of some fields.
func HasInside(number protowire.Number, some ...protowire.Number) func(value []byte) bool {
	return func(value []byte) bool {
		for len(value) > 0 {
			f, ok := next(value)
			if !ok {
				return false
			}
			value = value[len(f.all):]
			if f.number != number || f.kind != protowire.BytesType {
				continue
			}
			if has, ok := contains(f.value, some...); ok && has {
				return true
			}
		}
		return false
	}
}

// contains says whether one of some fields is in an encoded message. The second is false for
// bytes that are no message.
func contains(encoded []byte, some ...protowire.Number) (has, ok bool) {
	for len(encoded) > 0 {
		f, ok := next(encoded)
		if !ok {
			return false, false
		}
		has = has || slices.Contains(some, f.number)
		encoded = encoded[len(f.all):]
	}
	return has, true
}
