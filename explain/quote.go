package explain

import (
	"bytes"
	"encoding/json"
	"strings"
)

// plain are the characters that mean nothing to a shell, wherever they stand.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"

// quote writes a string as one word of a shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// oneLine is the JSON of v, with control characters escaped and nothing else
// that need not be.
func oneLine(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "" // not of maps, lists and strings
	}
	return strings.TrimSuffix(out.String(), "\n")
}
