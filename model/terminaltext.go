package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text of the cluster fit to be drawn: control characters and escape
// sequences are dropped, as are the invisible ones that reorder or forge text;
// what breaks a line becomes a blank, and what is no UTF-8 becomes U+FFFD. Text
// that is clean already, as nearly all is, comes back as it is.
func Clean(text string) string {
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if breaksLine(r) || hidden(r) || (r == utf8.RuneError && size == 1) {
			return cleaned(text, i)
		}
		i += size
	}
	return text
}

// Drawable reports whether Clean keeps a character as it is.
func Drawable(r rune) bool { return !breaksLine(r) && !hidden(r) }

// cleaned does the work from the first byte that is not fit.
func cleaned(text string, from int) string {
	var b strings.Builder
	b.Grow(len(text))
	b.WriteString(text[:from])
	for rest := text[from:]; rest != ""; {
		if skip := escapeLength(rest); skip > 0 {
			rest = rest[skip:]
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case breaksLine(r):
			b.WriteByte(' ')
		case !hidden(r):
			b.WriteRune(r) // an invalid byte was decoded as U+FFFD
		}
		rest = rest[size:]
	}
	return b.String()
}

// breaksLine reports whether a character moves on to another line or column.
func breaksLine(r rune) bool {
	return ('\t' <= r && r <= '\r') || r == 0x85 || r == 0x2028 || r == 0x2029
}

// hidden reports whether a character draws nothing of its own but may change how
// others are drawn, or is none at all.
func hidden(r rune) bool {
	switch {
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
		return true
	case unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point):
		return true
	case r == 0x16fe4, r == 0x1d159: // a filler and a head of a note that draw nothing, though not by a property
		return true
	}
	return false
}

// escapeLength is the length of the escape sequence that text begins with, 0 if
// it begins with none. Of a sequence that does not end only the introducer counts,
// so that nothing readable is lost.
func escapeLength(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if r == 0x1b && len(text) > 1 {
		r, size = rune(text[1])+0x40, 2 // its eight-bit twin, for those below
	}
	switch {
	case r == 0x9b: // control sequence
		return controlEnd(text, size)
	case r == 0x90, r == 0x98, r == 0x9d, r == 0x9e, r == 0x9f: // strings for the terminal itself
		return stringEnd(text, size)
	case text[0] == 0x1b && size == 2:
		return plainEnd(text)
	}
	return 0
}

// controlEnd finds the end of a control sequence: parameters, then one letter.
func controlEnd(text string, body int) int {
	for i := body; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return body
		}
	}
	return body
}

// stringEnd finds the end of a string that a terminal would take for itself, such
// as a title: a bell, or the string terminator.
func stringEnd(text string, body int) int {
	end := len(text) + 1
	for _, terminator := range []string{"\a", "\x1b\\", "\u009c"} {
		if at := strings.Index(text[body:], terminator); at >= 0 {
			end = min(end, body+at+len(terminator))
		}
	}
	if end > len(text) {
		return body
	}
	return end
}

// plainEnd finds the end of an escape and one letter, with the signs between that
// choose a character set.
func plainEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0x30 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x2f:
			return 1
		}
	}
	return 1
}
