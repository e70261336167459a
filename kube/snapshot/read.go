package snapshot

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// Most is how many bytes a file may hold, unpacked. It bounds the memory that
// reading takes.
const Most = 1 << 30

// mostItem is how many bytes one object, or a document that is no list, may have.
const mostItem = 64 << 20

// ErrFormat says that what was read is no snapshot and no List of kubectl.
var ErrFormat = errors.New("not a snapshot and not output of kubectl get")

// ReadOptions are what a file itself does not say.
type ReadOptions struct {
	// Name is how the state is called where the file does not say: its own name.
	Name string
	// Taken is when the state was, where the file does not say.
	Taken time.Time
	// Strip is done to each object before it is stored; nil is nothing.
	Strip cache.TransformFunc

	most int64 // instead of Most; 0 is Most
}

// File is what was read.
type File struct {
	Info Info
	// Own says that fathom wrote it, so that what it holds is all there was.
	Own bool
	// Unknown counts the objects that nothing here reads, by kind.
	Unknown map[string]int
	// OtherVersions counts the objects of versions of the API in which fathom reads no such object, by kind
	// and version: "DeviceTaintRule of resource.k8s.io/v1alpha3".
	OtherVersions map[string]int
	// SameUID counts the pods and nodes that had the UID of another one, which no
	// cluster has. They got one of their own, made from their names.
	SameUID int

	objects map[string][]runtime.Object // by resource
	places  map[objectKey]int           // in objects
	custom  custom
	other   map[string]string // by resource: another version of its API, in which the file has some

	controllers map[types.UID]runtime.Object // that lack pods, whole; only of a List of kubectl
	controlling map[cluster.Kind]bool        // of which kinds it has controllers
}

// reader reads a File.
type reader struct {
	file    *File
	options ReadOptions
	uids    map[uidKey]objectKey // of pods and nodes

	workloads map[types.UID]int // places in Info.Workloads
}

type objectKey struct{ resource, namespace, name string }

type uidKey struct {
	resource string
	uid      types.UID
}

// Read reads a snapshot, or Lists and objects of kubectl, packed with gzip or zstd
// or not. Its errors are one line; those of what is in it are ErrFormat.
func Read(from io.Reader, options ReadOptions) (*File, error) {
	r := &reader{
		file:    &File{Unknown: map[string]int{}, OtherVersions: map[string]int{}, other: map[string]string{}, objects: map[string][]runtime.Object{}, places: map[objectKey]int{}, controllers: map[types.UID]runtime.Object{}, controlling: map[cluster.Kind]bool{}},
		options: options, uids: map[uidKey]objectKey{}, workloads: map[types.UID]int{},
	}
	unpacked, done, err := unpack(from)
	if err != nil {
		return nil, wrong(err)
	}
	defer done()
	in := &input{r: unpacked, left: cmp.Or(options.most, Most), most: mostItem}
	text := bufio.NewReaderSize(in, 1<<16)
	first, err := firstByte(text)
	switch {
	case errors.Is(err, io.EOF):
		return nil, wrongf("it is empty")
	case err != nil:
		return nil, wrong(err)
	case first == '{' && isJSON(text):
		err = r.readJSON(text, in)
	default:
		err = r.readYAML(text, in)
	}
	if err != nil {
		return nil, wrong(err)
	}
	return r.file, r.finish()
}

// wrong is an error about what was read, in one line.
func wrong(err error) error {
	switch {
	case errors.Is(err, errTooLarge), errors.Is(err, ErrFormat):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return wrongf("the file is truncated")
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// formatError is an ErrFormat that says all by itself: what was read may well be of kubectl.
type formatError string

func (e formatError) Error() string { return string(e) }

func (formatError) Is(target error) bool { return target == ErrFormat }

func wrongf(format string, args ...any) error { return formatError(fmt.Sprintf(format, args...)) }

// errTooLarge ends the reading of what would take too much memory.
var errTooLarge = errors.New("too large")

// input counts what is read, and ends it where it is too much.
type input struct {
	r    io.Reader
	left int64 // of the whole
	item int64 // read since the last item
	most int64 // of an item
}

func (i *input) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	i.left -= int64(n)
	i.item += int64(n)
	switch {
	case i.left < 0:
		return 0, fmt.Errorf("%w: more than %d MiB, unpacked; give fewer kinds or namespaces", errTooLarge, Most>>20)
	case i.item > i.most:
		return 0, fmt.Errorf("%w: one object of more than %d MiB", errTooLarge, mostItem>>20)
	}
	return n, err
}

// next says that an item is through.
func (i *input) next() { i.item = 0 }

// firstByte is the first that is not blank; it is left there.
func firstByte(text *bufio.Reader) (byte, error) {
	if mark, err := text.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = text.Discard(3) // peeked at
	}
	for {
		b, err := text.ReadByte()
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(b)) {
			return b, text.UnreadByte()
		}
	}
}

// isJSON tells an object in JSON from one in YAML that has braces too.
func isJSON(text *bufio.Reader) bool {
	const enough = 512           // bytes, for blanks and a first quote
	head, _ := text.Peek(enough) // fewer do
	head = bytes.TrimLeft(head[min(1, len(head)):], " \t\r\n")
	return len(head) == 0 || head[0] == '"' || head[0] == '}'
}

// unpack uncompresses what the first bytes mark as compressed.
func unpack(r io.Reader) (unpacked io.Reader, done func(), err error) {
	packed := bufio.NewReader(r)
	magic, err := packed.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		unpacked, err := gzip.NewReader(packed)
		return unpacked, func() {}, err
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		unpacked, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostItem))
		if err != nil {
			return nil, nil, err
		}
		return unpacked, unpacked.Close, nil
	}
	return packed, func() {}, nil
}

// finish checks what came in.
func (r *reader) finish() error {
	f := r.file
	if len(f.objects["nodes"])+len(f.objects["pods"]) == 0 && !f.Own {
		found := ""
		if kinds := slices.Concat(slices.Sorted(maps.Keys(f.Unknown)), slices.Sorted(maps.Keys(f.OtherVersions))); len(kinds) > 0 {
			found = ", only " + strings.Join(kinds, ", ")
		}
		return wrongf("no nodes and no pods in it%s", found)
	}
	if !f.Own {
		f.Info.Taken, f.Info.Context = takenAt(f, r.options.Taken), r.options.Name
		f.Info.Namespace, f.Info.Provisioning = f.onlyNamespace(), f.custom.autoscaling()
	}
	return nil
}
