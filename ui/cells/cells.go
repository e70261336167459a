// Package cells cuts, pads and wraps text to the cells of a terminal, and replaces
// symbols where only ASCII can be drawn.
package cells

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width counts the cells that s takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut shortens s to width cells, its last one … where something is missing.
func Cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(s) <= width { // bytes are never fewer than cells
		return s
	}
	short := ansi.Truncate(s, width, "…")
	if strings.HasSuffix(short, "……") { // a name that had lost its middle was cut there
		short = strings.TrimSuffix(short, "…")
	}
	return short
}

// CutRow is Cut that ignores blanks at the end.
func CutRow(row string, width int) string {
	short := ansi.Truncate(row, width, "")
	if len(short) == len(row) || strings.Trim(ansi.Strip(ansi.TruncateLeft(row, width, "")), " ") == "" {
		return short
	}
	return Cut(row, width)
}

// First are the first n lines; the last of them ends in … where there are
// more, and takes width cells at most.
func First(lines []string, n, width int) []string {
	if n >= len(lines) || n <= 0 {
		return lines[:min(max(n, 0), len(lines))]
	}
	lines = slices.Clone(lines[:n])
	last := &lines[n-1]
	more := " …"
	if strings.HasSuffix(ansi.Strip(*last), "-") || Width(*last)+2 > width {
		more = "…" // a name goes on
	}
	*last = ansi.Truncate(*last, width-Width(more), "") + more
	return lines
}

// CutMiddle shortens s to width cells and keeps both ends: tails tell names apart.
func CutMiddle(s string, width int) string {
	have := Width(s)
	if have <= width {
		return s
	}
	if width < 5 {
		return Cut(s, width)
	}
	tail := (width - 1) / 2
	head := width - 1 - tail
	return ansi.Truncate(s, head, "") + "…" + ansi.TruncateLeft(s, have-tail, "")
}

// CutStart shortens s to width cells and keeps its end.
func CutStart(s string, width int) string {
	have := Width(s)
	if have <= width || width < 2 {
		return Cut(s, width)
	}
	return "…" + ansi.TruncateLeft(s, have-width+1, "")
}

// CutName shortens an object's name to width cells. Of a pod's name it leaves out the hash
// of the template first, then the end of the workload's name: "web/api-…-x7n5s".
func CutName(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	at := strings.LastIndexByte(s, '-')
	if at < 0 || !generated(s[at+1:], 5, 5) {
		return CutMiddle(s, width)
	}
	own, tail := s[:at], "…"+s[at:]
	if short := WithoutHash(s); short != s {
		if Width(short) <= width {
			return short
		}
		own = strings.TrimSuffix(short, "-"+tail)
	}
	head := width - Width(tail)
	if head < 5 {
		return CutMiddle(s, width)
	}
	return ansi.Truncate(own, head, "") + tail
}

// CutNames shortens long names among the words of a text that has more than width cells, for what
// it says of them stands behind: "gke-lu…5fk2 needs 9.7Gi more", "…/web-data does not exist".
func CutNames(text string, width int) string {
	const least = 9 // cells that are left of a name
	over := Width(text) - width
	if over <= 0 {
		return text
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		if over > 0 && isLongName(word) {
			words[i] = cutNamespaced(word, max(least, Width(word)-over))
			over -= Width(word) - Width(words[i])
		}
	}
	return strings.Join(words, " ")
}

// CutClauses is CutNames for a text of which others share the beginning: where not even its first clause fits width cells,
// the text loses its middle, and keeps its last clause as far as that fits. Clauses are parted by ": ".
func CutClauses(text string, width int) string {
	const parted, least = ": ", 8 // cells of the beginning that are worth keeping
	short := CutNames(text, width)
	first, last := strings.Index(short, parted), strings.LastIndex(text, parted)
	if Width(short) <= width || last < 0 || first >= 0 && Width(short[:first]) <= width {
		return short
	}
	tail := text[last+len(parted):]
	if head := width - Width(tail) - 2; head >= least {
		return ansi.Truncate(text, head, "") + "… " + tail
	}
	return "…" + CutNames(tail, width-1)
}

// isLongName reports whether a word looks like an object's name, with its namespace or without, that is
// long enough to give way. Keys of labels and taints are none: they have a domain or a value.
func isLongName(word string) bool {
	const long = 16
	namespace, name, namespaced := strings.Cut(word, "/")
	return Width(word) >= long && strings.Contains(word, "-") && !strings.ContainsAny(word, "=:") &&
		(!namespaced || !strings.Contains(namespace, ".") && !strings.Contains(name, "/"))
}

// cutNamespaced shortens a name to width cells: its namespace goes first.
func cutNamespaced(word string, width int) string {
	_, name, namespaced := strings.Cut(word, "/")
	switch {
	case !namespaced:
		return CutName(word, width)
	case Width(name)+2 <= width:
		return "…/" + name
	}
	return CutName(name, width)
}

// WithoutHash leaves the hash of the template out of a pod's name: "web/api-…-x7n5s".
func WithoutHash(name string) string {
	at := strings.LastIndexByte(name, '-')
	if at < 0 || !generated(name[at+1:], 5, 5) {
		return name
	}
	own := name[:at]
	if hash := strings.LastIndexByte(own, '-'); hash >= 0 && generated(own[hash+1:], 6, 10) {
		return own[:hash] + "-…" + name[at:]
	}
	return name
}

// generated reports whether Kubernetes may have made up part of a name, of so many characters
// (k8s.io/apimachinery/pkg/util/rand).
func generated(part string, least, most int) bool {
	return len(part) >= least && len(part) <= most && strings.Trim(part, "bcdfghjklmnpqrstvwxz2456789") == ""
}

// Left pads or cuts s to width cells.
func Left(s string, width int) string {
	s = Cut(s, width)
	return s + Blank(width-Width(s))
}

// Right is left with the blanks before s.
func Right(s string, width int) string {
	s = Cut(s, width)
	return Blank(width-Width(s)) + s
}

// Blank is n blank cells.
func Blank(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// Spread puts a at the left and b at the right end of width cells; a is cut to fit.
func Spread(a, b string, width int) string {
	if b == "" {
		return Cut(a, width)
	}
	b = Cut(b, width)
	a = Cut(a, width-Width(b)-1)
	return a + Blank(width-Width(a)-Width(b)) + b
}

// CutWords is Cut that loses whole words.
func CutWords(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	s = Cut(s, width-1)
	if at := strings.LastIndexByte(s, ' '); at > width/2 {
		s = s[:at]
	}
	return strings.TrimSuffix(s, "…") + " …"
}

// WideFrom is the width of a terminal from which pages show more.
const WideFrom = 100
