// Package shell writes words and JSON as they stand on a command line.
package shell

import (
	"bytes"
	"encoding/json"
	"strings"
)

// plain are the characters that mean nothing to a shell, wherever they stand.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"

// Quote writes a string as one word of a shell.
func Quote(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// OneLine is the JSON of v, with control characters escaped and nothing else
// that need not be.
func OneLine(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "" // not of maps, lists and strings
	}
	return strings.TrimSuffix(out.String(), "\n")
}
