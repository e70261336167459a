package wire

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// Beginning is the kind of an object and its encoding, as far as that is there, from the
// beginning of an answer. It is false for what is not an object in protobuf.
func Beginning(start []byte) (kind string, object []byte, ok bool) {
	start, ok = bytes.CutPrefix(start, magic)
	if !ok {
		return "", nil, false
	}
	typeMeta, _ := Front(start, unknownTypeMeta)
	of, _ := Front(typeMeta, typeMetaKind)
	object, _ = Front(start, unknownRaw)
	return string(of), object, true
}

// Front is the first value of a field in a message of which only the beginning may be there, as
// far as it is there. whole says that it is there to its end.
func Front(start []byte, number protowire.Number) (value []byte, whole bool) {
	for len(start) > 0 {
		field, kind, tag := protowire.ConsumeTag(start)
		if tag < 0 {
			return nil, false
		}
		start = start[tag:]
		if kind != protowire.BytesType {
			n := protowire.ConsumeFieldValue(field, kind, start)
			if n < 0 {
				return nil, false
			}
			start = start[n:]
			continue
		}
		size, n := protowire.ConsumeVarint(start)
		if n < 0 {
			return nil, false
		}
		start = start[n:]
		cut := size > uint64(len(start))
		switch {
		case field == number && cut:
			return start, false
		case cut:
			return nil, false
		case field == number:
			return start[:size], true
		}
		start = start[size:]
	}
	return nil, false
}
