// Package shell writes words and JSON as they stand on a command line.
package shell

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// plain are the characters that mean nothing to a shell, wherever they stand but
// for a leading "=".
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"

// Quote writes a string as one word of a POSIX shell and of zsh. Zsh reads "=name" as the
// path of a command.
func Quote(s string) string {
	if s != "" && s[0] != '=' && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Line is a command with its arguments.
func Line(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

// OneLine is the JSON of v, with what a terminal does not draw escaped and nothing
// else that need not be.
func OneLine(v any) string {
	text, err := escaped.JSON(v, "")
	if err != nil {
		return "" // not of maps, lists and strings
	}
	return string(text)
}
