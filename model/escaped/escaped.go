// Package escaped writes values as JSON and YAML whose strings hold no character
// that a terminal obeys, that hides or reorders text, or that a reader of YAML
// rejects. Such characters are escaped, so that what is read back is equal.
package escaped

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// JSON is v as JSON. Each level is indented by indent; "" writes one line. It does
// not end with a line break.
func JSON(v any, indent string) ([]byte, error) {
	text, err := marshal(v, indent)
	if err != nil {
		return nil, err
	}
	return escapedJSON(text), nil
}

// YAML is v as YAML, by its JSON. A string that holds a character to be escaped
// stands in double quotes.
func YAML(v any) ([]byte, error) {
	text, err := marshal(v, "")
	if err != nil {
		return nil, err
	}
	if !mayNeedEscapes(text) { // nearly always
		if plain, err := yaml.JSONToYAML(text); err == nil {
			return plain, nil // it fails where a key is very long
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var whole any
	if err := decoder.Decode(&whole); err != nil {
		return nil, err
	}
	q := newQuoter(text)
	if text, err = marshal(q.withoutEscapes(whole), ""); err != nil {
		return nil, err
	}
	if text, err = yaml.JSONToYAML(text); err != nil {
		return nil, err
	}
	return []byte(q.restore(string(text))), nil
}

// marshal is v as JSON that escapes no more than JSON has to.
func marshal(v any, indent string) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// escapes reports whether a character of a string is written escaped. Readers of YAML
// reject some of the noncharacters.
func escapes(r rune) bool { return !model.Drawable(r) }

// escapedJSON escapes what JSON may hold as it is. Outside of strings it is ASCII.
func escapedJSON(text []byte) []byte {
	at := firstEscape(text)
	if at < 0 {
		return text
	}
	written := append(make([]byte, 0, len(text)+64), text[:at]...)
	for rest := text[at:]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r < ' ' || !escapes(r): // blanks between values; those in strings are escaped already
			written = append(written, rest[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			written = fmt.Appendf(written, `\u%04x\u%04x`, high, low)
		default:
			written = fmt.Appendf(written, `\u%04x`, r)
		}
		rest = rest[size:]
	}
	return written
}

// firstEscape is where the first character stands that escapedJSON changes; -1
// without one.
func firstEscape(text []byte) int {
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if escapes(r) {
			return i
		}
		i += size
	}
	return -1
}

// mayNeedEscapes reports whether JSON holds a character that is written escaped in
// YAML, or an escape of one.
func mayNeedEscapes(text []byte) bool {
	return firstEscape(text) >= 0 || bytes.Contains(text, []byte(`\u`)) || bytes.Contains(text, []byte(`\r`)) ||
		bytes.Contains(text, []byte(`\b`)) || bytes.Contains(text, []byte(`\f`))
}

// quoter puts strings into double quotes that the writer of YAML would not: it
// writes a word in place of each, which is replaced afterwards.
type quoter struct {
	mark   string   // begins and ends each word; nothing else in the document holds it
	quoted []string // by number
}

func newQuoter(text []byte) *quoter {
	q := &quoter{mark: "quoted"}
	for bytes.Contains(text, []byte(q.mark)) {
		q.mark += "X"
	}
	return q
}

// withoutEscapes is a value of JSON with words in place of strings that need
// escapes.
func (q *quoter) withoutEscapes(value any) any {
	switch value := value.(type) {
	case string:
		return q.word(value)
	case []any:
		for i := range value {
			value[i] = q.withoutEscapes(value[i])
		}
	case map[string]any:
		fields := make(map[string]any, len(value))
		for name, field := range value {
			if key := q.word(name); len(key) <= longestKey {
				name = key
			} else {
				name = q.quote(name)
			}
			fields[name] = q.withoutEscapes(field)
		}
		return fields
	}
	return value
}

const (
	// longKey is the length in bytes from which the writer of YAML gives a key a
	// line of its own, which readers need where a key is very long.
	longKey = 130
	// longestKey is how long a key may be that JSONToYAML reads.
	longestKey = 1000
)

// word is the text, or the word in its place.
func (q *quoter) word(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return escapes(r) && r != '\n' && r != '\t' }) {
		return text
	}
	return q.quote(text)
}

// quote is the word in place of a text.
func (q *quoter) quote(text string) string {
	quoted := quoteYAML(text)
	word := q.mark + strconv.Itoa(len(q.quoted)) + q.mark
	if len(quoted) > longKey && len(word) < longKey {
		word = q.mark + strings.Repeat("0", longKey-len(word)) + word[len(q.mark):]
	}
	q.quoted = append(q.quoted, quoted)
	return word
}

// restore is the document with the quoted strings in place of their words.
func (q *quoter) restore(text string) string {
	var whole strings.Builder
	whole.Grow(len(text))
	for {
		before, rest, found := strings.Cut(text, q.mark)
		whole.WriteString(before)
		if !found {
			return whole.String()
		}
		var number string
		number, text, _ = strings.Cut(rest, q.mark)
		n, _ := strconv.Atoi(number) // by word
		whole.WriteString(q.quoted[n])
	}
}

// quoteYAML writes a text in double quotes.
func quoteYAML(text string) string {
	quoted := []byte{'"'}
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			quoted = append(quoted, '\\', byte(r))
		case r == '\n':
			quoted = append(quoted, `\n`...)
		case r == '\t':
			quoted = append(quoted, `\t`...)
		case r > 0xffff && escapes(r):
			quoted = fmt.Appendf(quoted, `\U%08X`, r)
		case escapes(r):
			quoted = fmt.Appendf(quoted, `\u%04X`, r)
		default:
			quoted = utf8.AppendRune(quoted, r)
		}
	}
	return string(append(quoted, '"'))
}
