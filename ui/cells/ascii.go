package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// asciiFallback is the ASCII replacement of each symbol; one cell each, so that no
// layout changes.
var asciiFallback = map[rune]rune{
	'▸': '>', '✗': 'x', '✓': '+', '·': '.', '–': '-', '−': '-', '…': '~', '›': '>', '×': 'x', '→': '>', '±': '+', '▏': '_',
	'█': '#', '▒': '=', '│': '|', '─': '-', '┌': '+', '┐': '+', '└': '+', '┘': '+',
	'▎': '-', '▍': '-', '▌': '=', '▋': '=', '▊': '=', '▉': '=', '╎': '|',
	'▁': '_', '▂': '.', '▃': ':', '▄': '-', '▅': '=', '▆': '+', '▇': '*',
	'⋮': ':', '↑': '^', '↓': 'v', '▲': '^', '▼': 'v', '▴': '^', '←': '<',
}

// ASCII replaces the symbols by their ASCII fallback and any other letter by ?.
func ASCII(s string) string {
	var made strings.Builder
	made.Grow(len(s))
	for s != "" {
		if s[0] < utf8.RuneSelf {
			made.WriteByte(s[0])
			s = s[1:]
			continue
		}
		letter, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		r, _ := utf8.DecodeRuneInString(letter)
		if fallback, known := asciiFallback[r]; known {
			made.WriteRune(fallback)
		} else {
			made.WriteString(strings.Repeat("?", width))
		}
		s = s[len(letter):]
	}
	return made.String()
}

// WantsASCII reports whether the terminal that an environment describes should be
// drawn on only with ASCII: no UTF-8, a dumb or linux terminal, or a locale
// that draws ambiguous characters two cells wide.
func WantsASCII(env func(string) string) bool {
	if term := env("TERM"); term == "dumb" || term == "linux" {
		return true
	}
	locale := strings.ToLower(firstSet(env, "LC_ALL", "LC_CTYPE", "LANG"))
	if locale == "" && env("WT_SESSION") != "" { // Windows has no such variables, and Windows Terminal draws UTF-8
		return false
	}
	if !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8") {
		return true
	}
	for _, wide := range []string{"ja", "ko", "zh"} {
		if strings.HasPrefix(locale, wide+"_") {
			return true
		}
	}
	return false
}

func firstSet(env func(string) string, names ...string) string {
	for _, name := range names {
		if value := env(name); value != "" {
			return value
		}
	}
	return ""
}
