package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// CheckAmounts rejects a quantity with an exponent of more than three digits in the
// JSON of an object of type t: the parser of quantities takes for ever to scale by
// it. Only fields that are quantities count; a name or an annotation may hold
// whatever it wants. What is broken otherwise fails where it is decoded.
func CheckAmounts(raw []byte, t reflect.Type) error {
	if !mayScale(raw) {
		return nil
	}
	found := findAmount(raw, t, absurdAmount)
	if found == nil {
		return nil
	}
	if name := nameIn(raw); name != "" {
		return fmt.Errorf("%s: %w", name, found)
	}
	return found
}

// WrongAmount names the field of the first quantity in the JSON of an object of type t
// that is none; nil if there is no such field. CheckAmounts comes first.
func WrongAmount(raw []byte, t reflect.Type) error {
	return findAmount(raw, t, func(text, at string) error {
		if _, err := resource.ParseQuantity(text); err != nil {
			return fmt.Errorf("%s: %q is not a quantity", at, shortened(text))
		}
		return nil
	})
}

// findAmount is what check says of the first quantity that it rejects.
func findAmount(raw []byte, t reflect.Type, check func(text, at string) error) error {
	w := amounts{json.NewDecoder(bytes.NewReader(raw)), check}
	w.decoder.UseNumber()
	found, _ := w.value(t, "") // what is broken fails where it is decoded
	return found
}

// absurd is a quantity that takes for ever, or nearly.
var absurd = regexp.MustCompile(`^[+-]?[0-9.]*[eE][+-]?[0-9]{4,}$`)

// mayScale tells at little cost that there may be such a quantity: it is so for
// few objects of a large file. Characters that are escaped can be anything.
func mayScale(raw []byte) bool {
	for {
		at := bytes.IndexAny(raw, `eE\`)
		if at < 0 || at+1 == len(raw) {
			return false
		}
		escapes := raw[at] == '\\'
		raw = raw[at+1:]
		switch {
		case escapes && raw[0] != '"' && raw[0] != 'n':
			return true
		case !escapes && longExponent(raw):
			return true
		}
	}
}

// longExponent reports whether a quantity's exponent of more than three digits stands
// at the beginning of text, and the quantity ends with it.
func longExponent(text []byte) bool {
	if text[0] == '+' || text[0] == '-' {
		text = text[1:]
	}
	after := bytes.TrimLeft(text, "0123456789")
	return len(text)-len(after) > 3 && len(after) > 0 && bytes.IndexByte([]byte("\",}] \t\r\n\\"), after[0]) >= 0
}

// amounts looks for absurd quantities. It goes by tokens, as a key that comes twice
// is decoded twice.
type amounts struct {
	decoder *json.Decoder
	check   func(text, at string) error
}

// value looks through the next value, of type t (nil: none that can hold a
// quantity). found is about the first absurd quantity; err ends the looking.
func (w amounts) value(t reflect.Type, at string) (found, err error) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		var skipped json.RawMessage
		return nil, w.decoder.Decode(&skipped)
	}
	token, err := w.decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		return w.within(token, t, at)
	case string:
		return w.amount(token, t, at), nil
	case json.Number:
		return w.amount(token.String(), t, at), nil
	}
	return nil, nil
}

// within looks through an object or a list that has begun.
func (w amounts) within(begun json.Delim, t reflect.Type, at string) (found, err error) {
	for i := 0; w.decoder.More(); i++ {
		key, below := "["+strconv.Itoa(i)+"]", elementOf(t)
		if begun == '{' {
			token, err := w.decoder.Token()
			if err != nil {
				return nil, err
			}
			name, _ := token.(string)
			key, below = "."+shortened(name), fieldOf(t, name)
		}
		if found, err = w.value(below, at+key); found != nil || err != nil {
			return found, err
		}
	}
	_, err = w.decoder.Token()
	return nil, err
}

func (w amounts) amount(text string, t reflect.Type, at string) error {
	if t != reflect.TypeFor[resource.Quantity]() {
		return nil
	}
	return w.check(strings.TrimSpace(text), strings.TrimPrefix(at, "."))
}

func absurdAmount(text, at string) error {
	if !absurd.MatchString(text) {
		return nil
	}
	return fmt.Errorf("%s is %s: an exponent of more than three digits is not a quantity", at, shortened(text))
}

// elementOf is the type of what a list holds; nil if t is none.
func elementOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		return t.Elem()
	}
	return nil
}

// fieldOf is the type of what an object of type t holds under a name; nil if that
// is nothing.
func fieldOf(t reflect.Type, name string) reflect.Type {
	if t.Kind() == reflect.Map {
		return t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for field := range t.Fields() {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && tag == "" && field.Type.Kind() == reflect.Struct:
			if below := fieldOf(field.Type, name); below != nil {
				return below
			}
		case strings.EqualFold(tag, name), tag == "" && strings.EqualFold(field.Name, name):
			return field.Type
		}
	}
	return nil
}

// shortened is the beginning of a text that may be of any length.
func shortened(text string) string {
	const most = 64
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// nameIn is how an object says that it is called.
func nameIn(raw []byte) string {
	var of struct {
		Metadata struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"metadata"`
	}
	if json.Unmarshal(raw, &of) != nil {
		return ""
	}
	return shortened(strings.TrimPrefix(of.Metadata.Namespace+"/"+of.Metadata.Name, "/"))
}
