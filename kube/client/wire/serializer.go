package wire

import (
	"bytes"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// Reader makes an object of its encoding, which it may not keep. into is nil where any
// will do. It is false where it cannot: the object is then read as without it, and what
// is wrong with its encoding is said as without it.
type Reader func(encoded []byte, into runtime.Object) (runtime.Object, bool)

// Readers are those of some kinds.
type Readers map[schema.GroupVersionKind]Reader

// Kind is the kind of an object of the core API.
func Kind(name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: name}
}

// Encoded is a pointer to an API type that has an encoding.
type Encoded[T any] interface {
	*T
	runtime.Object
	Unmarshal([]byte) error
}

// Pruned reads objects of type T without what m drops.
func Pruned[T any, P Encoded[T]](m *Message) Reader {
	return PrunedInto(m, func(pruned []byte, object P) bool { return object.Unmarshal(pruned) == nil })
}

// PrunedInto is Pruned with another way to decode what is left into an empty object; it is false
// where that fails.
func PrunedInto[T any, P Encoded[T]](m *Message, decode func(pruned []byte, object P) bool) Reader {
	return func(encoded []byte, into runtime.Object) (runtime.Object, bool) {
		object, ok := into.(P)
		if into == nil {
			object, ok = new(T), true
		}
		if !ok {
			return nil, false
		}
		buffer := Buffer()
		defer buffer.Free()
		buffer.Bytes = slices.Grow(buffer.Bytes, len(encoded))
		if buffer.Bytes, ok = m.Prune(buffer.Bytes, encoded); !ok {
			return nil, false
		}
		*object = *new(T)
		if !decode(buffer.Bytes, object) {
			*object = *new(T)
			return nil, false
		}
		return object, true
	}
}

// Scratch holds bytes for a while.
type Scratch struct{ Bytes []byte }

var buffers = sync.Pool{New: func() any { return new(Scratch) }}

// Buffer gives an empty one.
func Buffer() *Scratch {
	b, _ := buffers.Get().(*Scratch)
	b.Bytes = b.Bytes[:0]
	return b
}

// largest is the size of a buffer that is used again: a page of pods.
const largest = 4 << 20

// Free gives it back.
func (b *Scratch) Free() {
	if cap(b.Bytes) <= largest {
		buffers.Put(b)
	}
}

// serializer is another one whose protobuf answers go through readers.
type serializer struct {
	runtime.NegotiatedSerializer
	readers Readers
}

// Through lets the protobuf answers that a serializer decodes go through readers. All else,
// errors and other kinds too, is decoded as before.
func Through(readers Readers, of runtime.NegotiatedSerializer) runtime.NegotiatedSerializer {
	return serializer{of, readers}
}

// SupportedMediaTypes implements runtime.NegotiatedSerializer.
func (s serializer) SupportedMediaTypes() []runtime.SerializerInfo {
	var all []runtime.SerializerInfo
	for _, info := range s.NegotiatedSerializer.SupportedMediaTypes() {
		if info.MediaType == runtime.ContentTypeProtobuf {
			info.Serializer = objects{info.Serializer, s.readers}
			if info.StreamSerializer != nil {
				stream := *info.StreamSerializer
				stream.Serializer = events{stream.Serializer}
				info.StreamSerializer = &stream
			}
		}
		all = append(all, info)
	}
	return all
}

// magic begins each object in protobuf (k8s.io/apimachinery/pkg/runtime/serializer/protobuf).
var magic = []byte{'k', '8', 's', 0}

// The fields of runtime.Unknown and of its TypeMeta.
const (
	unknownTypeMeta, unknownRaw, unknownEncoding, unknownType = 1, 2, 3, 4
	typeMetaVersion, typeMetaKind                             = 1, 2
)

// objects decodes objects and lists.
type objects struct {
	runtime.Serializer
	readers Readers
}

// Decode implements runtime.Decoder.
func (o objects) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	if kind, encoded, ok := opened(data); ok {
		if read := o.readers[kind]; read != nil {
			if object, ok := read(encoded, into); ok {
				object.GetObjectKind().SetGroupVersionKind(kind)
				return object, &kind, nil
			}
		}
	}
	return o.Serializer.Decode(data, defaults, into)
}

// opened is what the envelope of an object holds.
func opened(data []byte) (kind schema.GroupVersionKind, encoded []byte, ok bool) {
	data, ok = bytes.CutPrefix(data, magic)
	if !ok {
		return kind, nil, false
	}
	unknown, ok := envelope(data)
	if !ok || len(unknown[unknownEncoding]) > 0 || len(unknown[unknownType]) > 0 {
		return kind, nil, false
	}
	of, ok := envelope(unknown[unknownTypeMeta])
	if !ok || len(of[typeMetaKind]) == 0 {
		return kind, nil, false
	}
	kind = schema.FromAPIVersionAndKind(known(of[typeMetaVersion]), known(of[typeMetaKind]))
	return kind, unknown[unknownRaw], true
}

// known gives the string without a copy for those that come often.
func known(word []byte) string {
	switch string(word) {
	case "v1":
		return "v1"
	case "Pod":
		return "Pod"
	case "Node":
		return "Node"
	case "apps/v1":
		return "apps/v1"
	case string(watch.Added):
		return string(watch.Added)
	case string(watch.Modified):
		return string(watch.Modified)
	}
	return string(word)
}

// The fields of metav1.WatchEvent and of the runtime.RawExtension in it.
const (
	eventType, eventObject = 1, 2
	extensionRaw           = 1
)

// events decodes the events of a watch. The object of an event is not copied: it is good
// until the next event is read, and client-go decodes it before that.
type events struct{ runtime.Serializer }

// Decode implements runtime.Decoder.
func (e events) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	event, ok := into.(*metav1.WatchEvent)
	if !ok {
		return e.Serializer.Decode(data, defaults, into)
	}
	fields, ok := envelope(data)
	if !ok {
		return e.Serializer.Decode(data, defaults, into)
	}
	object, ok := envelope(fields[eventObject])
	if !ok || len(data) == 0 {
		return e.Serializer.Decode(data, defaults, into)
	}
	*event = metav1.WatchEvent{Type: known(fields[eventType])}
	event.Object.Raw = object[extensionRaw]
	kind := metav1.SchemeGroupVersion.WithKind("WatchEvent")
	kind.Group = ""
	return event, &kind, nil
}
