package model

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTextOfTheClusterIsFitToBeDrawn(t *testing.T) {
	for _, c := range []struct{ says, text, want string }{
		{"plain text stays", "web/front-5d8f9c6b4-8sd2l", "web/front-5d8f9c6b4-8sd2l"},
		{"letters of all alphabets stay", "é 日本 ж ✗ ⋮", "é 日本 ж ✗ ⋮"},
		{"a line break becomes a blank", "a\nb\r\nc\td", "a b  c d"},
		{"so do its rarer forms", "a\u2028b\u0085c\vd", "a b c d"},
		{"colours are dropped whole", "\x1b[31;1mred\x1b[0m", "red"},
		{"so is the eight-bit form", "\u009b31mred", "red"},
		{"a title is dropped whole", "\x1b]0;owned\aok", "ok"},
		{"to the first end of it", "\x1b]0;owned\x1b\\ok\a", "ok"},
		{"a clipboard write is dropped whole", "\x1b]52;c;cm0gLXJm\x1b\\ok", "ok"},
		{"a title that does not end keeps its text", "\x1b]0;owned", "0;owned"},
		{"a sequence that does not end keeps its text", "\x1b[31", "31"},
		{"a device control string is dropped whole", "\x1bPq#0\x1b\\ok", "ok"},
		{"a character set is dropped whole", "\x1b(0lqk", "lqk"},
		{"a reset is dropped", "\x1bcok", "ok"},
		{"a lone escape is dropped", "ok\x1b", "ok"},
		{"bells and backspaces are dropped", "a\a\b\x00b\x7f", "ab"},
		{"text cannot be turned round", "a\u202egnp.exe\u2066b", "agnp.exeb"},
		{"nothing is invisible", "a\u200b\u200d\ufeff\u00ad\u3164b", "ab"},
		{"nor is what joins, or fills up", "a\u034f\u115f\u17b4\u180b\u2065\ufff0\U000e01f0\U00016fe4\U0001d159b", "ab"},
		{"what is no character is dropped", "a\ufdd0\ufffe\uffff\U0001fffe\U0010ffffb", "ab"},
		{"accents stay, and blanks of all widths", "e\u0301\u00a0\u3000b", "e\u0301\u00a0\u3000b"},
		{"tags are dropped", "a\U000e0041b", "ab"},
		{"what is no UTF-8 is shown as such", "a\xffb", "a\ufffdb"},
		{"a lone eight-bit control byte too", "a\x9b31m", "a\ufffd31m"},
	} {
		if got := Clean(c.text); got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.says, c.text, got, c.want)
		}
	}
}

func TestNoTextForgesAScreen(t *testing.T) {
	pieces := rapid.SliceOf(rapid.OneOf(
		rapid.SampledFrom([]string{"\x1b", "[", "]", "31m", "\a", "\\", "\u009b", "\u009c", "P", "\u202e", "ok", "é", "\xff", "\n"}),
		rapid.String(),
	))
	rapid.Check(t, func(t *rapid.T) {
		got := Clean(strings.Join(pieces.Draw(t, "pieces"), ""))
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point) {
				t.Fatalf("%q holds %U", got, r)
			}
		}
		if again := Clean(got); again != got {
			t.Fatalf("%q is not clean: again it becomes %q", got, again)
		}
	})
}

func TestCleanTextIsNotCopied(t *testing.T) {
	for _, text := range []string{"shop/checkout-6c9d8b7f4-x2x1p", "Größe ✗ 日本"} {
		if n := testing.AllocsPerRun(100, func() { _ = Clean(text) }); n != 0 {
			t.Errorf("%q: %v allocations", text, n)
		}
	}
}
