package wire

import "google.golang.org/protobuf/encoding/protowire"

// Number is the number of a field.
type Number = protowire.Number

// MostParts is into how many parts a message is divided at most, with the rest.
const MostParts = 6

// Parts are the encodings of the parts of a message; that of the rest is the first. Where no field
// of a part is there it is empty.
type Parts [MostParts][]byte

// Division says which fields of an API type make up which part of it.
type Division struct {
	message *Message
	parts   []uint8 // by number of the field; 0 is the rest, to which later fields belong too
}

// Divide names the fields of each part but the rest, by their names in Go.
func Divide[T any](parts ...[]string) *Division {
	d := &Division{message: MessageOf[T]()}
	for i, names := range parts {
		for _, name := range names {
			n := d.message.Number(name)
			if int(n) >= len(d.parts) {
				d.parts = append(d.parts, make([]uint8, int(n)+1-len(d.parts))...)
			}
			d.parts[n] = uint8(i + 1) //nolint:gosec // there are few parts
		}
	}
	return d
}

// Split copies the fields of an encoded message to the parts that they belong to, into their room. It
// is false for bytes that are not the fields of a message.
func (d *Division) Split(encoded []byte, parts *Parts) bool {
	for i := range parts {
		parts[i] = parts[i][:0]
	}
	for len(encoded) > 0 {
		f, ok := next(encoded)
		if !ok {
			return false
		}
		encoded = encoded[len(f.all):]
		part := uint8(0)
		if int(f.number) < len(d.parts) {
			part = d.parts[f.number]
		}
		parts[part] = append(parts[part], f.all...)
	}
	return true
}

// Next is the first field of an encoded message, and what follows it. Of a kind without a length the value
// is nil. It is false for bytes that are not the fields of a message.
func Next(encoded []byte) (number Number, value, rest []byte, ok bool) {
	f, ok := next(encoded)
	if !ok {
		return 0, nil, nil, false
	}
	return f.number, f.value, encoded[len(f.all):], true
}
