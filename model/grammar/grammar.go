// Package grammar puts counts and lists into sentences.
package grammar

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Capital begins a sentence. The name of a component stays as it is: "kube-scheduler".
func Capital(text string) string {
	if text == "" || strings.HasPrefix(text, "kube-") {
		return text
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Small continues a sentence with another's words: their first letter is small. An
// abbreviation keeps its capitals.
func Small(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if size == 0 || unicode.IsUpper(second) {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

// Agree picks the words for one or for many.
func Agree(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Count is a number with its word: "1 pod", "2 pods".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// How many names stand in a text before the rest is counted.
const (
	Few  = 3  // named in a clause, the rest is counted
	Many = 10 // named in a sentence
)

// List names the first of some things and counts the rest: "a, b, c and 4 more".
func List(names []string, limit int) string {
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
}

// Plural counts things by their word: "1 node", "3 nodes".
func Plural(n int, word string) string {
	return Count(n, word, word+"s")
}

// Ordinal is a place in an order: "1st", "12th".
func Ordinal(n int) string {
	if tens := n % 100; tens < 11 || tens > 13 {
		switch n % 10 {
		case 1:
			return fmt.Sprintf("%dst", n)
		case 2:
			return fmt.Sprintf("%dnd", n)
		case 3:
			return fmt.Sprintf("%drd", n)
		}
	}
	return fmt.Sprintf("%dth", n)
}

// Cells is how many columns text takes up on a screen.
func Cells(text string) int { return ansi.StringWidth(text) }
