package query

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Unit is the unit of a field's values, and so of what they compare with.
type Unit int8

// The units.
const (
	Word     Unit = iota // text, or several texts, as of taints
	Integer              // a number of things
	Cores                // thousandths of a core
	Bytes                // of memory
	Duration             // nanoseconds
)

// Value is what one row holds in one field.
type Value struct {
	Text    string   // of a Word
	Texts   []string // other texts of the row: a comparison holds if it holds for any
	Number  int64    // of the other units
	Unknown bool     // matches no comparison and sorts last
}

// unknown is an unknown value.
var unknown = Value{Unknown: true}

func word(text string) Value                     { return Value{Text: text} }
func number[N ~int | ~int32 | ~int64](n N) Value { return Value{Number: int64(n)} }

// Field is something that rows can be filtered and sorted by.
type Field[T any] struct {
	Name   string   // as it is typed, in lower case
	Also   []string // other names for it
	Unit   Unit
	Column bool              // a column of the view: /regex/ and "quoted" look in it
	Value  func(row T) Value // cheap: called for every row at every key press
	Whole  func(row T) Value // what 100% is; nil where a percentage means nothing
	Late   bool              // comes with the row's explanation: unknown before
	// Compare orders rows where the order of their values is not enough.
	Compare func(a, b T) int
	// Append writes the text of the cell where that is not the text of the value.
	Append func(dst []byte, row T) []byte
}

// Fields are what the rows of one view can be filtered and sorted by.
type Fields[T any] struct {
	List []Field[T]
	// Names writes the texts that fuzzy words match, namespace/name, one a line where
	// a row has several.
	Names func(dst []byte, row T) []byte
	// Labels are what -l selects by.
	Labels func(row T) map[string]string
	// Explained reports whether the row's explanation is there, and with it the values
	// of the fields that are Late; nil where no field is.
	Explained func(row T) bool
}

// Field finds a field by any of its names, in any case.
func (f *Fields[T]) Field(name string) (*Field[T], bool) {
	name = strings.ToLower(name)
	for i := range f.List {
		if field := &f.List[i]; field.Name == name || slices.Contains(field.Also, name) {
			return field, true
		}
	}
	return nil, false
}

// names lists the fields, for the message about an unknown one.
func (f *Fields[T]) names() []string {
	names := make([]string, len(f.List))
	for i := range f.List {
		names[i] = f.List[i].Name
	}
	return names
}

// Text is the whole text of the field's cell.
func (f *Field[T]) Text(row T) string { return string(f.appendText(nil, row)) }

func (f *Field[T]) appendText(dst []byte, row T) []byte {
	if f.Append != nil {
		return f.Append(dst, row)
	}
	value := f.Value(row)
	if value.Unknown {
		return append(dst, model.UnknownFigure...)
	}
	switch f.Unit {
	case Cores:
		return model.AppendCPU(dst, value.Number, model.Nearest)
	case Bytes:
		return model.AppendMemory(dst, value.Number, model.Nearest)
	case Integer:
		return strconv.AppendInt(dst, value.Number, 10)
	case Duration:
		return append(dst, duration.ShortHumanDuration(time.Duration(value.Number))...)
	default:
		dst = append(dst, value.Text...)
		for _, text := range value.Texts {
			dst = append(append(dst, ' '), text...)
		}
		return dst
	}
}
