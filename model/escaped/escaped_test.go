package escaped

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// awkward are characters that readers reject, terminals obey or eyes do not see.
var awkward = func() (all []string) {
	for r := range rune(0x20) {
		all = append(all, string(r))
	}
	for r := rune(0x7f); r < 0xa1; r++ {
		all = append(all, string(r))
	}
	return append(all, "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff", "\u202e", "\u2066", "\u200b", "\u200d", "\ufe0f", "\U000e0041",
		"\U000e0100", "\U0010ffff", "\U0001f600", "\xff", "\xed\xa0\x80", "\xed\xb0\x80", "\xc2", "\"", "\\", "'", "\n", "\r\n", "---\n", ": ", "# ", "- ",
		"quoted", "quotedX", "\\u0041", "yes", "null", "1", "é", "日本", " ", "{", "%", "&a", "*a", "!t", "|", ">", "?", "@", "`")
}()

// texts are strings of what is awkward.
func texts() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(awkward), rapid.String()), 0, 6),
		func(parts []string) string { return strings.Join(parts, "") })
}

// values are documents with such strings and keys.
func values() *rapid.Generator[map[string]any] {
	leaf := rapid.OneOf(rapid.Map(texts(), func(text string) any { return text }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }), rapid.Map(rapid.Bool(), func(yes bool) any { return yes }))
	list := rapid.Map(rapid.SliceOfN(leaf, 0, 3), func(items []any) any { return items })
	inner := rapid.Map(rapid.MapOfN(texts(), rapid.OneOf(leaf, list), 0, 3), func(fields map[string]any) any { return fields })
	return rapid.MapOfN(texts(), rapid.OneOf(leaf, list, inner), 0, 4)
}

// asJSON is a value as encoding/json reads it back.
func asJSON(t fataler, v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return decoded(t, text)
}

func decoded(t fataler, text []byte) (v any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

type fataler interface{ Fatalf(string, ...any) }

// requireSafe wants no character that is to be escaped, but for those that lay out.
func requireSafe(t fataler, text []byte) {
	if strings.ContainsFunc(string(text), func(r rune) bool { return escapes(r) && r != '\n' }) {
		t.Fatalf("%q holds a character as it is", text)
	}
}

func TestWhatIsWrittenIsReadBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := values().Draw(t, "value")
		want := asJSON(t, value)
		for _, indent := range []string{"", "  "} {
			text, err := JSON(value, indent)
			if err != nil {
				t.Fatalf("%v", err)
			}
			requireSafe(t, text)
			requireEqual(t, want, decoded(t, text), text)
			requireReadByKubectl(t, want, text)
		}
		text, err := YAML(value)
		if err != nil {
			t.Fatalf("%v", err)
		}
		requireSafe(t, text)
		requireRead(t, want, text)
		requireReadByKubectl(t, want, text)
		// As the items of a list stand in a file.
		listed := "items:\n- " + strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n  ") + "\n"
		requireRead(t, map[string]any{"items": []any{want}}, []byte(listed))
	})
}

func requireEqual(t fataler, want, got any, text []byte) {
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%q\nis read as %#v\nwant       %#v", text, got, want)
	}
}

// requireRead reads as sigs.k8s.io/yaml does.
func requireRead(t fataler, want any, text []byte) {
	raw, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	requireEqual(t, want, decoded(t, raw), text)
}

// requireReadByKubectl reads as kubectl apply -f does: one document after the other.
func requireReadByKubectl(t fataler, want any, text []byte) {
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	requireEqual(t, want, decoded(t, raw), text)
	if err := decoder.Decode(&raw); !errors.Is(err, io.EOF) {
		t.Fatalf("%q holds more than one document: %v", text, err)
	}
}

func TestEachAwkwardCharacterIsReadBackEqual(t *testing.T) {
	for _, text := range awkward {
		for _, value := range []map[string]any{{"message": "a" + text + "b"}, {"a" + text: text}, {strings.Repeat(text, 400): 1}, {"message": "two\nlines" + text}} {
			want := asJSON(t, value)
			written, err := YAML(value)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			requireSafe(t, written)
			requireRead(t, want, written)
			requireReadByKubectl(t, want, written)
		}
	}
}

func TestVeryLongKeysAreReadBackEqual(t *testing.T) {
	for _, key := range []string{strings.Repeat("k", 5000), strings.Repeat("k\x7f", 5000)} {
		value := map[string]any{key: "v"}
		written, err := YAML(value)
		if err != nil {
			t.Fatal(err)
		}
		requireRead(t, asJSON(t, value), written)
		requireReadByKubectl(t, asJSON(t, value), written)
	}
}

func TestTextWithoutSuchCharactersIsWrittenAsKubectlWritesIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{"text": rapid.StringMatching(`[ -~\nä-ü日本]*`).Draw(t, "text"), "n": rapid.Int().Draw(t, "n")}
		want, err := yaml.Marshal(value)
		if err != nil {
			t.Fatalf("%v", err)
		}
		got, err := YAML(value)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}
